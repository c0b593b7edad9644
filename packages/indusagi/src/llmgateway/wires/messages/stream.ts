// Assembles the events of a Messages API stream into a reply.

import type { AssistantMessage, ModelDelta, ModelFault, StopReason, Usage } from "../../contract.ts";
import { asArray, asCount, asObject, asText, type Loose, parseObject } from "../../loose-json.ts";
import {
  type Correspondent,
  faultOfErrorObject,
  protocolFault,
  unreadableEvent,
} from "../../model-faults.ts";
import { parseToolArguments } from "../../tool-arguments.ts";
import type { WireReader } from "../../wire-call.ts";

// `pause_turn` belongs to provider-side tools, which are never requested.
const STOPS: Readonly<Record<string, StopReason>> = {
  end_turn: "complete",
  stop_sequence: "complete",
  pause_turn: "complete",
  tool_use: "tool_calls",
  max_tokens: "max_output",
  model_context_window_exceeded: "max_output",
  refusal: "refusal",
};

interface OpenBlock {
  readonly type: "text" | "thinking" | "redacted_thinking" | "tool_use" | "other";
  readonly parts: string[];
  readonly id: string;
  readonly name: string;
  /** The signature, or the data of a redacted thought. */
  proof: string;
}

const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** Reads one answer; deltas are reported as they arrive. */
export function createMessagesReader(whom: Correspondent, onDelta: (delta: ModelDelta) => void): WireReader {
  const blocks = new Map<number, OpenBlock>();
  let usage = NO_USAGE;
  let stop: StopReason = "complete";
  let whole = false;
  let isStopped = false;
  const open = new Set<number>();

  const readDelta = (event: Loose): undefined | ModelFault => {
    const block = blocks.get(event.index as number);
    const delta = asObject(event.delta);
    if (!block || !delta) return protocolFault(whom, "a delta for a block that was never started");
    const field = DELTA_FIELDS[asText(delta.type) ?? ""];
    if (field === undefined) return undefined; // citations and future additions
    const text = asText(delta[field]);
    if (text === undefined) return protocolFault(whom, `a ${String(delta.type)} without its ${field}`);
    if (field === "signature") block.proof += text;
    else block.parts.push(text);
    if (text === "") return undefined;
    if (field === "text") onDelta({ kind: "text", text });
    else if (field === "thinking") onDelta({ kind: "thinking", text });
    return undefined;
  };

  const startBlock = (event: Loose): undefined | ModelFault => {
    const index = event.index;
    const start = asObject(event.content_block);
    if (typeof index !== "number" || !start) return protocolFault(whom, "a block without index or content");
    const block = openBlock(start);
    blocks.set(index, block);
    open.add(index);
    if (block.type === "tool_use") {
      if (block.id === "" || block.name === "") return protocolFault(whom, "a tool call without id or name");
      onDelta({ kind: "tool_call", id: block.id, name: block.name });
    }
    return undefined;
  };

  // Some servers close without `message_stop`: a reason to stop after whole blocks proves that the answer is complete.
  const isWhole = (): boolean => whole || (isStopped && open.size === 0);

  return {
    read: (data) => {
      const event = parseObject(data);
      if (!event) return unreadableEvent(whom, data);
      switch (event.type) {
        case "content_block_delta":
          return readDelta(event);
        case "content_block_start":
          return startBlock(event);
        case "message_start":
          usage = readUsage(asObject(event.message)?.usage, usage);
          return undefined;
        case "message_delta": {
          const reason = asText(asObject(event.delta)?.stop_reason);
          if (reason !== undefined) stop = STOPS[reason] ?? "complete";
          isStopped ||= reason !== undefined;
          usage = readUsage(event.usage, usage);
          return undefined;
        }
        case "content_block_stop":
          open.delete(event.index as number);
          return undefined;
        case "message_stop":
          whole = true;
          return "done";
        case "error":
          return faultOfErrorObject(whom, data);
        case undefined:
          if (event.error !== undefined && event.error !== null) return faultOfErrorObject(whom, data);
          return protocolFault(whom, `an event without a type: ${data.slice(0, 200)}`);
        default:
          return undefined; // ping, and future additions
      }
    },
    readWhole: (body) => {
      const message = parseObject(body);
      if (message?.type !== "message") return unreadableEvent(whom, body);
      usage = readUsage(message.usage, usage);
      stop = STOPS[asText(message.stop_reason) ?? ""] ?? "complete";
      for (const [index, block] of asArray(message.content).entries()) {
        const fault = startBlock({ index, content_block: block });
        if (fault) return fault;
      }
      whole = true;
      return "done";
    },
    isWhole,
    reply: () => (isWhole() ? { message: toMessage(whom.id, blocks), stop, usage } : undefined),
  };
}

