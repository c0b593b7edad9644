// Programs that run another command: what they run, and whether they do anything else. A wrapper with unknown options is treated like any
// other program.

import type { ShellVariable, ShellWord } from "./contract.ts";
import { type OptionList, readOptions } from "./options.ts";

/** What a command runs. */
export type Inner =
  | {
      readonly kind: "words";
      readonly words: readonly ShellWord[];
      readonly variables?: readonly ShellVariable[];
      /** The wrapper itself does nothing that needs a decision. */
      readonly isTransparent: boolean;
    }
  | {
      readonly kind: "line";
      readonly line: string;
      readonly isTransparent: boolean;
      /** bash runs it, in no other mode than its own. */
      readonly isBash?: boolean;
    }
  /** It runs something unknown; `isHidden`: a command whose words come from elsewhere in the line. */
  | {
      readonly kind: "unknown";
      readonly why: string;
      readonly isHidden?: boolean;
      /** It runs what its input says. */
      readonly readsInput?: boolean;
      /** bash does. */
      readonly isBash?: boolean;
    };

/** Known only at run time: a file's name, an argument from a pipe. */
const UNKNOWN: ShellWord = { text: "…" };

type Unwrap = (words: readonly ShellWord[]) => readonly Inner[];

/** What the command runs besides itself; empty for most. */
export function innerCommands(words: readonly ShellWord[]): readonly Inner[] {
  const name = programName(words[0]?.value);
  const unwrap = name !== undefined && Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  return unwrap?.(words.slice(1)) ?? [];
}

/** `git` of `/usr/bin/git`. */
export function programName(program: string | undefined): string | undefined {
  return program?.slice(program.lastIndexOf("/") + 1);
}

function behind(list: OptionList, isTransparent: boolean, operands = 0): Unwrap {
  return (words) => {
    const read = readOptions(words, list, true);
    const rest = read?.operands.slice(operands);
    if (!read || rest === undefined || rest.length === 0)
      return read?.operands.length === 0 ? [] : guess(words);
    return [{ kind: "words", words: rest, isTransparent }];
  };
}

/** The options are not understood: any word may begin the command. */
function guess(words: readonly ShellWord[]): readonly Inner[] {
  return words.length === 0
    ? []
    : [{ kind: "unknown", why: "its options are not recognised", isHidden: true }];
}

const env: Unwrap = (words) => {
  const read = readOptions(words, { short: "i", long: "ignore-environment" }, true);
  if (!read) return guess(words);
  const variables: ShellVariable[] = [];
  let at = 0;
  for (; at < read.operands.length; at++) {
    const [, name, value = ""] = /^([^=]+)=([\s\S]*)$/.exec(read.operands[at]?.value ?? "") ?? [];
    if (name === undefined) break;
    variables.push({ name, value });
  }
  const rest = read.operands.slice(at);
  return rest.length === 0 ? [] : [{ kind: "words", words: rest, variables, isTransparent: true }];
};

/** Options with which bash reads a line as without any. */
const OWN_MODE: ReadonlySet<string> = new Set(["c", "e", "u", "x", "s", "norc", "noprofile"]);

const shell =
  (isTransparent: boolean, isBash = false): Unwrap =>
  (words) => {
    const read = readOptions(
      words,
      { short: "ceilsux", long: "login norc noprofile posix", shortValued: "oO" },
      true,
    );
    if (!read) return guess(words);
    const own = { isBash: isBash && read.options.every(([name]) => OWN_MODE.has(name)) };
    if (!read.options.some(([name]) => name === "c")) {
      const isSaid = read.options.some(([name]) => name === "s");
      const readsInput = isSaid || read.operands.length === 0;
      const hidden = isSaid ? { isHidden: true } : {};
      return [
        { kind: "unknown", why: "it runs commands from a file or its input", readsInput, ...hidden, ...own },
      ];
    }
    const line = read.operands[0]?.value;
    if (line === undefined)
      return [{ kind: "unknown", why: "the command that it runs is known only at run time", isHidden: true }];
    return [{ kind: "line", line, isTransparent, ...own }];
  };

