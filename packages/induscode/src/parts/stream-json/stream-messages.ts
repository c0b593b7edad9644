// What happens in a session, as the messages that programs for stream-json read: `assistant`, `user` with the results of calls, pieces of
// answers, and the `result` of each task.

import { randomUUID } from "node:crypto";
import type { JsonObject, JsonValue } from "indusagi/core";
import type { AssistantMessage } from "indusagi/llmgateway";
import type { ConductorEvent, Entry, SessionStatus, SubmitEnd } from "../../conductor/contract.ts";
import { PieceEvents } from "./piece-events.ts";
import type { ToolWords } from "./tool-words.ts";

export type Message = { readonly type: string } & Readonly<Record<string, unknown>>;

type EntryOf<Type extends Entry["type"]> = Extract<Entry, { readonly type: Type }>;

/** The content of an answer in the words of that wire. */
function contentBlocks({ content }: AssistantMessage, words: ToolWords): readonly JsonObject[] {
  return content.flatMap((block): readonly JsonObject[] => {
    switch (block.kind) {
      case "text":
        return [{ type: "text", text: block.text }];
      case "thinking":
        return [{ type: "thinking", thinking: block.text, signature: "" }];
      case "tool_call":
        return [
          {
            type: "tool_use",
            id: block.id,
            name: words.name(block.name),
            input: words.input(block.name, block.input),
          },
        ];
      default:
        return [];
    }
  });
}

/** Of one session; `write` gets each message. */
export class StreamMessages {
  readonly #write: (message: Message) => void;
  readonly #sessionId: () => string;
  readonly #model: () => string;
  readonly #words: ToolWords;
  readonly #pieces: PieceEvents | undefined;
  #turns = 0;
  #apiMs = 0;
  #askedAt = 0;
  /** Of the calls of the last answer. */
  readonly #inputs = new Map<string, JsonValue>();
  #denials: JsonObject[] = [];

  constructor(
    write: (message: Message) => void,
    facts: {
      readonly sessionId: () => string;
      readonly model: () => string;
      readonly hasPieces: boolean;
      readonly words: ToolWords;
    },
  ) {
    this.#write = write;
    this.#sessionId = facts.sessionId;
    this.#model = facts.model;
    this.#words = facts.words;
    this.#pieces = facts.hasPieces
      ? new PieceEvents(
          (event) => this.send({ type: "stream_event", event, parent_tool_use_id: null }),
          facts.words,
        )
      : undefined;
  }

  /** With the id of the session and one of its own. */
  send(message: Message): void {
    this.#write({ ...message, session_id: this.#sessionId(), uuid: randomUUID() });
  }

  hear(event: ConductorEvent): void {
    if (event.kind === "delta") this.#pieces?.delta(event.delta);
    if (event.kind === "tool_start") this.#inputs.set(event.callId, event.input);
    if (event.kind === "entry") this.#entry(event.entry);
    if (event.kind === "alert") this.#notice("info", event.text, event.owner);
    if (event.kind === "diagnostic") this.#notice(event.severity, event.text, event.owner);
    if (event.kind === "fault") this.#notice("error", event.fault.message);
  }

  /** What a command shows the person, who reads answers here. */
  said(text: string): void {
    this.#message([{ type: "text", text }], { stop: "end_turn", usage: NO_USAGE });
  }

  /** The last message of a task. */
  result(end: SubmitEnd, facts: ResultFacts): void {
    const { status, durationMs, structured } = facts;
    const { subtype, isError, text, errors } = endOf(end);
    this.send({
      type: "result",
      subtype,
      is_error: isError,
      duration_ms: durationMs,
      duration_api_ms: this.#apiMs,
      num_turns: this.#turns,
      result: text,
      stop_reason: end.kind === "complete" ? STOPS[end.stop] : null,
      total_cost_usd: status.costs.reduce((sum, { dollars }) => sum + dollars, 0),
      usage: usageOf(status.usage),
      modelUsage: Object.fromEntries(
        status.costs.map(({ name, usage, dollars }) => [
          name,
          {
            inputTokens: usage.inputTokens,
            outputTokens: usage.outputTokens,
            cacheReadInputTokens: usage.cacheReadTokens,
            cacheCreationInputTokens: usage.cacheWriteTokens,
            webSearchRequests: 0,
            costUSD: dollars,
            contextWindow: facts.window ?? 0,
          },
        ]),
      ),
      permission_denials: this.#denials,
      end: end.kind,
      fault_kind: end.kind === "faulted" ? end.fault.kind : undefined,
      ...(structured === undefined ? undefined : { structured_output: structured }),
      ...(errors === undefined ? undefined : { errors }),
    });
    this.#turns = 0;
    this.#apiMs = 0;
    this.#denials = [];
  }

