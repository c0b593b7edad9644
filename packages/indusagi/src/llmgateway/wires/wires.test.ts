// One suite for two wires: the same turns and the same failures, over real HTTP.

import { once } from "node:events";
import { afterEach, describe, expect, test } from "vitest";
import {
  type ModelServer,
  type Script,
  type ScriptedTurn,
  startModelServer,
  type Trouble,
} from "../../../../../tests/support/model-server.ts";
import type { Message, ModelDelta, ModelProvider, ModelRequest, ModelResult } from "../contract.ts";
import { withRetry } from "../retry.ts";
import { createChatProvider } from "./chat/wire.ts";
import type { Endpoint } from "./endpoint.ts";
import { createMessagesProvider } from "./messages/wire.ts";

const KEY = "sk-canary-0123456789";

const WIRES = {
  anthropic: (server: { readonly url: string }, more: Partial<Endpoint> = {}) =>
    createMessagesProvider({ id: "acme", baseUrl: server.url, apiKey: KEY, ...more }),
  "openai-compatible": (server: { readonly url: string }, more: Partial<Endpoint> = {}) =>
    createChatProvider({ id: "acme", baseUrl: `${server.url}/v1`, apiKey: KEY, ...more }),
} as const;

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(script: Script): Promise<ModelServer> {
  const server = await startModelServer(script);
  servers.push(server);
  return server;
}

const user = (text: string): Message => ({ role: "user", content: [{ kind: "text", text }] });

const REQUEST: ModelRequest = {
  model: "a-model",
  system: "Be brief.",
  tools: [{ name: "read", description: "Reads a file.", parameters: { type: "object" } }],
  messages: [user("hello")],
  params: {},
};

interface Called {
  readonly result: ModelResult;
  readonly deltas: readonly ModelDelta[];
}

async function call(
  provider: ModelProvider,
  request: ModelRequest = REQUEST,
  signal?: AbortSignal,
): Promise<Called> {
  const deltas: ModelDelta[] = [];
  const result = await provider.stream(request, {
    signal: signal ?? new AbortController().signal,
    onDelta: (delta) => deltas.push(delta),
  });
  return { result, deltas };
}

function joined(deltas: readonly ModelDelta[], kind: "text" | "thinking"): string {
  return deltas.map((delta) => (delta.kind === kind ? delta.text : "")).join("");
}

const wires = Object.entries(WIRES).map(([name, create]) => ({ name, create }));

