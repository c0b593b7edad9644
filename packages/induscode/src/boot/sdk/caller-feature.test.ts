import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cardFor, createCassettePlayer } from "indusagi/llmgateway";
import { describe, expect, it } from "vitest";
import { readEntries } from "../../conductor/log-reader.ts";
import type { ResolvedModel } from "../../conductor/model-in-use.ts";
import { type CallerTool, type Hook, type Touch, tool } from "./caller-tool.ts";
import { openSession } from "./open-session.ts";
import type { SessionOptions } from "./sdk-options.ts";
import type { TaskEvent } from "./task-events.ts";

const SECRET = "hunter2-hunter2-hunter2";
const CALL = { kind: "tool_call", id: "c_1", name: "look_up", input: { word: "tree" } };

function recorded(...contents: readonly object[]): ResolvedModel {
  const turns = [...contents, { kind: "text", text: "done" }].map((content, at) => ({
    turn: at + 1,
    reply: { message: { role: "assistant", content: [content] } },
  }));
  const text = [{ cassette: 1, about: "x" }, ...turns].map((line) => JSON.stringify(line)).join("\n");
  const provider = createCassettePlayer({ source: { text } });
  return { provider, model: "recording", card: cardFor("cassette", "recording") };
}

function place(): { readonly cwd: string; readonly env: NodeJS.ProcessEnv } {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-sdk-")));
  const [cwd, home] = [join(base, "work"), join(base, "home")];
  for (const folder of [cwd, home]) mkdirSync(folder);
  writeFileSync(join(home, "settings.json"), '{"localServers":[]}');
  return { cwd, env: { PATH: process.env.PATH, HOME: home, INDUS_HOME: home, DB_PASSWORD: SECRET } };
}

type Outcome = Extract<TaskEvent, { readonly type: "outcome" }>;

/** What came of the model's call, and what the log says of it. */
async function called(options: SessionOptions, call: object = CALL) {
  const here = place();
  const session = await openSession({ ...here, mode: "acceptEdits", model: recorded(call), ...options });
  const events: TaskEvent[] = [];
  session.subscribe((event) => events.push(event));
  expect(await session.submit("go")).toMatchObject({ kind: "complete", text: "done" });
  await session.close();
  const home = join(here.cwd, "../home");
  const { readdirSync } = await import("node:fs");
  const log = readdirSync(home, { recursive: true, encoding: "utf8" }).find((name) =>
    name.endsWith(".jsonl"),
  );
  const entries = readEntries(join(home, log ?? "")).entries;
  return {
    outcome: events.find((event): event is Outcome => event.type === "outcome"),
    entry: entries.find((entry) => entry.type === "tool"),
    notices: [...session.notices, ...events.flatMap((event) => (event.type === "notice" ? event.text : []))],
  };
}

function lookUp(more: Partial<CallerTool> = {}): CallerTool {
  return {
    ...tool({
      name: "look_up",
      description: "Looks up a word.",
      input: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
      touches: [],
      run: ({ word }) => `${word.toUpperCase()} is a word`,
    }),
    ...more,
  };
}

describe("a tool of the program", () => {
  it("answers the model, and the log says whose it is", async () => {
    const { outcome, entry } = await called({ mode: "read-only", tools: [lookUp()] });
    expect(outcome).toMatchObject({ tool: "look_up", state: "ok", text: "TREE is a word" });
    expect(entry).toMatchObject({ feature: "builtin:program", state: "ok" });
  });

  const outside: readonly Touch[] = [{ kind: "write", path: "/elsewhere/x" }];
  const inside: readonly Touch[] = [{ kind: "write", path: "x" }];
  it.each<readonly [string, Partial<CallerTool>, SessionOptions, string]>([
    ["touches nothing", { touches: [] }, {}, "ok"],
    ["writes in the folder", { touches: inside }, {}, "ok"],
    ["writes in the folder, by a function", { touches: () => inside }, {}, "ok"],
    ["writes in the folder", { touches: inside }, { mode: "ask" }, "refused"],
    ["writes in the folder", { touches: inside }, { mode: "read-only" }, "refused"],
    ["writes elsewhere", { touches: outside }, {}, "refused"],
    ["writes elsewhere", { touches: outside }, { allow: ["look_up"] }, "ok"],
    ["reaches a host", { touches: [{ kind: "network", host: "a.example" }] }, {}, "refused"],
    ["reaches a host", { touches: [{ kind: "network", host: "a.example" }] }, { mode: "bypass" }, "ok"],
    ["does not say what it touches", { touches: undefined }, {}, "refused"],
    ["does not say what it touches", { touches: undefined }, { mode: "auto" }, "refused"],
    ["does not say what it touches", { touches: undefined }, { mode: "read-only" }, "refused"],
    ["does not say what it touches", { touches: undefined }, { ask: () => ({ kind: "once" }) }, "ok"],
    ["does not say what it touches", { touches: undefined }, { allow: ["look_up"] }, "ok"],
    [
      "does not say what it touches",
      { touches: undefined },
      { mode: "bypass", deny: ["look_up"] },
      "refused",
    ],
    ["does not say what it touches", { touches: undefined }, { mode: "bypass" }, "ok"],
  ])("that %s is judged as that: %j with %j is %s", async (_what, more, options, state) => {
    const { outcome } = await called({ ...options, tools: [lookUp(more)] });
    expect(outcome?.state).toBe(state);
  });

  it("is no harmless command by its name", async () => {
    const tools = [lookUp({ name: "pwd", touches: undefined })];
    const { outcome } = await called({ tools }, { ...CALL, name: "pwd" });
    expect(outcome?.state).toBe("refused");
  });

  it("whose touches cannot be had is asked about, and the fault is told", async () => {
    const touches = (): never => {
      throw new Error("no idea");
    };
    const { outcome, notices } = await called({ tools: [lookUp({ touches })] });
    expect(outcome?.state).toBe("refused");
    expect(notices.join("\n")).toContain("touches of the tool look_up failed: no idea");
  });

  it("gets only arguments that fit, and fails with what it throws", async () => {
    const wrong = await called({ tools: [lookUp()] }, { ...CALL, input: { word: { a: 1 } } });
    expect(wrong.outcome).toMatchObject({ state: "failed", text: expect.stringContaining("word") });
    const run = (): never => {
      throw new Error("no luck");
    };
    const failed = await called({ tools: [lookUp({ run })] });
    expect(failed.outcome).toMatchObject({ state: "failed", text: expect.stringContaining("no luck") });
  });

  it("cannot show a secret that the session knows", async () => {
    const { outcome, entry } = await called({ tools: [lookUp({ run: () => ({ password: SECRET }) })] });
    expect(JSON.stringify([outcome, entry])).not.toContain(SECRET);
    expect(outcome?.text).toContain("password");
  });
});

