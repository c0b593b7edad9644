// git as the product itself calls it: nothing that the repository chooses is run. The repository is given in variables, so a planted
// `.git` is not obeyed; no hooks, pager, monitor or system settings apply; and if its own settings name a program that cannot be disabled
// (a filter, a merge driver, an include, a partial clone), git is not called at all.

import { execFile } from "node:child_process";
import { existsSync, lstatSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, relative } from "node:path";
import { localFs } from "indusagi/capabilities";
import { Problem } from "../../../cli/problem.ts";
import { settingsMayRun } from "../../../deck/shell/git-settings.ts";

/** Why git was not called, or its error message. */
export class GitProblem extends Problem {}

/** A repository and its files, in one place. */
export interface GitPlace {
  /** The folder with its files, as a real path. */
  readonly top: string;
  /** The git folder itself. */
  readonly folder: string;
  /** Where settings, objects and branches are: for a worktree, the repository that it belongs to. */
  readonly common: string;
}

export interface GitRun {
  readonly code: number;
  /** One character per byte: a file name need not be valid text. */
  readonly out: string;
  readonly complaint: string;
}

export interface Git {
  /** Returns its output. Throws a {@link GitProblem} if it exits with a code other than 0. */
  readonly run: (place: GitPlace, words: readonly string[], options?: GitOptions) => Promise<string>;
  /** The same, whatever the exit code. */
  readonly ask: (place: GitPlace, words: readonly string[], options?: GitOptions) => Promise<GitRun>;
}

interface GitOptions {
  /** A string is encoded as UTF-8. */
  readonly input?: string | Buffer;
  /** Uses the person's own settings, which say who they are. */
  readonly asPerson?: true;
}

const MAX_BYTES: number = 256 * 1024 * 1024;
const MAX_MS = 600_000;

/** Overruled below, or not read by any command called here. */
const BLANKED =
  /^(?:core\.(?!alternaterefscommand|gitproxy).*|extensions\.worktreeconfig|remote\.(?!promisor|partialclonefilter|uploadpack|receivepack|vcs).*|diff\..*|merge\.(?!driver|recursive).*|(?:alias|pager|gpg|credential|https?|url|difftool|mergetool|sequence|gui|guitool|instaweb|browser|man|help|log|format|sendemail|status|tag|push|pull|fetch|submodule|maintenance|gc|pack|receive|transfer|uploadpack|web|blame|branch|commit|interactive|rerere|rebase|stash|svn|versionsort|lfs|worktree|feature|index|init|user|author|committer|notes|apply|am|clean|clone|checkout|grep|pretty|safe|svn-remote|gitflow|hub|github|vscode)\..*)$/;

const OVERRULED: readonly string[] = [
  ...["core.fsmonitor=false", "core.hooksPath=/dev/null", "core.attributesFile=/dev/null"],
  ...["core.pager=cat", "core.editor=false", "core.sshCommand=false"],
  ...["core.askPass=false", "gc.auto=0", "maintenance.auto=false", "protocol.allow=never"],
  ...["submodule.recurse=false", "commit.gpgSign=false", "advice.detachedHead=false"],
];

/** Finds the repository of a folder. Throws a {@link GitProblem}. */
export function repositoryOf(cwd: string): GitPlace {
  for (let top = cwd; ; top = dirname(top)) {
    const folder = join(top, ".git");
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found?.isDirectory()) return { top, folder, common: folder };
    if (found)
      throw new GitProblem(
        `${folder} is not a folder: run this in the repository itself, not in one of its worktrees`,
      );
    if (top === dirname(top)) throw new GitProblem(`${cwd} is not in a git repository`);
  }
}

/** What git would write through, or take its settings from, must not be a link. */
function refuseLinks({ common, folder }: GitPlace): void {
  const inCommon = [
    "",
    "objects",
    "worktrees",
    "refs",
    "refs/heads",
    "refs/heads/indus",
    "logs",
    "logs/refs",
  ];
  const own = ["", "HEAD", "index", "logs"].map((name) => join(folder, name));
  const files = [...inCommon, "logs/refs/heads", "logs/refs/heads/indus", "config", "packed-refs", "info"];
  for (const path of [...files.map((name) => join(common, name)), ...own])
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new GitProblem(
        `${path} is a symlink, which git would follow: nothing is done in this repository`,
      );
  if (existsSync(join(common, "commondir")))
    throw new GitProblem(
      `${common} refers to another repository (commondir): nothing is done in this repository`,
    );
}

export function createGit(env: NodeJS.ProcessEnv): Git {
  const path = (env.PATH ?? "").split(delimiter).filter((each) => isAbsolute(each));
  const own = {
    ...(env.HOME === undefined ? {} : { HOME: env.HOME }),
    ...{ LC_ALL: "C", GIT_CONFIG_NOSYSTEM: "1", GIT_ATTR_NOSYSTEM: "1", GIT_TERMINAL_PROMPT: "0" },
    ...{ GIT_NO_REPLACE_OBJECTS: "1", GIT_NO_LAZY_FETCH: "1", GIT_LITERAL_PATHSPECS: "1", GIT_PAGER: "cat" },
  };
  const ask: Git["ask"] = async (place, words, { input = "", asPerson } = {}) => {
    refuseLinks(place);
    const loud = await settingsMayRun(place.common, [place.folder], localFs(), BLANKED).catch(
      () => "the settings of the repository cannot be read",
    );
    if (loud !== undefined) throw new GitProblem(`${place.top}: ${loud}: git is not run`);
    // A program inside the repository is not one of the person's.
    const programs = path.filter((each) =>
      [place.top, dirname(place.common)].every((top) => relative(top, each).startsWith("..")),
    );
    const variables = {
      ...own,
      PATH: programs.join(delimiter),
      GIT_DIR: place.folder,
      GIT_COMMON_DIR: place.common,
      GIT_WORK_TREE: place.top,
      ...(asPerson ? {} : { GIT_CONFIG_GLOBAL: "/dev/null" }),
    };
    const settings = OVERRULED.flatMap((each) => ["-c", each]);
    return runGit(["--no-pager", ...settings, ...words], variables, input);
  };
  return {
    ask,
    async run(place, words, options) {
      const { code, out, complaint } = await ask(place, words, options);
      if (code === 0) return out;
      throw new GitProblem(`git ${words[0]}: ${complaint.trim() || `it exited with code ${code}`}`);
    },
  };
}

function runGit(words: readonly string[], env: NodeJS.ProcessEnv, input: string | Buffer): Promise<GitRun> {
  return new Promise((resolve, reject) => {
    const options = { cwd: "/", env, maxBuffer: MAX_BYTES, timeout: MAX_MS, encoding: "latin1" } as const;
    const child = execFile("git", words, options, (error, out, said) => {
      const complaint = textOf(said);
      if (!error) resolve({ code: 0, out, complaint });
      else if (typeof error.code === "number") resolve({ code: error.code, out, complaint });
      else reject(new GitProblem(`git cannot be run: ${error.code ?? error.signal ?? error.message}`));
    });
    child.stdin?.on("error", () => undefined); // it can end without reading; its exit is what counts
    child.stdin?.end(input);
  });
}

/** The output in a {@link GitRun} as displayable text. */
export function textOf(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}
