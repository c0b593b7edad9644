// The number of tokens in a request by the provider's own count. Asked rarely, and never awaited for more than a moment.

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
  /** Writes the request as the wire sends it; only its `fields` are counted. */
  readonly body: () => Pieces;
  readonly fields: readonly string[];
  /** Wraps those fields for the request body. */
  readonly wrap?: (fields: Readonly<Record<string, unknown>>) => unknown;
}

const MAX_MS = 3_000;
const LESSON = "no count";
/** Statuses of a server without this address. */
const NOT_OFFERED: readonly number[] = [404, 405, 501];

/** Undefined if the provider does not answer in time; one without this address is not asked again about that model. */
export async function askForCount(
  { endpoint, path, headers, body, fields, wrap = (kept) => kept }: CountQuestion,
  { model }: ModelRequest,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { transport, lessons, baseUrl } = endpoint;
  const teacher = teacherOf(baseUrl, model);
  // Recordings hold the conversation only: they are played without counts.
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
  // Some servers answer any request with a model's reply.
  if (NOT_OFFERED.includes(status) || (status === 200 && count === undefined)) lessons?.note(teacher, LESSON);
  return count;
}
