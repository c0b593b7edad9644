// OpenTelemetry by the real command: spans reach a collector on loopback if the standard variables say so, and nobody waits for it.

import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { startCollector, valuesOf } from "../support/collector.ts";
import { createServedShared } from "../support/served-workplace.ts";

const MODEL = ["--model", "anthropic/scripted", "--permission-mode", "bypass"] as const;
const USAGE = { input: 100, output: 20, cacheRead: 30, cacheWrite: 7 } as const;
const SAID = "say the word marzipan";
const write = { calls: [{ name: "write", input: { path: "a.txt", content: "marzipan" } }], usage: USAGE };
const TURNS = [write, { calls: [{ name: "bash", input: { command: "exit 3" } }] }, { text: "marzipan" }];

async function run(
  env: Readonly<Record<string, string>>,
  turns: Parameters<typeof createServedShared>[0] = TURNS,
) {
  const place = await createServedShared(turns);
  const done = await place.runAlone(["-p", SAID, ...MODEL], { env });
  return { ...place, ...done };
}

describe("spans", () => {
  it("of the task, its requests and its calls follow the conventions, with usage and decisions, and without content", async () => {
    const collector = await startCollector();
    const { code, stderr, entries, home } = await run({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: "x-team=blue%20one,authorization=Bearer%20canary-value-77aa21",
      OTEL_SERVICE_NAME: "my-agent",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test,service.name=other",
      TRACEPARENT: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    });
    expect(code).toBe(0);
    expect(stderr).not.toContain("OpenTelemetry");
    expect(collector.requests[0]).toMatchObject({
      path: "/v1/traces",
      headers: {
        "content-type": "application/json",
        "x-team": "blue one",
        authorization: "Bearer canary-value-77aa21",
      },
    });
    expect(collector.resource()).toEqual({ "service.name": "my-agent", "deployment.environment": "test" });
    const spans = collector.spans();
    expect(spans.map(({ name }) => name).sort()).toEqual([
      ...["chat scripted", "chat scripted", "chat scripted"],
      ...["execute_tool bash", "execute_tool write", "invoke_agent indus"],
    ]);
    const task = spans.find(({ name }) => name === "invoke_agent indus");
    const [first] = spans.filter(({ name }) => name === "chat scripted");
    const [call] = spans.filter(({ name }) => name === "execute_tool write");
    const [session] = entries();
    expect(task).toMatchObject({ parentSpanId: "b7ad6b7169203331", kind: 1, status: {} });
    expect(valuesOf(task?.attributes ?? [])).toEqual({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "indus",
      "gen_ai.conversation.id": session?.type === "session" ? session.id : "",
      "gen_ai.provider.name": "anthropic",
      "gen_ai.request.model": "scripted",
      "gen_ai.usage.input_tokens": expect.any(Number),
      "gen_ai.usage.output_tokens": expect.any(Number),
      "gen_ai.usage.cache_read.input_tokens": 30,
      "gen_ai.usage.cache_creation.input_tokens": 7,
    });
    expect(first).toMatchObject({ kind: 3 });
    expect(valuesOf(first?.attributes ?? [])).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.usage.input_tokens": 137,
      "gen_ai.usage.output_tokens": 20,
      "gen_ai.response.finish_reasons": ["tool_calls"],
    });
    expect(valuesOf(call?.attributes ?? [])).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "write",
      "gen_ai.tool.call.id": expect.any(String),
      "gen_ai.tool.type": "function",
      "indus.feature": "builtin:files",
    });
    expect(call?.events.map(({ name, attributes }) => [name, valuesOf(attributes)])).toEqual([
      [
        "indus.decision",
        expect.objectContaining({ "indus.decision.outcome": "allowed", "indus.decision.layer": "mode" }),
      ],
    ]);
    for (const span of spans) {
      expect(span.traceId).toBe("0af7651916cd43dd8448eb211c80319c");
      if (span !== task) expect(span.parentSpanId).toBe(task?.spanId);
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
    }
    const sent = collector.requests.map(({ text }) => text).join("");
    for (const content of ["marzipan", "a.txt", "exit 3", home]) expect(sent).not.toContain(content);
  });

  it("hold what was said, called and answered if the variable for that is true, with secrets masked", async () => {
    const collector = await startCollector();
    await run(
      {
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/own/path`,
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
        SOME_API_KEY: "canary-value-77aa21",
      },
      [{ calls: [{ name: "bash", input: { command: "echo canary-value-77aa21" } }] }, { text: "marzipan" }],
    );
    expect(collector.requests[0]?.path).toBe("/own/path");
    const all = Object.assign({}, ...collector.spans().map(({ attributes }) => valuesOf(attributes)));
    expect(all).toMatchObject({
      "gen_ai.input.messages": JSON.stringify([{ role: "user", parts: [{ type: "text", content: SAID }] }]),
      "gen_ai.tool.call.arguments": '{"command":"echo [secret SOME_API_KEY]"}',
      "gen_ai.tool.call.result": expect.stringContaining("[secret SOME_API_KEY]"),
      "gen_ai.output.messages": expect.stringContaining("assistant"),
    });
    expect(collector.requests[0]?.text).not.toContain("canary-value-77aa21");
  });

  it("name the model that is used, also when a session goes on, and hide what the collector's headers hold from everybody else", async () => {
    const collector = await startCollector();
    const place = await createServedShared([
      { text: "one" },
      { calls: [{ name: "bash", input: { command: "cat b.txt; env" } }] },
      { text: "two" },
    ]);
    place.file("b.txt", "it is canary-value-77aa21\n");
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: "x-team=blue,authorization=Bearer%20canary-value-77aa21",
    };
    await place.runAlone(["-p", "one", ...MODEL], { env });
    const seen = collector.spans().length;
    const { stdout, stderr } = await place.runAlone(["-p", "two", "-c", ...MODEL], { env });
    const later = collector.spans().slice(seen);
    expect(later.map(({ name }) => name).sort()).toEqual([
      ...["chat scripted", "chat scripted", "execute_tool bash", "invoke_agent indus"],
    ]);
    for (const span of later.filter(({ name }) => !name.startsWith("execute")))
      expect(valuesOf(span.attributes)).toMatchObject({
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "scripted",
      });
    const outcome = place.entries().find((entry) => entry.type === "tool");
    expect(outcome?.text).toContain("it is [secret OTEL_EXPORTER_OTLP_HEADERS]");
    const all = JSON.stringify([
      stdout,
      stderr,
      place.entries(),
      place.server.requests.map((r) => r.rawBody),
    ]);
    expect(all).not.toContain("x-team=blue");
    expect(all).not.toContain("canary-value-77aa21");
  });

  it("of a delegate are below the call that began it", async () => {
    const collector = await startCollector();
    const place = await createServedShared(({ rawBody }) => {
      if (rawBody.includes("You are the delegate"))
        return rawBody.includes("tool_result")
          ? { text: "Seen." }
          : { calls: [{ name: "ls", input: { path: "." } }] };
      return rawBody.includes("tool_result")
        ? { text: "Done." }
        : { calls: [{ name: "task", input: { agent: "scout", objective: "Look." } }] };
    });
    place.file(
      ".indus/agents/scout.toml",
      `description = "Looks."\nwhen = "asked."\ntools = ["ls"]\nprompt = "Be brief."\n`,
    );
    await place.runAlone(["-p", "go", ...MODEL], { env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
    const spans = collector.spans();
    const named = (name: string) => spans.find((span) => span.name === name);
    expect(named("invoke_agent scout")?.parentSpanId).toBe(named("execute_tool task")?.spanId);
    expect(named("execute_tool ls")?.parentSpanId).toBe(named("invoke_agent scout")?.spanId);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  });

  it("say why something failed", async () => {
    const collector = await startCollector();
    const refused = { trouble: { kind: "status", status: 401, message: "no" } } as const;
    await run({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, [refused]);
    const failed = collector
      .spans()
      .map(({ name, status, attributes }) => [name, status.code, typeof valuesOf(attributes)["error.type"]]);
    expect(failed).toEqual([
      ["chat scripted", 2, "string"],
      ["invoke_agent indus", 2, "string"],
    ]);
  });
});

describe("nothing is sent", () => {
  it.each([
    ["without variables", {}],
    ["if the SDK is disabled", { OTEL_SDK_DISABLED: "true" }],
    ["if no traces are wanted", { OTEL_TRACES_EXPORTER: "none" }],
  ])("%s", async (_when, env) => {
    const collector = await startCollector();
    const endpoint = Object.keys(env).length > 0 ? { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } : {};
    const { stderr } = await run({ ...endpoint, ...env });
    expect([collector.requests, stderr.includes("OpenTelemetry")]).toEqual([[], false]);
  });

  it("because a file of the repository sets the variables", async () => {
    const collector = await startCollector();
    const place = await createServedShared(TURNS);
    place.file(".env", `OTEL_EXPORTER_OTLP_ENDPOINT=${collector.url}\n`);
    place.file(
      ".indus/settings.json",
      JSON.stringify({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } }),
    );
    await place.runAlone(["-p", SAID, ...MODEL]);
    expect(collector.requests).toEqual([]);
  });

  it.each([
    [{ OTEL_TRACES_EXPORTER: "zipkin" }, 'OTEL_TRACES_EXPORTER is "zipkin"; expected "otlp" or "none"'],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
      'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"; expected "http/json"',
    ],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4318" }, "OTEL_EXPORTER_OTLP_ENDPOINT is not an address"],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_RESOURCE_ATTRIBUTES: "team=50%" },
      "OTEL_RESOURCE_ATTRIBUTES cannot be read; expected name=value,name=value, with % written as %25",
    ],
  ])("of %j, which is said once", async (env, words) => {
    const { code, stderr } = await run(env);
    expect(code).toBe(0);
    expect(stderr.split("OpenTelemetry: no spans are sent: ")).toHaveLength(2);
    expect(stderr).toContain(words);
  });
});

describe("a collector that", () => {
  it("is away costs nothing but a line", async () => {
    const { port, close } = await freePort();
    await close();
    const { code, stdout, stderr } = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
    expect([code, stdout]).toEqual([0, "marzipan\n"]);
    expect(stderr.match(/OpenTelemetry: spans are not sent to http:\S+\/v1\/traces: /g)).toHaveLength(1);
  });

  it("refuses is named once", async () => {
    const collector = await startCollector(503);
    const { code, stderr } = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    expect(code).toBe(0);
    expect(stderr.match(/the collector answered with status 503/g)).toHaveLength(1);
  });

  it("never answers holds up the end for two seconds at most", async () => {
    const collector = await startCollector("never");
    const { code, stdout, stderr } = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    expect([code, stdout]).toEqual([0, "marzipan\n"]);
    expect(stderr).toContain("the collector did not answer in time");
    expect(collector.requests).toHaveLength(1);
  });
});

async function freePort() {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { port, close: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}
