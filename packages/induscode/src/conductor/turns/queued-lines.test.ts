import { expect, it } from "vitest";
import type { ConductorEvent, EntryBody, UserContent } from "../contract.ts";
import { LogError } from "../log.ts";
import type { SessionRecord } from "../record.ts";
import { createQueuedLines } from "./queued-lines.ts";

/** A record that remembers what was logged and sent; `isFull`: it can log nothing. */
function recordThat({ isFull = false }: { readonly isFull?: boolean } = {}) {
  const bodies: EntryBody[] = [];
  const events: ConductorEvent[] = [];
  const append = (body: EntryBody): unknown => {
    if (isFull) throw new LogError("disk full");
    return { ...body, at: 0, n: bodies.push(body) };
  };
  const record: Pick<SessionRecord, "append" | "emit"> = {
    append: append as SessionRecord["append"],
    emit: (event) => void events.push(event),
  };
  return { record, bodies, events };
}

const line = (text: string): UserContent => [{ kind: "text", text }];

it("a queued line is logged, joins in order, and is vetoed in the log when it is taken back", () => {
  const { record, bodies } = recordThat();
  const lines = createQueuedLines(record, [{ content: line("resumed"), n: 7 }]);
  const [kept, unwanted] = [line("kept"), line("unwanted")];
  lines.add(kept, true);
  lines.add(unwanted, true);
  lines.takeBack([unwanted]);
  expect(lines.all()).toEqual([line("resumed"), kept]);
  expect(bodies.at(-1)).toEqual({
    type: "veto",
    event: "input:submit",
    by: { feature: "person" },
    reason: "taken back",
    queued: 2,
  });
  expect([lines.take(), lines.take(), lines.take()]).toEqual([
    { content: line("resumed"), n: 7 },
    { content: kept, n: 1 },
    undefined,
  ]);
});

it("a queued line, in a session that has not begun, is not logged", () => {
  const { record, bodies } = recordThat();
  const lines = createQueuedLines(record, []);
  lines.add(line("a"), false);
  lines.takeBack(lines.all());
  expect([bodies, lines.all()]).toEqual([[], []]);
});

it("a queued line, where logging fails, is a fault and joins all the same", () => {
  const { record, events } = recordThat({ isFull: true });
  const lines = createQueuedLines(record, []);
  lines.add(line("a"), true);
  expect(events).toMatchObject([{ kind: "fault", fault: { kind: "log", message: "disk full" } }]);
  expect(lines.take()).toEqual({ content: line("a") });
});
