// What every board keeps, whatever it is made of. Each board's test file calls this with a way to open one.

import { describe, expect, test } from "vitest";
import { type Board, BoardError, type BoardFaultKind } from "./contract.ts";

export interface BoardPlace {
  /** Opens the same board once more, as another process would. */
  readonly open: () => Board;
  /** Moves the time of all its boards on, in milliseconds. */
  readonly wait: (ms: number) => void;
}

const LEASE = { leaseMs: 60_000 };

async function refusal(work: Promise<unknown>): Promise<{ kind: BoardFaultKind; message: string }> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(BoardError);
  const { kind, message } = error as BoardError;
  return { kind, message };
}

export function boardConformance(name: string, create: () => Promise<BoardPlace> | BoardPlace): void {
  describe(`${name} keeps the contract of boards`, () => {
    test("what is posted is there for everybody, in its order", async () => {
      const { open } = await create();
      const posted = await open().post("ada", [
        { key: "a", title: "First", brief: "Do it." },
        { key: "b", title: "Second", deps: ["a"], priority: "high" },
      ]);
      const [first, second] = posted;
      expect(posted).toEqual([
        expect.objectContaining({
          title: "First",
          brief: "Do it.",
          priority: "normal",
          status: "open",
          deps: [],
        }),
        expect.objectContaining({ title: "Second", deps: [first?.id], priority: "high", postedBy: "ada" }),
      ]);
      expect(first?.id).toMatch(/^tkt_[0-9a-z]+$/);
      expect(await open().list()).toEqual(posted);
      expect(await open().list({ ready: true })).toEqual([first]);
      expect(await open().get(second?.id ?? "")).toEqual(second);
    });

    test("a dependency that is not there, a circle and a key used twice are refused, and nothing of them is posted", async () => {
      const board = (await create()).open();
      expect(await refusal(board.post("ada", [{ title: "T", deps: ["tkt_none"] }]))).toEqual({
        kind: "not_found",
        message: 'there is no ticket "tkt_none"',
      });
      const circle = board.post("ada", [
        { key: "a", title: "A", deps: ["b"] },
        { key: "b", title: "B", deps: ["a"] },
      ]);
      expect(await refusal(circle)).toMatchObject({
        kind: "conflict",
        message: expect.stringContaining("wait for each other"),
      });
      const twice = board.post("ada", [
        { key: "a", title: "A" },
        { key: "a", title: "B" },
      ]);
      expect(await refusal(twice)).toEqual({ kind: "validation", message: 'the key "a" is used twice' });
      expect(await board.list()).toEqual([]);
    });

    test("a circle that a later dependency would close is refused, itself included", async () => {
      const board = (await create()).open();
      const [a, b, c] = await board.post("ada", [
        { key: "a", title: "A" },
        { key: "b", title: "B", deps: ["a"] },
        { title: "C", deps: ["b"] },
      ]);
      const [idA = "", idB = "", idC = ""] = [a?.id, b?.id, c?.id];
      expect(await refusal(board.depend("ada", idA, [idC]))).toMatchObject({ kind: "conflict" });
      expect(await refusal(board.depend("ada", idA, [idA]))).toMatchObject({ kind: "conflict" });
      expect((await board.depend("ada", idC, [idA])).deps).toEqual([idB, idA]);
    });

    test("only what is ready is claimed: higher priority first, then the older", async () => {
      const board = (await create()).open();
      await board.post("ada", [
        { key: "low", title: "low", priority: "low" },
        { title: "one" },
        { title: "two" },
        { title: "waits", priority: "high", deps: ["low"] },
        { title: "urgent", priority: "high" },
      ]);
      const titles: (string | undefined)[] = [];
      for (let taken = await board.claim("m", LEASE); taken; taken = await board.claim("m", LEASE))
        titles.push(taken.ticket.title);
      expect(titles).toEqual(["urgent", "one", "two", "low"]);
    });

    test("a ticket that failed never makes another ready, and one that is done does", async () => {
      const board = (await create()).open();
      await board.post("ada", [
        { key: "a", title: "a" },
        { key: "b", title: "b" },
        { title: "after a", deps: ["a"] },
        { title: "after b", deps: ["b"] },
      ]);
      const first = await board.claim("m", LEASE);
      const second = await board.claim("m", LEASE);
      if (!first || !second) throw new Error("expected two tickets");
      expect(
        await board.finish({ id: first.ticket.id, token: first.token }, "done", "It works."),
      ).toMatchObject({
        status: "done",
        summary: "It works.",
        assignee: "m",
      });
      await board.finish({ id: second.ticket.id, token: second.token }, "failed", "It does not.");
      expect((await board.list({ ready: true })).map(({ title }) => title)).toEqual(["after a"]);
    });

    test("of many who claim at once, each ticket goes to one", async () => {
      const { open } = await create();
      await open().post(
        "ada",
        Array.from({ length: 20 }, (_, index) => ({ title: `t${index}` })),
      );
      const boards = Array.from({ length: 5 }, open);
      const taken = await Promise.all(
        Array.from({ length: 25 }, (_, index) => boards[index % 5]?.claim(`m${index}`, LEASE)),
      );
      const ids = taken.flatMap((claim) => (claim ? [claim.ticket.id] : []));
      expect(ids).toHaveLength(20);
      expect(new Set(ids).size).toBe(20);
    });

    test("a claim ends with its lease, and then its token is worth nothing", async () => {
      const { open, wait } = await create();
      const [slow, quick] = [open(), open()];
      await slow.post("ada", [{ title: "t" }]);
      const first = await slow.claim("slow", { leaseMs: 1_000 });
      expect(await quick.claim("quick", LEASE)).toBeUndefined();
      wait(2_000);
      const second = await quick.claim("quick", LEASE);
      if (!first || !second) throw new Error("expected both to claim it");
      expect(second.ticket.id).toBe(first.ticket.id);
      const key = { id: first.ticket.id, token: first.token };
      for (const late of [slow.finish(key, "done", "late"), slow.renew(key, 1_000), slow.release(key)])
        expect(await refusal(late)).toEqual({
          kind: "conflict",
          message: `that claim of ${key.id} is over: quick has claimed it since`,
        });
      expect(await slow.get(key.id)).toMatchObject({ status: "claimed", assignee: "quick" });
    });

    test("a renewed lease holds on, and a released ticket is ready again", async () => {
      const { open, wait } = await create();
      const board = open();
      await board.post("ada", [{ title: "t" }]);
      const claim = await board.claim("m", { leaseMs: 1_000 });
      if (!claim) throw new Error("expected a claim");
      const key = { id: claim.ticket.id, token: claim.token };
      await board.renew(key, 10_000);
      wait(5_000);
      expect(await board.claim("other", LEASE)).toBeUndefined();
      await board.release(key);
      expect(await board.claim("other", LEASE)).toMatchObject({ ticket: { id: key.id, assignee: "other" } });
    });

    test("a decision about a ticket ends its claim", async () => {
      const board = (await create()).open();
      await board.post("ada", [{ title: "t" }]);
      const claim = await board.claim("m", LEASE);
      if (!claim) throw new Error("expected a claim");
      const { id } = claim.ticket;
      expect(await board.move("ada", id, "blocked", "Wait for the design.")).toMatchObject({
        status: "blocked",
        summary: "Wait for the design.",
      });
      expect(await refusal(board.finish({ id, token: claim.token }, "done", ""))).toEqual({
        kind: "conflict",
        message: `that claim of ${id} is over: it is blocked`,
      });
      expect(await board.claim("m", LEASE)).toBeUndefined();
      expect(await refusal(board.claim("m", { ...LEASE, id }))).toMatchObject({ kind: "conflict" });
      await board.move("ada", id, "open");
      expect(await board.claim("m", { ...LEASE, id })).toMatchObject({ ticket: { id } });
    });

    test("comments stay with the ticket, in their order, whoever writes them", async () => {
      const { open } = await create();
      const [ticket] = await open().post("ada", [{ title: "t" }]);
      const id = ticket?.id ?? "";
      await open().comment("ada", id, "First.\nIn two lines.");
      await open().comment("bob", id, "Second.");
      expect((await open().get(id)).comments.map(({ by, text }) => [by, text])).toEqual([
        ["ada", "First.\nIn two lines."],
        ["bob", "Second."],
      ]);
    });

    test("a message is polled once by each that it is for, and peeking leaves it", async () => {
      const { open } = await create();
      const board = open();
      await board.send("ada", "bob", { type: "note", text: "for bob" });
      await board.send("ada", "*", { type: "control", signal: "drain" });
      await board.send("bob", "ada", { type: "note", text: "for ada" });
      expect(await board.peek("bob")).toHaveLength(2);
      const polls = await Promise.all([board.poll("bob"), open().poll("bob"), open().poll("bob")]);
      expect(polls.map(({ length }) => length).sort()).toEqual([0, 0, 2]);
      expect(polls.flat()).toEqual([
        expect.objectContaining({ from: "ada", to: "bob", type: "note", text: "for bob" }),
        expect.objectContaining({ from: "ada", to: "*", type: "control", signal: "drain" }),
      ]);
      expect((await board.poll("ada")).map((each) => each.type === "note" && each.text)).toEqual(["for ada"]);
    });

    test("what is too long, or of another kind, is refused and named", async () => {
      const board = (await create()).open();
      const [ticket] = await board.post("ada", [{ title: "t" }]);
      const id = ticket?.id ?? "";
      const bad: readonly (readonly [() => Promise<unknown>, RegExp])[] = [
        [() => board.post("ada", []), /at least one ticket/],
        [() => board.post("", [{ title: "t" }]), /^by: expected 1 to 100 characters, found ""/],
        [() => board.post("ada", [{ title: "" }]), /^title: expected one line/],
        [() => board.post("ada", [{ title: "two\nlines" }]), /^title: expected one line/],
        [
          () => board.post("ada", [{ title: "t", brief: "x".repeat(65_537) }]),
          /at most 65536 bytes, found 65537/,
        ],
        [
          () => board.post("ada", [{ title: "t", priority: "urgent" as "high" }]),
          /expected low, normal, high, found "urgent"/,
        ],
        [() => board.claim("m", { leaseMs: 0 }), /^leaseMs: expected more than 0/],
        [() => board.comment("ada", id, "x".repeat(65_537)), /^comment: expected at most/],
        [
          () => board.move("ada", id, "claimed" as "open"),
          /expected open, blocked, done, failed, found "claimed"/,
        ],
      ];
      for (const [work, message] of bad) {
        const { kind, message: said } = await refusal(work());
        expect(kind).toBe("validation");
        expect(said).toMatch(message);
      }
      expect(await board.list()).toHaveLength(1);
    });

    test("everything that happened stands in its activity, in order and without a gap", async () => {
      const { open } = await create();
      const board = open();
      await board.enrol("m");
      await board.enrol("m");
      const [ticket] = await board.post("ada", [{ title: "t" }]);
      const claim = await board.claim("m", LEASE);
      if (!ticket || !claim) throw new Error("expected a claim");
      await board.finish({ id: ticket.id, token: claim.token }, "done", "ok");
      await board.send("m", "ada", { type: "result", taskId: ticket.id, status: "ok", summary: "ok" });
      const steps = await open().activity();
      expect(steps.map(({ seq, by }) => [seq, by])).toEqual([
        [1, "m"],
        [2, "ada"],
        [3, "m"],
        [4, "m"],
        [5, "m"],
      ]);
      expect(steps.flatMap(({ acts }) => acts.map(({ kind }) => kind))).toEqual([
        "member_spawned",
        "ticket_posted",
        "ticket_claimed",
        "ticket_done",
        "message_sent",
      ]);
      expect((await board.activity({ after: 3, max: 1 })).map(({ seq }) => seq)).toEqual([4]);
    });
  });
}