  #entry(entry: Entry): void {
    if (entry.type === "request") this.#askedAt = entry.at;
    if (entry.type === "assistant") this.#answer(entry);
    if (entry.type === "tool") this.#outcome(entry);
  }

  #answer({ message, stop, usage, at }: EntryOf<"assistant">): void {
    this.#turns++;
    this.#inputs.clear();
    this.#apiMs += this.#askedAt === 0 ? 0 : Math.max(0, at - this.#askedAt);
    this.#pieces?.end();
    this.#message(contentBlocks(message, this.#words), {
      stop: stop === "interrupted" ? null : STOPS[stop],
      usage: usageOf(usage),
    });
  }

  #message(
    content: readonly JsonObject[],
    { stop, usage }: { readonly stop: string | null; readonly usage: JsonObject },
  ): void {
    const id = `msg_${randomUUID().replaceAll("-", "")}`;
    const message = { id, type: "message", role: "assistant", model: this.#model(), content };
    this.send({
      type: "assistant",
      message: { ...message, stop_reason: stop, stop_sequence: null, usage },
      parent_tool_use_id: null,
    });
  }

  #outcome({ callId, name, text, state, images = [] }: EntryOf<"tool">): void {
    const input = this.#inputs.get(callId) ?? {};
    if (state === "refused")
      this.#denials.push({
        tool_name: this.#words.name(name),
        tool_use_id: callId,
        tool_input: this.#words.input(name, input),
      });
    const shown = images.map(({ mediaType, data }) => ({
      type: "image",
      source: { type: "base64", media_type: mediaType, data },
    }));
    const content = shown.length === 0 ? text : [{ type: "text", text }, ...shown];
    this.send({
      type: "user",
      message: {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: callId, content, is_error: state !== "ok" }],
      },
      parent_tool_use_id: null,
      tool_name: this.#words.name(name),
      state,
    });
  }

  #notice(level: string, text: string, owner?: string): void {
    this.send({
      type: "system",
      subtype: "notice",
      level,
      message: owner === undefined ? text : `${owner}: ${text}`,
    });
  }
}

interface ResultFacts {
  readonly status: SessionStatus;
  readonly durationMs: number;
  readonly structured: unknown;
  readonly window: number | undefined;
}

const STOPS = {
  complete: "end_turn",
  tool_calls: "tool_use",
  max_output: "max_tokens",
  refusal: "refusal",
} as const;

const NO_USAGE: JsonObject = { input_tokens: 0, output_tokens: 0 };

interface End {
  readonly subtype: string;
  readonly isError: boolean;
  readonly text: string;
  readonly errors?: readonly string[];
}

function endOf(end: SubmitEnd): End {
  if (end.kind === "complete") return { subtype: "success", isError: false, text: end.text };
  if (end.kind === "aborted")
    return {
      subtype: "error_during_execution",
      isError: true,
      text: "",
      errors: ["The task was interrupted."],
    };
  const { kind, message } = end.fault;
  const subtype = kind === "turn_budget" ? "error_max_turns" : "error_during_execution";
  return { subtype, isError: true, text: message, errors: [message] };
}

function usageOf({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens,
}: SessionStatus["usage"]): JsonObject {
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_read_input_tokens: cacheReadTokens,
    cache_creation_input_tokens: cacheWriteTokens,
  };
}
