// What git knows of a file's lines, and of a commit's files. The working tree is not read by git, so nothing that the repository names runs.

import { dirname, relative } from "node:path";
import { changedRanges, splitLines } from "indusagi/capabilities";
import { createGit, type Git, type GitPlace, GitProblem, repositoryOf, textOf } from "../crew/trees/git.ts";
import { commitNamed } from "../crew/trees/trees.ts";

export interface GitCommit {
  readonly commit: string;
  readonly author: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly summary: string;
}

/** The commit of each line of `text`, as far as HEAD has the line; `problem` says why git was not asked. */
export async function gitLines(
  env: NodeJS.ProcessEnv,
  file: string,
  text: string,
): Promise<{ readonly commits: readonly (GitCommit | undefined)[]; readonly problem?: string }> {
  let place: GitPlace;
  try {
    place = repositoryOf(dirname(file));
  } catch (error) {
    if (!(error instanceof GitProblem)) throw error;
    return error.message.endsWith("is not in a git repository")
      ? { commits: [] }
      : { commits: [], problem: error.message };
  }
  try {
    const words = ["blame", "--no-textconv", "--porcelain", "HEAD", "--", relative(place.top, file)];
    const { code, out } = await createGit(env).ask(place, words);
    return { commits: code === 0 ? placed(textOf(out), text) : [] }; // another code: HEAD does not have the file
  } catch (error) {
    if (error instanceof GitProblem) return { commits: [], problem: error.message };
    throw error;
  }
}

function placed(porcelain: string, text: string): readonly (GitCommit | undefined)[] {
  const now = splitLines(text);
  const committed = blamedLines(porcelain);
  const old = splitLines(committed.map(({ line }) => `${line}\n`).join(""));
  const commits: (GitCommit | undefined)[] = now.map(() => undefined);
  let [i, j] = [0, 0];
  for (const [oldStart, oldEnd, , end] of changedRanges(old, now)) {
    while (i < oldStart) commits[j++] = committed[i++]?.commit;
    [i, j] = [oldEnd, end];
  }
  while (j < now.length) commits[j++] = committed[i++]?.commit;
  return commits;
}

/** A group of rows for each line: the commit's name, what is said of a commit once, and the line behind a tab. */
function blamedLines(
  porcelain: string,
): readonly { readonly line: string; readonly commit: GitCommit | undefined }[] {
  const commits = new Map<string, GitCommit>();
  let open: GitCommit | undefined;
  return porcelain.split("\n").flatMap((row) => {
    if (row.startsWith("\t")) return [{ line: row.slice(1), commit: open }];
    const [word = "", ...rest] = row.split(" ");
    const said = rest.join(" ");
    if (/^[0-9a-f]{40,64}$/.test(word))
      open = commits.get(word) ?? { commit: word, author: "", at: 0, summary: "" };
    else if (open && word === "author") open = { ...open, author: said };
    else if (open && word === "author-time") open = { ...open, at: Number(said) * 1000 };
    else if (open && word === "summary") open = { ...open, summary: said };
    if (open) commits.set(open.commit, open);
    return [];
  });
}

/** A file as a commit left it. */
export interface CommittedFile {
  readonly path: string;
  readonly text: string;
  /** The indices of the lines that the commit added. */
  readonly added: readonly number[];
}

export interface CommittedFiles {
  /** The folder that the paths are relative to. */
  readonly top: string;
  readonly commit: string;
  /** When it was made, in milliseconds since 1970. */
  readonly at: number;
  readonly files: readonly CommittedFile[];
  /** Files that were not looked at, and why. */
  readonly left: readonly string[];
}

const MAX_FILES = 500;
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** What a commit added, compared with its first parent. Throws a {@link GitProblem}. */
export async function committedFiles(
  env: NodeJS.ProcessEnv,
  cwd: string,
  word: string,
): Promise<CommittedFiles> {
  const place = repositoryOf(cwd);
  const git = createGit(env);
  const commit = await commitNamed(git, place, word);
  const head = (await git.run(place, ["rev-list", "--parents", "--timestamp", "-1", commit]))
    .trim()
    .split(" ");
  const [seconds, , parent] = head;
  const range = parent === undefined ? ["--root", commit] : [parent, commit];
  const listed = await git.run(place, [
    "diff-tree",
    "-r",
    "-M",
    "--no-commit-id",
    "--name-status",
    "-z",
    ...range,
  ]);
  const pairs = namesIn(listed);
  const files: CommittedFile[] = [];
  const left = pairs
    .slice(MAX_FILES)
    .map(({ path }) => `${path}: only the first ${MAX_FILES} files are looked at`);
  for (const { path, from } of pairs.slice(0, MAX_FILES)) {
    const text = await blobAt(git, place, commit, path);
    const before = parent === undefined || from === undefined ? "" : await blobAt(git, place, parent, from);
    if (text === undefined || before === undefined)
      left.push(`${path}: it is not text, or longer than 4 MiB`);
    else files.push({ path, text, added: addedLines(before, text) });
  }
  return { top: place.top, commit, at: Number(seconds) * 1000, files, left };
}

/** `A`, `M` and `T` are followed by a name, `R` and `C` by two; a deleted file has added nothing. */
function namesIn(listed: string): readonly { readonly path: string; readonly from: string | undefined }[] {
  const fields = listed.split("\0").map(textOf);
  const found: { readonly path: string; readonly from: string | undefined }[] = [];
  for (let at = 0; at + 1 < fields.length; ) {
    const [how = "", first = "", second = ""] = fields.slice(at, at + 3);
    const isPair = /^[RC]/.test(how);
    if (isPair) found.push({ path: second, from: first });
    else if (how !== "D") found.push({ path: first, from: how === "A" ? undefined : first });
    at += isPair ? 3 : 2;
  }
  return found;
}

/** Undefined if it is not text, too long, or a submodule. */
async function blobAt(git: Git, place: GitPlace, commit: string, path: string): Promise<string | undefined> {
  const { code, out } = await git.ask(place, ["cat-file", "blob", `${commit}:${path}`]);
  return code !== 0 || out.length > MAX_FILE_BYTES || out.includes("\0") ? undefined : textOf(out);
}

function addedLines(before: string, text: string): readonly number[] {
  return changedRanges(splitLines(before), splitLines(text)).flatMap(([, , start, end]) =>
    Array.from({ length: end - start }, (_, k) => start + k),
  );
}