const DELTA_FIELDS: Readonly<Record<string, "text" | "thinking" | "signature" | "partial_json">> = {
  text_delta: "text",
  thinking_delta: "thinking",
  signature_delta: "signature",
  input_json_delta: "partial_json",
};

const BLOCK_TYPES: readonly string[] = ["text", "thinking", "redacted_thinking", "tool_use"];

function openBlock(start: Loose): OpenBlock {
  const named = asText(start.type) ?? "";
  const type = BLOCK_TYPES.includes(named) ? (named as OpenBlock["type"]) : "other";
  // A block may already have content when it starts; servers that do not stream calls send their whole input here.
  const input = asObject(start.input);
  const whole = input && Object.keys(input).length > 0 ? JSON.stringify(input) : undefined;
  const first = asText(start.text) ?? asText(start.thinking) ?? whole;
  return {
    type,
    parts: first ? [first] : [],
    id: asText(start.id) ?? "",
    name: asText(start.name) ?? "",
    proof: asText(start.signature) ?? asText(start.data) ?? "",
  };
}

/** Counts are cumulative: a later event overrides what it states, and null states nothing. */
function readUsage(stated: unknown, before: Usage): Usage {
  const usage = asObject(stated);
  if (!usage) return before;
  const latest = (field: string, kept: number): number =>
    typeof usage[field] === "number" ? asCount(usage[field]) : kept;
  const thought = asCount(asObject(usage.output_tokens_details)?.thinking_tokens) || before.thinkingTokens;
  const hour = asCount(asObject(usage.cache_creation)?.ephemeral_1h_input_tokens) || before.hourWriteTokens;
  return {
    inputTokens: latest("input_tokens", before.inputTokens),
    outputTokens: latest("output_tokens", before.outputTokens),
    cacheReadTokens: latest("cache_read_input_tokens", before.cacheReadTokens),
    cacheWriteTokens: latest("cache_creation_input_tokens", before.cacheWriteTokens),
    thinkingTokens: thought || undefined,
    hourWriteTokens: hour || undefined,
  };
}

function toMessage(provider: string, blocks: ReadonlyMap<number, OpenBlock>): AssistantMessage {
  const inOrder = [...blocks].sort(([a], [b]) => a - b).map(([, block]) => block);
  return { role: "assistant", content: inOrder.flatMap((block) => toBlock(provider, block)) };
}

function toBlock(provider: string, block: OpenBlock): AssistantMessage["content"] {
  const text = block.parts.join("");
  switch (block.type) {
    case "text":
      return text === "" ? [] : [{ kind: "text", text }];
    case "thinking":
      if (text === "" && block.proof === "") return [];
      return [
        { kind: "thinking", text, provider, ...(block.proof === "" ? {} : { signature: block.proof }) },
      ];
    case "redacted_thinking":
      return [{ kind: "thinking", text: "", provider, redacted: block.proof }];
    case "tool_use":
      return [{ kind: "tool_call", id: block.id, name: block.name, ...parseToolArguments(text) }];
    case "other":
      return [];
  }
}
