import { EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { START_MODES } from "../../deck/permissions/modes.ts";
import type { ProgramOptions } from "./program-session.ts";

/** What the compiler does not check: a program may be written in JavaScript, or take its values from elsewhere. */
export function checkValues({
  mode,
  maxCost,
  maxTurns,
}: Pick<ProgramOptions, "mode" | "maxCost" | "maxTurns">): void {
  if (mode !== undefined && !START_MODES.includes(mode))
    throw new Problem(`mode takes ${START_MODES.join(", ")}; got ${JSON.stringify(mode)}`, EXIT_USAGE);
  if (maxCost !== undefined && !(Number.isFinite(maxCost) && maxCost > 0))
    throw new Problem(`maxCost takes an amount in dollars above 0; got ${maxCost}`, EXIT_USAGE);
  if (maxTurns !== undefined && !(Number.isInteger(maxTurns) && maxTurns > 0))
    throw new Problem(`maxTurns takes a whole number above 0; got ${maxTurns}`, EXIT_USAGE);
}
