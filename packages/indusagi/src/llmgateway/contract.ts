// The shape of a model conversation, independent of any provider's wire. Types only: no I/O here.

import type { JsonObject, JsonSchema, JsonValue } from "../core/schema/json-schema.ts";

export type { JsonObject, JsonSchema, JsonValue };

/** How a tool is advertised to the model. */
export interface ToolDescriptor {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

export interface TextBlock {
  readonly kind: "text";
  readonly text: string;
}

/** A picture, or a document (`application/pdf`), that the person attached or that a tool shows; `data` is base64. */
export interface ImageBlock {
  readonly kind: "image";
  readonly mediaType: string;
  readonly data: string;
}

/**
 * The model's reasoning. `signature` and `redacted` are the provider's opaque proofs: they must be sent back unchanged, to the
 * provider named in `provider` and to no other. A block without text holds the proof of the block that follows it.
 */
export interface ThinkingBlock {
  readonly kind: "thinking";
  readonly text: string;
  readonly provider: string;
  readonly signature?: string;
  readonly redacted?: string;
}

/**
 * One call the model asks for. If the arguments it streamed are not JSON, `input` is `{}`, `unparsed` holds the raw text and
 * `problem` says what is wrong with it: the loop answers such a call with an error outcome.
 */
export interface ToolCallBlock {
  readonly kind: "tool_call";
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
  readonly unparsed?: string;
  readonly problem?: string;
}

export interface UserMessage {
  readonly role: "user";
  readonly content: readonly (TextBlock | ImageBlock)[];
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly (TextBlock | ThinkingBlock | ToolCallBlock)[];
}

/** The outcome of one tool call, as the model reads it. */
export interface ToolMessage {
  readonly role: "tool";
  readonly callId: string;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
  /** What the model sees of it in addition to the text. */
  readonly images?: readonly ImageBlock[];
}

/** Messages are immutable: providers keep each one's serialised form, so a turn costs what it adds. */
export type Message = UserMessage | AssistantMessage | ToolMessage;

/** How hard the model should think before it answers. */
export type ThinkingLevel = "off" | "low" | "medium" | "high" | "xhigh" | "max";

export interface ModelParams {
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly thinking?: ThinkingLevel;
}

/** One whole request, provider-neutral. */
export interface ModelRequest {
  readonly model: string;
  readonly system: string;
  readonly tools: readonly ToolDescriptor[];
  readonly messages: readonly Message[];
  readonly params: ModelParams;
  /** What is marked for the prompt cache stays there for an hour, if the wire has a mark for that. */
  readonly cachesForAnHour?: boolean;
}

export type StopReason = "complete" | "tool_calls" | "max_output" | "refusal";

/** Token counts as the provider states them; 0 if it states none. `inputTokens` excludes cached ones. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** The part of the output that was thinking; absent if the provider does not count it separately. */
  readonly thinkingTokens?: number | undefined;
  /** The tokens written to the cache for an hour; absent if there are none. */
  readonly hourWriteTokens?: number | undefined;
}

/** Dollars per million tokens. Cache reads and writes cost as much as input unless stated otherwise. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** What a call costs whose prompt has more than `tokens` tokens, cached ones included: all of it. */
export interface LongPromptRates extends Rates {
  readonly tokens: number;
}

/** The rates of a model; of the `above` that a prompt exceeds, the one with the most tokens counts. */
export interface Price extends Rates {
  readonly above?: readonly LongPromptRates[] | undefined;
}

/** What is left of one of the provider's limits, as stated with an answer. */
export interface RateLimit {
  /** What is limited, in the provider's own words: `input tokens`. */
  readonly what: string;
  readonly remaining: number;
  readonly limit?: number | undefined;
  /** Milliseconds until the full limit is available again. */
  readonly resetMs?: number | undefined;
}

export interface ModelReply {
  readonly message: AssistantMessage;
  readonly stop: StopReason;
  readonly usage: Usage;
  /** Absent if the provider states none. */
  readonly limits?: readonly RateLimit[];
}

/**
 * auth: the key is missing or refused · spent: nothing more may be spent, by the provider's account or by a person's limit ·
 * rate_limit: 429 · overloaded: 529 or 503 · server: other 5xx · request: the provider refused the request (other 4xx) · overflow:
 * the request does not fit the model's window, or is too large (413) · not_found: unknown model or address · unreachable: nobody
 * answers at the address, and waiting will not help · transport: the connection broke or could not be made now · timeout: the
 * provider stopped responding · protocol: an answer that violates the wire format · exhausted: a cassette has no more turns ·
 * aborted: the caller's signal fired.
 */
export type ModelFaultKind =
  | "auth"
  | "spent"
  | "rate_limit"
  | "overloaded"
  | "server"
  | "request"
  | "overflow"
  | "not_found"
  | "unreachable"
  | "transport"
  | "timeout"
  | "protocol"
  | "exhausted"
  | "aborted";

export interface ModelFault {
  readonly kind: ModelFaultKind;
  /** One line for a person: what was asked, what came back, what to do. Never holds a key. */
  readonly message: string;
  readonly status?: number | undefined;
  /** How long the provider asked us to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Limits that the provider says are used up, in its own words. */
  readonly usedUp?: readonly string[] | undefined;
}

/**
 * What arrives while a model answers. `connected`: the provider has accepted the request, but nothing of the answer has arrived.
 * `retry` voids every delta since the call began; `of` is the most tries that the remaining time allows.
 */
export type ModelDelta =
  | { readonly kind: "connected" }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string }
  | { readonly kind: "tool_call"; readonly id: string; readonly name: string }
  | {
      readonly kind: "retry";
      readonly attempt: number;
      readonly of?: number | undefined;
      readonly waitMs: number;
      readonly fault: ModelFault;
    };

export type ModelResult =
  | { readonly ok: true; readonly reply: ModelReply }
  | { readonly ok: false; readonly fault: ModelFault };

export interface ModelCallOptions {
  readonly signal: AbortSignal;
  /** Called in order, synchronously, for each delta; must not throw. */
  readonly onDelta: (delta: ModelDelta) => void;
  /** Receives what a person should know about how the request is made: what is omitted and why. Must not throw. */
  readonly onRemark?: ((text: string) => void) | undefined;
}

/** One way to reach models. */
export interface ModelProvider {
  /** The first half of `provider/model`. */
  readonly id: string;
  /** Runs one request to its end. Never rejects: a failure is `{ ok: false }`. */
  readonly stream: (request: ModelRequest, options: ModelCallOptions) => Promise<ModelResult>;
  /** The tokens of a request by the provider's own count; undefined if it gives none. Never rejects, and waits at most a few seconds. */
  readonly countTokens?:
    | ((request: ModelRequest, signal: AbortSignal) => Promise<number | undefined>)
    | undefined;
}

/** What is known about a model; an undescribed model gets a cautious default. */
export interface ModelCard {
  readonly provider: string;
  readonly id: string;
  /** Tokens of input and output together. */
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
}
