// Each of the thirteen events, fired by a live session over a real provider's wire: a feature sees it, changes or stops
// something, and the log explains what the model then saw.

import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Entry, SubmitEnd } from "../../packages/induscode/src/conductor/contract.ts";
import { readEntries } from "../../packages/induscode/src/conductor/log-reader.ts";
import { verifyEntries } from "../../packages/induscode/src/conductor/verify.ts";
import type { ChangeOf, HookEvent, PayloadOf } from "../../packages/induscode/src/feature/events.ts";
import { HOOK_EVENTS } from "../../packages/induscode/src/feature/events.ts";
import type { HookHandler } from "../../packages/induscode/src/feature/handler.ts";
import { type IndusSession, openIndus } from "../../packages/induscode/src/session/open-indus.ts";
import { modelEnvironment } from "../support/indus.ts";
import { type ModelServer, type Script, startModelServer } from "../support/model-server.ts";
import { type Handlers, probe } from "../support/probe.ts";

let server: ModelServer | undefined;
let session: IndusSession | undefined;
let folder = "";
afterEach(async () => {
  await session?.close();
  await server?.close();
});

const BY = { feature: "project:probe", version: "1.2.3" };

async function live(script: Script, handlers: Handlers) {
  server = await startModelServer(script);
  const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-events-")));
  const env = { ...process.env, ...modelEnvironment(server.url) };
  writeFileSync(join(base, "settings.json"), JSON.stringify({ localServers: [] }));
  folder = base;
  session = await openIndus({
    flags: { model: "anthropic/scripted", "permission-mode": "bypass" },
    cwd: base,
    home: base,
    env,
    features: [probe(Object.keys(handlers) as HookEvent[], handlers)],
  });
  const { conductor } = session;
  const say = (text: string): Promise<SubmitEnd> => conductor.submit({ content: [{ kind: "text", text }] });
  const logged = (): readonly Entry[] => readEntries(conductor.status().logPath).entries;
  const entry = <T extends Entry["type"]>(type: T): Extract<Entry, { type: T }> | undefined =>
    logged().find((each): each is Extract<Entry, { type: T }> => each.type === type);
  const sent = (index: number): string => server?.requests[index]?.rawBody ?? "";
  return { conductor, say, entry, logged, sent };
}

const RUN: Script = [
  { text: "Running.", calls: [{ name: "bash", input: { command: "echo $PROBE" } }] },
  { text: "Done." },
];

it("all thirteen fire, in the order of the flow", async () => {
  const seen: HookEvent[] = [];
  const handlers = Object.fromEntries(
    HOOK_EVENTS.map((event) => [event, { kind: "observe", run: () => void seen.push(event) }]),
  ) as Handlers;
  const { say, conductor } = await live([...(RUN as never[]), { text: "The summary." }], handlers);
  await say("go");
  await conductor.compact("");
  await session?.close();
  session = undefined;
  expect(seen).toEqual([
    "session:start",
    "input:submit",
    "turn:start",
    "chat:params",
    "context:build",
    "chat:message",
    "tool:before",
    "shell:env",
    "tool:after",
    "chat:params",
    "context:build",
    "chat:message",
    "turn:end",
    "chat:params",
    "compact:before",
    "compact:build",
    "session:end",
  ]);
});

