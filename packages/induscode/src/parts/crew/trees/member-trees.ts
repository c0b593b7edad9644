// The worktrees of a crew at work: for each ticket that wants one, its member's whole session runs in a tree of its own.

import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { describeError, isInside } from "indusagi/core";
import type { Board, Ticket } from "indusagi/swarm";
import { plural } from "../../../console/figures.ts";
import type { Twins } from "../../../deck/permissions/path-pattern.ts";
import type { IndusSession } from "../../../session/open-indus.ts";
import { DELEGATES, type DelegateDesk, type DelegateReport } from "../../delegates/delegate-desk.ts";
import { inTurn } from "../../delegates/in-turn.ts";
import { createGit, type GitPlace, GitProblem, repositoryOf } from "./git.ts";
import { treeName } from "./tree-name.ts";
import {
  changedBetween,
  commitNamed,
  commitTree,
  merged,
  openTree,
  removeTree,
  type Tree,
  tipOf,
  treeAt,
} from "./trees.ts";

/** Hands the ticket to a member of that session, together with the note. */
export type Hand = (desk: Pick<DelegateDesk, "run">, note: string) => Promise<DelegateReport>;

export interface TreesFacts {
  /** The folder that the plan works on, as a real path. */
  readonly cwd: string;
  /** The crew's folder in the home. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly board: Board;
  /** The commit that trees start from, as the plan names it. */
  readonly commit: string;
  /** Opens a session in a tree. */
  readonly open: (cwd: string, twins: Twins) => Promise<IndusSession>;
  /** Receives the notices from closing it. */
  readonly tell: (notice: string) => void;
}

export interface MemberTrees {
  readonly work: (ticket: Ticket, hand: Hand) => Promise<DelegateReport>;
  /** The branches with changes. */
  readonly branches: readonly string[];
}

/** Throws a {@link GitProblem} if this folder cannot have worktrees. */
export async function createMemberTrees(facts: TreesFacts): Promise<MemberTrees> {
  const { cwd, folder, env, board, commit, open, tell } = facts;
  const repository = repositoryOf(cwd);
  const git = createGit(env);
  await commitNamed(git, repository, commit);
  const alone = inTurn(); // git reads all worktrees to add one, and fails on a half-made one

  /** The named commit, merged with the results of the tickets this one depends on. */
  async function baseOf({ deps }: Ticket): Promise<string> {
    let base = await commitNamed(git, repository, commit);
    for (const dep of await Promise.all(deps.map((id) => board.get(id)))) {
      const { branch } = treeAt(repository, folder, treeName(dep));
      const tip = await tipOf(git, repository, branch);
      if (tip !== undefined) base = await merged(git, repository, base, tip, `Merge ${branch}\n`);
    }
    return base;
  }

  const branches: string[] = [];
  return {
    branches,
    async work(ticket, hand) {
      const tree = treeAt(repository, folder, treeName(ticket));
      const base = await baseOf(ticket);
      await alone(() => openTree(git, repository, tree, base));
      const report = await workIn(tree, hand);
      if (!report.ok) return ended(report, false, `Its worktree is kept as it is: ${tree.top}`);
      try {
        const kept = await commitTree(git, tree, messageOf(ticket));
        if (kept.length > 0)
          return ended(
            report,
            true,
            `Its worktree is kept because it contains repositories (${kept.join(", ")}): ${tree.top}`,
          );
        const tip = await commitNamed(git, tree, "HEAD");
        const changed = await changedBetween(git, repository, base, tip);
        await alone(async () => removeTree(tree));
        if (changed.length > 0) branches.push(tree.branch);
        if (changed.length > 0)
          return ended(report, true, `Branch ${tree.branch}: ${plural(changed.length, "file")} changed`);
        await git.run(repository, ["update-ref", "-d", `refs/heads/${tree.branch}`, tip]);
        return ended(report, true, "It changed no files.");
      } catch (error) {
        return ended(
          report,
          false,
          `Its work is in ${tree.top} and is not committed: ${describeError(error)}`,
        );
      }
    },
  };

  async function workIn(tree: Tree, hand: Hand): Promise<DelegateReport> {
    const session = await open(folderIn(tree, repository), [tree.top, repository.top]);
    try {
      const desk = session.handles.session?.get(DELEGATES);
      if (!desk) throw new Error("this session has no delegates");
      return await hand(
        desk,
        `You work in a git worktree of your own, on the branch ${tree.branch}. Changes that you leave in it are committed for you.`,
      );
    } finally {
      for (const notice of await session.close()) tell(notice);
    }
  }

  /** The plan's folder inside the tree. */
  function folderIn({ top }: Tree, { top: main }: GitPlace): string {
    const path = join(top, relative(main, cwd));
    try {
      const real = realpathSync(path);
      if (isInside(realpathSync(top), real)) return real;
    } catch {
      // not in that commit
    }
    throw new GitProblem(`${relative(main, cwd)} is not a folder in that commit`);
  }
}

function messageOf({ title }: Ticket): string {
  return `${title.replace(/\s+/g, " ").trim()}\n`;
}

function ended(report: DelegateReport, ok: boolean, line: string): DelegateReport {
  return { ...report, ok, report: `${report.report}\n\n${line}` };
}
