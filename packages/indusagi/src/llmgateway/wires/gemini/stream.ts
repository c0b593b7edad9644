// Assembles the chunks of a Gemini stream into a reply.

import { createId } from "../../../core/ids.ts";
import type {
  AssistantMessage,
  JsonValue,
  ModelDelta,
  ModelFault,
  ModelReply,
  StopReason,
  Usage,
} from "../../contract.ts";
import { asArray, asCount, asObject, asText, type Loose, parseObject } from "../../loose-json.ts";
import {
  type Correspondent,
  failedGeneration,
  faultOfErrorObject,
  protocolFault,
  unreadableEvent,
} from "../../model-faults.ts";
import type { WireReader } from "../../wire-call.ts";
import { FAILED_GENERATIONS, STOPS } from "./faults.ts";

type Block = AssistantMessage["content"][number];

/** Reads one answer; deltas are reported as they arrive. */
export function createGeminiReader(whom: Correspondent, onDelta: (delta: ModelDelta) => void): WireReader {
  const blocks: Block[] = [];
  /** The current text or thought, which continues while pieces of its kind arrive. */
  let open: { readonly kind: "text" | "thinking"; readonly parts: string[] } | undefined;
  let stop: StopReason | undefined;
  let usage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

  const close = (): void => {
    const text = open?.parts.join("") ?? "";
    if (open?.kind === "text") blocks.push({ kind: "text", text });
    else if (open) blocks.push({ kind: "thinking", text, provider: whom.id });
    open = undefined;
  };

  const readText = (text: string, kind: "text" | "thinking", proof: string | undefined): void => {
    // Signed content is a separate part, preceded by its proof.
    if (open?.kind !== kind || proof !== undefined) close();
    if (proof !== undefined) blocks.push(proofBlock(whom.id, proof));
    if (text === "") return;
    onDelta({ kind, text });
    if (proof === undefined) {
      open ??= { kind, parts: [] };
      open.parts.push(text);
    } else if (kind === "text") blocks.push({ kind, text });
    else blocks.push({ kind, text, provider: whom.id });
  };

  const readPart = (part: Loose): ModelFault | undefined => {
    const proof = asText(part.thoughtSignature) || undefined;
    const call = asObject(part.functionCall);
    if (!call) {
      const text = asText(part.text);
      // The proof of a thought's own words is not needed: they are not sent back.
      const isThought = part.thought === true;
      if (text !== undefined || proof !== undefined)
        readText(text ?? "", isThought ? "thinking" : "text", isThought ? undefined : proof);
      return undefined;
    }
    const name = asText(call.name);
    if (!name) return protocolFault(whom, "a function call without a name");
    close();
    if (proof !== undefined) blocks.push(proofBlock(whom.id, proof));
    const id = asText(call.id) || createId("call");
    blocks.push({ kind: "tool_call", id, name, input: (asObject(call.args) ?? {}) as JsonValue });
    onDelta({ kind: "tool_call", id, name });
    return undefined;
  };

  return {
    read: (data) => {
      const chunk = parseObject(data);
      if (!chunk) return unreadableEvent(whom, data);
      if (chunk.error !== undefined && chunk.error !== null) return faultOfErrorObject(whom, data);
      usage = usageOf(asObject(chunk.usageMetadata), usage);
      if (asText(asObject(chunk.promptFeedback)?.blockReason)) stop = "refusal";
      const candidate = asObject(asArray(chunk.candidates)[0]);
      for (const part of asArray(asObject(candidate?.content)?.parts)) {
        const fault = readPart(asObject(part) ?? {});
        if (fault) return fault;
      }
      const reason = asText(candidate?.finishReason);
      if (!reason) return undefined;
      const failed = Object.hasOwn(FAILED_GENERATIONS, reason) ? FAILED_GENERATIONS[reason] : undefined;
      if (failed !== undefined) return failedGeneration(whom, failed, reason);
      stop = (Object.hasOwn(STOPS, reason) ? STOPS[reason] : undefined) ?? "complete";
      return undefined;
    },
    reply: (): ModelReply | undefined => {
      if (stop === undefined) return undefined;
      close();
      const hasCalls = blocks.some(({ kind }) => kind === "tool_call");
      return {
        message: { role: "assistant", content: blocks },
        stop: stop === "complete" && hasCalls ? "tool_calls" : stop,
        usage,
      };
    },
  };
}

/** A thought without text: what must be sent back with the block after it. */
function proofBlock(provider: string, signature: string): Block {
  return { kind: "thinking", text: "", provider, signature };
}

/** Counts are cumulative; a value that a chunk does not state is kept. Thinking is counted separately from the answer. */
function usageOf(stated: Loose | undefined, before: Usage): Usage {
  if (!stated) return before;
  const read = asCount(stated.cachedContentTokenCount);
  const thought = asCount(stated.thoughtsTokenCount);
  const input = asCount(stated.promptTokenCount) + asCount(stated.toolUsePromptTokenCount);
  return {
    inputTokens: Math.max(0, input - read),
    outputTokens: asCount(stated.candidatesTokenCount) + thought,
    cacheReadTokens: read,
    cacheWriteTokens: 0,
    thinkingTokens: thought > 0 ? thought : undefined,
  };
}
