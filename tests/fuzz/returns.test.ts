// Whatever handlers return, at each event, in this process and as an addon's process answers: no host error, no request that
// a provider would refuse, no request beyond the budget, and a log that explains every request.

import * as util from "node:util";
import { afterAll, expect, it } from "vitest";
import type { JsonValue } from "../../packages/indusagi/src/core/json-schema.ts";
import { checkResult, withoutNulls } from "../../packages/induscode/src/addons/protocol/check-message.ts";
import { findLogProblems, verifyEntries } from "../../packages/induscode/src/conductor/verify.ts";
import type { Deck } from "../../packages/induscode/src/deck/contract.ts";
import type {
  EventSubscription,
  HandlerContext,
  HookDispatch,
  ToolInterceptor,
} from "../../packages/induscode/src/feature/contract.ts";
import { HOOK_EVENTS, type HookEvent } from "../../packages/induscode/src/feature/events.ts";
import { MAX_GROWTH_BYTES } from "../../packages/induscode/src/feature/handler-limits.ts";
import { createHooks } from "../../packages/induscode/src/feature/hooks.ts";
import * as fc from "../support/fast-check.ts";
import { isLong } from "../support/long-form.ts";
import { jsonOf } from "./inputs.ts";
import { property, watchPrototypes } from "./property.ts";
import { playSession } from "./returns-session.ts";
import { toolRunner } from "./returns-tools.ts";

watchPrototypes();

/** What a handler does with what it was handed. */
type Deed =
  | { readonly kind: "value"; readonly value: unknown }
  /** Its own payload, with values put somewhere into it, taken out or doubled. */
  | { readonly kind: "mutated"; readonly edits: readonly Edit[] }
  /** A change that may be made. */
  | { readonly kind: "fitting" }
  | { readonly kind: "throws" };

interface Edit {
  /** Chooses the place: at each level one of the keys there. */
  readonly path: readonly number[];
  readonly how: "put" | "delete" | "double" | "reverse" | "add";
  readonly key: string;
  readonly value: unknown;
}

const KEYS = [
  ...["message", "messages", "content", "role", "kind", "type", "text", "id", "name", "input", "callId"],
  ...["params", "temperature", "maxOutputTokens", "thinking", "env", "args", "summary", "isError", "stop"],
  ...["reason", "result", "value", "delegate", "provider", "signature", "sessionId"],
];
const circle: Record<string, unknown> = {};
circle.circle = circle;
Object.freeze(circle);
const HOSTILE: readonly unknown[] = [
  ...[undefined, null, Number.NaN, Infinity, 1n, Symbol("s"), () => "text", circle, new Date(0), new Map()],
  ...["", " ", "\0", "\ud800", "x".repeat(MAX_GROWTH_BYTES + 1), "[]", [], {}, [[]], [null], "user", "tool"],
  ...["assistant", "text", "tool_call", "c1", -1, 0, 3, 1e9],
  { kind: "text", text: "a" },
  { type: "text", text: "b" },
  { role: "user", content: "c" },
  { role: "assistant", content: [] },
  { kind: "tool_call", id: "c1", name: "bash", input: {} },
  { role: "tool", callId: "c1", name: "read", text: "t", isError: false },
  {
    get text() {
      throw new Error("not to be read");
    },
  },
  {
    toJSON() {
      throw new Error("not to be written");
    },
  },
  { toJSON: () => undefined },
  new Proxy({}, { ownKeys: () => ["a", "a"] }),
];
for (const value of HOSTILE) if (!util.types.isProxy(value)) Object.freeze(value); // no run is to leave anything in them
const hostile = fc.constantFrom<unknown>(...HOSTILE);
const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 2, arbitrary: hostile },
  { weight: 1, arbitrary: jsonOf(KEYS) },
);
const edit: fc.Arbitrary<Edit> = fc.record({
  path: fc.array(fc.nat(9), { maxLength: 5 }),
  how: fc.constantFrom("put", "put", "put", "delete", "double", "reverse", "add"),
  key: fc.constantFrom(...KEYS),
  value: anyValue,
});
const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("mutated" as const), edits: fc.array(edit, { maxLength: 3 }) }),
  },
  { weight: 2, arbitrary: anyValue.map((value) => ({ kind: "value" as const, value })) },
  { weight: 2, arbitrary: fc.constant({ kind: "fitting" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "throws" as const }) },
);

