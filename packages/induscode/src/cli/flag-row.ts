// What rows in the tables of flags and of subcommands contain.

/** One flag: parser, help, completion and the type of its value are derived from it. */
export interface FlagRow {
  readonly name: string;
  readonly short?: string;
  /** `list`: it can be given more than once. */
  readonly kind: "boolean" | "string" | "list";
  /** How help shows the value, and which values completion offers (`run-completion`). */
  readonly value?: string;
  readonly summary: string;
  /** Its value if it is given without one. */
  readonly bare?: string;
  /** The only accepted values. */
  readonly choices?: readonly string[];
}

type ValueOf<Row> = Row extends { readonly kind: "boolean" }
  ? boolean
  : Row extends { readonly kind: "list" }
    ? readonly string[]
    : string;

/** The values given for the flags in these rows. A flag that was not given is absent. */
export type ValuesOf<Rows extends readonly FlagRow[]> = {
  readonly [Row in Rows[number] as Row["name"]]?: ValueOf<Row> | undefined;
};

/** The flag as shown in help: `--kind <kind>`. */
export function flagUsage({ name, value }: FlagRow): string {
  return value === undefined ? `--${name}` : `--${name} <${value}>`;
}

/** For the usages that write a file. */
export const OUTPUT = {
  name: "output",
  short: "o",
  kind: "string",
  value: "file",
  summary: "the file to write; - is stdout",
} as const satisfies FlagRow;
