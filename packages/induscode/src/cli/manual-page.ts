// `indus help man`: the manual page, in the language of man(7). Derived from the tables, so it says what `--help` says.

import { flagsOf, usageLine } from "./command-words.ts";
import { type FlagRow, flagUsage } from "./flag-row.ts";
import { FLAGS } from "./flags.ts";
import type { Subcommand } from "./subcommand-row.ts";
import { VERSION } from "./version.ts";

const EXIT_CODES = [
  ["0", "done"],
  ["1", "a fault"],
  ["2", "wrong usage"],
  ["3", "a task ended, but a call was refused because nobody could be asked"],
  ["4", "the last answer is incomplete"],
  ["70", "an unexpected end"],
] as const;

const FILES = [
  ["~/.indus/settings.json", "settings; INDUS_HOME moves the folder"],
  ["~/.indus/sessions", "session logs"],
  [".indus/", "a repository's settings, addons, skills and agents"],
] as const;

/** The page `indus.1`, as roff. */
export function manualPage(table: readonly Subcommand[]): string {
  return [
    `.TH INDUS 1 "" ${quoted(`indus ${VERSION}`)} "User Commands"`,
    ".SH NAME",
    "indus \\- a terminal coding agent whose extensions are safe",
    ".SH SYNOPSIS",
    ...["indus [task] [@file ...]", "indus -p [task] [@file ...]", "indus COMMAND"].flatMap((line) => [
      `.B ${escaped(line)}`,
      ".br",
    ]),
    ".SH DESCRIPTION",
    escaped(
      "Gives a task in the current folder to a language model, which reads, searches, edits and runs commands through tools until the task is done. Run indus help COMMAND to read about one command.",
    ),
    ".SH OPTIONS",
    ...FLAGS.flatMap((flag) => entry(flagColumn(flag), flagSummary(flag))),
    ".SH COMMANDS",
    ...table.flatMap((row) => [
      `.SS ${quoted(row.name)}`,
      ...row.usages.flatMap((usage) => entry(usageLine(row, usage), usage.summary)),
      ...flagsOf(row, row.usages)
        .filter((flag) => row.flags.some(({ name }) => name === flag.name))
        .flatMap((flag) => entry(flagColumn(flag), flagSummary(flag))),
    ]),
    ".SH EXIT STATUS",
    ...EXIT_CODES.flatMap(([code, meaning]) => entry(code, meaning)),
    ".SH FILES",
    ...FILES.flatMap(([path, holds]) => entry(path, holds)),
    "",
  ].join("\n");
}

function entry(term: string, text: string): readonly string[] {
  return [".TP", `.B ${escaped(term)}`, escaped(text)];
}

function flagColumn(row: FlagRow): string {
  return `${row.short === undefined ? "" : `-${row.short}, `}${flagUsage(row)}`;
}

function flagSummary({ summary, choices }: FlagRow): string {
  return choices === undefined ? summary : `${summary}: ${choices.join(", ")}`;
}

function quoted(text: string): string {
  return `"${escaped(text).replaceAll('"', '""')}"`;
}

/** As plain text: no request at the start of a line, no escape, `-` as it is typed, and other letters by their numbers. */
function escaped(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^[.']/, "\\&$&")
    .replace(/[^\x20-\x7e]/gu, (letter) => {
      const number = letter.codePointAt(0) ?? 0;
      return `\\[u${number.toString(16).toUpperCase().padStart(4, "0")}]`;
    });
}
