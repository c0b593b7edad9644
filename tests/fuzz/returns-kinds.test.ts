// What real addons of each kind return, through their own runners and pipes: a whole session each time, with a fresh log. No host error,
// no refused request, no damaged log; what does not fit is that addon's fault and changes nothing.

import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../packages/indusagi/src/core/json-schema.ts";
import { depthOf } from "../../packages/indusagi/src/llmgateway/loose-json.ts";
import { startSession } from "../../packages/induscode/src/addons/conformance/session.ts";
import { readManifest } from "../../packages/induscode/src/addons/declarative-loader.ts";
import { describeModule } from "../../packages/induscode/src/addons/loaders/module.ts";
import { describeProcess } from "../../packages/induscode/src/addons/loaders/process.ts";
import { describePython } from "../../packages/induscode/src/addons/loaders/python.ts";
import { TEST_COMPILER } from "../../packages/induscode/src/addons/loaders/test-compiler.ts";
import { describeWasm } from "../../packages/induscode/src/addons/loaders/wasm.ts";
import { checkResult, withoutNulls } from "../../packages/induscode/src/addons/protocol/check-message.ts";
import type { Registration } from "../../packages/induscode/src/addons/protocol/messages.ts";
import { compileReply } from "../../packages/induscode/src/addons/runners/test-wasm.ts";
import { createFolder, NOTHING_ADMITTED, sourceAt } from "../../packages/induscode/src/addons/test-folder.ts";
import { findLogProblems, verifyEntries } from "../../packages/induscode/src/conductor/verify.ts";
import type {
  EventSubscription,
  HandlerContext,
  ToolInterceptor,
} from "../../packages/induscode/src/feature/contract.ts";
import { HOOK_EVENTS } from "../../packages/induscode/src/feature/events.ts";
import { createHooks } from "../../packages/induscode/src/feature/hooks.ts";
import { ANSWERING_KINDS, type AnsweringKind } from "../support/answering-addon.ts";
import * as fc from "../support/fast-check.ts";
import { isLong } from "../support/long-form.ts";
import { needs } from "../support/needs.ts";
import { rawManifest, rawProgram } from "../support/raw-addon.ts";
import { jsonOf } from "./inputs.ts";
import { playSession } from "./returns-session.ts";
import { toolRunner } from "./returns-tools.ts";

const FITTING: readonly JsonValue[] = [
  null,
  {},
  { text: "other" },
  { summary: "other" },
  { message: { content: "other" } },
  { messages: [{ role: "user", content: "other" }] },
  { temperature: 0.5 },
  { env: { A: "b" } },
  { args: { path: "other" } },
  { content: "other", isError: false },
];
const WRONG: readonly JsonValue[] = [
  ...["", "text", 0, -1, 1e300, true, [], [[]], [null], "x".repeat(300_000)],
  ...[
    { text: 5 },
    { text: null },
    { message: { content: 5 } },
    { message: null },
    { messages: [] },
    { messages: "x" },
  ],
  { messages: [{ role: "tool", callId: "c9", name: "read", text: "t", isError: false }] },
  { message: { content: [{ kind: "tool_call", id: "x", name: "bash", input: { command: "id" } }] } },
  ...[
    { params: "hot" },
    { temperature: "hot" },
    { env: { A: 5 } },
    { args: "x" },
    { args: [] },
    { content: { a: 1 } },
  ],
  { __proto__x: 1, constructor: { prototype: {} }, toString: 1 },
];
const KEYS = [
  "text",
  "summary",
  "message",
  "messages",
  "content",
  "kind",
  "role",
  "env",
  "args",
  "result",
  "stop",
  "payload",
];
const drawn = fc.sample(jsonOf(KEYS), { numRuns: 150, seed: 20_261_122 }) as readonly JsonValue[];
/** What is nested deeper than messages may be is a breach, which ends the process: `answers-deep-json` of tests/isolation. */
const isMessage = (value: JsonValue): boolean => depthOf(JSON.stringify(value)) < 150;
const VALUES: readonly JsonValue[] = [...WRONG, ...drawn.filter(isMessage)].flatMap((wrong, at) => [
  wrong,
  FITTING[at % FITTING.length] as JsonValue,
]);

