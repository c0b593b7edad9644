// Returns of handlers in this process and as an addon's process answers, very many: `MANY_RETURNS=100000` has each event and stage
// return so often. The properties of returns.test.ts draw fewer and stranger ones.

import { inspect } from "node:util";
import { expect, it } from "vitest";
import { isLong } from "../support/long-form.ts";
import { playMany, type Way } from "./many-returns.ts";
import { watchPrototypes } from "./property.ts";
import { isStop, perform, throughProcess } from "./returns-deeds.ts";

watchPrototypes();

const LEAST = Number(process.env.MANY_RETURNS ?? (isLong ? 3_000 : 100));
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_122);
const KINDS = ["transform", "gate", "observe"] as const;

/** What a gate that stops would end is most of a session. */
const harmless = (kind: string, returned: unknown): unknown =>
  kind === "gate" && isStop(returned) ? { ...(returned as object), stop: "no" } : returned;

const HERE: Way = {
  name: "handlers in this process",
  isRemote: false,
  kinds: KINDS,
  answer: ({ place, kind, given, deed }) => {
    const told = given as { readonly args?: unknown; readonly result?: unknown };
    if (place === "enter") return perform({ args: told.args }, deed);
    return harmless(kind, perform(place === "exit" ? told.result : given, deed));
  },
};

const ANSWERED: Way = {
  name: "answers of an addon's process",
  isRemote: true,
  kinds: KINDS,
  answer: ({ place, kind, given, context, deed }) => {
    const returned = HERE.answer({ place, kind, given, context, deed, handler: 0, nth: 0 });
    if (kind === "observe") return returned;
    if (place === "enter") return throughProcess("enter", returned as object, context);
    if (place === "exit") return throughProcess("exit", { result: returned }, context, "result");
    if (kind === "gate") return throughProcess("event", returned as object, context);
    return throughProcess("event", { payload: returned }, context, "payload");
  },
};

it.each([HERE, ANSWERED])("$name break no session, and no log", { timeout: 0 }, async (way) => {
  const tally = await playMany(way, LEAST, SEED);
  if (LEAST > 100) console.log(`${way.name}: ${JSON.stringify(tally)}`);
  expect(Math.min(tally.returns, tally.faults, tally.changes)).toBeGreaterThan(10);
});

it("twin: what does harm is found among thousands, made small and named", { timeout: 0 }, async () => {
  let found = false;
  const way: Way = {
    ...HERE,
    name: "a session that cannot bear one word",
    answer: (asked) => {
      const returned = HERE.answer(asked);
      if (asked.place === "tool:after" && inspect(asked.deed, { depth: 12 }).includes("callId")) found = true;
      return returned;
    },
    ready: async () => {
      found = false;
    },
    check: () => {
      if (found) throw new Error("it broke");
    },
  };
  const told = await playMany(way, 5_000, SEED).then(
    () => "nothing",
    (error: unknown) => (error as Error).message,
  );
  expect(told).toMatch(/of \d{3,} returns these do it:\ntool:after#\d+: \{.*\}\n\nit broke$/s);
  expect(told.match(/^\S+#\d+: /gm)).toHaveLength(1);
});
