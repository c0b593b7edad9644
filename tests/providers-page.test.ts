// docs/reference/providers.md says what the gateway's table of providers says, and what each wire does with one request that
// holds everything, taken by a server that refuses what the real one refuses. `UPDATE_PAGES=1` writes it anew.

import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import type { ModelRequest } from "../packages/indusagi/src/llmgateway/contract.ts";
import { listModels } from "../packages/indusagi/src/llmgateway/models.ts";
import { BUILT_IN_PROVIDERS, type ProviderConfig } from "../packages/indusagi/src/llmgateway/providers.ts";
import { WIRES, type WireName } from "../packages/indusagi/src/llmgateway/wires/table.ts";
import { expectPageTable } from "./support/page-table.ts";
import { startStrictServer } from "./support/strict/server.ts";

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
const DOCUMENT = { ...PICTURE, data: "JVBERi0xLjc=", mediaType: "application/pdf" } as const;
const WHOLE: ModelRequest = {
  model: "some-model",
  system: "the system's words",
  tools: [{ name: "look", description: "looks", parameters: { type: "object", properties: {} } }],
  messages: [
    { role: "user", content: [{ kind: "text", text: "the person's words" }, PICTURE, DOCUMENT] },
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
  responses: "gpt-6.1-sol",
  gemini: "gemini-3-flash-preview",
};

/** What is found in the path and the body that a wire sends. */
const FEATURES: Readonly<Record<string, (body: string) => boolean>> = {
  "system prompt": (body) => body.includes("the system's words"),
  tools: (body) => body.includes('"look"') && body.includes("looks"),
  "outcomes of calls": (body) => body.includes("the outcome's words"),
  "pictures in what the person says": (body) => body.includes(PICTURE.data),
  documents: (body) => body.includes(DOCUMENT.data),
  "pictures in outcomes of calls": (body) => body.includes(SHOWN.data),
  "thinking levels": (body) => /effort|thinking|reasoning/i.test(body),
  "longest answer": (body) => body.includes("43210"),
  "marks for the prompt cache": (body) => /cache_control|prompt_cache_key/.test(body),
  streaming: (sent) => /"stream":true|:streamGenerateContent/.test(sent),
  "nothing kept at the provider": (body) => body.includes('"store":false'),
};

type Features = ReadonlyMap<string, boolean>;

/** What each wire is found to carry. */
async function featuresOfWires(): Promise<ReadonlyMap<WireName, Features>> {
  const headers = { "x-ratelimit-remaining-requests": "7" };
  const server = await startStrictServer(
    () => ({ text: "ok", headers }),
    undefined,
    () => 42,
  );
  onTestFinished(() => server.close());
  const found = new Map<WireName, Features>();
  for (const [wire, model] of Object.entries(MODELS) as [WireName, string][]) {
    const provider = (await WIRES[wire]()).createProvider({
      id: wire,
      baseUrl: `${server.url}/v1`,
      apiKey: "key-1234",
    });
    const { signal } = new AbortController();
    const result = await provider.stream({ ...WHOLE, model }, { signal, onDelta: () => undefined });
    expect([wire, result.ok, server.refusals]).toEqual([wire, true, []]);
    const sent = `${server.paths.at(-1)}\n${JSON.stringify(server.bodies.at(-1))}`;
    const counted = await provider.countTokens?.({ ...WHOLE, model }, signal);
    found.set(
      wire,
      new Map([
        ...Object.entries(FEATURES).map(([name, isIn]): [string, boolean] => [name, isIn(sent)]),
        ["tokens counted by the provider", counted === 42],
        ["its limits", result.ok && result.reply.limits?.[0]?.remaining === 7],
      ]),
    );
  }
  expect(server.refusals).toEqual([]);
  return found;
}

async function wireRows(): Promise<readonly string[]> {
  const found = await featuresOfWires();
  const names = [...(found.get("chat")?.keys() ?? [])];
  return names.map((name) => {
    const cells = [...found.values()].map((features) => (features.get(name) ? "yes" : "no"));
    return `| ${[name, ...cells].join(" | ")} |`;
  });
}

/** The features of a provider, by those of its wires. */
const COLUMNS = [
  "streaming",
  "tools",
  "thinking levels",
  "pictures in outcomes of calls",
  "documents",
  "marks for the prompt cache",
  "tokens counted by the provider",
  "its limits",
];

async function featureRows(): Promise<readonly string[]> {
  const found = await featuresOfWires();
  return BUILT_IN_PROVIDERS.map((row) => {
    const { id, kind, wire, aws, google, apiKeyEnv, browserLogin, baseUrl = "" } = row;
    const wires: readonly WireName[] = wire
      ? [wire]
      : kind === "anthropic"
        ? ["messages"]
        : ["chat", "responses"];
    const cells = COLUMNS.map((name) => {
      // Claude on Google Cloud counts elsewhere, where it is not asked.
      if (name.startsWith("tokens") && baseUrl.endsWith("/publishers/anthropic")) return "no";
      const having = wires.filter((each) => found.get(each)?.get(name));
      return having.length === wires.length ? "yes" : having.length === 0 ? "no" : having.join();
    });
    const logins = [
      ...(apiKeyEnv ? ["key"] : []),
      ...(browserLogin ? ["browser"] : []),
      ...(aws ? ["AWS"] : []),
      ...(google ? ["Google Cloud"] : []),
    ];
    return `| ${[code(id), ...cells, logins.join(", ")].join(" | ")} |`;
  });
}

it("the table of providers on the page is the gateway's", () => {
  expectPageTable(PAGE, "providers", BUILT_IN_PROVIDERS.map(providerRow));
});

it("the tables of wires and features on the page are what strict servers took", async () => {
  expectPageTable(PAGE, "wires", await wireRows());
  expectPageTable(PAGE, "features", await featureRows());
});
