// Whatever handlers return, at each event, in this process and as an addon's process answers: no host error, no request that
// a provider would refuse, no request beyond the budget, and a log that explains every request.

import { expect, it } from "vitest";
import { findLogProblems, verifyEntries } from "../../packages/induscode/src/conductor/verify.ts";
import type { Deck } from "../../packages/induscode/src/deck/contract.ts";
import { createHooks } from "../../packages/induscode/src/feature/dispatch/hooks.ts";
import { HOOK_EVENTS, type HookEvent } from "../../packages/induscode/src/feature/events.ts";
import type {
  EventSubscription,
  HookDispatch,
  HostHandlerContext,
} from "../../packages/induscode/src/feature/handler.ts";
import { MAX_GROWTH_BYTES } from "../../packages/induscode/src/feature/handler-limits.ts";
import type { ToolInterceptor } from "../../packages/induscode/src/feature/interceptor.ts";
import * as fc from "../support/fast-check.ts";
import { jsonOf } from "./inputs.ts";
import { property, watchPrototypes } from "./property.ts";
import {
  type Deed,
  type Edit,
  HOSTILE,
  isStop,
  KEYS,
  PLACES,
  type Place,
  perform,
  throughProcess,
} from "./returns-deeds.ts";
import { playSession } from "./returns-session.ts";
import { toolRunner } from "./returns-tools.ts";

watchPrototypes();

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

/** For each event and stage a few returns, one after the other. */
const deeds = fc.record(
  Object.fromEntries(PLACES.map((place) => [place, fc.array(deed, { minLength: 1, maxLength: 3 })])),
) as fc.Arbitrary<Readonly<Record<Place, readonly Deed[]>>>;

const tally = { returns: 0, changes: 0, faults: 0, sessions: 0 };

type Todo = Readonly<Record<Place, readonly Deed[]>>;

async function runSession(todo: Todo, isRemote: boolean): Promise<void> {
  const counts = new Map<Place, number>();
  const next = (place: Place): Deed => {
    const count = counts.get(place) ?? 0;
    counts.set(place, count + 1);
    tally.returns++;
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
        run: (given: unknown, context: HostHandlerContext) => {
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

// One session plays some forty returns; many-returns.test.ts plays very many of them.
const cost = 15;
property("what handlers in this process return", deeds, (todo) => runSession(todo, false), { cost });
property("what an addon's process answers", deeds, (todo) => runSession(todo, true), { cost });

// So that nobody takes this for a fuzzer that draws only what is refused, or only what is not.
it("both drew enough of each kind", () => {
  for (const count of Object.values(tally)) expect(count).toBeGreaterThan(5);
});

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
