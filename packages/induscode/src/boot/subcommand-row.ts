// The shape of a subcommand's row, which says everything about it that is not its code.

import type { HOME_FILES } from "../store/home-files.ts";
import type { FlagRow, ValuesOf } from "./flag-row.ts";
import type { FlagName } from "./flags.ts";
import type { Invocation } from "./working-directory.ts";

/** One way to write the subcommand. */
export interface UsageRow<Flag extends string = string> {
  /** What follows its name: literal words first, then `<what must be there>` and `[what may]`, or
   * `[what may...]` as often as one likes. */
  readonly words: string;
  readonly summary: string;
  /** Its words may be left out. */
  readonly isDefault?: true;
  /** The flags that it takes; `--cwd` and `--help` go with all. */
  readonly flags?: readonly Flag[];
  /** Those among them that it cannot do without. */
  readonly needs?: readonly Flag[];
  /** The files of the home that it writes for the person: `docs/reference/home.md` names it with each. */
  readonly writes?: readonly (keyof typeof HOME_FILES)[];
}

/** Runs a subcommand, and returns the exit code. The table is for those that describe others. */
export type RunSubcommand<Own = unknown> = (
  line: Invocation<Own>,
  table: readonly Subcommand[],
) => number | Promise<number>;

export interface Subcommand {
  readonly name: string;
  /** In a few words, for completion and the page of exit codes. */
  readonly summary: string;
  readonly usages: readonly UsageRow[];
  /** The flags that only it takes. */
  readonly flags: readonly FlagRow[];
  /** What its exit code 1 says; 0 and 2 say the same everywhere. Absent: only what the general table says. */
  readonly fault?: string;
  /** Fetches its code. */
  readonly load: () => Promise<RunSubcommand<never>>;
}

interface Given<Rows extends readonly FlagRow[]> {
  readonly name: string;
  readonly summary: string;
  readonly usages: readonly UsageRow<FlagName | Rows[number]["name"]>[];
  readonly flags?: Rows;
  readonly fault?: string;
  readonly load: () => Promise<RunSubcommand<ValuesOf<Rows>>>;
}

/** A row whose code takes what its own flags give, which the compiler checks. */
export function subcommand<const Rows extends readonly FlagRow[] = []>(row: Given<Rows>): Subcommand {
  return { flags: [], ...row };
}
