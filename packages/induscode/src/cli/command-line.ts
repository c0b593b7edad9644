// Parses the command line using the tables of flags and subcommands.

import { parseArgs } from "node:util";
import { nearest } from "indusagi/core";
import type { FlagRow } from "./flag-row.ts";
import { type CommandLine, FLAGS, type Flags } from "./flags.ts";
import type { Subcommand } from "./subcommand-row.ts";

export type ParsedCommandLine =
  | ({ readonly ok: true } & CommandLine)
  | { readonly ok: false; readonly problem: string };

/** Never throws: a mistake becomes a one-line `problem`, for exit code 2. Which flags can be combined is not checked here. */
export function parseCommandLine(argv: readonly string[], table: readonly Subcommand[]): ParsedCommandLine {
  const rows: readonly FlagRow[] = [...FLAGS, ...table.flatMap(({ flags }) => flags)];
  const end = argv.indexOf("--");
  try {
    const { values, tokens } = parseArgs({
      args: argv.map((word, at) => (at > end && end >= 0 ? word : bareFlag(word, argv[at + 1], rows))),
      options: parserOptions(rows),
      strict: true,
      allowPositionals: true,
      tokens: true,
    });
    for (const row of rows) {
      const value = values[row.name];
      if (row.choices && typeof value === "string" && !row.choices.includes(value)) {
        return { ok: false, problem: `--${row.name} takes ${row.choices.join(", ")}; got "${value}"` };
      }
      if (row.kind !== "boolean" && (value === "" || (Array.isArray(value) && value.includes("")))) {
        return { ok: false, problem: `--${row.name} needs a value: --${row.name} <${row.value}>` };
      }
    }
    const words: string[] = [];
    const attachments: string[] = [];
    let ended = false; // after `--` an @ is an ordinary character
    for (const token of tokens) {
      if (token.kind === "option-terminator") ended = true;
      if (token.kind !== "positional") continue;
      if (!ended && /^@./.test(token.value)) attachments.push(token.value.slice(1));
      else words.push(token.value);
    }
    return { ok: true, flags: values as Flags, words, attachments };
  } catch (error) {
    const [problem = "the command line could not be parsed"] = (error as Error).message.split(". ");
    return { ok: false, problem: problem + meantFlag(problem, rows) };
  }
}

/** A flag that no value follows, with its default value for that case. */
function bareFlag(word: string, next: string | undefined, rows: readonly FlagRow[]): string {
  if (next !== undefined && !next.startsWith("-")) return word;
  const row = rows.find(
    ({ name, short, bare }) => bare !== undefined && (word === `--${name}` || word === `-${short}`),
  );
  return row ? `--${row.name}=${row.bare}` : word;
}

function meantFlag(problem: string, rows: readonly FlagRow[]): string {
  const [, unknown = ""] = /^Unknown option '--([^']*)'/.exec(problem) ?? [];
  const meant = nearest(
    unknown,
    rows.map(({ name }) => name),
  );
  return meant === undefined ? "" : `; did you mean --${meant}?`;
}

function parserOptions(
  rows: readonly FlagRow[],
): Record<string, { type: "boolean" | "string"; short?: string; multiple?: boolean }> {
  return Object.fromEntries(
    rows.map(({ name, short, kind }) => [
      name,
      {
        type: kind === "boolean" ? "boolean" : "string",
        multiple: kind === "list",
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );
}
