import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Board, BoardError } from "./contract.ts";
import { createCrew, DEFAULT_MAX_ROUNDS } from "./crew.ts";
import { createFileBoard } from "./file-board.ts";
import { COORDINATOR, type MemberWork } from "./ticket-work.ts";

function board(): Board {
  const folder = mkdtempSync(join(tmpdir(), "indus-crew-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return createFileBoard({ folder, withLock: async (_path, work) => work(() => true) });
}

const ADA = { name: "ada" };
const BOB = { name: "bob" };
const NEVER = new AbortController().signal;
const doesAll: MemberWork = async ({ name }, { title }) => ({ ok: true, summary: `${name} did ${title}` });

test("a round hands one ready ticket to each member, and what depends on it waits for the next", async () => {
  const tickets = board();
  await tickets.post("me", [
    { key: "a", title: "a" },
    { key: "b", title: "b" },
    { key: "c", title: "c" },
    { title: "d", deps: ["a", "b"] },
  ]);
  const crew = createCrew({ id: "crew_1", board: tickets, members: [ADA, BOB], work: doesAll });
  expect(await crew.runRound(NEVER)).toEqual({ taken: 2, completed: 2, failed: 0 });
  expect((await tickets.list({ status: "done" })).map(({ summary }) => summary)).toEqual([
    "ada did a",
    "bob did b",
  ]);
  expect(await crew.run(NEVER)).toEqual({
    crewId: "crew_1",
    completed: 2,
    failed: 0,
    rounds: 1,
    left: 0,
    isStopped: false,
    unable: [],
  });
  const told = await tickets.poll(COORDINATOR);
  expect(told.map((each) => each.type === "result" && [each.from, each.status, each.summary])).toEqual([
    ["ada", "ok", "ada did a"],
    ["bob", "ok", "bob did b"],
    ["ada", "ok", "ada did c"],
    ["bob", "ok", "bob did d"],
  ]);
});

test("what fails or throws is a failed ticket, and what waits for it stays", async () => {
  const tickets = board();
  await tickets.post("me", [
    { key: "a", title: "a" },
    { key: "b", title: "b" },
    { title: "after a", deps: ["a"] },
    { title: "after b", deps: ["b"] },
  ]);
  const work: MemberWork = async (_member, { title }) => {
    if (title === "a") throw new Error("no model");
    return { ok: false, summary: "it cannot be done" };
  };
  const report = await createCrew({ id: "c", board: tickets, members: [ADA], work }).run(NEVER);
  expect(report).toMatchObject({ completed: 0, failed: 2, left: 2 });
  expect((await tickets.list({ status: "failed" })).map(({ summary }) => summary)).toEqual([
    "no model",
    "it cannot be done",
  ]);
});

test("a member that can do no ticket gives its own back and takes no more, whatever is ready", async () => {
  const tickets = board();
  await tickets.post("me", [{ title: "a" }, { title: "b" }, { title: "c" }]);
  const work: MemberWork = async (member, ticket) =>
    member === ADA
      ? { ok: false, summary: "it ended", unable: "no key" }
      : doesAll(member, ticket, NEVER, () => undefined);
  const alone = await createCrew({ id: "c", board: tickets, members: [ADA], work }).run(NEVER);
  expect(alone).toMatchObject({ completed: 0, failed: 0, left: 3, rounds: 1 });
  expect(alone.unable).toEqual([{ member: "ada", reason: "no key" }]);
  expect((await tickets.list()).map(({ status, summary }) => [status, summary])).toEqual([
    ["open", "no key"],
    ["open", undefined],
    ["open", undefined],
  ]);
  const drained = createCrew({ id: "d", board: tickets, members: [ADA], work });
  expect(await drained.run(NEVER, { until: "drained" })).toMatchObject({ left: 3, rounds: 1 });
  const both = createCrew({ id: "e", board: tickets, members: [ADA, BOB], work });
  expect(await both.run(NEVER)).toMatchObject({ completed: 3, failed: 0, left: 0 });
});

test("a ticket that nobody here can do now is given back once, and its member goes on", async () => {
  const tickets = board();
  await tickets.post("me", [{ title: "a" }, { title: "b" }]);
  const work: MemberWork = async (member, ticket) =>
    ticket.title === "a"
      ? { ok: false, summary: "", leaves: "no such model" }
      : doesAll(member, ticket, NEVER, () => undefined);
  const run = await createCrew({ id: "c", board: tickets, members: [ADA, BOB], work }).run(NEVER);
  expect(run).toMatchObject({ completed: 1, failed: 0, left: 1, rounds: 1, unable: [] });
  expect(await tickets.list({ status: "open" })).toMatchObject([{ title: "a", summary: "no such model" }]);
});

test("a crew ends after its most rounds, and reports the tickets that are left", async () => {
  const tickets = board();
  await tickets.post(
    "me",
    Array.from({ length: DEFAULT_MAX_ROUNDS + 6 }, (_, index) => ({ title: `t${index}` })),
  );
  const crew = createCrew({ id: "c", board: tickets, members: [ADA], work: doesAll });
  expect(await crew.run(NEVER)).toMatchObject({
    rounds: DEFAULT_MAX_ROUNDS,
    completed: DEFAULT_MAX_ROUNDS,
    left: 6,
  });
  expect(await crew.run(NEVER)).toMatchObject({ rounds: 6, left: 0 });
});

test("what was claimed is worked on, also where the next member's claim fails", async () => {
  const tickets = board();
  await tickets.post("me", [{ title: "a" }, { title: "b" }]);
  let claims = 0;
  const shaky: Board = {
    ...tickets,
    async claim(member, options) {
      if (++claims === 2) throw new BoardError("unreachable", "gone for a moment");
      return tickets.claim(member, options);
    },
  };
  const heard: string[] = [];
  const crew = createCrew({
    ...{ id: "c", board: shaky, members: [ADA, BOB], work: doesAll },
    onTrouble: (message) => heard.push(message),
  });
  expect(await crew.runRound(NEVER)).toEqual({ taken: 1, completed: 1, failed: 0 });
  expect(heard).toEqual(["gone for a moment; trying again"]);
  expect((await tickets.list()).map(({ status }) => status)).toEqual(["done", "open"]);
});

test("a stop gives back what is under way, and another crew goes on from there", async () => {
  const tickets = board();
  await tickets.post("me", [{ title: "a" }, { title: "b" }]);
  const stop = new AbortController();
  const work: MemberWork = (_member, _ticket, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("stopped")));
      stop.abort();
    });
  const report = await createCrew({ id: "c", board: tickets, members: [ADA, BOB], work }).run(stop.signal);
  expect(report).toMatchObject({ completed: 0, failed: 0, left: 2, isStopped: true });
  expect((await tickets.list()).map(({ status }) => status)).toEqual(["open", "open"]);
  expect(
    await createCrew({ id: "c", board: tickets, members: [BOB], work: doesAll }).run(NEVER),
  ).toMatchObject({
    completed: 2,
    left: 0,
  });
});

