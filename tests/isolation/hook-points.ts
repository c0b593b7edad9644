// The axes of the isolation matrix: what a hostile addon does, where it does it, and of which kind it is.

import { HOOK_EVENTS, type HookEvent } from "../../packages/induscode/src/feature/events.ts";
import { isInstalled, lacks } from "../support/needs.ts";
import { allCombinations, covering, valuesOf } from "../support/pairs.ts";

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
  "floods-the-console",
  "pretends-to-be-another",
  "adds-up-time",
  "adds-up-size",
  "dies-in-half-a-frame",
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
  "dies-in-half-a-frame",
]);

/**
 * These move so much through the host that they come one at a time: next to each other, a bound of its memory says little,
 * and one cell's deadline waits for the messages of the others.
 */
export const HEAVY: ReadonlySet<Behaviour> = new Set([
  "floods",
  "answers-huge-json",
  "faults-10000-a-second",
  "floods-the-console",
  "adds-up-size",
]);

/** Only the deadline ends these, or a sum of them. For all others it is so late that what they did is heard first, however busy the machine. */
export const HANGING: ReadonlySet<string> = new Set<Behaviour>(["hangs", "ignores-sigterm", "adds-up-time"]);

/** What a WebAssembly module has no means for, and why: the one function that it may import only carries messages. */
export const IMPOSSIBLE_IN_WASM: Readonly<Partial<Record<Behaviour, string>>> = {
  exits: "a module has no exit: only an import could end the process",
  forks: "a module has no fork: only an import could start a process",
  "ignores-sigterm": "a module has no signals: only an import could take one",
  "adds-up-time": "a module has no clock to wait by: it spins, which is to hang",
  "dies-in-half-a-frame": "a module has no exit, and hands out whole messages",
};

/** Where an addon is called once and by itself there is nothing that could add up. */
const CALLED_ONCE: ReadonlySet<Point> = new Set(["load", "register", "tool", "command", "task"]);

/** One combination. */
export interface Cell {
  readonly kind: Kind;
  readonly point: Point;
  readonly behaviour: Behaviour;
}

/** Why a cell cannot be; undefined for one that can. */
export function impossible({ kind, behaviour, point }: Cell): string | undefined {
  if (behaviour === "adds-up-time" && CALLED_ONCE.has(point)) return "its calls come one at a time here";
  return kind === "wasm" ? IMPOSSIBLE_IN_WASM[behaviour] : undefined;
}

const AXES = { behaviour: BEHAVIOURS, kind: KINDS, point: POINTS } as const;
const isPossible = (cell: Cell): boolean => impossible(cell) === undefined;

/** Every cell that can be. */
export const ALL_CELLS: readonly Cell[] = allCombinations(AXES, isPossible);

/** Points that the host reaches in one way: what is so at one of them is so at the others. */
export const PLACES = {
  load: ["load"],
  register: ["register"],
  observed: ["session:start", "session:end", "turn:start", "turn:end"],
  gated: ["tool:before", "input:submit", "compact:before"],
  transformed: ["tool:after", "chat:params", "chat:message", "shell:env", "context:build", "compact:build"],
  enter: ["enter"],
  exit: ["exit"],
  tool: ["tool"],
  command: ["command"],
  task: ["task"],
} as const satisfies Readonly<Record<string, readonly Point[]>>;
export type Place = keyof typeof PLACES;

export function placeOf(point: Point): Place {
  const found = (Object.keys(PLACES) as Place[]).find((place) =>
    (PLACES[place] as readonly Point[]).includes(point),
  );
  if (found === undefined) throw new Error(`the point ${point} is in no place`);
  return found;
}

/** Few cells that hold each behaviour, each kind and each place. */
export const REPRESENTATIVES: ReadonlySet<Cell> = new Set(
  covering(ALL_CELLS, ({ behaviour, kind, point }) => valuesOf({ behaviour, kind, place: placeOf(point) })),
);

/** `module x tool:before x hangs` */
export function nameOf({ kind, point, behaviour }: Cell): string {
  return `${kind} x ${point} x ${behaviour}`;
}
