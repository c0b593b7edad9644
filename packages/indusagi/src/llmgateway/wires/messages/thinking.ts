// How thinking is requested on the Messages API, as data: this differs between model families, and another family's setting is
// refused with status 400 (Anthropic's migration guides, November 2026).

import type { ModelParams, ThinkingLevel } from "../../contract.ts";
import { cardFor, plainName } from "../../models.ts";

/**
 * budget: `thinking.enabled` with a number of tokens · effort: adaptive thinking controlled by `output_config.effort` · none: the
 * model does not think. `off` is how an effort family is told not to think (`always`: it cannot be).
 */
interface Family {
  readonly prefixes: readonly string[];
  readonly manner: "none" | "budget" | "effort";
  readonly off: "omit" | "disabled" | "between_tools" | "always";
  /** Whether it takes `temperature`. */
  readonly samples: boolean;
}

// The first row with a prefix that matches the plain name is used. A new Claude model most likely follows the latest rules; models
// other than Claude (other servers speak this wire too) follow the oldest.
const FAMILIES: readonly Family[] = [
  { prefixes: ["claude-opus-4-6", "claude-sonnet-4-6"], manner: "effort", off: "omit", samples: true },
  { prefixes: ["claude-opus-4-7", "claude-opus-4-8"], manner: "effort", off: "omit", samples: false },
  {
    prefixes: ["claude-3-7", "claude-opus-4", "claude-sonnet-4", "claude-haiku-4"],
    manner: "budget",
    off: "omit",
    samples: true,
  },
  { prefixes: ["claude-3"], manner: "none", off: "omit", samples: true },
  { prefixes: ["claude-sonnet-5-5"], manner: "effort", off: "between_tools", samples: false },
  { prefixes: ["claude-opus-5-5"], manner: "effort", off: "always", samples: false },
  {
    prefixes: ["claude-opus-5", "claude-sonnet-5", "claude-haiku-5"],
    manner: "effort",
    off: "disabled",
    samples: false,
  },
  { prefixes: ["claude-"], manner: "effort", off: "always", samples: false },
  { prefixes: [""], manner: "budget", off: "omit", samples: true },
];

/** Tokens of thinking for each level in the budget families; more than 32,000 gains little. */
const THINKING_BUDGETS: Readonly<Record<Exclude<ThinkingLevel, "off">, number>> = {
  low: 4_000,
  medium: 10_000,
  high: 20_000,
  xhigh: 26_000,
  max: 32_000,
};

const ANSWER_TOKENS = 32_000;
const ANSWER_AND_EFFORT_TOKENS = 64_000; // adaptive thinking counts against the same limit
const MIN_BUDGET = 1_024; // the API's own minimum

/** The request fields for how long and how hard to answer: `max_tokens`, `thinking`, … */
export function answerFields(
  provider: string,
  model: string,
  params: ModelParams,
): Readonly<Record<string, unknown>> {
  const name = plainName(model);
  const family = FAMILIES.find(({ prefixes }) => prefixes.some((prefix) => name.startsWith(prefix)));
  const limit = cardFor(provider, model).maxOutputTokens;
  const level = params.thinking;
  // This API's scale ends at 1, the others' at 2.
  const sampling =
    family?.samples && params.temperature !== undefined
      ? { temperature: Math.min(1, params.temperature) }
      : {};

  if (family?.manner === "effort") {
    const max_tokens = params.maxOutputTokens ?? Math.min(limit, ANSWER_AND_EFFORT_TOKENS);
    const thinks = { type: "adaptive", display: "summarized" }; // by default no thinking text is sent
    if (level === undefined)
      return family.off === "omit" ? { max_tokens, ...sampling } : { max_tokens, thinking: thinks };
    if (level !== "off")
      return { max_tokens, thinking: thinks, output_config: { effort: effortFor(name, level) } };
    if (family.off === "omit") return { max_tokens, ...sampling };
    if (family.off === "always") return { max_tokens, output_config: { effort: "low" } };
    return { max_tokens, thinking: { type: family.off } };
  }
  const answer = params.maxOutputTokens ?? Math.min(limit, ANSWER_TOKENS);
  if (family?.manner !== "budget" || level === undefined || level === "off")
    return { max_tokens: answer, ...sampling };
  const max_tokens = Math.min(limit, answer + THINKING_BUDGETS[level]);
  // Thinking is part of max_tokens: leave room for an answer. It cannot be combined with temperature.
  const budget_tokens = Math.max(MIN_BUDGET, Math.min(THINKING_BUDGETS[level], max_tokens - MIN_BUDGET));
  return {
    max_tokens: Math.max(max_tokens, budget_tokens + 1),
    thinking: { type: "enabled", budget_tokens },
  };
}

/** Whether the model thinks between its calls only if a header asks for it: Claude 4 to 4.5, with a budget. */
export function interleavesWhenAsked(model: string, { thinking = "off" }: ModelParams): boolean {
  return thinking !== "off" && /^claude-(opus|sonnet|haiku)-4(-[0-5])?$/.test(plainName(model));
}

// Models before 4.7 have no effort between high and max.
function effortFor(name: string, level: Exclude<ThinkingLevel, "off">): string {
  return level === "xhigh" && /^claude-(opus|sonnet)-4-6/.test(name) ? "high" : level;
}
