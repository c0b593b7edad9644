// What the strict servers would refuse in a request, checked with each wire's writer and without a server.

import type { ModelRequest } from "indusagi/llmgateway";
import { createChatWriter } from "../../../packages/indusagi/src/llmgateway/wires/chat/request.ts";
import { createGeminiWriter } from "../../../packages/indusagi/src/llmgateway/wires/gemini/request.ts";
import { createMessagesWriter } from "../../../packages/indusagi/src/llmgateway/wires/messages/request.ts";
import { createResponsesWriter } from "../../../packages/indusagi/src/llmgateway/wires/responses/request.ts";
import { createIssued, REFUSALS } from "./rules.ts";

/** The objections of a strict server of each wire to a request. */
export function refusalsOf(sent: ModelRequest | undefined): readonly string[] {
  if (!sent) return ["nothing was sent"];
  const bodies = [
    ["messages", createMessagesWriter("p").body(sent), "/v1/messages"],
    ["chat", createChatWriter("p")(sent, { isOpenAi: false, learnt: new Set() }), "/chat/completions"],
    ["responses", createResponsesWriter("p")({ ...sent, model: "gpt-5" }, new Set()), "/responses"],
    ["gemini", createGeminiWriter("p")(sent), "/v1beta/models/m:streamGenerateContent"],
  ] as const;
  return bodies.flatMap(([wire, body, path]) => {
    const refusal = REFUSALS[wire](JSON.parse(body.join("")), createIssued(), path);
    return refusal === undefined ? [] : `${wire}: ${refusal}`;
  });
}