const ascii = (text: string): string =>
  text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
/** Its JSON as a text of any of the languages. */
const literal = (value: unknown): string => JSON.stringify(ascii(JSON.stringify(value)));
const REGISTRATION = {
  handlers: HOOK_EVENTS.map((event) => ({ event, kind: "transform" })),
  interceptors: [{ match: "*", enter: true, exit: true }],
};

/** Beside the values, what only its own language has: functions, circles, bytes. */
const SOURCES: Readonly<Record<"ts" | "python", string>> = {
  ts: `
import { transform } from "induscode/addons";
const circle: any = {}; circle.circle = circle;
const values: any[] = [...JSON.parse(${literal(VALUES)}), undefined, NaN, 1n, Symbol("s"), () => "text", circle, new Date(0), new Map([[1, 2]])];
let at = 0;
const next = (): any => values[at++ % values.length];
export function register(surface: any) {
  for (const event of JSON.parse(${literal(HOOK_EVENTS)})) surface.on(event, transform(next));
  surface.interceptTool("*", { enter: next, exit: next });
}`,
  python: `
import json
from induscode.addons import InterceptorStage, TransformHandler
circle = {}
circle["circle"] = circle
VALUES = json.loads(${literal(VALUES)}) + [float("nan"), float("inf"), object(), {1, 2}, b"bytes", circle, (1, 2), {1: 2}, lambda: 1, "\\ud800"]
at = -1
def following(given):
    global at
    at += 1
    return VALUES[at % len(VALUES)]
def register(surface):
    for event in json.loads(${literal(HOOK_EVENTS)}):
        surface.on(event, TransformHandler(following))
    surface.intercept_tool("*", InterceptorStage(enter=following, exit=following))
    return None
`,
};

/** Each value in the place that the protocol has for it, and each fifth as the whole answer. */
const PROCESS = [
  'if method == "describe": answer(id, {"protocol": 1, **REGISTRATION}); continue',
  'if method == "dispose": answer(id, {}); break',
  "AT += 1",
  "value = VALUES[AT % len(VALUES)]",
  "if AT % 5 == 4: answer(id, value)",
  'elif method == "event": answer(id, {"payload": value})',
  'elif method == "exit": answer(id, {"result": value})',
  "else: answer(id, value)",
].join("\n");

const WASM = [
  `if (message.includes('"method":"describe"')) return result(message, ${literal({ protocol: 1, ...REGISTRATION })});`,
  "const value = VALUES[AT++ % VALUES.length];",
  "if (AT % 5 == 4) return result(message, value);",
  `if (message.includes('"method":"event"')) return result(message, '{"payload":' + value + "}");`,
  `if (message.includes('"method":"exit"')) return result(message, '{"result":' + value + "}");`,
  "return result(message, value);",
].join("\n");

async function programOf(kind: AnsweringKind) {
  const folder = createFolder();
  const write = (name: string, content: string | Uint8Array): string => {
    const path = join(folder, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, content);
    return path;
  };
  if (kind === "ts") {
    const source = sourceAt(write("answers.ts", SOURCES.ts));
    return (await describeModule(source, { home: createFolder(), compiler: TEST_COMPILER })).program(
      NOTHING_ADMITTED,
    );
  }
  if (kind === "python") {
    const described = await describePython(sourceAt(write("answers.py", SOURCES.python)));
    return described.program(NOTHING_ADMITTED);
  }
  const source = sourceAt(join(folder, "answers"));
  if (kind === "process") {
    write("answers/manifest.toml", rawManifest("answers", REGISTRATION));
    write("answers/addon.py", rawProgram(PROCESS, `VALUES = json.loads(${literal(VALUES)})\nAT = -1`));
    return describeProcess(source, (await readManifest(source)).descriptor as never).program(
      NOTHING_ADMITTED,
    );
  }
  write("answers/manifest.toml", 'id = "answers"\n[run]\nwasm = "answers.wasm"\n');
  const table = `let AT: i32 = 0;\nconst VALUES: string[] = [${VALUES.map(literal).join(",")}];`;
  write("answers/answers.wasm", await compileReply(WASM, ["--maximumMemory", "256"], table));
  return (await describeWasm(source, (await readManifest(source)).descriptor)).program(NOTHING_ADMITTED);
}

