import { afterEach, expect, test } from "vitest";
import { type ModelServer, startModelServer } from "../../../../tests/support/model-server.ts";
import type { ModelRequest } from "./contract.ts";
import { createGateway } from "./gateway.ts";
import { BUILT_IN_PROVIDERS, type ProviderConfig } from "./providers.ts";
import { WIRES } from "./wires/table.ts";

let server: ModelServer | undefined;
afterEach(() => server?.close());

const KEY = "sk-canary-0123456789";
const REQUEST: ModelRequest = {
  model: "m",
  system: "",
  tools: [],
  messages: [{ role: "user", content: [{ kind: "text", text: "hi" }] }],
  params: {},
};
const CALL = { signal: new AbortController().signal, onDelta: () => undefined };

test("built-in providers take key and address from the environment", async () => {
  server = await startModelServer(() => ({ text: "ok" }));
  const gateway = createGateway({
    env: {
      ANTHROPIC_API_KEY: ` ${KEY}\n`,
      ANTHROPIC_BASE_URL: server.url,
      OPENAI_API_KEY: KEY,
      OPENAI_BASE_URL: `${server.url}/v1`,
    },
  });
  for (const name of ["anthropic/claude-haiku-4-5", "openai/gpt-5"]) {
    const found = gateway.resolve(name);
    expect(found).toMatchObject({
      ok: true,
      provider: { id: name.split("/")[0] },
      model: name.split("/")[1],
    });
    if (found.ok)
      expect(await found.provider.stream({ ...REQUEST, model: found.model }, CALL)).toMatchObject({
        ok: true,
      });
  }
  expect(
    server.requests.map(({ wire, headers }) => [wire, headers["x-api-key"] ?? headers.authorization]),
  ).toEqual([
    ["anthropic", KEY],
    ["openai", `Bearer ${KEY}`],
  ]);
});

test("a model's name may hold slashes, its card comes with it, and a provider is made once", () => {
  const local: ProviderConfig = { id: "local", kind: "openai-compatible", baseUrl: "http://127.0.0.1:1/v1" };
  const gateway = createGateway({ providers: [local], env: {} });
  const found = gateway.resolve("local/org/model:8b");
  const again = gateway.resolve("local/org/model:8b");
  expect(found).toMatchObject({
    ok: true,
    model: "org/model:8b",
    card: { provider: "local", id: "org/model:8b" },
  });
  expect(found.ok && again.ok && found.provider === again.provider).toBe(true);
});

test("a missing key names the variable", () => {
  expect(createGateway({ env: {} }).resolve("anthropic/claude-opus-5-5")).toEqual({
    ok: false,
    fault: { kind: "auth", message: "No key for anthropic: set ANTHROPIC_API_KEY in the environment." },
  });
  expect(createGateway({ env: { OPENAI_API_KEY: " " } }).resolve("openai/gpt-5")).toMatchObject({
    fault: { message: "No key for openai: set OPENAI_API_KEY in the environment." },
  });
});

test("an unknown provider and a name without one name the known ones", () => {
  const gateway = createGateway({ env: {} });
  expect(gateway.resolve("acme/x")).toEqual({
    ok: false,
    fault: {
      kind: "not_found",
      message:
        'Unknown provider "acme". Specify a model as provider/model, with one of these providers: ' +
        `${BUILT_IN_PROVIDERS.map(({ id }) => id)
          .sort()
          .join(", ")}.`,
    },
  });
  expect(gateway.resolve("gpt-5")).toMatchObject({ ok: false, fault: { kind: "not_found" } });
  expect(gateway.resolve("toString/x")).toMatchObject({ ok: false, fault: { kind: "not_found" } });
});

test("what only JavaScript can pass is refused in words: a name, a wire, a message", async () => {
  const providers = [
    { id: "odd", baseUrl: "http://127.0.0.1:1", wire: "telex" },
    { id: "fine", baseUrl: "http://127.0.0.1:1" },
  ] as unknown as readonly ProviderConfig[];
  const gateway = createGateway({ env: {}, providers });
  expect(gateway.resolve(undefined as unknown as string)).toMatchObject({
    fault: { message: expect.stringMatching(/^"undefined" is not a model name\./) },
  });
  expect(gateway.resolve("odd/m")).toMatchObject({
    fault: {
      message: 'Unknown wire "telex" of odd; expected one of chat, gemini, messages, responses.',
    },
  });
  const found = gateway.resolve("fine/m");
  if (!found.ok) throw new Error(found.fault.message);
  const messages: readonly (readonly [unknown, string])[] = [
    [{ role: "user", content: "hi" }, 'messages[0].content: expected a list of blocks, found "hi"'],
    [
      { role: "system", content: 1 },
      'messages[0].role: expected "user", "assistant" or "tool", found "system"',
    ],
    [{ role: "user", content: [null] }, "messages[0].content[0].kind: expected a string, found nothing"],
  ];
  for (const [message, problem] of messages)
    expect(
      await found.provider.stream({ ...REQUEST, messages: [message] as ModelRequest["messages"] }, CALL),
    ).toEqual({
      ok: false,
      fault: { kind: "request", message: `The request to fine is malformed: ${problem}.` },
    });
});

