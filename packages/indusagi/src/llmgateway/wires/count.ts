// How many tokens a request has by the provider's own count. Asked rarely, and never waited for longer than a moment.

import type { ModelRequest } from "../contract.ts";
import { teacherOf } from "../lessons.ts";
import { asCount, parseObject } from "../loose-json.ts";
import { sendCall } from "../wire-call.ts";
import type { Pieces } from "../wire-json.ts";
import { correspondent, type Endpoint, limitsOf } from "./endpoint.ts";

export interface CountQuestion {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Writes the request as the wire sends it; `fields` of it are counted. */
  readonly body: () => Pieces;
  readonly fields: readonly string[];
  /** What those fields stand in. */
  readonly wrap?: (fields: Readonly<Record<string, unknown>>) => unknown;
}

const MAX_MS = 3_000;
const LESSON = "no count";
/** The server has no such address. */
const NOT_OFFERED: readonly number[] = [404, 405, 501];

/** Undefined where the provider does not say in time; one that has no such address is not asked again about that model. */
export async function askForCount(
  { endpoint, path, headers, body, fields, wrap = (kept) => kept }: CountQuestion,
  { model }: ModelRequest,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { transport, lessons, baseUrl } = endpoint;
  const teacher = teacherOf(baseUrl, model);
  // What is recorded is the conversation: a recording is played without these.
  if (transport || lessons?.recall(teacher).includes(LESSON)) return undefined;
  const whole = parseObject(body().join("")) ?? {};
  const kept = Object.fromEntries(fields.flatMap((name) => (name in whole ? [[name, whole[name]]] : [])));
  const end = await sendCall(
    {
      whom: correspondent(endpoint, path),
      headers: { ...headers, accept: "application/json" },
      body: [JSON.stringify(wrap(kept))],
      limits: limitsOf(endpoint),
      signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_MS)]),
    },
    { onChunk: () => false },
  );
  if (end.kind === "failed" || end.kind === "refused") return undefined;
  const { status, body: text } = end.kind === "answered" ? end : { status: 200, body: "" };
  const { input_tokens, totalTokens } = (status === 200 ? parseObject(text) : undefined) ?? {};
  const count = asCount(input_tokens ?? totalTokens) || undefined;
  // Some servers answer whatever they are asked with an answer of the model.
  if (NOT_OFFERED.includes(status) || (status === 200 && count === undefined)) lessons?.note(teacher, LESSON);
  return count;
}
