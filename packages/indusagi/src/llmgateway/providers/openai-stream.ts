// The chunks of a Chat Completions stream, gathered into a reply. Many servers imitate this wire, each a little
// differently, so it is read generously.

import { createId } from "../../core/ids.ts";
import type {
  AssistantMessage,
  ModelDelta,
  ModelReply,
  StopReason,
  ThinkingBlock,
  Usage,
} from "../contract.ts";
import { asArray, asCount, asObject, asText, type Loose, parseObject } from "../loose-json.ts";
import { type Correspondent, faultOfErrorObject, protocolFault } from "../model-faults.ts";
import { parseToolArguments } from "../tool-arguments.ts";
import type { WireReader } from "../wire-call.ts";
import { RETURNED_THOUGHT } from "./openai-request.ts";

const STOPS: Readonly<Record<string, StopReason>> = {
  stop: "complete",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  length: "max_output",
  content_filter: "refusal",
};

interface OpenCall {
  id: string;
  name: string;
  readonly parts: string[];
  announced: boolean;
}

/** Reads one answer; deltas are reported as they come. */
export function createOpenAiReader(whom: Correspondent, onDelta: (delta: ModelDelta) => void): WireReader {
  const texts: string[] = [];
  const thoughts: string[] = [];
  const calls: OpenCall[] = [];
  const byIndex = new Map<number, OpenCall>();
  let returnsThoughts = false;
  let finish: string | undefined;
  let refused = false;
  let whole = false;
  let usage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

  const readThought = (delta: Loose): void => {
    const returned = asText(delta[RETURNED_THOUGHT]);
    const text = returned ?? asText(delta.reasoning);
    if (!text) return;
    returnsThoughts ||= returned !== undefined;
    thoughts.push(text);
    onDelta({ kind: "thinking", text });
  };

  const readText = (text: string): void => {
    if (text === "") return;
    texts.push(text);
    onDelta({ kind: "text", text });
  };

  // A piece belongs to the call of its index. Servers that send calls whole may leave the index out, or give every
  // call the same one: a new id begins a new call; without both, a piece with a name does.
  const callOf = (piece: Loose, name: string | undefined): OpenCall => {
    const index = typeof piece.index === "number" ? piece.index : undefined;
    const id = asText(piece.id) || undefined;
    const known = index === undefined ? calls.at(-1) : byIndex.get(index);
    const isOther = id !== undefined && known !== undefined && known.id !== id && known.name !== "";
    const isNext = index === undefined && id === undefined && name !== undefined;
    if (known && !isOther && !isNext) return known;
    const call: OpenCall = { id: id ?? createId("call"), name: "", parts: [], announced: false };
    calls.push(call);
    if (index !== undefined) byIndex.set(index, call);
    return call;
  };

  const readCall = (piece: Loose): void => {
    const fn = asObject(piece.function) ?? {};
    const name = asText(fn.name) || undefined;
    const call = callOf(piece, name);
    if (call.name === "" && name !== undefined) call.name = name;
    const args = fn.arguments;
    if (typeof args === "string") call.parts.push(args);
    else if (asObject(args)) call.parts.push(JSON.stringify(args));
    if (!call.announced && call.name !== "") {
      call.announced = true;
      onDelta({ kind: "tool_call", id: call.id, name: call.name });
    }
  };

  return {
    read: (data) => {
      if (data.trim() === "[DONE]") {
        whole = true;
        return "done";
      }
      const chunk = parseObject(data);
      if (!chunk) return protocolFault(whom, `an event that is not a JSON object: ${data.slice(0, 200)}`);
      if (chunk.error !== undefined && chunk.error !== null) return faultOfErrorObject(whom, data);
      if (asObject(chunk.usage)) usage = readUsage(asObject(chunk.usage) ?? {});
      const choice = asObject(asArray(chunk.choices)[0]);
      if (!choice) return undefined;
      const delta = asObject(choice.delta) ?? asObject(choice.message);
      if (delta) {
        readThought(delta);
        readText(asText(delta.content) ?? "");
        const refusal = asText(delta.refusal);
        if (refusal) refused = true;
        readText(refusal ?? "");
        for (const piece of asArray(delta.tool_calls)) readCall(asObject(piece) ?? {});
      }
      finish = asText(choice.finish_reason) ?? finish;
      return undefined;
    },
    reply: (): ModelReply | undefined => {
      // Some servers close without `[DONE]`; the reason to finish proves that the answer is whole.
      if (!whole && finish === undefined) return undefined;
      const named = calls.filter((call) => call.name !== "");
      const stop = refused ? "refusal" : (STOPS[finish ?? "stop"] ?? "complete");
      return {
        message: toMessage(whom.id, {
          thought: thoughts.join(""),
          returnsThoughts,
          text: texts.join(""),
          calls: named,
        }),
        stop: stop === "complete" && named.length > 0 ? "tool_calls" : stop,
        usage,
      };
    },
  };
}

interface Gathered {
  readonly thought: string;
  readonly returnsThoughts: boolean;
  readonly text: string;
  readonly calls: readonly OpenCall[];
}

function toMessage(provider: string, { thought, returnsThoughts, text, calls }: Gathered): AssistantMessage {
  const thinking: ThinkingBlock = {
    kind: "thinking",
    text: thought,
    provider,
    ...(returnsThoughts ? { signature: RETURNED_THOUGHT } : {}),
  };
  return {
    role: "assistant",
    content: [
      ...(thought === "" ? [] : [thinking]),
      ...(text === "" ? [] : [{ kind: "text" as const, text }]),
      ...calls.map(({ id, name, parts }) => ({
        kind: "tool_call" as const,
        id,
        name,
        ...parseToolArguments(parts.join("")),
      })),
    ],
  };
}

/** OpenAI counts cached tokens among the prompt's; ours are counted apart. */
function readUsage(stated: Loose): Usage {
  const cached = asCount(asObject(stated.prompt_tokens_details)?.cached_tokens);
  return {
    inputTokens: Math.max(0, asCount(stated.prompt_tokens) - cached),
    outputTokens: asCount(stated.completion_tokens),
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
  };
}
