// A git worktree for one ticket: a folder of its own in the home, on a branch of its own. Work done there is committed to the branch, and
// only then is the folder removed. Its name depends only on the ticket, so whoever works on a ticket after a crash finds it.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { delay, readBoundedFile } from "indusagi/core";
import { plural } from "../../../console/figures.ts";
import { type Git, type GitPlace, GitProblem, textOf } from "./git.ts";
import { treesIn } from "./tree-name.ts";

export interface Tree extends GitPlace {
  readonly name: string;
  /** `indus/<name>`. */
  readonly branch: string;
}

/** The tree of this name, whether or not it exists. `folder` is the crew's. */
export function treeAt({ common }: GitPlace, folder: string, name: string): Tree {
  const top = join(treesIn(folder), name);
  return { top, folder: join(common, "worktrees", name), common, name, branch: `indus/${name}` };
}

/** The commit that a revision names. Throws a {@link GitProblem}. */
export async function commitNamed(git: Git, place: GitPlace, word: string): Promise<string> {
  const found = await git.ask(place, ["rev-parse", "--verify", "--quiet", `${word}^{commit}`]);
  if (found.code === 0 && !word.startsWith("-")) return found.out.trim();
  throw new GitProblem(`${place.top} has no commit "${word}"`);
}

/** The commit a branch points to; undefined if there is no such branch. */
export async function tipOf(git: Git, place: GitPlace, branch: string): Promise<string | undefined> {
  const { code, out } = await git.ask(place, ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`]);
  return code === 0 ? out.trim() : undefined;
}

/** Creates it from a commit, or finds an existing one; an existing branch is continued. */
export async function openTree(git: Git, repository: GitPlace, tree: Tree, base: string): Promise<void> {
  const { top, branch } = tree;
  if (existsSync(top)) {
    refuseMoved(tree);
    return;
  }
  const isNew = (await tipOf(git, repository, branch)) === undefined;
  await addTree(git, repository, tree, base);
  const names = await git.run(tree, ["ls-files", "-z"]);
  const said = await git.run(tree, ["check-attr", "-z", "--stdin", "filter"], { input: bytesOf(names) });
  const fields = said.split("\0");
  const at = fields.findIndex((field, i) => i % 3 === 2 && field !== "unspecified" && field !== "unset");
  if (at === -1) return;
  removeTree(tree);
  if (isNew) await git.run(repository, ["update-ref", "-d", `refs/heads/${branch}`, base]);
  throw new GitProblem(
    `${textOf(fields[at - 2] ?? "")} uses the filter ${textOf(fields[at] ?? "")}, a program that is not run: this repository cannot have crew worktrees`,
  );
}

/** git reads every worktree to add one, and fails on one that another process is creating. */
const HALF_MADE = /failed to read .*[/]worktrees[/]/;
const HALF_MADE_MS = 100;
const TRIES = 20;

async function addTree(
  git: Git,
  repository: GitPlace,
  { top, folder, branch }: Tree,
  base: string,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const isNew = (await tipOf(git, repository, branch)) === undefined;
    rmSync(folder, { recursive: true, force: true }); // left over if its tree was removed by hand
    const words = isNew ? ["--no-track", "-b", branch, top, base] : [top, branch];
    try {
      await git.run(repository, ["worktree", "add", "--quiet", ...words]);
      return;
    } catch (error) {
      if (tries === TRIES || !(error instanceof GitProblem && HALF_MADE.test(error.message))) throw error;
      await delay(HALF_MADE_MS, new AbortController().signal);
    }
  }
}

/** Refuses a tree that is no longer on its branch: it is left as it is. */
function refuseMoved({ top, folder, branch }: Tree): void {
  let head = "";
  try {
    head = readBoundedFile(join(folder, "HEAD"), 4_096).toString("utf8").trim();
  } catch {
    // then it is on no branch
  }
  if (head !== `ref: refs/heads/${branch}`)
    throw new GitProblem(`the worktree ${top} is no longer on its branch ${branch}: it is left as it is`);
}

/** Commits the changes in a tree to its branch. Returns the nested repositories, which are not committed and stay in place. */
export async function commitTree(git: Git, tree: Tree, message: string): Promise<readonly string[]> {
  refuseMoved(tree);
  const which = ["--modified", "--deleted", "--others", "--exclude-standard"];
  const listed = (await git.run(tree, ["ls-files", "-z", ...which])).split("\0").filter(Boolean);
  const files = [...new Set(listed)].filter((name) => !name.endsWith("/"));
  const input = bytesOf(files.map((name) => `${name}\0`).join(""));
  await git.run(tree, ["update-index", "-z", "--add", "--remove", "--replace", "--stdin"], { input });
  const made = (await git.run(tree, ["write-tree"])).trim();
  const tip = await commitNamed(git, tree, "HEAD");
  if (made !== (await git.run(tree, ["rev-parse", `${tip}^{tree}`])).trim())
    await moveTo(git, tree, await commit(git, tree, made, [tip], message), tip);
  return listed.filter((name) => name.endsWith("/")).map(textOf);
}

/** Only for a tree that was committed. Loses nothing: git keeps the commits, and the branch names them. */
export function removeTree({ top, folder }: Tree): void {
  rmSync(top, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}

/** Which files differ between two commits. */
export async function changedBetween(
  git: Git,
  place: GitPlace,
  from: string,
  to: string,
): Promise<readonly string[]> {
  const out = await git.run(place, ["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to]);
  return out.split("\0").filter(Boolean).map(textOf);
}

/** A commit that contains both: one of them, if it contains the other, or a merge. Throws a {@link GitProblem} that names conflicts. */
export async function merged(git: Git, place: GitPlace, ours: string, theirs: string, message: string) {
  const holds = async (all: string, part: string): Promise<boolean> =>
    (await git.ask(place, ["merge-base", "--is-ancestor", part, all])).code === 0;
  if (await holds(ours, theirs)) return ours;
  if (await holds(theirs, ours)) return theirs;
  const words = ["merge-tree", "--write-tree", "--name-only", "--no-messages", ours, theirs];
  const { code, out, complaint } = await git.ask(place, words);
  const [tree = "", ...names] = textOf(out).trim().split("\n");
  if (code === 1 && names.length > 0)
    throw new GitProblem(`${plural(names.length, "conflict")}: ${names.join(", ")}`);
  if (code !== 0)
    throw new GitProblem(`git merge-tree (needs git 2.38 or later): ${complaint.trim().split("\n", 1)[0]}`);
  return commit(git, place, tree, [ours, theirs], message);
}

/** Moves the branch that a place is on, if it is still where it was. */
export async function moveTo(git: Git, place: GitPlace, to: string, from: string): Promise<void> {
  await git.run(place, ["update-ref", "-m", "indus crew", "HEAD", to, from]);
}

async function commit(
  git: Git,
  place: GitPlace,
  tree: string,
  parents: readonly string[],
  message: string,
): Promise<string> {
  const asked = await git.ask(place, ["-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT"], {
    asPerson: true,
  });
  const [, name = "indus", email = "indus@localhost"] =
    /^(.*) <(.*)> \d+ [+-]\d+\n$/.exec(textOf(asked.out)) ?? [];
  const who = ["-c", `user.name=${name}`, "-c", `user.email=${email}`];
  const words = ["commit-tree", tree, ...parents.flatMap((each) => ["-p", each])];
  return (await git.run(place, [...who, ...words], { input: message })).trim();
}

function bytesOf(out: string): Buffer {
  return Buffer.from(out, "latin1");
}
