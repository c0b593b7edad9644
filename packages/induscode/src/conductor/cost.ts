// What a session costs: each reply as it arrives, the sum by model, and the limit that a person sets.

import { formatDollars } from "indusagi/core";
import type { Usage } from "indusagi/llmgateway";
import type { Entry, ModelCost } from "./contract.ts";
import type { ResolvedModel } from "./model-in-use.ts";
import { NO_USAGE, sumUsage } from "./usage.ts";

/** The dollars that a run may cost, including delegates. */
export interface CostBudget {
  readonly limit: number;
  /** The file in which the person writes prices, as a message names it. */
  readonly pricesIn: string;
  readonly spent: () => number;
  readonly add: (dollars: number) => void;
}

export function createCostBudget(limit: number, pricesIn: string): CostBudget {
  let spent = 0;
  return {
    limit,
    pricesIn,
    spent: () => spent,
    add(dollars) {
      spent += dollars;
    },
  };
}

/** A reply's cost, for its entry; empty if the price is not known. */
export function pricedReply(
  model: ResolvedModel | undefined,
  usage: Usage,
  budget: CostBudget | undefined,
): { readonly cost?: number } {
  const pricing = model?.pricing?.();
  if (!pricing) return {};
  const cost = pricing(usage);
  budget?.add(cost);
  return { cost };
}

/** Why the next model call is not allowed, or undefined. */
export function budgetProblem(model: ResolvedModel, budget: CostBudget | undefined): string | undefined {
  if (!budget) return undefined;
  const { limit, pricesIn } = budget;
  if (budget.spent() >= limit)
    return `Stopped: ${formatDollars(budget.spent())} spent, and the limit of this run is ${formatDollars(limit)} (maxCost). Restart with a higher limit to continue.`;
  if (model.pricing?.() !== undefined) return undefined;
  const name = `${model.card.provider}/${model.card.id}`;
  return `The price of ${name} is unknown, so a limit of ${formatDollars(limit)} cannot be enforced. Set it in ${pricesIn}: { "models": { "${name}": { "price": { "input": N, "output": N } } } }, in dollars per million tokens.`;
}

export type CostEntry = Extract<
  Entry,
  { readonly type: "assistant" | "summary" | "tool" | "jump" | "delegate" | "title" | "sample" }
>;

/** Adds up entries, by model. */
export class CostSum {
  readonly #byName = new Map<string, ModelCost>();

  /** `model` is the model in force, as `provider/model`. */
  add(entry: CostEntry, model: string): void {
    if (entry.type === "tool" || entry.type === "delegate") {
      if (entry.cost !== undefined) this.#count(DELEGATES, NO_USAGE, entry.cost);
    } else if (entry.type === "title" || entry.type === "sample") {
      if (entry.by !== undefined) this.#count(entry.by, entry.usage ?? NO_USAGE, entry.cost);
    } else this.#count(model, entry.usage ?? NO_USAGE, entry.cost);
  }

  get costs(): readonly ModelCost[] {
    const all = [...this.#byName.values()];
    return [...all.filter(({ name }) => name !== DELEGATES), ...all.filter(({ name }) => name === DELEGATES)];
  }

  #count(name: string, usage: Usage, cost: number | undefined): void {
    const { calls, unpriced, usage: before, dollars } = this.#byName.get(name) ?? EMPTY;
    this.#byName.set(name, {
      name,
      calls: calls + 1,
      unpriced: unpriced + (cost === undefined ? 1 : 0),
      usage: sumUsage(before, usage),
      dollars: dollars + (cost ?? 0),
    });
  }
}

/** The name under which delegates are listed; no model has it, since it contains no slash. */
export const DELEGATES = "delegates";

const EMPTY: Omit<ModelCost, "name"> = { calls: 0, unpriced: 0, usage: NO_USAGE, dollars: 0 };

/** The total over all models and delegates. */
export function totalDollars(costs: readonly ModelCost[]): number {
  return costs.reduce((sum, { dollars }) => sum + dollars, 0);
}
