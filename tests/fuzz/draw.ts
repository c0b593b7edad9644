// Cheap draws from a seed, for the fuzzers that draw millions of values. Each value has a seed of its own: it can be drawn again by
// itself, and what failed is made small by leaving others out (many-returns.ts).

import type { JsonValue } from "../../packages/indusagi/src/core/schema/json-schema.ts";
import { POLLUTING, SCALARS } from "./inputs.ts";
import { type Deed, type Edit, HOSTILE, KEYS } from "./returns-deeds.ts";

export interface Draw {
  /** A whole number from 0 to below the bound. */
  readonly below: (bound: number) => number;
  readonly of: <T>(list: readonly T[]) => T;
}

/** The generator mulberry32. */
export function drawFrom(seed: number): Draw {
  let state = seed | 0;
  const below = (bound: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound) | 0;
  };
  return { below, of: (list) => list[below(list.length)] as (typeof list)[number] };
}

/** One seed out of two; neighbours have nothing in common. */
export function mixSeeds(one: number, other: number): number {
  const mixed = Math.imul(one ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(other + 1, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

const ALL_KEYS = [...KEYS, ...POLLUTING];
const PIECES = [
  "\ud800",
  "\udc00",
  "\0",
  "\r\n",
  "\u2028",
  "\ufeff",
  "é",
  "😀",
  "__proto__",
  "text",
  '"',
  "\\",
  " ",
];
function drawText(draw: Draw): string {
  if (draw.below(200) === 0) return draw.of(PIECES).repeat(draw.below(40_000));
  return Array.from({ length: draw.below(8) }, () => draw.of(PIECES)).join("");
}

/** Any JSON value; a `__proto__` is an own key, as JSON.parse makes it. */
export function drawJson(draw: Draw, depth = 4): JsonValue {
  const kind = depth === 0 ? draw.below(2) : draw.below(6);
  if (kind === 0) return draw.of(SCALARS);
  if (kind === 1) return drawText(draw);
  if (kind === 2) return Array.from({ length: draw.below(4) }, () => drawJson(draw, depth - 1));
  if (kind === 3 && draw.below(20) === 0) {
    let value: JsonValue = 1;
    for (let level = 50 + draw.below(400); level > 0; level--) value = level % 2 ? [value] : { a: value };
    return value;
  }
  const object: Record<string, JsonValue> = {};
  for (let count = draw.below(5); count > 0; count--)
    Object.defineProperty(object, draw.of(ALL_KEYS), {
      value: drawJson(draw, depth - 1),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  return object;
}

const HUGE = HOSTILE.filter((value) => typeof value === "string" && value.length > 1_000);
const SMALL = HOSTILE.filter((value) => !HUGE.includes(value));

function drawAny(draw: Draw): unknown {
  if (draw.below(500) === 0) return draw.of(HUGE);
  return draw.below(3) === 0 ? drawJson(draw) : draw.of(SMALL);
}

const HOW: readonly Edit["how"][] = ["put", "put", "put", "delete", "double", "reverse", "add"];

export function drawDeed(draw: Draw): Deed {
  const kind = draw.below(9);
  if (kind < 4) {
    const edits = Array.from({ length: draw.below(4) }, () => ({
      path: Array.from({ length: draw.below(6) }, () => draw.below(10)),
      how: draw.of(HOW),
      key: draw.of(KEYS),
      value: drawAny(draw),
    }));
    return { kind: "mutated", edits };
  }
  if (kind < 6) return { kind: "value", value: drawAny(draw) };
  return { kind: kind < 8 ? "fitting" : "throws" };
}
