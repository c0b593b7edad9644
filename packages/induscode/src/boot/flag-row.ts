// What the tables of flags and of subcommands have in their rows.

/** One flag: parser, help, completion and the type of its value are made from it. */
export interface FlagRow {
  readonly name: string;
  readonly short?: string;
  /** `list`: it may be given more than once. */
  readonly kind: "boolean" | "string" | "list";
  /** What help shows for the value, and what completion offers values by (`run-completion`). */
  readonly value?: string;
  readonly summary: string;
  /** The value that it has where none is given. */
  readonly bare?: string;
  /** The only values that it takes. */
  readonly choices?: readonly string[];
}

type ValueOf<Row> = Row extends { readonly kind: "boolean" }
  ? boolean
  : Row extends { readonly kind: "list" }
    ? readonly string[]
    : string;

/** What was given of the flags of these rows. A flag that was not given is absent. */
export type ValuesOf<Rows extends readonly FlagRow[]> = {
  readonly [Row in Rows[number] as Row["name"]]?: ValueOf<Row>;
};

/** The flag as help shows it: `--kind <kind>`. */
export function flagUsage({ name, value }: FlagRow): string {
  return value === undefined ? `--${name}` : `--${name} <${value}>`;
}
