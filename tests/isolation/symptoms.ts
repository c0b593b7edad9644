// What must be heard of each misbehaviour: a cell counts only where the fault tells what the addon really did.

import type { Behaviour, Cell } from "./hook-points.ts";

const LATE =
  /no answer within \d+ ms|did not register within \d+ ms|did not end within \d+ ms|neither acknowledged nor answered|did not answer|Cancelled while/;
const TOO_MUCH =
  /a line may have at most 8388608 bytes|sent more than 200 messages|passed \d+ bytes|found "x+" …/;

/** What it says in the name of another; it must be heard as its own. */
export const FORGED = /project:watching failed at tool:before: forged words/;
/** What begins each of its hundred long lines. */
export const SUM_OF_SIZES = /a long line: x+|sent more than 200 messages in a second/;

/** What a misbehaviour meets that is limited by an amount: there the deadline is so late that it does not come first. */
export const LIMITS: ReadonlyMap<Behaviour, RegExp> = new Map([
  ["floods", TOO_MUCH],
  ["answers-huge-json", TOO_MUCH],
  [
    "allocates",
    /allocation failed|MemoryError|bad_alloc|module trapped: unreachable|exited with code (134|139)|killed by SIG(ABRT|SEGV)/,
  ],
  ["faults-10000-a-second", /sent more than 200 messages in a second/],
  ["floods-the-console", /sent more than 200 messages in a second/],
]);

/** Matches what is heard of a cell. */
export function symptomOf({ kind, point, behaviour }: Cell): RegExp {
  // A module that is being loaded cannot answer anything: what it sends is refused with the load.
  if (kind === "wasm" && point === "load" && SENT.has(behaviour))
    return /before initialization|passed \d+ bytes/;
  switch (behaviour) {
    case "throws":
      return /thrown on order|module trapped: unreachable|exited with code 134|killed by SIGABRT/;
    case "hangs":
    case "ignores-sigterm":
      return LATE;
    case "exits":
    case "forks":
    case "dies-in-half-a-frame":
      // Of a task the last word says that it ended the process, and stands behind whatever lay on the line by then.
      return point === "task" && kind === "module"
        ? /it ended the addon's process \(exit code 7\)|expected one JSON message per line, found "(task forks|\{)/
        : /process exited with code 7/;
    case "is-killed":
      return /process exited with code 137|process was killed by SIGKILL/;
    case "pretends-to-be-another":
      return FORGED;
    case "adds-up-time":
      return /(its handlers may take \d+ ms in total at one event|may take in total in one call is used up); \d+ of them were not called/;
    case "adds-up-size":
      return SUM_OF_SIZES;
    case "answers-garbage":
      return /expected one JSON message per line, found "this is no JSON"|answer is not a JSON-RPC 2.0 answer/;
    case "answers-wrong-ids":
      return /answered 987654, which is not an open request|answer is not a JSON-RPC 2.0 answer with the id/;
    case "answers-deep-json":
      return /a message may be nested at most 200 deep/;
    case "floods":
    case "answers-huge-json":
    case "allocates":
    case "faults-10000-a-second":
    case "floods-the-console":
      // The time to start is the product's own; a busy machine may need all of it.
      return point === "load" || point === "register"
        ? new RegExp(`${LIMITS.get(behaviour)?.source}|${LATE.source}`)
        : (LIMITS.get(behaviour) ?? LATE);
  }
}

const SENT: ReadonlySet<string> = new Set([
  "floods",
  "answers-garbage",
  "answers-wrong-ids",
  "answers-huge-json",
  "answers-deep-json",
  "faults-10000-a-second",
  "floods-the-console",
  "pretends-to-be-another",
  "adds-up-size",
]);
