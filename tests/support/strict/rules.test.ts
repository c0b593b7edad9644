// The strict servers refuse what the real providers refuse: each rule with a body that breaks it. If these pass, a session
// without refusals is meaningful.

import { describe, expect, it } from "vitest";
import type { WireName } from "../../../packages/indusagi/src/llmgateway/wires/table.ts";
import { createIssued, type Loose, REFUSALS } from "./rules.ts";

const issued = createIssued();
issued.thoughts.set("proof", "I look.");
issued.proofOfCall.set("c1", "proof");
const MARK = { cache_control: { type: "ephemeral" } };
const PNG = "iVBORw0KGgo=";

const text = (words: string): Loose => ({ type: "text", text: words });
const messages = (turns: readonly Loose[], more: Loose = {}): Loose => ({
  model: "m",
  max_tokens: 9_000,
  messages: turns,
  ...more,
});
const thought = { type: "thinking", thinking: "I look.", signature: "proof" };
const use = { type: "tool_use", id: "c1", name: "ls", input: {} };
const result = { type: "tool_result", tool_use_id: "c1", content: "x" };
const person = { role: "user", content: [text("go")] };
const asked = [person, { role: "assistant", content: [thought, use] }];
const thinks = { thinking: { type: "adaptive" } };

const chat = (list: readonly Loose[], more: Loose = {}): Loose => ({
  model: "m",
  stream: true,
  messages: list,
  ...more,
});
const said = { role: "user", content: "go" };
const called = {
  role: "assistant",
  content: null,
  reasoning_content: "I look.",
  tool_calls: [{ id: "c1", type: "function", function: { name: "ls", arguments: "{}" } }],
};
const outcome = { role: "tool", tool_call_id: "c1", content: "x" };

const responses = (input: readonly Loose[], more: Loose = {}): Loose => ({
  model: "gpt-6.1-sol",
  stream: true,
  store: false,
  input,
  ...more,
});
const line = { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] };
const reasoning = {
  type: "reasoning",
  id: "rs_proof",
  summary: [{ type: "summary_text", text: "I look." }],
  encrypted_content: "proof",
};
const functionCall = { type: "function_call", call_id: "c1", name: "ls", arguments: "{}" };
const output = { type: "function_call_output", call_id: "c1", output: "x" };

const gemini = (contents: readonly Loose[], more: Loose = {}): Loose => ({ contents, ...more });
const turn = (role: string, ...parts: readonly Loose[]): Loose => ({ role, parts });
const ask = turn("user", { text: "go" });
const signedCall = { functionCall: { name: "ls", args: {} }, thoughtSignature: "proof" };
const response = { functionResponse: { name: "ls", response: { output: "x" } } };

const TAKEN: Readonly<Record<WireName, readonly Loose[]>> = {
  messages: [messages([...asked, { role: "user", content: [result] }], thinks)],
  chat: [chat([said, called, outcome])],
  responses: [responses([line, reasoning, functionCall, output])],
  gemini: [gemini([ask, turn("model", signedCall), turn("user", response)])],
};

