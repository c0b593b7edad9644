// docs/reference/providers.md says what the gateway's table of providers says, and what each wire does with one request that
// holds everything. `UPDATE_PAGES=1` writes it anew.

import { fileURLToPath } from "node:url";
import { it } from "vitest";
import type { ModelRequest } from "../packages/indusagi/src/llmgateway/contract.ts";
import { listModels } from "../packages/indusagi/src/llmgateway/models.ts";
import { BUILT_IN_PROVIDERS, type ProviderConfig } from "../packages/indusagi/src/llmgateway/providers.ts";
import { WIRES, type WireName } from "../packages/indusagi/src/llmgateway/wires/table.ts";
import { expectPageTable } from "./support/page-table.ts";
import { startWireRecorder } from "./support/wire-recorder.ts";

const PAGE = fileURLToPath(new URL("../docs/reference/providers.md", import.meta.url));
const code = (text: string): string => `\`${text}\``;

function providerRow({
  aws,
  google,
  id,
  kind,
  wire,
  baseUrl = "",
  baseUrlEnv,
  apiKeyEnv = "",
}: ProviderConfig): string {
  const wires = wire ?? (kind === "anthropic" ? "messages" : "chat or responses");
  const parts = [...baseUrl.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => code(name));
  const moved = baseUrlEnv === undefined ? [] : [`${code(baseUrlEnv)} moves the address`];
  const known = listModels().filter(({ provider }) => provider === id).length;
  const cells = [
    code(id),
    wires,
    code(baseUrl),
    apiKeyEnv && code(apiKeyEnv),
    [
      ...new Set(parts),
      ...moved,
      ...(aws ? ["signed with AWS credentials where there is no key"] : []),
      ...(google ? ["a token of your login at Google Cloud"] : []),
    ].join(", "),
    known || "",
  ];
  return `| ${cells.join(" | ")} |`;
}

const PICTURE = { kind: "image", mediaType: "image/png", data: "iVBORw0KGgo=" } as const;
const SHOWN = { ...PICTURE, data: "R0lGODlhAQABAA==", mediaType: "image/gif" } as const;
const WHOLE: ModelRequest = {
  model: "some-model",
  system: "the system's words",
  tools: [{ name: "look", description: "looks", parameters: { type: "object", properties: {} } }],
  messages: [
    { role: "user", content: [{ kind: "text", text: "the person's words" }, PICTURE] },
    { role: "assistant", content: [{ kind: "tool_call", id: "call_1", name: "look", input: { at: "it" } }] },
    {
      role: "tool",
      callId: "call_1",
      name: "look",
      text: "the outcome's words",
      isError: false,
      images: [SHOWN],
    },
  ],
  params: { thinking: "high", maxOutputTokens: 43_210 },
};

const MODELS: Readonly<Record<WireName, string>> = {
  chat: "gpt-5",
  messages: "claude-opus-5-5",
  responses: "gpt-6-sol",
  gemini: "gemini-3-flash-preview",
};

/** What is found in the path and the body that a wire sends. */
const FEATURES: Readonly<Record<string, (body: string) => boolean>> = {
  "system prompt": (body) => body.includes("the system's words"),
  tools: (body) => body.includes('"look"') && body.includes("looks"),
  "outcomes of calls": (body) => body.includes("the outcome's words"),
  "pictures in what the person says": (body) => body.includes(PICTURE.data),
  "pictures in outcomes of calls": (body) => body.includes(SHOWN.data),
  "thinking levels": (body) => /effort|thinking|reasoning/i.test(body),
  "longest answer": (body) => body.includes("43210"),
  "marks for the prompt cache": (body) => /cache_control|prompt_cache_key/.test(body),
  streaming: (sent) => /"stream":true|:streamGenerateContent/.test(sent),
  "nothing kept at the provider": (body) => body.includes('"store":false'),
};

async function wireRows(): Promise<readonly string[]> {
  const sent = new Map<string, string>();
  for (const [wire, model] of Object.entries(MODELS) as [WireName, string][]) {
    const recorder = await startWireRecorder();
    const provider = (await WIRES[wire]()).createProvider({
      id: wire,
      baseUrl: `${recorder.url}/v1`,
      apiKey: "key-1234",
    });
    await provider.stream(
      { ...WHOLE, model },
      { signal: new AbortController().signal, onDelta: () => undefined },
    );
    await recorder.close();
    sent.set(wire, recorder.requests().at(-1) ?? "");
  }
  return Object.entries(FEATURES).map(([name, isIn]) => {
    const cells = [...sent.values()].map((body) => (isIn(body) ? "yes" : "no"));
    return `| ${[name, ...cells].join(" | ")} |`;
  });
}

it("the table of providers on the page is the gateway's", () => {
  expectPageTable(PAGE, "providers", BUILT_IN_PROVIDERS.map(providerRow));
});

it("the table of wires on the page is what each sends", async () => {
  expectPageTable(PAGE, "wires", await wireRows());
});
