// Where each provider counts the tokens of a request, and what it accepts there (the references of count_tokens, input_tokens and
// countTokens): the conversation, but nothing about how it is answered.

import type { WireName } from "../../../packages/indusagi/src/llmgateway/wires/table.ts";
import { type Issued, type Loose, REFUSALS, unknownKey } from "./rules.ts";

const PATHS: readonly (readonly [WireName, string])[] = [
  ["messages", "/messages/count_tokens"],
  ["responses", "/responses/input_tokens"],
  ["gemini", ":countTokens"],
];

/** The wire whose token count is requested at `path`. */
export function countedWire(path: string): WireName | undefined {
  return PATHS.find(([, end]) => path.endsWith(end))?.[0];
}

const FIELDS: Readonly<Record<string, string>> = {
  messages: "model system tools tool_choice thinking messages",
  responses: "model instructions tools tool_choice parallel_tool_calls reasoning input text truncation",
  gemini: "model contents systemInstruction tools toolConfig generationConfig safetySettings",
};
/** Fields that the rules of a conversation require and a count does not accept. */
const BESIDES: Readonly<Record<string, Loose>> = {
  messages: { max_tokens: 1_000_000 },
  responses: { stream: true, store: false, include: ["reasoning.encrypted_content"] },
  gemini: {},
};

/** Why the provider would answer 400 to the count request. */
export function countRefusal(wire: WireName, body: Loose, issued: Issued, path: string): string | undefined {
  const asked = wire === "gemini" ? (body.generateContentRequest as Loose | undefined) : body;
  if (asked === undefined) return "contents is not specified";
  const model = path.split("/models/")[1]?.split(":")[0];
  if (wire === "gemini" && asked.model !== `models/${model}`) return "Model name does not match.";
  const unknown = unknownKey(asked, FIELDS[wire] ?? "");
  if (unknown !== undefined) return `${unknown}: Extra inputs are not permitted`;
  const { model: _, ...rest } = asked;
  return REFUSALS[wire]({ ...(wire === "gemini" ? rest : asked), ...BESIDES[wire] }, issued, path);
}
