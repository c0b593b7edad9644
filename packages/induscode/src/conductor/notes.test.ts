import { expect, it } from "vitest";
import type { EntryBody } from "./contract.ts";
import { createNotes } from "./notes.ts";
import type { SessionRecord } from "./record.ts";

/** A record that remembers what was logged. */
function loggedBy(): Pick<SessionRecord, "append"> & { readonly bodies: readonly EntryBody[] } {
  const bodies: EntryBody[] = [];
  const append = (body: EntryBody): unknown => bodies.push(body);
  return { bodies, append: append as SessionRecord["append"] };
}

const plan = (isPlanning: boolean): EntryBody => ({ type: "plan", isPlanning });

it("a note, before the person's first line, waits for that line", () => {
  const record = loggedBy();
  const notes = createNotes(record, false);
  notes.add(plan(true));
  expect([notes.hasBegun(), record.bodies]).toEqual([false, []]);
  notes.begin();
  notes.logEarly();
  notes.add(plan(false));
  expect([notes.hasBegun(), record.bodies]).toEqual([true, [plan(true), plan(false)]]);
});

it("a feature's delegate, before the person's first line, is logged at once: it costs something", () => {
  const record = loggedBy();
  const notes = createNotes(record, false);
  const delegate: EntryBody = { type: "delegate", id: "d1", agent: "a", session: "s", status: "working" };
  notes.add(delegate);
  notes.add({ ...delegate, by: "project:x" });
  expect(record.bodies).toEqual([{ ...delegate, by: "project:x" }]);
});

it("notes, before the first line, are kept up to 1000; another session starts without them", () => {
  const record = loggedBy();
  const notes = createNotes(record, false);
  for (let at = 0; at < 1_500; at++) notes.add(plan(true));
  notes.logEarly();
  expect(record.bodies).toHaveLength(1_000);
  notes.add(plan(true));
  notes.restart(false);
  notes.logEarly();
  expect(record.bodies).toHaveLength(1_000);
});
