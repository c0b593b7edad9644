// Assembles the events of a Responses stream into a reply. Items are identified by their
// position in the output: some servers (GitHub's) change the ids in every event.

import type {
  AssistantMessage,
  ModelDelta,
  ModelFault,
  ModelReply,
  StopReason,
  ThinkingBlock,
  ToolDescriptor,
  Usage,
} from "../../contract.ts";
import { asArray, asCount, asObject, asText, type Loose, parseObject } from "../../loose-json.ts";
import {
  type Correspondent,
  faultOfErrorObject,
  protocolFault,
  unreadableEvent,
} from "../../model-faults.ts";
import { parseToolArguments } from "../../tool-arguments.ts";
import type { WireReader } from "../../wire-call.ts";
import { unwrapParallel } from "../chat/calls.ts";
import { INCOMPLETE } from "./faults.ts";

interface OpenItem {
  /** As stated by its last event. */
  item: Loose;
  /** Text, arguments or thinking, as streamed. */
  readonly parts: string[];
  isRefusal: boolean;
}

type Content = AssistantMessage["content"][number];

/** Reads one answer to a request that offered these tools; deltas are reported as they arrive. */
export function createResponsesReader(
  whom: Correspondent,
  onDelta: (delta: ModelDelta) => void,
  offered: readonly ToolDescriptor[] = [],
): WireReader {
  const items = new Map<number, OpenItem>();
  let stop: StopReason | undefined;
  let usage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

  const open = (event: Loose): OpenItem => {
    const index = typeof event.output_index === "number" ? event.output_index : items.size;
    const known = items.get(index);
    if (known) return known;
    const made = { item: {}, parts: [], isRefusal: false };
    items.set(index, made);
    return made;
  };

  const add = (event: Loose, kind: "text" | "thinking" | "arguments"): void => {
    const text = asText(event.delta);
    if (!text) return;
    open(event).parts.push(text);
    if (kind !== "arguments") onDelta({ kind, text });
  };

  const end = (response: Loose): void => {
    usage = usageOf(asObject(response.usage) ?? {});
    const reason = asText(asObject(response.incomplete_details)?.reason) ?? "";
    const isWhole = asText(response.status) !== "incomplete";
    stop = isWhole ? "complete" : (Object.hasOwn(INCOMPLETE, reason) && INCOMPLETE[reason]) || "max_output";
    // A server that does not stream items has them all here.
    if (items.size === 0)
      for (const [index, item] of asArray(response.output).entries())
        items.set(index, { item: asObject(item) ?? {}, parts: [], isRefusal: false });
  };

  return {
    read: (data) => {
      const event = parseObject(data);
      if (!event && data.trim() === "[DONE]") return stop === undefined ? undefined : "done";
      if (!event) return unreadableEvent(whom, data);
      switch (event.type) {
        case "response.output_item.added": {
          const item = asObject(event.item) ?? {};
          open(event).item = item;
          const [id, name] = [asText(item.call_id), asText(item.name)];
          if (item.type === "function_call" && id && name) onDelta({ kind: "tool_call", id, name });
          return undefined;
        }
        case "response.output_item.done":
          open(event).item = asObject(event.item) ?? {};
          return undefined;
        case "response.output_text.delta":
          add(event, "text");
          return undefined;
        case "response.refusal.delta":
          open(event).isRefusal = true;
          add(event, "text");
          return undefined;
        case "response.reasoning_summary_text.delta":
        case "response.reasoning_text.delta":
          add(event, "thinking");
          return undefined;
        case "response.reasoning_summary_part.added":
          if (open(event).parts.length > 0) add({ ...event, delta: "\n\n" }, "thinking");
          return undefined;
        case "response.function_call_arguments.delta":
          add(event, "arguments");
          return undefined;
        case "response.completed":
        case "response.incomplete":
          end(asObject(event.response) ?? {});
          return "done";
        case "response.failed":
        case "response.cancelled":
          return faultOfResponse(whom, asObject(event.response) ?? {});
        case "error":
          return faultOfErrorObject(whom, asObject(event.error) ? data : JSON.stringify({ error: event }));
        case undefined:
          if (event.error !== undefined && event.error !== null) return faultOfErrorObject(whom, data);
          return protocolFault(whom, `an event without a type: ${data.slice(0, 200)}`);
        default:
          return undefined; // starts, ends of parts, provider-side tools, and future additions
      }
    },
    readWhole: (body) => {
      const response = parseObject(body);
      if (response?.object !== "response") return unreadableEvent(whom, body);
      const status = asText(response.status);
      if (status === "failed" || status === "cancelled") return faultOfResponse(whom, response);
      end(response);
      return "done";
    },
    reply: (): ModelReply | ModelFault | undefined => {
      if (stop === undefined) return undefined;
      const inOrder = [...items].sort(([a], [b]) => a - b).map(([, item]) => item);
      const content: Content[] = [];
      for (const each of inOrder) {
        const blocks = blocksOf(whom.id, each, offered);
        if (blocks === undefined) return protocolFault(whom, "a function call without id or name");
        content.push(...blocks);
      }
      const hasCalls = content.some(({ kind }) => kind === "tool_call");
      const refused = inOrder.some(({ isRefusal }) => isRefusal);
      return {
        message: { role: "assistant", content },
        stop: stop !== "complete" ? stop : refused ? "refusal" : hasCalls ? "tool_calls" : "complete",
        usage,
      };
    },
  };
}