const STAGES = ["enter", "exit"] as const;
type Place = HookEvent | (typeof STAGES)[number];
const PLACES: readonly Place[] = [...HOOK_EVENTS, ...STAGES];

/** For each event and stage a few returns, one after the other. */
const deeds = fc.record(
  Object.fromEntries(PLACES.map((place) => [place, fc.array(deed, { minLength: 1, maxLength: 3 })])),
) as fc.Arbitrary<Readonly<Record<Place, readonly Deed[]>>>;

function perform(given: unknown, todo: Deed): unknown {
  if (todo.kind === "throws") throw new Error("boom");
  if (todo.kind === "value") return todo.value;
  if (todo.kind === "fitting") return fitting(given as Readonly<Record<string, unknown>>);
  const copy = structuredClone(given) as Record<string, unknown>;
  for (const each of todo.edits) apply(copy, each);
  return copy;
}

function fitting(given: Readonly<Record<string, unknown>>): unknown {
  const { text, summary, messages, message, params, env, args, content } = given;
  if (typeof text === "string") return { text: `${text}!` };
  if (typeof summary === "string") return { summary: `${summary}!` };
  if (messages) return { messages: [...(messages as readonly unknown[]), { role: "user", content: "!" }] };
  if (message) return { message: { content: "!" } };
  if (params) return { temperature: 0.5 };
  if (env) return { env: { A: "!" } };
  if (content) return { content: "!" };
  return args ? { args: { path: "!" } } : null;
}

function apply(root: object, { path, how, key, value }: Edit): void {
  let holder = root as Record<string, unknown>;
  let at = "";
  for (const step of path) {
    const keys = Object.keys(holder);
    if (keys.length === 0) break;
    at = keys[step % keys.length] ?? "";
    const below = holder[at];
    if (typeof below !== "object" || below === null || step === 9) break;
    holder = below as Record<string, unknown>;
  }
  if (Object.isFrozen(holder)) return;
  const list = Array.isArray(holder) ? holder : undefined;
  if (how === "add") list ? list.push(value) : Reflect.set(holder, key, value);
  else if (how === "double" && list) list.push(...list);
  else if (how === "reverse" && list) list.reverse();
  else if (how === "delete") list ? list.splice(0, 1) : Reflect.deleteProperty(holder, at);
  else if (at !== "" && Object.hasOwn(holder, at)) Reflect.set(holder, at, value);
}

/** As an addon's process answers: written as JSON, held against the protocol, then against what was asked. */
function throughProcess(
  method: "event" | "enter" | "exit",
  answer: object,
  { check }: HandlerContext,
  key?: string,
) {
  const text = JSON.stringify(answer);
  if (text === undefined || text.length > 8 * 1024 * 1024) throw new Error("it cannot be sent");
  const result = JSON.parse(text) as JsonValue;
  const problem = checkResult(method, result);
  if (problem !== undefined) throw new Error(problem);
  const read = withoutNulls(method, result) as Readonly<Record<string, unknown>>;
  const returned = key === undefined ? read : read[key];
  check?.(returned);
  return returned;
}

/** So that nobody takes a fuzzer for one that draws only what is refused, or only what is not. */
const tally = { returns: 0, changes: 0, faults: 0, sessions: 0 };
/** How many returns of each place were played, in this process and as a process answers. */
const played = new Map<string, number>();
afterAll(() => {
  for (const count of Object.values(tally)) expect(count).toBeGreaterThan(10);
  if (!isLong) return;
  console.log(JSON.stringify({ ...tally, played: Object.fromEntries([...played].sort()) }));
  expect(tally.returns).toBeGreaterThan(100_000);
  if (Number(process.env.FUZZ_RUNS ?? 0) < 40_000) return;
  for (const [way, count] of played) expect([way, count >= 100_000]).toEqual([way, true]);
});

type Todo = Readonly<Record<Place, readonly Deed[]>>;

