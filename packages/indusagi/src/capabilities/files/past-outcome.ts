// Rereads the outcome of an earlier call of this session that is no longer in the model's view: `outcome:41`, its entry number.

import { type SessionKey, sessionKey } from "../../core/session-scope.ts";
import type { ImageBlock } from "../../llmgateway/contract.ts";
import type { ToolContext, ToolResult } from "../kernel/contract.ts";
import { failureResult, textResult } from "../kernel/results.ts";
import { viewLines } from "./line-view.ts";
import { type WindowRequest, windowOf } from "./line-window.ts";
import { UTF_8 } from "./text-encoding.ts";

export interface PastOutcome {
  readonly text: string;
  readonly images?: readonly ImageBlock[] | undefined;
}

/** The outcome stored in an entry of the session's log; undefined if the entry has none. */
export const PAST_OUTCOMES: SessionKey<(entry: number) => PastOutcome | undefined> =
  sessionKey("past-outcomes");

const NAME = /^outcome:(\d{1,15})$/;

/** Undefined for a path that names a file. */
export function readPastOutcome(
  path: string,
  lines: { readonly [Key in keyof WindowRequest]?: WindowRequest[Key] | undefined },
  { framework, budget }: ToolContext,
): ToolResult | undefined {
  const past = framework.session?.get(PAST_OUTCOMES);
  const [, entry] = NAME.exec(path) ?? [];
  if (entry === undefined || !past) return undefined;
  const found = past(Number(entry));
  if (!found) return failureResult(`This session has no outcome ${entry}.`);
  for (const image of found.images ?? []) framework.report?.picture(image);
  const { offset = 1, limit = Number.POSITIVE_INFINITY } = lines;
  if (offset === 1 && limit === Number.POSITIVE_INFINITY) return textResult(found.text);
  const window = windowOf(found.text, UTF_8, { offset, limit });
  if (window.lines.length === 0) return failureResult(`${path} has no line ${offset}.`);
  const { header, body } = viewLines(window, budget);
  return textResult(`${header}\n${body}`);
}
