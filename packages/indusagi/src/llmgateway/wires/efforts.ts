// Which of the effort words that a model knows stands for a thinking level. An unknown word would be refused.

import type { ThinkingLevel } from "../contract.ts";

const STRENGTH: readonly string[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The level itself, otherwise the strongest below it, otherwise the weakest of the ordered `efforts`. `off` is the weakest of all. */
export function fittingEffort(efforts: readonly string[], level: ThinkingLevel): string | undefined {
  const wanted = STRENGTH.indexOf(level === "off" ? "none" : level);
  const fitting = efforts.filter((effort) => effort !== "off" && (effort !== "none" || level === "off"));
  return fitting.findLast((effort) => STRENGTH.indexOf(effort) <= wanted) ?? fitting[0];
}