const OPTIONS = { acknowledgeMs: 60_000, answerMs: 120_000 };
/** Some fifty returns each. FUZZ_SESSIONS asks for more. */
const SESSIONS = Number(process.env.FUZZ_SESSIONS ?? (isLong ? 100 : 8));

const tally: Record<string, { returns: number; faults: number; changes: number; sessions: number }> = {};
afterAll(() => {
  if (SESSIONS > 8) console.log(JSON.stringify(tally));
});

it.each(ANSWERING_KINDS)(
  "what a real addon (%s) returns breaks no session, and no log",
  { timeout: 3_600_000 },
  async (kind) => {
    needs("python3");
    const { argv, cwd } = await programOf(kind);
    const observations = { stray: [], wrong: [], slow: [], brokenCalls: new Set<string>() };
    const program = startSession(
      { argv, cwd: cwd ?? tmpdir() },
      { options: OPTIONS as never, observations, host: "refuses" },
    );
    const count = { returns: 0, faults: 0, changes: 0, sessions: 0 };
    tally[kind] = count;

    const ask = async (method: "event" | "enter" | "exit", params: JsonObject): Promise<JsonObject> => {
      count.returns++;
      const answer = await program.ask(method, params);
      if (answer.kind === "none") throw new Error(`the program is gone: ${answer.why}`);
      if (answer.kind === "error") throw new Error(answer.message);
      const problem = checkResult(method, answer.result);
      if (problem !== undefined) throw new Error(problem);
      return (withoutNulls(method, answer.result) ?? {}) as JsonObject;
    };

    try {
      const protocol = { min: 1, max: 1 };
      const described = await program.ask("describe", { protocol, id: "answers", cwd: "/w", grants: [] });
      if (described.kind !== "result") throw new Error(`${JSON.stringify(described)} ${program.errorText()}`);
      const { handlers = [] } = described.result as unknown as Registration;
      const feature = "project:answers" as const;
      const subscriptions = handlers.map(({ event }, handler) => ({
        feature,
        event,
        handler: {
          kind: "transform",
          isRemote: true,
          run: async (payload: unknown, context: HandlerContext) => {
            const read = await ask("event", {
              handler,
              event,
              payload: JSON.parse(JSON.stringify(payload)) as JsonObject,
            });
            context.check?.(read.payload);
            return read.payload;
          },
        },
      })) as unknown as readonly EventSubscription[];
      const interceptor: ToolInterceptor = {
        feature,
        match: "*",
        isRemote: true,
        enter: async ({ tool, callId, args }, context) => {
          const read = await ask("enter", { interceptor: 0, tool, callId, args });
          context.check?.(read);
          return read as never;
        },
        exit: async ({ tool, callId, args, result }, context) => {
          const read = await ask("exit", {
            interceptor: 0,
            tool,
            callId,
            args,
            result: result as unknown as JsonObject,
          });
          context.check?.(read.result);
          return read.result as never;
        },
      };
      for (; count.sessions < SESSIONS; count.sessions++) {
        const hooks = createHooks(
          { subscriptions, interceptors: [interceptor] },
          {
            deadlineMs: 120_000,
            onGateFailure: "allow",
            onFault: ({ owner }) => {
              count.faults++;
              expect(owner).toBe(feature);
            },
          },
        );
        const ran = await playSession({ dispatcher: hooks.dispatcher, runTool: toolRunner(hooks) });
        expect(ran.refusals).toEqual([]);
        expect(ran.end.kind === "faulted" ? ran.end.fault : ran.end.kind).toBe("complete");
        expect(ran.compactFault).toBeUndefined();
        expect(findLogProblems(ran.log, verifyEntries(ran.log.entries))).toEqual([]);
        count.changes += ran.log.entries.filter((entry) => "changes" in entry).length;
      }
      expect(program.ended()).toBeUndefined();
      expect({ stray: observations.stray, wrong: program.wrong }).toEqual({ stray: [], wrong: [] });
      // So that nobody takes it for one that draws only what is refused, or only what is not.
      expect(Math.min(count.returns, count.faults, count.changes)).toBeGreaterThan(0);
    } finally {
      await program.stop();
    }
  },
);