test("a provider is ready where the environment has its key", () => {
  const gateway = createGateway({ env: { OPENAI_API_KEY: KEY } });
  expect(gateway.providers.filter(({ ready }) => ready)).toEqual([{ id: "openai", ready: true }]);
  expect(gateway.providers.map(({ id }) => id)).toEqual(BUILT_IN_PROVIDERS.map(({ id }) => id).sort());
});

test.each([
  ["europe-west4", "europe-west4-aiplatform.googleapis.com"],
  ["global", "aiplatform.googleapis.com"],
  ["eu", "aiplatform.eu.rep.googleapis.com"],
])("Google Cloud in %s is at %s", async (location, host) => {
  const asked: string[] = [];
  const env = { GOOGLE_CLOUD_PROJECT: "p", GOOGLE_CLOUD_LOCATION: location };
  const gateway = createGateway({
    env,
    googleCredentials: async () => ({ ok: false, why: "none here" }),
    lessons: {
      recall(who) {
        asked.push(who);
        return [];
      },
      note: () => undefined,
    },
  });
  const found = gateway.resolve("vertex/gemini-3-flash-preview");
  if (!found.ok) throw new Error(found.fault.message);
  const request = { model: found.model, system: "", tools: [], messages: [], params: {} };
  const options = { signal: new AbortController().signal, onDelta: () => undefined };
  const fault = { kind: "auth", message: "No credentials for vertex: none here." };
  expect(await found.provider.stream(request, options)).toEqual({ ok: false, fault });
  const path = `/v1/projects/p/locations/${location}/publishers/google`;
  expect(asked).toEqual([`${host}${path} gemini-3-flash-preview`]);
});

test("each provider is an address over https, a key of its own or a token, and a wire that there is", () => {
  expect(new Set(BUILT_IN_PROVIDERS.map(({ id }) => id)).size).toBe(BUILT_IN_PROVIDERS.length);
  for (const { id, kind, wire, google, baseUrl = "", apiKeyEnv = "" } of BUILT_IN_PROVIDERS) {
    expect(baseUrl).toMatch(/^https:\/\//);
    if (!google) expect(apiKeyEnv).toMatch(/^[A-Z_]+_(API_KEY|TOKEN|BEDROCK)$/);
    expect(kind ?? wire).toBeDefined();
    if (wire) expect(Object.keys(WIRES)).toContain(wire);
    const parts = [...baseUrl.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => [name, "eu-west-1"]);
    const env = { [apiKeyEnv]: KEY, ...Object.fromEntries(parts) };
    expect(createGateway({ env }).resolve(`${id}/some-model`).ok).toBe(true);
  }
});

test.each([undefined, "", " ", "eu.west", "evil.example/", "a@b", "x".repeat(64)])(
  "a part of an address that is %j leads to no host, and is asked for by its variable's name",
  (region) => {
    const env = { AWS_BEARER_TOKEN_BEDROCK: KEY, ...(region === undefined ? {} : { AWS_REGION: region }) };
    const gateway = createGateway({ env });
    const found = gateway.resolve("bedrock/openai.gpt-oss-120b");
    expect(found).toMatchObject({ ok: false, fault: { kind: "request" } });
    expect(JSON.stringify(found)).toContain(
      "Set AWS_REGION in the environment to letters, digits and dashes",
    );
    expect(gateway.providers.find(({ id }) => id === "bedrock")).toEqual({ id: "bedrock", ready: false });
  },
);

test.each([
  ["not a url", "Set ANTHROPIC_BASE_URL to an http or https address: its value is not a URL."],
  ["file:///etc/passwd", "Set ANTHROPIC_BASE_URL to an http or https address: file: is not supported."],
  [
    `https://me:${KEY}@host.example`,
    "Set ANTHROPIC_BASE_URL to an http or https address: its value contains a user name or a password; use a key.",
  ],
])("the address %s is refused without being repeated", (url, message) => {
  const found = createGateway({ env: { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: url } }).resolve(
    "anthropic/x",
  );
  expect(found).toEqual({ ok: false, fault: { kind: "request", message } });
});

test("a key with a line break in it is refused by the variable's name, not shown", () => {
  const found = createGateway({ env: { ANTHROPIC_API_KEY: `${KEY}\r\nx-evil: 1` } }).resolve("anthropic/x");
  expect(found).toMatchObject({ ok: false, fault: { kind: "auth" } });
  expect(JSON.stringify(found)).not.toContain(KEY);
  expect(JSON.stringify(found)).toContain("ANTHROPIC_API_KEY");
});