async function runSession(todo: Todo, isRemote: boolean): Promise<void> {
  const counts = new Map<Place, number>();
  const next = (place: Place): Deed => {
    const count = counts.get(place) ?? 0;
    counts.set(place, count + 1);
    tally.returns++;
    const way = `${place} ${isRemote ? "remote" : "here"}`;
    played.set(way, (played.get(way) ?? 0) + 1);
    return todo[place][count % todo[place].length] as Deed;
  };
  const feature = "project:fuzz" as const;
  const subscriptions = HOOK_EVENTS.flatMap((event) =>
    (["transform", "gate", "observe"] as const).map((kind) => ({
      feature,
      event,
      handler: {
        kind,
        ...(isRemote ? { isRemote } : {}),
        run: (given: unknown, context: HandlerContext) => {
          const returned = perform(given, next(event));
          // A gate that stops would end most runs at once.
          const answer = kind === "gate" && isStop(returned) ? { ...returned, stop: "no" } : returned;
          if (!isRemote || kind === "observe") return answer;
          if (kind === "gate") return throughProcess("event", answer as object, context);
          return throughProcess("event", { payload: answer }, context, "payload");
        },
      },
    })),
  ) as unknown as readonly EventSubscription[];
  const interceptor: ToolInterceptor = {
    feature,
    match: "*",
    ...(isRemote ? { isRemote } : {}),
    enter: (given, context) => {
      const returned = perform({ args: given.args }, next("enter")) as never;
      return (isRemote ? throughProcess("enter", returned, context) : returned) as never;
    },
    exit: (given, context) => {
      const returned = perform(given.result, next("exit"));
      return (isRemote ? throughProcess("exit", { result: returned }, context, "result") : returned) as never;
    },
  };
  const hooks = createHooks(
    { subscriptions, interceptors: [interceptor] },
    {
      deadlineMs: 10_000,
      onGateFailure: "allow",
      onFault: ({ owner }) => {
        tally.faults++;
        expect(owner).toBe(feature);
      },
    },
  );
  const ran = await playSession({ dispatcher: hooks.dispatcher, runTool: toolRunner(hooks) });
  tally.sessions++;
  tally.changes += ran.log.entries.filter((entry) => "changes" in entry).length;
  expect(ran.refusals).toEqual([]);
  expect(ran.end.kind === "faulted" ? ran.end.fault : ran.end.kind).toBe("complete");
  expect(ran.compactFault).toBeUndefined();
  expect(findLogProblems(ran.log, verifyEntries(ran.log.entries))).toEqual([]);
  // One feature may add so much in a turn, and as much again to one request; JSON in JSON escapes a character as six.
  expect(Math.max(...ran.requestBytes)).toBeLessThan(6 * 2 * MAX_GROWTH_BYTES + 10_000);
}

function isStop(returned: unknown): returned is { readonly stop: true } {
  try {
    return (returned as { readonly stop?: unknown } | undefined)?.stop === true;
  } catch {
    return false;
  }
}

// One session plays some forty returns; in the long form the two together play more than 100,000.
const cost = isLong ? 1.2 : 15;
property("what handlers in this process return", deeds, (todo) => runSession(todo, false), { cost });
property("what an addon's process answers", deeds, (todo) => runSession(todo, true), { cost });

it.each<readonly [HookEvent, object]>([
  ["chat:message", { message: { content: "text" } }],
  ["context:build", { messages: [{ role: "user" }] }],
  ["chat:params", { params: null }],
])("the twin: a session that takes what %s returned as it is does not end well", async (event, returned) => {
  const dispatcher: HookDispatch = {
    has: (asked) => asked === event,
    settled: async () => undefined,
    dispatch: async (asked, payload) =>
      asked === event
        ? { payload: returned as never, changedBy: [{ feature: "project:fuzz" }] }
        : { payload, changedBy: [] },
  };
  const runTool: Deck["run"] = async ({ id }) => ({
    id,
    output: "seen",
    text: "seen",
    isError: false,
    state: "ok",
  });
  const ended = await playSession({ dispatcher, runTool }).then(
    ({ end }) => end.kind,
    () => "rejected",
  );
  expect(ended).not.toBe("complete");
});
