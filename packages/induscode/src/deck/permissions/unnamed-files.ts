// Why a command may read, or change, files that its words do not name: under a rule about files it is then asked about, unless a sandbox
// keeps it from them. What a program opens of its own accord (a test, a build) no line shows, and it is not asked about.

import type { Looks, ShellPart, ShellWord } from "../shell/contract.ts";
import { setsQuietly } from "../shell/git-settings.ts";
import { leadingOptions } from "../shell/options.ts";
import { programName } from "../shell/wrappers.ts";
import { scriptIn } from "./command-texts.ts";
import { givenPlaces, readsList, writesNamed } from "./named-places.ts";

/** What is known of a command besides its words. */
export interface Around {
  readonly cwd: string;
  /** What it looks at, if it only looks. */
  readonly looks: Looks | undefined;
  /** Its words stand for more files than were looked at. */
  readonly isCut: boolean;
  readonly isFile: (path: string) => Promise<boolean>;
  readonly isFolder: (path: string) => Promise<boolean>;
}

/** Commands that show and copy nothing of what files contain, whatever they are given. */
const OPENS_NO_FILE: ReadonlySet<string> = new Set(
  (
    "[ basename cd chdir chgrp chmod chown declare dirname du echo exit export false find kill local ls mkdir popd printf pushd pwd read " +
    "readlink readonly realpath return rm rmdir set shift sleep stat test touch tree true type ulimit umask unset wait which"
  ).split(" "),
);

/** Programs that read below the folder that they run in, even if they are given none. */
const SEARCHES = /^(?:[efr]?grep|rg|ag|ack|ug|ugrep|fd|fdfind)$/;

/** Programs whose words are often messages. */
const SENDS_MESSAGES = /^(?:gh|glab|logger|mail|notify-send)$/;

/** The project says what these do, and their words are names in it, not folders. */
const RUNS_PROJECT =
  /^(?:(?:npm|pnpm|yarn|bun) (?:add|ci|i|install|run|run-script|start|t|test)|g?make|ninja|just|rake|cargo|go|mvn|gradle|dotnet)(?: |$)/;

/** Programs that write where their last word says, and read the others. */
const WRITES_LAST = /^(?:cp|mv|ln|install|scp|rsync)$/;
const TARGET = /^(?:-[A-Za-z]*t|--target)/;
/** Of those that write what they are given: what is there already stays. */
const ONLY_ADDS = /^(?:(?:bsd)?tar|zip|dd|mkdir)$/;

/** Why a command may read files that it does not name; undefined if it does not. */
export async function unnamedReads(part: ShellPart, around: Around): Promise<string | undefined> {
  const { words, isFunction, inner = 0 } = part;
  const { looks, isCut } = around;
  const name = programName(words[0]?.value) ?? "";
  const opened = openFile(part, "read");
  if (opened !== undefined || words.length === 0 || isFunction) return opened;
  if (looks) return looks.isDeep ? deepLook(part, looks, around) : undefined;
  if (OPENS_NO_FILE.has(name)) return undefined;
  const hidden = hiddenCommand(part);
  if (hidden !== undefined || inner > 0) return hidden; // what it runs is decided by itself
  if (name === "git") return gitReads(part, around);
  if (SEARCHES.test(name)) return "it searches below folders";
  const elsewhere = readsList(part) ?? scriptIn(part);
  if (elsewhere !== undefined) return elsewhere;
  const isMoved = WRITES_LAST.test(name) && !words.some(({ value = "" }) => TARGET.test(value));
  const sources = words.slice(1, isMoved ? -1 : undefined);
  const open = SENDS_MESSAGES.test(name) ? undefined : knownAtRun(sources);
  if (open !== undefined || isCut) return open ?? CUT;
  return RUNS_PROJECT.test(textOf(part)) ? undefined : below(sources, part, around);
}

/** Why a command may change files that it does not name; undefined if it does not. */
export async function unnamedChanges(part: ShellPart, around: Around): Promise<string | undefined> {
  const { words, isFunction, inner = 0 } = part;
  const name = programName(words[0]?.value) ?? "";
  const opened = openFile(part, "write");
  if (opened !== undefined || words.length === 0 || isFunction || around.looks) return opened;
  if (name === "find" && words.some(({ value }) => value === "-delete")) return "it deletes below folders";
  const hidden = hiddenCommand(part);
  if (hidden !== undefined || inner > 0) return hidden; // what it runs is decided by itself
  if (name === "git" && DISCARDS.test(gitWords(part)[1].join(" "))) return "it discards changes of any file";
  const script = scriptIn(part);
  if (script !== undefined) return script;
  if (!writesNamed(part) || ONLY_ADDS.test(name)) return undefined;
  const targets = words.slice(WRITES_LAST.test(name) && name !== "mv" ? -1 : 1);
  return knownAtRun(targets) ?? (around.isCut ? CUT : below(targets, part, around));
}

