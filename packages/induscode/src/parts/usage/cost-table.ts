// `/cost`: the cost of a session so far, by model.

import { formatDollars } from "indusagi/core";
import type { ModelCost } from "../../conductor/contract.ts";
import { DELEGATES, totalDollars } from "../../conductor/cost.ts";
import { formatUsage, plural } from "../../console/figures.ts";
import { tableLines } from "../../console/table.ts";

/** One line per model, one for delegates, their sum, and what is not known: its price is set in `pricesIn`. */
export function costTable(costs: readonly ModelCost[], pricesIn: string): readonly string[] {
  if (costs.length === 0) return ["No model has been called yet."];
  const unpriced = costs.filter((cost) => cost.unpriced > 0).map(({ name }) => name);
  return [
    ...tableLines(costs.map(rowOf)),
    ...(costs.length > 1 ? [`total ${formatDollars(totalDollars(costs))}`] : []),
    ...(unpriced.length > 0
      ? [`The price of ${unpriced.join(", ")} is not known; set it in ${pricesIn}.`]
      : []),
  ];
}

function rowOf({ name, calls, unpriced, usage, dollars }: ModelCost): readonly string[] {
  const cost =
    unpriced === calls ? "" : unpriced > 0 ? `at least ${formatDollars(dollars)}` : formatDollars(dollars);
  if (name === DELEGATES) return [name, plural(calls, "run"), "", cost];
  return [name, plural(calls, "call"), formatUsage(usage), cost];
}
