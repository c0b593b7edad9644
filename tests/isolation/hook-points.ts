// The axes of the isolation matrix: what a hostile addon does, where it does it, and of which kind it is.

import { HOOK_EVENTS, type HookEvent } from "../../packages/induscode/src/feature/events.ts";
import { isInstalled, lacks } from "../support/needs.ts";
import { allCombinations, pairwise } from "../support/pairs.ts";

export const KINDS = ["module", "python", "process", "wasm"] as const;
export type Kind = (typeof KINDS)[number];

/** The kinds of which this machine cannot build or run the hostile addon, each with what it lacks. */
export const MISSING_KINDS: ReadonlySet<Kind> = new Set<Kind>([
  ...(lacks("C++", isInstalled("g++")) ? (["process"] as const) : []),
  ...(lacks("python3", isInstalled("python3")) ? (["python"] as const) : []),
]);

/** Where an addon's code runs: while it loads and registers, and at everything that it can contribute. */
export const POINTS = [
  "load",
  "register",
  ...HOOK_EVENTS,
  "enter",
  "exit",
  "tool",
  "command",
  "task",
] as const;
export type Point = "load" | "register" | HookEvent | "enter" | "exit" | "tool" | "command" | "task";

export const BEHAVIOURS = [
  "throws",
  "hangs",
  "exits",
  "is-killed",
  "floods",
  "answers-garbage",
  "answers-wrong-ids",
  "answers-huge-json",
  "answers-deep-json",
  "allocates",
  "forks",
  "ignores-sigterm",
  "faults-10000-a-second",
] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

/** After these no process may be left, without anybody ending the session. */
export const DEADLY: ReadonlySet<Behaviour> = new Set([
  "hangs",
  "exits",
  "is-killed",
  "floods",
  "forks",
  "ignores-sigterm",
]);

/**
 * These move so much through the host that they come one at a time: beside each other, a bound of its memory says little,
 * and one cell's deadline waits for the messages of the others.
 */
export const HEAVY: ReadonlySet<Behaviour> = new Set([
  "floods",
  "answers-huge-json",
  "faults-10000-a-second",
]);

/** Only the deadline ends these. For all others it is so late that what they did is heard first, however busy the machine. */
export const HANGING: ReadonlySet<string> = new Set<Behaviour>(["hangs", "ignores-sigterm"]);

/** What a WebAssembly module has no means for, and why: the one function that it may import only carries messages. */
export const IMPOSSIBLE_IN_WASM: Readonly<Partial<Record<Behaviour, string>>> = {
  exits: "a module has no exit: only an import could end the process",
  forks: "a module has no fork: only an import could start a process",
  "ignores-sigterm": "a module has no signals: only an import could take one",
};

/** One combination. */
export interface Cell {
  readonly kind: Kind;
  readonly point: Point;
  readonly behaviour: Behaviour;
}

/** Why a cell cannot be; undefined for one that can. */
export function impossible({ kind, behaviour }: Omit<Cell, "point">): string | undefined {
  return kind === "wasm" ? IMPOSSIBLE_IN_WASM[behaviour] : undefined;
}

const AXES = { behaviour: BEHAVIOURS, kind: KINDS, point: POINTS } as const;
const isPossible = (cell: Cell): boolean => impossible(cell) === undefined;

/** Every cell that can be. */
export const ALL_CELLS: readonly Cell[] = allCombinations(AXES, isPossible);
/** As few as hold each behaviour at each point, each kind at each point and each behaviour of each kind. */
export const PAIRED_CELLS: readonly Cell[] = pairwise(AXES, isPossible);

/** `module x tool:before x hangs` */
export function nameOf({ kind, point, behaviour }: Cell): string {
  return `${kind} x ${point} x ${behaviour}`;
}