describe("what a feature changes, the log explains, and every request can be rebuilt", () => {
  const change = <E extends HookEvent>(
    run: (payload: PayloadOf<E>) => ChangeOf<PayloadOf<E>>,
  ): HookHandler<E> => ({
    kind: "transform",
    run,
  });

  async function explained(check: ReturnType<typeof live>): Promise<void> {
    const { logged } = await check;
    expect(verifyEntries(logged()).mismatches).toEqual([]);
  }

  it("input:submit: the person's line", async () => {
    const running = live([{ text: "ok" }], {
      "input:submit": change(({ text }) => ({ text: `${text}, please` })),
    });
    const { say, entry, sent } = await running;
    await say("go");
    expect(sent(0)).toContain("go, please");
    expect(entry("user")).toMatchObject({
      content: [{ text: "go, please" }],
      typed: [{ text: "go" }],
      changes: [{ at: "input:submit", ...BY }],
    });
    await explained(running);
  });

  it("chat:params: the options of a request", async () => {
    const running = live([{ text: "ok" }], {
      "chat:params": change(({ params }) => ({ params: { ...params, maxOutputTokens: 77 } })),
    });
    const { say, entry, sent } = await running;
    await say("go");
    expect(JSON.parse(sent(0))).toMatchObject({ max_tokens: 77 });
    expect(entry("prompt")).toMatchObject({
      params: { maxOutputTokens: 77 },
      changes: [{ at: "chat:params", ...BY }],
    });
    await explained(running);
  });

  it("context:build: the messages of one request", async () => {
    const note = { role: "user" as const, content: [{ kind: "text" as const, text: "REMEMBER THE MOON" }] };
    const running = live(RUN, {
      "context:build": change(({ messages }) => ({ messages: [...messages, note] })),
    });
    const { say, entry, logged, sent } = await running;
    await say("go");
    expect(sent(0)).toContain("REMEMBER THE MOON");
    expect(sent(1).match(/REMEMBER THE MOON/g)).toHaveLength(1); // for one request only, and again for the next
    expect(entry("context")).toMatchObject({
      from: 1,
      remove: 0,
      insert: [note],
      changes: [{ at: "context:build", ...BY }],
    });
    expect(logged().filter((each) => each.type === "context")).toHaveLength(2);
    await explained(running);
  });

  it("chat:message: the model's message, before anything acts on it", async () => {
    const running = live([{ text: "my secret answer" }], {
      "chat:message": change(({ message }) => ({
        message: { ...message, content: [{ kind: "text", text: "redacted" }] },
      })),
    });
    const { say, entry } = await running;
    expect(await say("go")).toMatchObject({ kind: "complete", text: "redacted" });
    expect(entry("assistant")).toMatchObject({
      message: { content: [{ text: "redacted" }] },
      original: { content: [{ text: "my secret answer" }] },
      changes: [{ at: "chat:message", ...BY }],
    });
    await explained(running);
  });

  it("tool:after: whoever changes a result may have hidden something, so its picture is left out, and that is said", async () => {
    const read: Script = [{ calls: [{ name: "read", input: { path: "dot.png" } }] }, { text: "Done." }];
    const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(8)]);
    const { say, entry, sent } = await live(read, {
      "tool:after": { kind: "transform", run: ({ text }) => ({ text: `${text} (seen)` }) },
    });
    writeFileSync(join(folder, "dot.png"), png);
    await say("look");
    expect(entry("tool")).not.toHaveProperty("images");
    expect(sent(1)).toContain(
      "shown with this result. (seen)\\n[Picture omitted: a feature changed the result",
    );
    expect(sent(1)).not.toContain(png.toString("base64"));
  });

  it("tool:before: the arguments; shell:env: the environment; tool:after: what the model reads", async () => {
    const running = live(RUN, {
      "tool:before": change((payload) => ({ ...payload, args: { command: 'echo "[$PROBE]"' } })),
      "shell:env": change((payload) => ({ ...payload, env: { ...payload.env, PROBE: "from the feature" } })),
      "tool:after": change((payload) => ({ ...payload, text: payload.text?.toUpperCase() ?? "" })),
    });
    const { say, entry, sent } = await running;
    await say("go");
    expect(sent(1)).toContain("[FROM THE FEATURE]");
    expect(entry("tool")).toMatchObject({
      input: { command: 'echo "[$PROBE]"' },
      changes: [
        { at: "tool:before", ...BY },
        { at: "shell:env", ...BY, detail: "PROBE" },
        { at: "tool:after", ...BY },
      ],
    });
    await explained(running);
  });

  it("compact:build: the summary", async () => {
    const running = live([{ text: "ok" }, { text: "The summary." }, { text: "on" }], {
      "compact:build": change((payload) => ({ ...payload, summary: `${payload.summary} And the moon.` })),
    });
    const { say, conductor, entry, sent } = await running;
    await say("go");
    await conductor.compact("");
    await say("more");
    expect(sent(2)).toContain("The summary. And the moon.");
    expect(entry("summary")).toMatchObject({
      original: "The summary.",
      changes: [{ at: "compact:build", ...BY }],
    });
    await explained(running);
  });
});

describe("what a gate stops, nobody sees", () => {
  const stop = { kind: "gate" as const, run: () => ({ stop: true, reason: "it is late" }) };

  it("input:submit: no request is made, and the log says who stopped the line", async () => {
    const { say, logged } = await live([], { "input:submit": stop });
    expect(await say("go")).toMatchObject({
      kind: "faulted",
      fault: { kind: "vetoed", message: "Your line was blocked: it is late (project:probe)" },
    });
    expect(server?.requests).toHaveLength(0);
    expect(logged().at(-1)).toMatchObject({
      type: "veto",
      event: "input:submit",
      by: BY,
      reason: "it is late",
    });
  });

  it("input:submit: of a line that waited, the person is told as well", async () => {
    const late = {
      kind: "gate" as const,
      run: ({ text }: { readonly text: string }) => ({ stop: text === "late", reason: "it is late" }),
    };
    const { say, conductor, entry, sent } = await live([{ text: "ok" }], { "input:submit": late });
    const told: unknown[] = [];
    conductor.subscribe((event) => void (event.kind === "alert" && told.push(event.text)));
    conductor.steer([{ kind: "text", text: "late" }]);
    await say("go");
    expect(told).toEqual(["Your line was blocked: it is late (project:probe)"]);
    expect(entry("veto")).toMatchObject({ event: "input:submit", by: BY, reason: "it is late" });
    expect(sent(0)).not.toContain('"late"');
  });

  it("tool:before: the tool does not run, the model reads why", async () => {
    const { say, entry, sent } = await live(RUN, { "tool:before": stop });
    await say("go");
    expect(entry("tool")).toMatchObject({
      state: "refused",
      text: "Refused: bash was not run, because it is late (project:probe)",
    });
    expect(sent(1)).toContain("it is late (project:probe)");
  });

  it("compact:before: the transcript stays", async () => {
    const { say, conductor, logged, sent } = await live([{ text: "ok" }, { text: "on" }], {
      "compact:before": stop,
    });
    await say("first");
    expect(await conductor.compact("")).toMatchObject({ kind: "vetoed" });
    await say("second");
    expect(sent(1)).toContain("first");
    expect(logged().find((entry) => entry.type === "veto")).toMatchObject({
      event: "compact:before",
      by: BY,
    });
  });
});

it("a notice of a feature is committed before the model can see it, with its origin", async () => {
  const { say, conductor, entry, logged, sent } = await live([{ text: "ok" }], {});
  conductor.notify("project:probe", "the build is red");
  await say("go");
  expect(sent(0)).toContain("[notice from project:probe]\\nthe build is red");
  expect(entry("notice")).toMatchObject({ origin: "project:probe", text: "the build is red" });
  expect(verifyEntries(logged()).mismatches).toEqual([]);
});
