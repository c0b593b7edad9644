// Assembles the chunks of a Chat Completions stream into a reply. Many servers
// imitate this wire, each a little differently, so it is read leniently.

import type {
  AssistantMessage,
  ModelDelta,
  ModelFault,
  ModelReply,
  ThinkingBlock,
  ToolDescriptor,
} from "../../contract.ts";
import { asArray, asObject, asText, type Loose, parseObject } from "../../loose-json.ts";
import {
  type Correspondent,
  failedGeneration,
  faultOfErrorObject,
  protocolFault,
  unreadableEvent,
} from "../../model-faults.ts";
import type { WireReader } from "../../wire-call.ts";
import { type CallGatherer, createCallGatherer } from "./calls.ts";
import { FAILED_GENERATIONS, STOPS } from "./faults.ts";
import { createTaggedThoughts } from "./tagged-thoughts.ts";
import { createThoughtGatherer, type ThoughtGatherer } from "./thoughts.ts";
import { mergedUsage, statedUsage, usageOf } from "./usage.ts";

/** Reads one answer to a request that offered these tools; deltas are reported as they come. */
export function createChatReader(
  whom: Correspondent,
  onDelta: (delta: ModelDelta) => void,
  offered: readonly ToolDescriptor[] = [],
): WireReader {
  const texts: string[] = [];
  const thoughts = createThoughtGatherer(whom.id, onDelta);
  const tagged = createTaggedThoughts({ onText: addText, onThought: thoughts.readTagged });
  const calls = createCallGatherer(onDelta, offered);
  let finish: string | undefined;
  let refused = false;
  let whole = false;
  let usage: Loose = {};

  function addText(text: string): void {
    if (text === "") return;
    texts.push(text);
    onDelta({ kind: "text", text });
  }

  // Mistral sends pieces of several kinds; all others send a string.
  const readContent = (content: unknown): void => {
    if (typeof content === "string") {
      tagged.read(content);
      return;
    }
    for (const part of asArray(content)) {
      const piece = asObject(part);
      if (piece?.type === "thinking") thoughts.readPart(piece);
      else tagged.read(asText(piece?.text) ?? asText(part) ?? "");
    }
  };

  const readDelta = (delta: Loose): void => {
    thoughts.read(delta);
    readContent(delta.content);
    const refusal = asText(delta.refusal);
    if (refusal) {
      refused = true;
      addText(refusal);
    }
    for (const piece of asArray(delta.tool_calls)) calls.read(asObject(piece) ?? {});
    const legacy = asObject(delta.function_call); // how calls were sent before there could be several
    if (legacy) calls.read({ function: legacy });
  };

  return {
    read,
    readWhole: (body) => {
      const chunk = parseObject(body);
      whole = asObject(asArray(chunk?.choices)[0]) !== undefined;
      return whole ? (read(body) ?? "done") : unreadableEvent(whom, body);
    },
    isWhole: () => whole || finish !== undefined,
    reply: (): ModelReply | ModelFault | undefined => {
      // Some servers close without `[DONE]`; the finish reason proves that the answer is complete.
      if (!whole && finish === undefined) return undefined;
      tagged.end();
      const gathered = calls.calls();
      if (typeof gathered === "string") return protocolFault(whom, gathered);
      const known = finish !== undefined && Object.hasOwn(STOPS, finish) ? STOPS[finish] : undefined;
      const stop = refused ? "refusal" : (known ?? "complete");
      return {
        message: toMessage(whom.id, { thoughts, text: texts.join(""), calls: gathered }),
        stop: stop === "complete" && gathered.length > 0 ? "tool_calls" : stop,
        usage: usageOf(usage),
      };
    },
  };

  function read(data: string): undefined | "done" | ModelFault {
    const chunk = parseObject(data);
    if (!chunk && data.trim() === "[DONE]") {
      whole = true;
      return "done";
    }
    if (!chunk) return unreadableEvent(whom, data);
    if (chunk.error !== undefined && chunk.error !== null) return faultOfErrorObject(whom, data);
    const choice = asObject(asArray(chunk.choices)[0]);
    if (chunk.usage || chunk.x_groq || choice?.usage)
      for (const stated of statedUsage(chunk, choice)) usage = mergedUsage(usage, stated);
    if (!choice) return undefined;
    if (asObject(choice.error)) return faultOfErrorObject(whom, JSON.stringify({ error: choice.error }));
    const delta = asObject(choice.delta) ?? asObject(choice.message);
    if (delta) readDelta(delta);
    const reason = asText(choice.finish_reason);
    if (!reason) return undefined;
    finish = reason.toLowerCase();
    const failed = Object.hasOwn(FAILED_GENERATIONS, finish) ? FAILED_GENERATIONS[finish] : undefined;
    return failed === undefined ? undefined : failedGeneration(whom, failed, reason);
  }
}

interface Gathered {
  readonly thoughts: ThoughtGatherer;
  readonly text: string;
  readonly calls: Exclude<ReturnType<CallGatherer["calls"]>, string>;
}

function toMessage(provider: string, { thoughts, text, calls }: Gathered): AssistantMessage {
  // A thought without text before a call holds what must be sent back with that call.
  const proofOf = (proof: string | undefined): readonly ThinkingBlock[] =>
    proof === undefined ? [] : [{ kind: "thinking", text: "", provider, signature: proof }];
  return {
    role: "assistant",
    content: [
      ...thoughts.blocks(),
      ...(text === "" ? [] : [{ kind: "text" as const, text }]),
      ...calls.flatMap(({ call, proof }) => [...proofOf(proof), call]),
    ],
  };
}
