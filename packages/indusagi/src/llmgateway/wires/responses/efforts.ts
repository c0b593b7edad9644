// Thinking efforts on the Responses API, as data: an effort that a model does
// not have is refused. From the provider's model pages, November 2026.

import type { ThinkingLevel } from "../../contract.ts";
import { fittingEffort } from "../efforts.ts";

interface Family {
  readonly names: RegExp;
  /** Lowest first; the first is the closest to not thinking. Empty: the model does not think. */
  readonly efforts: readonly string[];
}

// The first matching row is used. An undescribed model most likely has what all of them have.
const FAMILIES: readonly Family[] = [
  { names: /^gpt-(6\.\d|6-astra)/, efforts: ["low", "medium", "high", "xhigh", "max"] },
  { names: /^gpt-(6|5\.6)/, efforts: ["none", "low", "medium", "high", "xhigh", "max"] },
  { names: /^gpt-5\.3-codex-spark/, efforts: ["low", "medium", "high", "xhigh"] },
  { names: /^gpt-5\.\d+-pro/, efforts: ["medium", "high", "xhigh"] },
  { names: /^gpt-5\.[2-5](?!-chat)/, efforts: ["none", "low", "medium", "high", "xhigh"] },
  { names: /^gpt-5\.1/, efforts: ["none", "low", "medium", "high"] },
  { names: /^gpt-5-pro/, efforts: ["high"] },
  { names: /^gpt-5(?!(\.\d+)?-chat)/, efforts: ["minimal", "low", "medium", "high"] },
  { names: /^gpt-(4|3|5(\.\d+)?-chat)/, efforts: [] },
  { names: /^chatgpt-/, efforts: [] },
  { names: /^o\d/, efforts: ["low", "medium", "high"] },
  { names: /^/, efforts: ["low", "medium", "high"] },
];

/** The effort that stands for a level. Without a level the model's own default applies. */
export function effortFor(
  model: string,
  level: ThinkingLevel | undefined,
): { readonly effort?: string | undefined; readonly thinks: boolean } {
  const name = model.slice(model.lastIndexOf("/") + 1);
  const efforts = FAMILIES.find(({ names }) => names.test(name))?.efforts ?? [];
  if (efforts.length === 0) return { thinks: false };
  if (level === undefined) return { thinks: true };
  const effort = fittingEffort(efforts, level);
  return { thinks: true, effort };
}
