// Which of the words that a model knows stands for a level of thinking. One that it does not know is refused.

import type { ThinkingLevel } from "../contract.ts";

const STRENGTH: readonly string[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The same, else the strongest below it, else the weakest of `efforts`, which are ordered. `off` is the weakest of all. */
export function fittingEffort(efforts: readonly string[], level: ThinkingLevel): string | undefined {
  const wanted = STRENGTH.indexOf(level === "off" ? "none" : level);
  const fitting = efforts.filter((effort) => effort !== "off" && (effort !== "none" || level === "off"));
  return fitting.findLast((effort) => STRENGTH.indexOf(effort) <= wanted) ?? fitting[0];
}