function faultOfResponse(whom: Correspondent, response: Loose): ModelFault {
  const error = asObject(response.error) ?? { message: `the response ended as ${String(response.status)}` };
  return faultOfErrorObject(whom, JSON.stringify({ error }));
}

/** An item as blocks; undefined for a call that cannot be made. Whatever runs at the provider yields none. */
function blocksOf(
  provider: string,
  open: OpenItem,
  offered: readonly ToolDescriptor[],
): readonly Content[] | undefined {
  const { item } = open;
  switch (item.type) {
    case "message": {
      const text = open.parts.join("") || textIn(item.content);
      const phase = asText(item.phase);
      const mark: ThinkingBlock = {
        kind: "thinking",
        text: "",
        provider,
        signature: JSON.stringify({ phase }),
      };
      return text === "" ? [] : [...(phase ? [mark] : []), { kind: "text", text }];
    }
    case "function_call": {
      const [id, name] = [asText(item.call_id), asText(item.name)];
      if (!id || !name) return undefined;
      const args = asText(item.arguments) || open.parts.join("");
      return unwrapParallel({ kind: "tool_call", id, name, ...parseToolArguments(args) }, offered);
    }
    case "reasoning":
      return thoughtOf(provider, open);
    default:
      return [];
  }
}

function thoughtOf(provider: string, { item, parts }: OpenItem): readonly Content[] {
  const told = asArray(item.summary).map((part) => asText(asObject(part)?.text) ?? "");
  const text = parts.join("") || told.filter((each) => each !== "").join("\n\n") || textIn(item.content);
  const proof = asText(item.encrypted_content);
  if (text === "" && !proof) return [];
  const signature = proof
    ? { signature: JSON.stringify({ id: asText(item.id), encrypted_content: proof }) }
    : {};
  return [{ kind: "thinking", text, provider, ...signature }];
}

function textIn(content: unknown): string {
  return asArray(content)
    .map((part) => asText(asObject(part)?.text) ?? asText(asObject(part)?.refusal) ?? "")
    .join("");
}

function usageOf(stated: Loose): Usage {
  const details = asObject(stated.input_tokens_details) ?? {};
  const read = asCount(details.cached_tokens);
  const written = asCount(details.cache_write_tokens);
  const thought = asCount(asObject(stated.output_tokens_details)?.reasoning_tokens);
  return {
    inputTokens: Math.max(0, asCount(stated.input_tokens) - read - written),
    outputTokens: asCount(stated.output_tokens),
    cacheReadTokens: read,
    cacheWriteTokens: written,
    thinkingTokens: thought > 0 ? thought : undefined,
  };
}
