// What the compiler does not check: a program may be written in JavaScript, or take its values from elsewhere. An option that nobody knows
// would be left out in silence, and whatever it was meant to forbid would be done.

import { briefValue, isTable, nearest } from "indusagi/core";
import { EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { START_MODES } from "../../deck/permissions/modes.ts";
import type { ProgramOptions } from "./program-session.ts";

/** What a value must be, and how that is said. */
export interface Kind {
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
}

/** All names, each with what its value must be. */
export type Kinds<Options> = { readonly [Name in keyof Required<Options>]: Kind };

/** Throws a {@link Problem} for a name that there is not, and for a value that does not fit; what is undefined counts as left out. */
export function checkFields(what: string, given: unknown, kinds: Readonly<Record<string, Kind>>): void {
  if (!isTable(given)) throw wrong(`${what} takes an object; got ${briefValue(given)}`);
  const names = Object.keys(kinds);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) {
      const meant = nearest(name, names);
      const hint = meant === undefined ? `expected one of ${names.join(", ")}` : `did you mean ${meant}?`;
      throw wrong(`${what}: unknown option ${briefValue(name)}; ${hint}`);
    }
    if (!kind.fits(value)) throw wrong(`${name} takes ${kind.expected}; got ${briefValue(value)}`);
  }
}

function wrong(message: string): Problem {
  return new Problem(message, EXIT_USAGE);
}

export const ANYTHING: Kind = { expected: "anything", fits: () => true };
export const TEXT: Kind = { expected: "a text", fits: (value) => typeof value === "string" };
export const FUNCTION: Kind = { expected: "a function", fits: (value) => typeof value === "function" };
export const OBJECT: Kind = { expected: "an object", fits: isTable };
export const YES_OR_NO: Kind = { expected: "true or false", fits: (value) => typeof value === "boolean" };
export const LIST: Kind = { expected: "a list", fits: Array.isArray };
export const TEXTS: Kind = {
  expected: "a list of texts",
  fits: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
};

/** What every door's session is given in the same way. */
export const SESSION_KINDS = {
  cwd: TEXT,
  env: OBJECT,
  model: {
    expected: "provider/model, or an object with a provider and a model",
    fits: (value) => typeof value === "string" || (isTable(value) && isTable(value.provider)),
  },
  mode: {
    expected: START_MODES.join(", "),
    fits: (value) => START_MODES.some((mode) => mode === value),
  },
  allow: TEXTS,
  deny: TEXTS,
  ask: FUNCTION,
  resume: TEXT,
  maxCost: {
    expected: "an amount in dollars above 0",
    fits: (value) => typeof value === "number" && Number.isFinite(value) && value > 0,
  },
  maxTurns: {
    expected: "a whole number above 0",
    fits: (value) => Number.isInteger(value) && Number(value) > 0,
  },
} as const satisfies Partial<Kinds<ProgramOptions>>;

export const PROGRAM_KINDS: Kinds<ProgramOptions> = {
  ...SESSION_KINDS,
  ui: OBJECT,
  grant: TEXTS,
  features: LIST,
};