describe.each(wires)("$name", ({ name, create }) => {
  const fails = async (trouble: Trouble, more: ScriptedTurn = {}): Promise<Called> => {
    const server = await serve([{ text: "one two three", ...more, trouble }]);
    return call(create(server));
  };

  test("a whole turn: thinking, text and calls as deltas, then as one reply", async () => {
    const server = await serve([
      {
        thinking: "Let me think.",
        text: "I shall read both. 😀",
        calls: [
          { id: "c1", name: "read", input: { path: "a" } },
          { id: "c2", name: "read", input: { path: "ß" } },
        ],
        pieces: 5,
        usage: { input: 100, output: 40, cacheRead: 900 },
      },
    ]);
    const { result, deltas } = await call(create(server));
    expect(result).toEqual({
      ok: true,
      reply: {
        message: {
          role: "assistant",
          content: [
            {
              kind: "thinking",
              text: "Let me think.",
              provider: "acme",
              signature: name === "anthropic" ? "sig-1" : "reasoning_content",
            },
            { kind: "text", text: "I shall read both. 😀" },
            { kind: "tool_call", id: "c1", name: "read", input: { path: "a" } },
            { kind: "tool_call", id: "c2", name: "read", input: { path: "ß" } },
          ],
        },
        stop: "tool_calls",
        usage: { inputTokens: 100, outputTokens: 40, cacheReadTokens: 900, cacheWriteTokens: 0 },
      },
    });
    expect(joined(deltas, "thinking")).toBe("Let me think.");
    expect(joined(deltas, "text")).toBe("I shall read both. 😀");
    expect(deltas.filter(({ kind }) => kind === "tool_call")).toEqual([
      { kind: "tool_call", id: "c1", name: "read" },
      { kind: "tool_call", id: "c2", name: "read" },
    ]);
  });

  test("arguments that are not JSON are an answer, not a failure", async () => {
    const server = await serve([
      { calls: [{ id: "c1", name: "read", input: '{"path":' }] },
      { calls: [{ id: "c2", name: "read", input: "" }] },
    ]);
    const provider = create(server);
    const broken = await call(provider);
    expect(broken.result).toMatchObject({
      ok: true,
      reply: {
        stop: "tool_calls",
        message: {
          content: [
            { kind: "tool_call", id: "c1", input: {}, unparsed: '{"path":', problem: expect.any(String) },
          ],
        },
      },
    });
    expect((await call(provider)).result).toMatchObject({
      reply: { message: { content: [{ kind: "tool_call", id: "c2", name: "read", input: {} }] } },
    });
  });

  test("the key goes out in the wire's own header, and nowhere else", async () => {
    const server = await serve([{ text: "x" }]);
    await call(create(server, { headers: { "x-team": "blue" } }));
    const [request] = server.requests;
    const {
      "x-api-key": apiKey,
      authorization,
      "anthropic-version": version,
      "x-team": team,
    } = request?.headers ?? {};
    expect({ apiKey, authorization, version, team }).toEqual(
      name === "anthropic"
        ? { apiKey: KEY, authorization: undefined, version: "2023-06-01", team: "blue" }
        : { apiKey: undefined, authorization: `Bearer ${KEY}`, version: undefined, team: "blue" },
    );
    expect(request?.rawBody).not.toContain(KEY);
  });

  test.each([
    [401, "auth", "acme refused the key (401): scripted trouble. Check the key."],
    [429, "rate_limit", "acme rate-limited the request (429): scripted trouble."],
    [500, "server", "acme failed (500): scripted trouble."],
    [503, "overloaded", "acme is overloaded (503): scripted trouble."],
    [529, "overloaded", "acme is overloaded (529): scripted trouble."],
    [400, "request", "acme refused the request (400): scripted trouble."],
  ] as const)(
    "a refusal with status %i is a fault of its kind, and no delta is shown",
    async (status, kind, message) => {
      const { result, deltas } = await fails({ kind: "status", status });
      expect(result).toMatchObject({ ok: false, fault: { kind, status, message } });
      expect(deltas).toEqual([]);
    },
  );

  test("a model that the server does not know is a fault of kind not_found", async () => {
    const { result } = await fails({ kind: "status", status: 404, message: "model: a-model" });
    expect(result).toMatchObject({ ok: false, fault: { kind: "not_found" } });
  });

  test("what is left of the provider's limits comes with the reply, and not where none is stated", async () => {
    const headers = { "x-ratelimit-remaining-tokens": "40", "x-ratelimit-limit-tokens": "1000" };
    const provider = create(await serve([{ text: "x", headers }, { text: "y" }]));
    expect((await call(provider)).result).toMatchObject({
      reply: { limits: [{ what: "tokens", remaining: 40, limit: 1_000 }] },
    });
    const { result } = await call(provider);
    expect(result.ok && "limits" in result.reply).toBe(false);
  });

  test("a limit that is used up is named in the fault", async () => {
    const headers = { "x-ratelimit-remaining-tokens": "0", "x-ratelimit-remaining-requests": "4" };
    const { result } = await fails({ kind: "status", status: 429, headers });
    expect(result).toMatchObject({ ok: false, fault: { usedUp: ["tokens"] } });
  });

  test("a rate limit says how long to wait", async () => {
    const { result } = await fails({ kind: "status", status: 429, headers: { "retry-after": "7" } });
    expect(result).toMatchObject({ ok: false, fault: { kind: "rate_limit", retryAfterMs: 7_000 } });
  });

  test.each(["cut", "early_end"] as const)(
    "an answer that ends too early (%s) is no answer",
    async (kind) => {
      const { result, deltas } = await fails({ kind, after: 2 });
      expect(result).toMatchObject({ ok: false, fault: { kind: "transport" } });
      expect(joined(deltas, "text")).toBe("one two th");
    },
  );

  test.each(["{", "[]", "null", '"text"'])("an event that is %s breaks the format", async (data) => {
    const { result } = await fails({ kind: "malformed", after: 1, data });
    expect(result).toMatchObject({ ok: false, fault: { kind: "protocol" } });
  });

  test("an error within the stream is a fault with the server's words", async () => {
    const trouble: Trouble = {
      kind: "error_event",
      after: 1,
      type: "overloaded_error",
      message: "Overloaded",
    };
    const { result, deltas } = await fails(trouble);
    expect(result).toEqual({
      ok: false,
      fault: { kind: "overloaded", message: "acme is overloaded: Overloaded." },
    });
    expect(joined(deltas, "text")).toBe("one t");
  });

  test("a server that falls silent before or within its answer is a fault", async () => {
    const limits = { firstByteMs: 1_000, idleMs: 1_000 };
    const server = await serve([
      { text: "x", trouble: { kind: "slow_start", delayMs: 300_000 } },
      { text: "one two three", trouble: { kind: "silence", after: 1 } },
    ]);
    const provider = create(server, { limits });
    for (let n = 0; n < 2; n++) {
      expect((await call(provider)).result).toMatchObject({ ok: false, fault: { kind: "timeout" } });
    }
  });

  test("a slow start within the limit is an answer", async () => {
    const server = await serve([{ text: "late", trouble: { kind: "slow_start", delayMs: 60 } }]);
    expect((await call(create(server))).result).toMatchObject({ ok: true });
  });

  test("an address where no server listens is a fault that names it", async () => {
    const { result } = await call(create({ url: "http://127.0.0.1:1" }));
    expect(result).toEqual({
      ok: false,
      fault: {
        kind: "unreachable",
        message: "Cannot reach acme at 127.0.0.1:1: connection refused. Is the server running there?",
      },
    });
  });

  test("an HTML page in place of a stream is a fault that says so", async () => {
    const page = {
      kind: "status",
      status: 200,
      body: "<h1>Log in</h1>",
      headers: { "content-type": "text/html" },
    } as const;
    expect((await fails(page)).result).toEqual({
      ok: false,
      fault: {
        kind: "protocol",
        status: 200,
        message: "acme answered with text/html where an event stream was expected: <h1>Log in</h1>",
      },
    });
  });

  test("a redirect is refused and names the place", async () => {
    const headers = { location: "http://127.0.0.2:9/steal" };
    const { result } = await fails({ kind: "status", status: 308, headers });
    expect(result).toMatchObject({ ok: false, fault: { kind: "request", status: 308 } });
    expect(result).toHaveProperty("fault.message", expect.stringContaining("http://127.0.0.2:9/steal"));
  });

  test("a key that the provider echoes is in no fault; the bare answer, the twin, holds it", async () => {
    const troubles: Trouble[] = [
      { kind: "status", status: 401, message: `bad key ${KEY}` },
      { kind: "status", status: 400, body: `bad key ${KEY}` },
      { kind: "error_event", after: 0, type: "authentication_error", message: `bad key ${KEY}` },
      { kind: "malformed", after: 0, data: `bad key ${KEY}` },
      { kind: "status", status: 302, headers: { location: `http://127.0.0.2/${KEY}` } },
    ];
    const server = await serve((_, index) => {
      const trouble = troubles[index];
      return trouble && { text: "x", trouble };
    });
    const provider = create(server);
    for (const _ of troubles) {
      const { result } = await call(provider);
      expect(result.ok).toBe(false);
      expect(JSON.stringify(result)).not.toContain(KEY);
    }
    const again = await serve([{ trouble: { kind: "status", status: 401, message: `bad key ${KEY}` } }]);
    const path = name === "anthropic" ? "/v1/messages" : "/v1/chat/completions";
    const bare = await fetch(`${again.url}${path}`, { method: "POST", body: "{}" });
    expect(await bare.text()).toContain(KEY);
  });

  test("a key that no header can carry is refused before anything is sent, without being shown", () => {
    expect(() => create({ url: "http://127.0.0.1:1" }, { apiKey: `${KEY}\n` })).toThrow(TypeError);
    expect(() => create({ url: "http://127.0.0.1:1" }, { apiKey: `${KEY}\n` })).not.toThrow(KEY);
    expect(() => create({ url: "file:///etc/passwd" })).toThrow(TypeError);
  });

  test.each([
    ["while connecting", {}, 0],
    ["while waiting for the answer", { kind: "slow_start", delayMs: 300_000 }, 50],
    ["within the answer", { kind: "silence", after: 1 }, 50],
  ] as const)("an abort %s settles the call", async (_, trouble, afterMs) => {
    const server = await serve([{ text: "one two three", trouble: "kind" in trouble ? trouble : undefined }]);
    const controller = new AbortController();
    const pending = call(create(server), REQUEST, controller.signal);
    if (afterMs > 0) await new Promise((resolve) => setTimeout(resolve, afterMs));
    controller.abort();
    expect((await pending).result).toEqual({ ok: false, fault: { kind: "aborted", message: "Cancelled." } });
  });

  test("an abort within a delta stops the deltas at once", async () => {
    const server = await serve([{ text: "x".repeat(1_000), pieces: 1_000, framesPerWrite: 1_000 }]);
    const controller = new AbortController();
    let deltas = 0;
    const result = await create(server).stream(REQUEST, {
      signal: controller.signal,
      onDelta: () => {
        if (++deltas === 10) controller.abort();
      },
    });
    expect({ result, deltas }).toMatchObject({
      result: { ok: false, fault: { kind: "aborted" } },
      deltas: 10,
    });
  });

  test("an abort while waiting to retry settles the call", async () => {
    const server = await serve([{ trouble: { kind: "status", status: 529 } }, { text: "never" }]);
    const controller = new AbortController();
    const sleep = (_ms: number, signal: AbortSignal): Promise<void> => {
      setImmediate(() => controller.abort());
      return once(signal, "abort").then(() => undefined);
    };
    const pending = call(withRetry(create(server), { sleep }), REQUEST, controller.signal);
    const { result, deltas } = await pending;
    expect(result).toMatchObject({ ok: false, fault: { kind: "aborted" } });
    expect(deltas).toMatchObject([{ kind: "retry", attempt: 1, fault: { kind: "overloaded" } }]);
    expect(server.requests).toHaveLength(1);
  });

  test("an answer that was cut off is asked for again, and the retry voids what was shown", async () => {
    const server = await serve([
      { text: "one two three", trouble: { kind: "cut", after: 2 } },
      { text: "whole" },
    ]);
    const { result, deltas } = await call(withRetry(create(server), { sleep: async () => undefined }));
    expect(result).toMatchObject({
      ok: true,
      reply: { message: { content: [{ kind: "text", text: "whole" }] } },
    });
    const retry = deltas.findIndex(({ kind }) => kind === "retry");
    expect(joined(deltas.slice(0, retry), "text")).toBe("one two th");
    expect(joined(deltas.slice(retry), "text")).toBe("whole");
  });

  test("a long history is sent whole, and each turn's request repeats the last one's bytes", async () => {
    const messages: Message[] = [];
    for (let n = 0; n < 50; n++) {
      const callId = `c${n}`;
      messages.push(
        user(`question ${n}`),
        { role: "assistant", content: [{ kind: "tool_call", id: callId, name: "read", input: { n } }] },
        { role: "tool", callId, name: "read", text: `outcome ${n}`, isError: false },
        { role: "assistant", content: [{ kind: "text", text: `answer ${n}` }] },
      );
    }
    const server = await serve(() => ({ text: "ok" }));
    const provider = create(server);
    for (let length = messages.length - 8; length <= messages.length; length += 4) {
      await call(provider, { ...REQUEST, messages: [...messages.slice(0, length), user("and now?")] });
    }
    const bodies = server.requests.map(({ rawBody }) =>
      rawBody.replaceAll(',"cache_control":{"type":"ephemeral"}', ""),
    );
    for (const [index, body] of bodies.slice(0, -1).entries()) {
      const shared = body
        .slice(0, body.indexOf("and now?"))
        .replace(/,?\{"role":"user","content":[^"]*("|\[\{"type":"text","text":")$/, "");
      expect(shared.length).toBeGreaterThan(8_000);
      expect(bodies[index + 1]?.startsWith(shared)).toBe(true);
    }
  });
});
