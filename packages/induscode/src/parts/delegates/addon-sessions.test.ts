import { Aborted } from "indusagi/core";
import { expect, it } from "vitest";
import { untilHolds } from "../../../../../tests/support/until.ts";
import { type AddonSessionsDeps, createAddonSessions } from "./addon-sessions.ts";
import type { DelegateReport } from "./delegate-desk.ts";

const DONE: DelegateReport = { ok: true, report: "Found.", turns: 1, cost: 0 };
const LOOK = { agent: "scout", objective: "Look." } as const;

function scene(given: Partial<AddonSessionsDeps> = {}) {
  const ends: ((report: DelegateReport) => void)[] = [];
  const log: string[] = [];
  const closed: string[] = [];
  let leave = async (_feature: string): Promise<void> => undefined;
  const sessions = createAddonSessions({
    employ: (_work, _isUnattended, author) => ({
      sessionId: author?.sessionId ?? `of ${author?.feature}`,
      facts: () => ({ turns: 1, tokens: 2, cost: 0, lastWords: "" }),
      steer: () => undefined,
      submit: (_text, signal) =>
        new Promise((resolve, reject) => {
          ends.push(resolve);
          signal.addEventListener("abort", () => reject(new Aborted()), { once: true });
        }),
      close: async () => void closed.push(author?.feature ?? ""),
    }),
    note: ({ id, status, by, deed = "" }) => void log.push(`${by} ${id} ${status} ${deed}`.trim()),
    before: () => [],
    roles: [
      { name: "scout", toolCollection: "read-only" },
      { name: "coder", toolCollection: "coding" },
    ],
    oneByOne: false,
    elsewhere: () => 0,
    permits: async () => undefined,
    alert: () => undefined,
    onRemoved: (listener) => {
      leave = listener;
      return Object.assign(() => undefined, { [Symbol.dispose]: () => undefined });
    },
    ...given,
  });
  return { sessions, log, closed, ends, leave: (feature: string) => leave(feature) };
}

it("no addon sees another's sessions, whatever id it names", async () => {
  const { sessions } = scene();
  const [a, b] = [sessions.of("project:a"), sessions.of("project:b")];
  await a.spawn(LOOK);
  expect(await b.list()).toEqual([]);
  for (const ask of [b.stop("session-1"), b.wait("session-1"), b.message("session-1", "x")])
    await expect(ask).rejects.toThrow('background session not found: "session-1"; there are none');
  await expect(b.restore("session-1", "x")).rejects.toThrow("there are none");
  expect(await a.list()).toMatchObject([{ id: "session-1", agent: "scout", state: "working" }]);
});

it("the person sees each addon's, writes to one and stops one, by the addon's name", async () => {
  const { sessions } = scene();
  await sessions.of("project:a").spawn(LOOK);
  await sessions.of("project:b").spawn(LOOK);
  expect(sessions.list().map(({ id }) => id)).toEqual(["project:a/session-1", "project:b/session-1"]);
  expect(sessions.send("project:a/session-1", "Look closer.")).toMatchObject({ state: "working" });
  await sessions.stop("project:b/session-1");
  expect(sessions.list().map(({ state }) => state)).toEqual(["working", "stopped"]);
  for (const id of ["session-1", "/session-1", "project:c/session-1"])
    expect(() => sessions.send(id, "x")).toThrow(`no addon has a session "${id}"`);
});

it("sessions end with the process that began them or had them go on, and can be restored by the next one", async () => {
  const { sessions, log } = scene();
  const own = sessions.of("project:a");
  const [first, second] = [new AbortController(), new AbortController()];
  await own.spawn(LOOK, undefined, first.signal);
  await own.spawn({ ...LOOK, outlives: true }, undefined, first.signal);
  const states = async (): Promise<readonly string[]> => (await own.list()).map(({ state }) => state);
  first.abort();
  await untilHolds(async () => expect(await states()).toEqual(["stopped", "working"]));
  await own.restore("session-1", "Go on.", second.signal);
  expect(await states()).toEqual(["working", "working"]);
  second.abort();
  await untilHolds(async () => expect(await states()).toEqual(["stopped", "working"]));
  await own.spawn(LOOK, undefined, second.signal); // requested by a process that ended meanwhile
  await untilHolds(async () => expect(await states()).toEqual(["stopped", "working", "stopped"]));
  expect(log.filter((line) => line.includes("session-1"))).toEqual([
    "project:a session-1 working spawn",
    "project:a session-1 stopped",
    "project:a session-1 working restore",
    "project:a session-1 stopped",
  ]);
});