const REFUSED: Readonly<Record<WireName, Readonly<Record<string, Loose>>>> = {
  messages: {
    "an unknown field": messages([person], { top: 1 }),
    "no longest answer": { ...messages([person]), max_tokens: undefined },
    "a budget beyond the answer": messages([person], { thinking: { type: "enabled", budget_tokens: 9_000 } }),
    "adaptive thinking where there are budgets": messages([person], {
      model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
      ...thinks,
    }),
    "a budget where thinking is adaptive": messages([person], {
      model: "anthropic/claude-opus-5.5",
      thinking: { type: "enabled", budget_tokens: 2_000 },
    }),
    "a temperature beside thinking": messages([person], { ...thinks, temperature: 1 }),
    "a mark for a day": messages([
      { role: "user", content: [{ ...text("x"), cache_control: { type: "ephemeral", ttl: "24h" } }] },
    ]),
    "five marks": messages([
      { role: "user", content: Array.from({ length: 5 }, () => ({ ...text("x"), ...MARK })) },
    ]),
    "an empty system prompt": messages([person], { system: [text(" ")] }),
    "a tool twice": messages([person], {
      tools: [1, 2].map(() => ({ name: "a", input_schema: { type: "object" } })),
    }),
    "a first answer": messages([{ role: "assistant", content: [text("x")] }, person]),
    "two user turns": messages([person, person]),
    "no content": messages([{ role: "user", content: [] }]),
    "an empty text": messages([{ role: "user", content: [text("\n")] }]),
    "a call without its result": messages([...asked, person], thinks),
    "a result without its call": messages([{ role: "user", content: [result] }]),
    "a result behind a text": messages([...asked, { role: "user", content: [text("x"), result] }], thinks),
    "two results of a call": messages([...asked, { role: "user", content: [result, result] }], thinks),
    "an altered thought": messages(
      [
        person,
        { role: "assistant", content: [{ ...thought, thinking: "else" }, use] },
        { role: "user", content: [result] },
      ],
      thinks,
    ),
    "a call without its thought": messages(
      [person, { role: "assistant", content: [use] }, { role: "user", content: [result] }],
      thinks,
    ),
    "a mark on a thought": messages(
      [
        person,
        { role: "assistant", content: [{ ...thought, ...MARK }, use] },
        { role: "user", content: [result] },
      ],
      thinks,
    ),
    "a picture of another kind": messages([
      {
        role: "user",
        content: [{ type: "image", source: { type: "base64", media_type: "image/bmp", data: PNG } }],
      },
    ]),
    "a document as a picture": messages([
      {
        role: "user",
        content: [{ type: "image", source: { type: "base64", media_type: "application/pdf", data: PNG } }],
      },
    ]),
    "a document of another kind": messages([
      {
        role: "user",
        content: [{ type: "document", source: { type: "base64", media_type: "text/rtf", data: PNG } }],
      },
    ]),
    "a last answer": messages([person, { role: "assistant", content: [text("x")] }]),
  },
  chat: {
    "an unknown field": chat([said], { thinking: {} }),
    "an unknown field of a message": chat([{ ...said, name: "x" }]),
    "a late system prompt": chat([said, { role: "system", content: "x" }]),
    "a call without its outcome": chat([said, called, said]),
    "an open call at the end": chat([said, called]),
    "an outcome without its call": chat([said, outcome]),
    "an altered thought": chat([said, { ...called, reasoning_content: "else" }, outcome]),
    "a call without its thought": chat([said, { ...called, reasoning_content: undefined }, outcome]),
    "arguments that are no JSON": chat([
      said,
      { ...called, tool_calls: [{ id: "c2", function: { name: "ls", arguments: "{" } }] },
      { ...outcome, tool_call_id: "c2" },
    ]),
    "an empty answer": chat([said, { role: "assistant", content: "" }, said]),
    "no calls in a list of calls": chat([said, { role: "assistant", content: "x", tool_calls: [] }, said]),
    "an empty text": chat([{ role: "user", content: "" }]),
    "a picture in an outcome": chat([
      said,
      called,
      { ...outcome, content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } }] },
    ]),
    "an effort that nobody has": chat([said], { reasoning_effort: "max" }),
    "a last answer": chat([said, { role: "assistant", content: "x" }]),
  },
  responses: {
    "an unknown field": responses([line], { messages: [] }),
    "an unknown field of an item": responses([{ ...line, name: "x" }]),
    "an effort that the model has not": responses([line], { reasoning: { effort: "none" } }),
    "a call without its output": responses([line, reasoning, functionCall]),
    "an output without its call": responses([line, output]),
    "a call twice": responses([line, reasoning, functionCall, output, reasoning, functionCall, output]),
    "a thought that leads to nothing": responses([line, reasoning, line]),
    "an altered thought": responses([line, { ...reasoning, summary: [] }, functionCall, output]),
    "a thought under another id": responses([line, { ...reasoning, id: "rs_else" }, functionCall, output]),
    "a call without its thought": responses([line, functionCall, output]),
    "an empty list in an output": responses([line, reasoning, functionCall, { ...output, output: [] }]),
    "a file without a name": responses([
      { ...line, content: [{ type: "input_file", file_data: `data:application/pdf;base64,${PNG}` }] },
    ]),
    "a picture that is none": responses([
      { ...line, content: [{ type: "input_image", image_url: "data:image/png;base64,?" }] },
    ]),
  },
  gemini: {
    "an unknown field": gemini([ask], { messages: [] }),
    "an unknown field of the configuration": gemini([ask], { generationConfig: { effort: "high" } }),
    nothing: gemini([]),
    "two user turns": gemini([ask, ask]),
    "a turn without parts": gemini([turn("user")]),
    "an empty text": gemini([turn("user", { text: "" })]),
    "two kinds in a part": gemini([
      turn("user", { text: "x", inlineData: { mimeType: "image/png", data: PNG } }),
    ]),
    "a call without its outcome": gemini([ask, turn("model", signedCall), turn("user", { text: "x" })]),
    "an outcome without its call": gemini([turn("user", response)]),
    "outcomes in another order": gemini([
      ask,
      turn("model", signedCall, { functionCall: { name: "read", args: {} } }),
      turn("user", { functionResponse: { name: "read", response: {} } }, response),
    ]),
    "a call without its signature": gemini([
      ask,
      turn("model", { functionCall: { name: "ls", args: {} } }),
      turn("user", response),
    ]),
    "a signature of somebody else": gemini([
      ask,
      turn("model", { ...signedCall, thoughtSignature: "else" }),
      turn("user", response),
    ]),
    "a tool twice": gemini([ask], { tools: [{ functionDeclarations: [{ name: "a" }, { name: "a" }] }] }),
    "a last answer": gemini([ask, turn("model", { text: "x" })]),
  },
};

const PATH = "/v1beta/models/gemini-3.1-pro-preview:streamGenerateContent?alt=sse";

describe.each(Object.keys(TAKEN) as WireName[])("%s", (wire) => {
  it("takes a whole conversation", () => {
    for (const body of TAKEN[wire]) expect(REFUSALS[wire](body, issued, PATH)).toBeUndefined();
  });

  it.each(Object.entries(REFUSED[wire]))("refuses %s", (_, body) => {
    expect(REFUSALS[wire](body, issued, PATH)).toEqual(expect.any(String));
  });
});

describe("messages on Google Cloud", () => {
  const path = "/v1/projects/p/locations/l/publishers/anthropic/models/claude-opus-5-5:streamRawPredict";
  const { model: _, ...rest } = messages([person]);
  const refusal = (body: Loose): string | undefined => REFUSALS.messages(body, issued, path);

  it("takes a body with the version and without the model, and no other", () => {
    expect(refusal({ ...rest, anthropic_version: "vertex-2023-10-16" })).toBeUndefined();
    expect(refusal(rest)).toContain("anthropic_version");
    expect(refusal({ ...rest, anthropic_version: "2023-06-01" })).toContain("anthropic_version");
    expect(refusal({ ...rest, model: "m", anthropic_version: "vertex-2023-10-16" })).toContain("model");
    expect(REFUSALS.messages(rest, issued, "/v1/messages")).toContain("model");
  });
});
