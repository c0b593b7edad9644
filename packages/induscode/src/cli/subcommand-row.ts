// The shape of a subcommand's row, which says everything about it except its code.

import type { HOME_FILES } from "../store/home-files.ts";
import type { FlagRow, ValuesOf } from "./flag-row.ts";
import type { FlagName } from "./flags.ts";
import type { Invocation } from "./invocation.ts";
import type { Part } from "./part.ts";

/** One way to use the subcommand. */
export interface UsageRow<Flag extends string = string> {
  /** What follows its name: literal words first, then `<required>` and `[optional]`, or `[repeatable...]`. */
  readonly words: string;
  readonly summary: string;
  /** Its words can be omitted. */
  readonly isDefault?: true;
  /** The flags that it takes; all usages take `--cwd` and `--help`. */
  readonly flags?: readonly Flag[];
  /** The required ones among them. */
  readonly needs?: readonly Flag[];
  /** It brings the MCP servers of a session when it opens it: what waits for it is answered before they are fetched. */
  readonly bringsServers?: true;
  /** The files in the home that it writes for the person; `docs/reference/home.md` mentions it with each. */
  readonly writes?: readonly (keyof typeof HOME_FILES)[];
}

/** Runs a subcommand and returns the exit code. Subcommands that describe others use the table. */
export type RunSubcommand<Own = unknown> = (
  line: Invocation<Own>,
  table: readonly Subcommand[],
) => number | Promise<number>;

export interface Subcommand {
  readonly name: string;
  /** In a few words, for completion and the page of exit codes. */
  readonly summary: string;
  readonly usages: readonly UsageRow[];
  /** The flags that only this subcommand takes. */
  readonly flags: readonly FlagRow[];
  /** What its exit code 1 means; 0 and 2 mean the same everywhere. Absent: only what the general table says. */
  readonly fault?: string;
  /** Loads its code. */
  readonly load: () => Promise<RunSubcommand<never>>;
}

/** Usages that are added to the subcommand with this name: with their own flags and their own code. */
export type AddedUsages = Pick<Subcommand, "name" | "usages" | "flags" | "load">;

/** A part, with what it adds to the command line. */
export interface PartRow extends Part {
  readonly subcommands?: readonly Subcommand[];
  /** What it adds to other parts' subcommands. */
  readonly usages?: readonly AddedUsages[];
}

interface Given<Rows extends readonly FlagRow[]> {
  readonly name: string;
  readonly summary: string;
  readonly usages: readonly UsageRow<FlagName | Rows[number]["name"]>[];
  readonly flags?: Rows;
  readonly fault?: string;
  readonly load: () => Promise<RunSubcommand<ValuesOf<Rows>>>;
}

/** A row whose code accepts the values of its own flags, checked by the compiler. */
export function subcommand<const Rows extends readonly FlagRow[] = []>(row: Given<Rows>): Subcommand {
  return { flags: [], ...row };
}

/** The same for usages that are added to a subcommand. */
export function addedUsages<const Rows extends readonly FlagRow[] = []>(
  row: Omit<Given<Rows>, "summary" | "fault">,
): AddedUsages {
  return { flags: [], ...row };
}
