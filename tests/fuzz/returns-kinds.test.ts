// What real addons of each kind return, through their own runners and pipes: a whole session each time, with a fresh log. No host error,
// no refused request, no damaged log; what does not fit is that addon's fault and changes nothing.

import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../packages/indusagi/src/core/schema/json-schema.ts";
import { depthOf } from "../../packages/indusagi/src/llmgateway/loose-json.ts";
import { readManifest } from "../../packages/induscode/src/addons/kinds/declarative-loader.ts";
import { describeModule } from "../../packages/induscode/src/addons/kinds/module.ts";
import { describeProcess } from "../../packages/induscode/src/addons/kinds/process.ts";
import { describePython } from "../../packages/induscode/src/addons/kinds/python.ts";
import { describeWasm } from "../../packages/induscode/src/addons/kinds/wasm.ts";
import {
  checkResult,
  withoutNulls,
} from "../../packages/induscode/src/addons/process/protocol/check-message.ts";
import { HOOK_EVENTS, type HookEvent } from "../../packages/induscode/src/feature/events.ts";
import { startSession } from "../../scripts/conformance/session.ts";
import { ANSWERING_KINDS, type AnsweringKind } from "../support/answering-addon.ts";
import { isLong, rows, theFirst } from "../support/long-form.ts";
import { needs } from "../support/needs.ts";
import { rawManifest, rawProgram } from "../support/raw-addon.ts";
import { TEST_COMPILER } from "../support/test-compiler.ts";
import { createFolder, NOTHING_ADMITTED, sourceAt } from "../support/test-folder.ts";
import { compileReply } from "../support/test-wasm.ts";
import { type Asked, handlersAt, playMany, type Way } from "./many-returns.ts";
import { perform } from "./returns-deeds.ts";

const ascii = (text: string): string =>
  text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
/** Its JSON as a text of any of the languages. */
const literal = (value: unknown): string => JSON.stringify(ascii(JSON.stringify(value)));
const KINDS_OF_HANDLER = ["transform"] as const;
/** Every handler of every event, in order; the index of the first of each event. */
const FIRST: Readonly<Record<string, number>> = Object.fromEntries(
  HOOK_EVENTS.map((event, at) => [
    event,
    HOOK_EVENTS.slice(0, at).reduce((sum, before) => sum + handlersAt(before, KINDS_OF_HANDLER), 0),
  ]),
);
const HANDLED: readonly HookEvent[] = HOOK_EVENTS.flatMap((event) =>
  Array.from({ length: handlersAt(event, KINDS_OF_HANDLER) }, () => event),
);
const REGISTRATION = {
  handlers: HANDLED.map((event) => ({ event, kind: "transform" })),
  interceptors: [{ match: "*", enter: true, exit: true }],
};

/**
 * They return what the host drew, which stands beside what they are handed: `fuzz.value`, or for what has no JSON one of the things
 * that only their own language has, the one at `fuzz.own`.
 */
const SOURCES: Readonly<Record<"ts" | "python", string>> = {
  ts: `
import { transform } from "induscode/addons";
const circle: any = {}; circle.circle = circle;
const own: any[] = [undefined, NaN, 1n, Symbol("s"), () => "text", circle, new Date(0), new Map([[1, 2]])];
const drawn = ({ fuzz }: any): any => {
  if (fuzz.throws) throw new Error("boom");
  return fuzz.own === undefined ? fuzz.value : own[fuzz.own];
};
export function register(surface: any) {
  for (const event of JSON.parse(${literal(HANDLED)})) surface.on(event, transform(drawn));
  surface.interceptTool("*", { enter: ({ args }: any) => drawn(args), exit: ({ args }: any) => drawn(args) });
}`,
  python: `
import json
from induscode.addons import InterceptorStage, TransformHandler
circle = {}
circle["circle"] = circle
OWN = [float("nan"), object(), {1, 2}, b"bytes", circle, (1, 2), {1: 2}, "\\ud800"]
def drawn(given):
    fuzz = given["fuzz"]
    if fuzz.get("throws"):
        raise ValueError("boom")
    return OWN[fuzz["own"]] if "own" in fuzz else fuzz["value"]
def register(surface):
    for event in json.loads(${literal(HANDLED)}):
        surface.on(event, TransformHandler(drawn))
    stage = lambda ctx: drawn(ctx.args)
    surface.intercept_tool("*", InterceptorStage(enter=stage, exit=stage))
    return None
`,
};

/** The value in the place that the protocol has for it, or as the whole answer. */
const PROCESS = [
  'if method == "describe": answer(id, {"protocol": 1, **REGISTRATION}); continue',
  'if method == "dispose": answer(id, {}); break',
  'fuzz = (params["payload"] if method == "event" else params["args"])["fuzz"]',
  'value = fuzz.get("value")',
  'if fuzz["whole"]: answer(id, value)',
  'elif method == "event": answer(id, {"payload": value})',
  'elif method == "exit": answer(id, {"result": value})',
  "else: answer(id, value)",
].join("\n");