const IN_REPOSITORY = "it shows what any file of the repository contains";
const CUT = "its patterns match too many files";

/** A file that the shell opens for it. */
function openFile({ files }: ShellPart, wanted: "read" | "write"): string | undefined {
  return knownAtRun(files.flatMap(({ kind, word }) => (kind === wanted && word ? [word] : [])));
}

function knownAtRun(words: readonly ShellWord[]): string | undefined {
  const open = words.find(isOpen);
  if (open === undefined) return undefined;
  return `${open.text === "…" ? "which it is given" : `what ${open.text} stands for`} is known only at run time`;
}

/** It may stand for any files: it has a star, a variable, or what another command prints. Braces and `$'a'` stand for what they say. */
function isOpen({ text, value }: ShellWord): boolean {
  return (
    value === undefined && /[$`*?[~(…]/.test(text.replace(/\$'(?:[^'\\]|\\[\s\S])*'|'[^']*'|\$(?=")/g, ""))
  );
}

function hiddenCommand({ words, isHidden }: ShellPart): string | undefined {
  if (isHidden) return "the command that it runs is known only at run time";
  return words[0]?.value === undefined ? "which program it starts is known only at run time" : undefined;
}

async function deepLook(
  part: ShellPart,
  { files, isGit }: Looks,
  { cwd, isFile }: Around,
): Promise<string | undefined> {
  if (isGit) return IN_REPOSITORY;
  const words = files.map((file) => ({ text: file, value: file }));
  const { places } = givenPlaces(words, part.folders ?? [cwd]);
  const areFiles = await Promise.all(places.map(isFile));
  return areFiles.every(Boolean) ? undefined : "it searches below folders";
}

async function below(
  words: readonly ShellWord[],
  { folders }: ShellPart,
  { cwd, isFolder }: Around,
): Promise<string | undefined> {
  const { places } = givenPlaces(words, folders ?? [cwd]);
  const areFolders = await Promise.all(places.map(isFolder));
  const folder = places[areFolders.indexOf(true)];
  return folder === undefined ? undefined : `those below ${folder}`;
}

/** Its verbs that show nothing of what files contain. */
const QUIET_GIT =
  /^(?:add|am|apply|bisect|branch|checkout|cherry-pick|clean|commit|config|describe|fetch|gc|init|ls-files|ls-remote|ls-tree|merge|merge-base|mv|notes|prune|pull|push|rebase|reflog|remote|reset|restore|rev-list|rev-parse|revert|rm|shortlog|stash|status|submodule|switch|symbolic-ref|tag|update-index|update-ref|worktree)$/;
const SHOWS_PATCH =
  /^(?:(?:add|checkout|commit|reset|restore|stash)\b.* (?:-\w*p|--patch\b)|commit\b.* (?:-\w*v|--verbose)\b|stash show\b|rebase\b.* (?:-x|--exec)|bisect run\b|submodule foreach\b)/;
const DISCARDS =
  /^(?:clean\b.* (?:-\w*f|--force)|reset\b.* --hard|(?:checkout|switch)\b.* (?:-\w*f\b|--force|--discard-changes))/;

/** The options before a verb, and the words from it on. */
function gitWords({ words }: ShellPart): readonly [before: readonly string[], verb: readonly string[]] {
  const given = words.slice(1).map(({ text, value = text }) => value);
  const at = leadingOptions(given);
  return [given.slice(0, at), given.slice(at)];
}

async function gitReads(part: ShellPart, around: Around): Promise<string | undefined> {
  const [before, [verb = "", ...rest]] = gitWords(part);
  const set = before.find((word, at) => before[at - 1] === "-c" && !setsQuietly(word.replace(/=.*/s, "")));
  if (set !== undefined) return `git may run something because of ${set}`;
  if (verb === "clone") return below(part.words.slice(before.length + 2), part, around);
  if (QUIET_GIT.test(verb) && !SHOWS_PATCH.test([verb, ...rest].join(" "))) return undefined;
  return IN_REPOSITORY;
}

function textOf({ words }: ShellPart): string {
  return words.map(({ text, value = text }) => value).join(" ");
}