it("sessions end with their addon, but for those that are to outlive it; another's go on", async () => {
  const { sessions, leave, closed, log } = scene();
  const [a, b] = [sessions.of("project:a"), sessions.of("project:b")];
  await a.spawn(LOOK);
  await a.spawn({ ...LOOK, outlives: true });
  await b.spawn(LOOK);
  await leave("project:a");
  expect((await a.list()).map(({ id, state }) => `${id} ${state}`)).toEqual(["session-2 working"]);
  expect(await b.list()).toMatchObject([{ state: "working" }]);
  expect(closed).toEqual(["project:a"]);
  expect(log.at(-1)).toBe("project:a session-1 stopped");
  expect(await sessions.close()).toBe(2);
});

it("words reach one at work, and one that has ended goes on; each deed is noted under the addon's name", async () => {
  const { sessions, ends, log } = scene();
  const a = sessions.of("project:a");
  await a.spawn(LOOK);
  await expect(a.restore("session-1", "x")).rejects.toThrow("session-1 is working; send it a message");
  await a.message("session-1", "Look closer.");
  ends[0]?.(DONE);
  expect(await a.wait("session-1")).toMatchObject({ state: "done", said: "Found." });
  await expect(a.message("session-1", "x")).rejects.toThrow("session-1 has ended: done; restore it");
  await a.restore("session-1", "Go on.");
  await a.stop("session-1");
  await untilHolds(() => expect(log).toHaveLength(5));
  expect(log).toEqual(
    ["working spawn", "working message", "done", "working restore", "stopped"].map(
      (what) => `project:a session-1 ${what}`,
    ),
  );
});

it("limits add up: what all addons and the session itself have at work is bounded together", async () => {
  let own = 0;
  const { sessions } = scene({ elsewhere: () => own });
  for (let at = 0; at < 7; at++) await sessions.of(`project:${at}`).spawn(LOOK);
  own = 1;
  await expect(sessions.of("project:x").spawn(LOOK)).rejects.toThrow("at most 8 delegates and sessions work");
  own = 0;
  await expect(sessions.of("project:x").spawn(LOOK)).resolves.toBe("session-1");
});

it("who works is one that only reads, and one whom the session would hand work to", async () => {
  const { sessions, log } = scene({ permits: async () => "a rule forbids it" });
  const a = sessions.of("project:a");
  await expect(a.spawn({ ...LOOK, agent: "coder" })).rejects.toThrow(
    "expected agent to be one of scout, found coder, which may change files while the session uses them",
  );
  await expect(a.spawn({ ...LOOK, agent: "nobody" })).rejects.toThrow(/one of scout, found nobody$/);
  await expect(a.spawn(LOOK)).rejects.toThrow("it may not delegate to scout, because a rule forbids it");
  expect(log).toEqual([]);
  const recorded = scene({ oneByOne: true }).sessions.of("project:a");
  await expect(recorded.spawn(LOOK)).rejects.toThrow("a recording runs nothing in the background");
});

it("those of earlier runs are listed and go on under their ids, and no new one gets such an id", async () => {
  const logged = (id: string, by: string, status: "working" | "done") =>
    ({ type: "delegate", id, agent: "scout", session: `log of ${id}`, status, by }) as const;
  const { sessions, log } = scene({
    before: () => [
      logged("session-1", "project:a", "done"),
      logged("session-2", "project:a", "working"),
      logged("session-7", "project:b", "done"),
    ],
  });
  const a = sessions.of("project:a");
  expect((await a.list()).map(({ id, state }) => `${id} ${state}`)).toEqual([
    "session-1 done",
    "session-2 stopped",
  ]);
  await expect(a.restore("session-7", "x")).rejects.toThrow('background session not found: "session-7"');
  await a.restore("session-2", "Go on.");
  expect(await a.spawn(LOOK)).toBe("session-3");
  expect((await a.list()).map(({ id, state }) => `${id} ${state}`)).toEqual([
    "session-1 done",
    "session-2 working",
    "session-3 working",
  ]);
  expect(log[0]).toBe("project:a session-2 working restore");
});