/** `fuzz` is the last key of the last object of the parameters, and its value the last of its own. */
const WASM = [
  `if (message.includes('"method":"describe"')) return result(message, ${literal({ protocol: 1, ...REGISTRATION })});`,
  'const fuzz = message.lastIndexOf(\'"fuzz":{"whole":\');',
  "const at = message.indexOf('\"value\":', fuzz) + 8;",
  'const value = message.substring(at, message.lastIndexOf("}}}}"));',
  "if (message.substr(fuzz + 16, 4) == 'true') return result(message, value);",
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
    write("answers/manifest.toml", rawManifest("answers", {}));
    write(
      "answers/addon.py",
      rawProgram(PROCESS, `REGISTRATION = json.loads(${literal({ protocol: 1, ...REGISTRATION })})`),
    );
    return describeProcess(source, (await readManifest(source)).descriptor as never).program(
      NOTHING_ADMITTED,
    );
  }
  write("answers/manifest.toml", 'id = "answers"\n[run]\nwasm = "answers.wasm"\n');
  write("answers/answers.wasm", await compileReply(WASM, ["--maximumMemory", "256"]));
  return (await describeWasm(source, (await readManifest(source)).descriptor)).program(NOTHING_ADMITTED);
}

const OPTIONS = { acknowledgeMs: 60_000, answerMs: 120_000 };
const LEAST = Number(process.env.MANY_RETURNS ?? (isLong ? 1_000 : 10));
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_122);
/** What is nested deeper than messages may be is a breach, which ends the process: `answers-deep-json` of tests/isolation. */
const MAX_DEPTH = 100;
/** A module's memory takes in each message and gives none of it back: it begins anew after so many sessions. */
const SESSIONS_OF_ONE_MODULE = 3;

/** What the program is to return of a deed: as JSON, or by the number of a thing of its own language. */
function drawnFor({ place, given, deed, nth }: Asked): JsonObject {
  const told = given as { readonly args?: unknown; readonly result?: unknown };
  const handed = place === "enter" ? { args: told.args } : place === "exit" ? told.result : given;
  const whole = nth % 5 === 4;
  if (deed.kind === "throws") return { whole, throws: true, value: null };
  try {
    const text = JSON.stringify(perform(handed, deed)) as string | undefined;
    if (text !== undefined && depthOf(text) < MAX_DEPTH)
      return { whole, value: JSON.parse(text) as JsonValue };
  } catch {
    // it has no JSON
  }
  return { whole, own: nth % 8, value: null };
}

it.concurrent.each(
  rows(
    ANSWERING_KINDS.filter((kind) => (process.env.FUZZ_KIND ?? kind) === kind),
    theFirst,
  ),
)("what a real addon (%s) returns breaks no session, and no log", { timeout: 0 }, async (kind) => {
  needs("python3");
  const { argv, cwd } = await programOf(kind);
  const observations = { stray: [], wrong: [], slow: [], brokenCalls: new Set<string>() };
  const start = () =>
    startSession(
      { argv, cwd: cwd ?? tmpdir() },
      { options: OPTIONS as never, observations, host: "refuses" },
    );
  let program: ReturnType<typeof start> | undefined;
  let sessions = 0;
  const ask = async (method: "event" | "enter" | "exit", params: JsonObject): Promise<JsonObject> => {
    if (program === undefined) throw new Error("there is no program");
    const answer = await program.ask(method, params);
    if (answer.kind === "none") throw new Error(`the program is gone: ${answer.why}`);
    if (answer.kind === "error") throw new Error(answer.message);
    const problem = checkResult(method, answer.result);
    if (problem !== undefined) throw new Error(problem);
    return (withoutNulls(method, answer.result) ?? {}) as JsonObject;
  };
  const way: Way = {
    name: `an addon of the kind ${kind}`,
    isRemote: true,
    kinds: KINDS_OF_HANDLER,
    async ready() {
      if (
        program !== undefined &&
        program.ended() === undefined &&
        (sessions++ % SESSIONS_OF_ONE_MODULE > 0 || kind !== "wasm")
      )
        return;
      await program?.stop();
      program = start();
      const protocol = { min: 1, max: 1 };
      const described = await program.ask("describe", { protocol, id: "answers", cwd: "/w", grants: [] });
      if (described.kind !== "result") throw new Error(`${JSON.stringify(described)} ${program.errorText()}`);
    },
    async answer(asked) {
      const { place, handler, given, context } = asked;
      const fuzz = drawnFor(asked);
      if (place === "enter" || place === "exit") {
        const { tool, callId, args, result } = JSON.parse(JSON.stringify(given)) as JsonObject;
        const params = {
          interceptor: 0,
          tool,
          callId,
          ...(place === "exit" ? { result } : {}),
          args: { ...(args as JsonObject), fuzz },
        } as unknown as JsonObject;
        const read = await ask(place, params);
        const returned = place === "enter" ? read : read.result;
        context.check?.(returned);
        return returned;
      }
      const payload = { ...(JSON.parse(JSON.stringify(given)) as JsonObject), fuzz };
      const read = await ask("event", { handler: (FIRST[place] ?? 0) + handler, event: place, payload });
      context.check?.(read.payload);
      return read.payload;
    },
    check() {
      expect(program?.ended()).toBeUndefined();
      expect({ stray: observations.stray, wrong: program?.wrong }).toEqual({ stray: [], wrong: [] });
    },
  };
  try {
    const tally = await playMany(way, LEAST, SEED);
    if (LEAST > 40) console.log(`${way.name}: ${JSON.stringify(tally)}`);
    // So that nobody takes it for one that draws only what is refused, or only what is not.
    expect(Math.min(tally.returns, tally.faults, tally.changes)).toBeGreaterThan(0);
  } finally {
    await program?.stop();
  }
});
