// What an MCP server asks the session's model in the middle of a call: texts alone, and the model sees nothing of the conversation.

import { type CreateMessageResult, ProtocolError } from "@modelcontextprotocol/client";
import type { SampleRequest, SamplingService } from "../../../feature/sampling-service.ts";
import { isTable, kindOf, type Table } from "../table-value.ts";

const INVALID_PARAMS = -32_602;
const REFUSED = -1;
const DEFAULT_TOKENS = 1_000;

/** Rejects with the protocol's error. */
export async function sampleFor(
  params: Table,
  sample: SamplingService,
  signal: AbortSignal,
): Promise<CreateMessageResult> {
  const { messages, systemPrompt, maxTokens, temperature } = params;
  const asked: SampleRequest = {
    messages: (Array.isArray(messages) ? messages : []).map(messageOf),
    system: typeof systemPrompt === "string" ? systemPrompt : undefined,
    maxTokens:
      Number.isSafeInteger(maxTokens) && (maxTokens as number) > 0 ? (maxTokens as number) : DEFAULT_TOKENS,
    temperature: typeof temperature === "number" ? temperature : undefined,
  };
  try {
    const { text, model, isCut } = await sample(asked, signal);
    return {
      role: "assistant",
      content: { type: "text", text },
      model,
      stopReason: isCut ? "maxTokens" : "endTurn",
    };
  } catch (error) {
    throw new ProtocolError(REFUSED, error instanceof Error ? error.message : String(error));
  }
}

function messageOf(message: unknown): SampleRequest["messages"][number] {
  const { role, content } = isTable(message) ? message : {};
  const blocks = Array.isArray(content) ? content : [content];
  const texts = blocks.map((block) => {
    if (isTable(block) && block.type === "text" && typeof block.text === "string") return block.text;
    const found = isTable(block) ? JSON.stringify(block.type) : kindOf(block);
    throw new ProtocolError(INVALID_PARAMS, `a message for the model is text, found ${found}`);
  });
  return { role: role === "assistant" ? "assistant" : "user", text: texts.join("\n") };
}