const evaluate: Unwrap = (words) => {
  const known = words.map(({ value }) => value);
  if (known.includes(undefined))
    return [{ kind: "unknown", why: "the command that it runs is known only at run time", isHidden: true }];
  return [{ kind: "line", line: known.join(" "), isTransparent: true }];
};

const xargs: Unwrap = (words) => {
  const list: OptionList = {
    short: "0rtxp",
    shortValued: "IELnPsda",
    long: "null no-run-if-empty verbose interactive exit",
    longValued: "max-args max-procs max-lines delimiter arg-file replace",
  };
  const read = readOptions(words, list, true);
  if (!read) return guess(words);
  if (read.operands.length === 0) return [];
  const [, mark] = read.options.find(([name]) => name === "I" || name === "replace") ?? [];
  const inner =
    mark === undefined
      ? [...read.operands, UNKNOWN]
      : read.operands.map((word) => (word.value?.includes(mark) ? UNKNOWN : word));
  return [{ kind: "words", words: inner, isTransparent: false }];
};

const find: Unwrap = (words) => {
  const found: Inner[] = [];
  for (let at = 0; at < words.length; at++) {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(words[at]?.value ?? "")) continue;
    const rest = words.slice(at + 1);
    const end = rest.findIndex(({ value }) => value === ";" || value === "+");
    const inner = end < 0 ? rest : rest.slice(0, end);
    found.push({
      kind: "words",
      words: inner.map((word) => (word.value?.includes("{}") ? UNKNOWN : word)),
      isTransparent: false,
    });
    at += inner.length;
  }
  return found;
};

const sudo = behind(
  {
    short: "AbEHiknPS",
    shortValued: "ughpCrtT",
    long: "preserve-env login non-interactive",
    longValued: "user group",
  },
  false,
);

/** The line that is its first word, or the value of an option. */
const lineAt =
  (option?: string): Unwrap =>
  (words) => {
    const at = option === undefined ? 0 : words.findIndex(({ value }) => value === option) + 1;
    const line = option !== undefined && at === 0 ? undefined : words[at]?.value;
    return line === undefined || line.startsWith("-") ? [] : [{ kind: "line", line, isTransparent: false }];
  };

/** `command -v x` runs nothing. */
const command: Unwrap = (words) => {
  const read = readOptions(words, { short: "pvV" }, true);
  if (!read) return guess(words);
  if (read.options.some(([name]) => name !== "p") || read.operands.length === 0) return [];
  return [{ kind: "words", words: read.operands, isTransparent: true }];
};

const WRAPPERS: Readonly<Record<string, Unwrap>> = {
  env,
  command,
  eval: evaluate,
  xargs,
  find,
  sudo,
  doas: behind({ short: "n", shortValued: "u" }, false),
  builtin: behind({}, true),
  exec: behind({ short: "cl" }, true),
  nohup: behind({}, true),
  setsid: behind({ short: "cfw" }, true),
  time: behind({ short: "p" }, true),
  nice: behind({ shortValued: "n", digits: true, longValued: "adjustment" }, true),
  ionice: behind({ short: "t", shortValued: "cn" }, true),
  stdbuf: behind({ shortValued: "ioe", longValued: "input output error" }, true),
  timeout: behind(
    {
      short: "v",
      shortValued: "ks",
      long: "preserve-status foreground verbose",
      longValued: "kill-after signal",
    },
    true,
    1,
  ),
  sh: shell(true),
  bash: shell(true, true),
  dash: shell(true),
  // These parse some text in their own way.
  ash: shell(false),
  ksh: shell(false),
  zsh: shell(false),
  busybox: behind({}, false),
  toybox: behind({}, false),
  trap: lineAt(),
  script: lineAt("-c"),
  su: lineAt("-c"),
  ".": () => [{ kind: "unknown", why: "it runs commands from a file" }],
  source: () => [{ kind: "unknown", why: "it runs commands from a file" }],
};
