// How many tokens a request has by the provider's own count. Asked rarely, and never waited for longer than a moment.

import type { ModelRequest } from "../contract.ts";
import { teacherOf } from "../lessons.ts";
import { asCount, parseObject } from "../loose-json.ts";
import { sendCall } from "../wire-call.ts";
import { correspondent, type Endpoint, limitsOf } from "./endpoint.ts";

export interface CountQuestion {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The request as the wire sends it; `fields` of it are counted. */
  readonly body: string;
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
  const whole = parseObject(body) ?? {};
  const kept = Object.fromEntries(fields.flatMap((name) => (name in whole ? [[name, whole[name]]] : [])));
  const end = await sendCall(
    {
      whom: correspondent(endpoint, path),
      headers: { ...headers, accept: "application/json" },
      body: JSON.stringify(wrap(kept)),
      limits: limitsOf(endpoint),
      signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_MS)]),
    },
    { onChunk: () => false },
  );
  if (end.kind !== "answered") return undefined;
  if (NOT_OFFERED.includes(end.status)) lessons?.note(teacher, LESSON);
  const { input_tokens, totalTokens } = (end.status === 200 ? parseObject(end.body) : undefined) ?? {};
  return asCount(input_tokens ?? totalTokens) || undefined;
}