test("a member takes only what is for it", async () => {
  const tickets = board();
  await tickets.post("me", [
    { title: "read it", agent: "reader" },
    { title: "any" },
    { title: "w", agent: "writer" },
  ]);
  const members = [{ name: "w1", agents: ["writer"] }];
  const report = await createCrew({ id: "c", board: tickets, members, work: doesAll }).run(NEVER);
  expect(report).toMatchObject({ completed: 2, left: 1 });
  expect((await tickets.list({ ready: true })).map(({ title }) => title)).toEqual(["read it"]);
});

test("a decision about a ticket that is under way stands, whatever its member says of it", async () => {
  const tickets = board();
  const [ticket] = await tickets.post("me", [{ title: "a" }]);
  const work: MemberWork = async () => {
    await tickets.move("me", ticket?.id ?? "", "blocked", "wait");
    return { ok: true, summary: "done all the same" };
  };
  const report = await createCrew({ id: "c", board: tickets, members: [ADA], work }).run(NEVER);
  expect(report).toMatchObject({ completed: 0, failed: 0, left: 1 });
  expect(await tickets.list()).toMatchObject([{ status: "blocked", summary: "wait" }]);
});

test("what others did is heard though no word of it came, once; what was known is not", async () => {
  const tickets = board();
  const [known] = await tickets.post("me", [{ title: "before" }, { title: "meanwhile" }]);
  const bob = createCrew({ id: "crew_2", board: tickets, members: [BOB], work: doesAll });
  await bob.runRound(NEVER);
  const before = await tickets.list();
  expect(before.map(({ id, status }) => [id, status])).toContainEqual([known?.id, "done"]);
  await bob.runRound(NEVER);
  const heard: string[] = [];
  const ada = createCrew({
    ...{ id: "crew_1", board: { ...tickets, poll: async () => [] }, members: [ADA], work: doesAll },
    onTicket: (member, { title, status }) => heard.push(`${member} ${status} ${title}`),
  });
  expect(await ada.run(NEVER, { until: "all", known: before })).toMatchObject({ completed: 0, left: 0 });
  expect(heard).toEqual(["bob done meanwhile"]);
});