describe("a hook of the program", () => {
  const about = (match: string | undefined): Hook => ({
    ...{ event: "tool:before", kind: "gate", match },
    run: () => ({ stop: true, reason: "not now" }),
  });

  it.each([
    ["look_up", "refused"],
    [undefined, "refused"],
    ["*", "refused"],
    ["other", "ok"],
  ])("that gates the calls of %s leaves it %s", async (match, state) => {
    const { outcome } = await called({ tools: [lookUp()], hooks: [about(match)] });
    expect(outcome?.state).toBe(state);
    if (state === "refused") expect(outcome?.text).toContain("not now");
  });

  it("that changes a call or a result is named in the log", async () => {
    const { outcome, entry } = await called({
      tools: [lookUp()],
      hooks: [
        { event: "tool:before", kind: "transform", run: () => ({ args: { word: "bush" } }) },
        {
          event: "tool:after",
          kind: "transform",
          match: "look_up",
          run: ({ text }) => ({ text: `${text}!` }),
        },
      ],
    });
    expect(outcome?.text).toBe("BUSH is a word!");
    expect(entry?.changes).toMatchObject([
      { feature: "builtin:program", at: "tool:before" },
      { feature: "builtin:program", at: "tool:after" },
    ]);
  });

  it("that changes a call changes what is decided about it", async () => {
    const run = () => ({ args: { path: "/elsewhere/secret" } });
    const hooks: readonly Hook[] = [{ event: "tool:before", kind: "transform", match: "read", run }];
    const { outcome } = await called({ hooks }, { ...CALL, name: "read", input: { path: "a.txt" } });
    expect(outcome?.state).toBe("refused");
  });

  it("that observes is told of each event", async () => {
    const seen: string[] = [];
    const hooks: readonly Hook[] = [
      { event: "input:submit", kind: "observe", run: ({ text }) => void seen.push(text) },
      { event: "tool:after", kind: "observe", match: "look_up", run: ({ name }) => void seen.push(name) },
    ];
    await called({ tools: [lookUp()], hooks });
    expect(seen).toEqual(["go", "look_up"]);
  });
});

it.each<readonly [string, SessionOptions, RegExp]>([
  [
    "an unknown event",
    { hooks: [{ event: "tool:befor", kind: "gate", run: () => undefined } as never] },
    /unknown event "tool:befor"/,
  ],
  [
    "no kind",
    { hooks: [{ event: "turn:end", run: () => undefined } as never] },
    /a hook on turn:end needs kind/,
  ],
  [
    "a match on no tool",
    { hooks: [{ event: "turn:end", kind: "observe", match: "x", run: () => undefined }] },
    /"match" works only with tool:before/,
  ],
  ["no function", { tools: [lookUp({ run: undefined as never })] }, /"look_up" needs a function run/],
  [
    "no schema",
    { tools: [lookUp({ input: { type: "string" } })] },
    /"look_up": its input is not a JSON Schema/,
  ],
  ["no name", { tools: [{ description: "x", input: {}, run: () => 1 } as never] }, /^a tool needs a name$/],
  [
    "a field that tools do not have",
    { tools: [{ ...lookUp(), touche: [] } as never] },
    /^the tool "look_up": unknown option "touche"; did you mean touches\?$/,
  ],
  [
    "a field that hooks do not have",
    { hooks: [{ event: "tool:before", kind: "gate", tool: "x", run: () => undefined } as never] },
    /^a hook on "tool:before": unknown option "tool"; expected one of event, /,
  ],
  ["no tool", { tools: [undefined as never] }, /the tool .* takes an object/],
  ["a name that is taken", { tools: [lookUp({ name: "bash" })] }, /bash/],
])("%s is refused with a problem", async (_what, options, message) => {
  await expect(openSession({ ...place(), model: recorded(), ...options })).rejects.toMatchObject({
    name: "Problem",
    message: expect.stringMatching(message),
  });
});
