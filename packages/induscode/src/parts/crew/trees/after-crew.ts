// What happens to a crew's branches and trees when the person asks: they are merged into what is checked out here, or removed. Both keep
// all of the members' work: a merge happens completely or not at all, and a tree goes once its content is committed.

import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { Ticket } from "indusagi/swarm";
import { EXIT_FAULT, EXIT_OK } from "../../../cli/problem.ts";
import { plural } from "../../../console/figures.ts";
import { acquireLock } from "../../../store/lock.ts";
import { createGit, type Git, type GitPlace, GitProblem, repositoryOf } from "./git.ts";
import { crewFolders, treeNames } from "./left-trees.ts";
import { treeName, treesIn } from "./tree-name.ts";
import {
  changedBetween,
  commitNamed,
  commitTree,
  merged,
  moveTo,
  removeTree,
  tipOf,
  treeAt,
} from "./trees.ts";

interface Facts {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
}

/** Merges the branch of each ticket that is done, in ticket order. Returns the exit code. */
export async function mergeBranches(
  { cwd, env, say }: Facts,
  folder: string,
  tickets: readonly Ticket[],
): Promise<number> {
  const repository = repositoryOf(cwd);
  const git = createGit(env);
  for (const name of ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"])
    if (existsSync(join(repository.folder, name)))
      throw new GitProblem(
        `${repository.top} is in the middle of another merge (${name}): finish that first`,
      );
  let [found, isWhole] = [0, true];
  for (const ticket of tickets.filter(({ status }) => status === "done")) {
    const { branch } = treeAt(repository, folder, treeName(ticket));
    const tip = await tipOf(git, repository, branch);
    if (tip === undefined) continue;
    found++;
    try {
      say(`${branch}: ${await mergeOne(git, repository, branch, tip)}`);
    } catch (error) {
      if (!(error instanceof GitProblem)) throw error;
      isWhole = false;
      say(`${branch}: ${error.message}; nothing was merged`);
    }
  }
  if (found === 0) say("no completed ticket has a branch in this repository");
  return isWhole ? EXIT_OK : EXIT_FAULT;
}

/** Files with uncommitted changes are left alone; if the merge would change one of them, nothing is changed. */
async function mergeOne(git: Git, repository: GitPlace, branch: string, tip: string): Promise<string> {
  const head = await commitNamed(git, repository, "HEAD");
  const to = await merged(git, repository, head, tip, `Merge ${branch}\n`);
  if (to === head) return "already merged";
  await git.ask(repository, ["update-index", "-q", "--refresh"]);
  const moved = await git.ask(repository, ["read-tree", "-m", "-u", head, to]);
  if (moved.code !== 0) {
    const names = [...moved.complaint.matchAll(/(?:Entry|file) '(.+)' (?:not uptodate|would be)/g)];
    if (names.length === 0) throw new GitProblem(`git read-tree: ${moved.complaint.trim()}`);
    throw new GitProblem(
      `uncommitted changes in the same files: ${names.map(([, name]) => name).join(", ")}`,
    );
  }
  try {
    await moveTo(git, repository, to, head);
  } catch (error) {
    await git.ask(repository, ["read-tree", "-m", "-u", to, head]);
    throw error;
  }
  return `merged, ${plural((await changedBetween(git, repository, head, to)).length, "file")} changed`;
}

/**
 * Commits the content of each tree of this folder's crews to its branch, and removes the tree; if some are named, by name or path, only
 * those. Returns the exit code.
 */
export async function cleanTrees(
  { cwd, env, say }: Facts,
  home: string,
  named: readonly string[],
): Promise<number> {
  const wanted = new Set(named.map((each) => basename(each)));
  let [found, isWhole] = [0, true];
  for (const folder of crewFolders(home, cwd)) {
    const trees = treeNames(folder).filter((tree) => named.length === 0 || wanted.delete(tree));
    if (trees.length === 0) continue;
    const lock = acquireLock(`${folder}.lock`);
    try {
      for (const tree of trees) {
        found++;
        const left = lock.ok ? await clean(folder, tree) : `a crew is working there (${lock.holder})`;
        isWhole &&= left === undefined;
        if (left !== undefined) say(`${join(treesIn(folder), tree)} is kept: ${left}`);
      }
    } finally {
      if (lock.ok) lock.lock.release();
    }
  }
  for (const tree of wanted) say(`worktree not found: no crew of this folder has ${tree}`);
  if (wanted.size > 0) return EXIT_FAULT;
  if (found === 0) say("no crew worktrees are left");
  return isWhole ? EXIT_OK : EXIT_FAULT;

  /** Returns why the tree is left. */
  async function clean(folder: string, name: string): Promise<string | undefined> {
    try {
      const repository = repositoryOf(cwd);
      const git = createGit(env);
      const tree = treeAt(repository, folder, name);
      const before = await tipOf(git, repository, tree.branch);
      const kept = await commitTree(git, tree, "Work left by a crew\n");
      if (kept.length > 0) return `it contains repositories (${kept.join(", ")})`;
      removeTree(tree);
      const isMore = before !== (await tipOf(git, repository, tree.branch));
      say(`${tree.top} removed; ${isMore ? "its uncommitted work is now" : "its work is"} on ${tree.branch}`);
      return undefined;
    } catch (error) {
      if (!(error instanceof GitProblem)) throw error;
      return error.message;
    }
  }
}
