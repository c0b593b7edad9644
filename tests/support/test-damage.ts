import type { LogDamage } from "../../packages/induscode/src/conductor/log-reader.ts";

/** The result of reading an undamaged log. */
export const NO_DAMAGE: LogDamage = {
  lines: 0,
  salvaged: 0,
  repeated: 0,
  missing: 0,
  isHeadless: false,
  tail: 0,
  isTailZero: false,
  later: [],
};
