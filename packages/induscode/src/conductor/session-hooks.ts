// Where features touch what the model sees. Each function asks the features and
// turns what they changed into what the log must say about it.

import type { AssistantMessage, Message, ModelParams } from "indusagi/llmgateway";
import type { HookEvent } from "../feature/events.ts";
import type { Attribution, GateDecision, HookDispatch } from "../feature/handler.ts";
import type { Change, UserContent } from "./contract.ts";
import { type MessagePatch, patchMessages } from "./turns/message-patch.ts";

/** What a gate refused. */
export interface Veto {
  readonly by: Attribution;
  readonly reason: string;
}

const NEVER: AbortSignal = new AbortController().signal;

type Changes = { readonly changes?: readonly Change[] };

function changesOf(at: string, changedBy: readonly Attribution[]): Changes {
  return changedBy.length === 0 ? {} : { changes: changedBy.map((by) => ({ at, ...by })) };
}

function vetoOf({ reason, by }: GateDecision & { readonly by: Attribution }): Veto {
  return { by, reason: reason ?? "it was blocked" };
}

/** `input:submit`: a person's line, possibly changed or stopped. Pictures and files are not changed. */
export async function submitInput(
  hooks: HookDispatch,
  content: UserContent,
  signal: AbortSignal,
): Promise<
  { readonly veto: Veto } | ({ readonly content: UserContent; readonly typed?: UserContent } & Changes)
> {
  const at = content.findIndex((block) => block.kind === "text");
  const line = content[at];
  if (!hooks.has("input:submit") || line?.kind !== "text") return { content };
  const { payload, changedBy, gate } = await hooks.dispatch("input:submit", { text: line.text }, { signal });
  if (gate) return { veto: vetoOf(gate) };
  if (changedBy.length === 0) return { content };
  const changed = content.with(at, { kind: "text", text: payload.text });
  return { content: changed, typed: content, ...changesOf("input:submit", changedBy) };
}

/** `chat:params`: the options of the next request, which goes to `name` (provider and model). */
export async function buildParams(
  hooks: HookDispatch,
  { name, params }: { readonly name: string; readonly params: ModelParams },
  signal: AbortSignal,
): Promise<{ readonly params: ModelParams } & Changes> {
  if (!hooks.has("chat:params")) return { params };
  const slash = name.indexOf("/");
  const asked = { provider: name.slice(0, slash), model: name.slice(slash + 1), params };
  const { payload, changedBy } = await hooks.dispatch("chat:params", asked, { signal });
  return { params: payload.params, ...changesOf("chat:params", changedBy) };
}

/** `context:build`: what the next request shows instead of the messages; undefined if nothing changed. */
export async function buildContext(
  hooks: HookDispatch,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<(MessagePatch & Changes) | undefined> {
  if (!hooks.has("context:build")) return undefined;
  const { payload, changedBy } = await hooks.dispatch(
    "context:build",
    { messages: [...messages] },
    { signal },
  );
  const patch = changedBy.length === 0 ? undefined : patchMessages(messages, payload.messages);
  return patch && { ...patch, ...changesOf("context:build", changedBy) };
}

/** `chat:message`: the model's message, possibly changed before anything acts on it. */
export async function receiveMessage(
  hooks: HookDispatch,
  message: AssistantMessage,
  signal: AbortSignal,
): Promise<{ readonly message: AssistantMessage; readonly original?: AssistantMessage } & Changes> {
  if (!hooks.has("chat:message")) return { message };
  const { payload, changedBy } = await hooks.dispatch("chat:message", { message }, { signal });
  if (changedBy.length === 0) return { message };
  return { message: payload.message, original: message, ...changesOf("chat:message", changedBy) };
}

/** `compact:before`: whether the transcript may be condensed. */
export async function mayCompact(
  hooks: HookDispatch,
  reason: "asked" | "full",
  signal: AbortSignal,
): Promise<Veto | undefined> {
  const { gate } = await hooks.dispatch("compact:before", { reason }, { signal });
  return gate && vetoOf(gate);
}

/** `compact:build`: the summary, possibly changed. */
export async function buildSummary(
  hooks: HookDispatch,
  { reason, summary }: { readonly reason: "asked" | "full"; readonly summary: string },
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly original?: string } & Changes> {
  const { payload, changedBy } = await hooks.dispatch("compact:build", { reason, summary }, { signal });
  if (changedBy.length === 0) return { text: summary };
  return { text: payload.summary, original: summary, ...changesOf("compact:build", changedBy) };
}

interface Telling {
  /** Whoever ends it ends the handlers that are asked, and what they run; default: nobody. */
  readonly signal?: AbortSignal;
  /** The model goes on because a feature said so. */
  readonly isAgain?: boolean;
}

/**
 * What features are told of, and cannot change: a session or a turn starts or ends. Resolves to what stopped it, which is acted on at a
 * turn's end alone: there the model goes on.
 */
export async function tellLifecycle(
  hooks: HookDispatch,
  event: Extract<HookEvent, `session:${string}` | `turn:${string}`>,
  sessionId: string,
  { signal = NEVER, isAgain = false }: Telling = {},
): Promise<Veto | undefined> {
  const payload = isAgain ? { sessionId, again: true } : { sessionId };
  const { gate } = await hooks.dispatch(event, payload, { signal });
  return gate?.stop ? vetoOf(gate) : undefined;
}
