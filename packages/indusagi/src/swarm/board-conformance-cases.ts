// The contract that every board must satisfy. Each board's test file calls this with a way to open one.

import { describe, expect, test } from "vitest";
import { Aborted } from "../core/abort.ts";
import { MAX_LAPSES } from "./board-limits.ts";
import { type Board, BoardError, type BoardFaultKind } from "./contract.ts";

export interface BoardPlace {
  /** Opens the same board again, as another process would. */
  readonly open: () => Promise<Board>;
  /** Lets that many milliseconds of every lease pass. */
  readonly wait: (ms: number) => void | Promise<void>;
  /** Steps this machine's clock forwards or backwards. */
  readonly step: (ms: number) => void;
}

const LEASE = { leaseMs: 60_000 };
const DAY_MS: number = 24 * 60 * 60 * 1_000;

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
      const posted = await (await open()).post("ada", [
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
      expect(await (await open()).list()).toEqual(posted);
      expect(await (await open()).list({ ready: true })).toEqual([first]);
      expect(await (await open()).get(second?.id ?? "")).toEqual(second);
    });

    test("a dependency that is not there, a circle and a key used twice are refused, and nothing of them is posted", async () => {
      const board = await (await create()).open();
      expect(await refusal(board.post("ada", [{ title: "T", deps: ["tkt_none"] }]))).toEqual({
        kind: "not_found",
        message: 'ticket not found: "tkt_none"',
      });
      const circle = board.post("ada", [
        { key: "a", title: "A", deps: ["b"] },
        { key: "b", title: "B", deps: ["a"] },
      ]);
      expect(await refusal(circle)).toMatchObject({
        kind: "conflict",
        message: expect.stringContaining("dependency cycle"),
      });
      const twice = board.post("ada", [
        { key: "a", title: "A" },
        { key: "a", title: "B" },
      ]);
      expect(await refusal(twice)).toEqual({ kind: "validation", message: 'duplicate key "a"' });
      expect(await board.list()).toEqual([]);
    });

    test("a circle that a later dependency would close is refused, itself included", async () => {
      const board = await (await create()).open();
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
      const board = await (await create()).open();
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
      const board = await (await create()).open();
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
      await (await open()).post(
        "ada",
        Array.from({ length: 20 }, (_, index) => ({ title: `t${index}` })),
      );
      const boards = await Promise.all(Array.from({ length: 5 }, open));
      const taken = await Promise.all(
        Array.from({ length: 25 }, (_, index) => boards[index % 5]?.claim(`m${index}`, LEASE)),
      );
      const ids = taken.flatMap((claim) => (claim ? [claim.ticket.id] : []));
      expect(ids).toHaveLength(20);
      expect(new Set(ids).size).toBe(20);
    });

    test("a claim ends with its lease, and then its token is worth nothing", async () => {
      const { open, wait } = await create();
      const [slow, quick] = [await open(), await open()];
      await slow.post("ada", [{ title: "t" }]);
      const first = await slow.claim("slow", { leaseMs: 1_000 });
      expect(await quick.claim("quick", LEASE)).toBeUndefined();
      await wait(2_000);
      const second = await quick.claim("quick", LEASE);
      if (!first || !second) throw new Error("expected both to claim it");
      expect(second.ticket.id).toBe(first.ticket.id);
      const key = { id: first.ticket.id, token: first.token };
      for (const late of [
        () => slow.finish(key, "done", "late"),
        () => slow.renew(key, 1_000),
        () => slow.release(key),
      ])
        expect(await refusal(late())).toEqual({
          kind: "conflict",
          message: `the claim on ${key.id} is no longer valid: quick has claimed it since`,
        });
      expect(await slow.get(key.id)).toMatchObject({ status: "claimed", assignee: "quick" });
    });

    test("a renewed lease holds on, and a released ticket is ready again", async () => {
      const { open, wait } = await create();
      const board = await open();
      await board.post("ada", [{ title: "t" }]);
      const claim = await board.claim("m", { leaseMs: 1_000 });
      if (!claim) throw new Error("expected a claim");
      const key = { id: claim.ticket.id, token: claim.token };
      await board.renew(key, 10_000);
      await wait(5_000);
      expect(await board.claim("other", LEASE)).toBeUndefined();
      await board.release(key, "no key");
      expect((await (await open()).activity()).at(-1)?.acts).toEqual([
        { kind: "ticket_released", id: key.id, summary: "no key" },
      ]);
      expect(await board.get(key.id)).toMatchObject({ status: "open", summary: "no key" });
      expect(await board.claim("other", LEASE)).toMatchObject({ ticket: { id: key.id, assignee: "other" } });
    });

    test("a ticket says since when it is claimed, for as long as it is", async () => {
      const board = await (await create()).open();
      const [posted] = await board.post("ada", [{ title: "t" }]);
      expect(posted?.claimedAt).toBeUndefined();
      const claim = await board.claim("m", LEASE);
      if (!claim) throw new Error("expected a claim");
      const { id, claimedAt = 0, leaseUntil } = claim.ticket;
      expect(claimedAt + LEASE.leaseMs).toBe(leaseUntil);
      await board.renew({ id, token: claim.token }, 10 * LEASE.leaseMs);
      expect(await board.get(id)).toMatchObject({ claimedAt });
      expect((await board.finish({ id, token: claim.token }, "done", ""))?.claimedAt).toBeUndefined();
    });

    test("what work on a ticket took adds up, whoever did it and however it ended", async () => {
      const { open } = await create();
      const board = await open();
      await board.post("ada", [{ title: "t" }]);
      const key = async () => {
        const claim = await board.claim("m", LEASE);
        if (!claim) throw new Error("expected a claim");
        return { id: claim.ticket.id, token: claim.token };
      };
      const used = { turns: 2, tokens: 1_000, dollars: 0.25, durationMs: 5_000 };
      const wrong = { ...used, dollars: -1 };
      const first = await key();
      expect(await refusal(board.finish(first, "done", "", wrong))).toEqual({
        kind: "validation",
        message: "used.dollars: expected 0 or more, found -1",
      });
      expect((await board.get(first.id))?.used).toBeUndefined();
      await board.release(first, "no key", used);
      await board.finish(await key(), "failed", "It broke.", used);
      expect((await (await open()).activity()).at(-1)?.acts).toEqual([
        { kind: "ticket_failed", id: first.id, summary: "It broke.", used },
      ]);
      await board.move("ada", first.id, "open");
      await board.finish(await key(), "done", "Made.");
      expect((await (await open()).get(first.id)).used).toEqual({
        ...{ turns: 4, tokens: 2_000, dollars: 0.5, durationMs: 10_000 },
      });
    });

    test("a decision about a ticket ends its claim", async () => {
      const board = await (await create()).open();
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
        message: `the claim on ${id} is no longer valid: it is blocked`,
      });
      expect(await board.claim("m", LEASE)).toBeUndefined();
      await board.move("ada", id, "open");
      expect(await board.claim("m", LEASE)).toMatchObject({ ticket: { id } });
    });

    test("comments stay with the ticket, in their order, whoever writes them", async () => {
      const { open } = await create();
      const [ticket] = await (await open()).post("ada", [{ title: "t" }]);
      const id = ticket?.id ?? "";
      await (await open()).comment("ada", id, "First.\nIn two lines.");
      await (await open()).comment("bob", id, "Second.");
      expect((await (await open()).get(id)).comments.map(({ by, text }) => [by, text])).toEqual([
        ["ada", "First.\nIn two lines."],
        ["bob", "Second."],
      ]);
    });

    test("a message is polled once by each that it is for", async () => {
      const { open } = await create();
      const board = await open();
      await board.send("ada", "bob", { type: "note", text: "for bob" });
      await board.send("ada", "*", { type: "control", signal: "drain" });
      await board.send("bob", "ada", { type: "note", text: "for ada" });
      const polls = await Promise.all([
        board.poll("bob"),
        (await open()).poll("bob"),
        (await open()).poll("bob"),
      ]);
      expect(polls.map(({ length }) => length).sort()).toEqual([0, 0, 2]);
      expect(polls.flat()).toEqual([
        expect.objectContaining({ from: "ada", to: "bob", type: "note", text: "for bob" }),
        expect.objectContaining({ from: "ada", to: "*", type: "control", signal: "drain" }),
      ]);
      expect((await board.poll("ada")).map((each) => each.type === "note" && each.text)).toEqual(["for ada"]);
    });

    test("who enrols is sent what comes from then on, and whoever is written to by name finds all of it", async () => {
      const board = await (await create()).open();
      await board.send("ada", "*", { type: "control", signal: "drain" });
      await board.enrol("late");
      await board.enrol("late");
      expect(await board.poll("late")).toEqual([]);
      await board.send("ada", "*", { type: "note", text: "now" });
      expect(await board.poll("late")).toMatchObject([{ text: "now" }]);
      expect(await board.poll("ada")).toEqual([]);
    });

    test("a ticket for an agent goes to whoever stands for it, and to nobody else", async () => {
      const board = await (await create()).open();
      const [forB] = await board.post("ada", [
        { title: "for b", agent: "b", priority: "high" },
        { title: "for all" },
      ]);
      expect(forB).toMatchObject({ agent: "b" });
      const id = forB?.id ?? "";
      expect((await board.claim("m", { ...LEASE, agents: ["a"] }))?.ticket.title).toBe("for all");
      expect(await board.claim("m", { ...LEASE, agents: ["a"] })).toBeUndefined();
      expect(await board.assign("ada", id, "a")).toMatchObject({ id, agent: "a" });
      expect((await board.assign("ada", id))?.agent).toBeUndefined();
      expect(await board.claim("m", { ...LEASE, except: [id] })).toBeUndefined();
      expect((await board.claim("m", { ...LEASE, agents: ["c"] }))?.ticket.id).toBe(id);
    });

    test("a ticket whose claims end unheard again and again has failed, until somebody opens it", async () => {
      const { open, wait } = await create();
      const board = await open();
      const [ticket] = await board.post("ada", [
        { key: "a", title: "a" },
        { title: "after", deps: ["a"] },
      ]);
      const id = ticket?.id ?? "";
      for (let at = 0; at < MAX_LAPSES; at++) {
        expect((await board.claim(`m${at}`, { leaseMs: 1_000 }))?.ticket.id).toBe(id);
        await wait(2_000);
      }
      expect(await board.claim("m", LEASE)).toBeUndefined();
      const summary = `abandoned: ${MAX_LAPSES} claims expired without a report, the last one by m${MAX_LAPSES - 1}`;
      expect(await board.get(id)).toMatchObject({ status: "failed", summary });
      await board.move("ada", id, "open");
      const again = await board.claim("m", LEASE);
      expect(again?.ticket.id).toBe(id);
      await board.finish({ id, token: again?.token ?? 0 }, "done", "");
      expect((await board.claim("m", LEASE))?.ticket.title).toBe("after");
    });

    test("a decision about what others wait for is followed by them", async () => {
      const board = await (await create()).open();
      const [a, b] = await board.post("ada", [
        { key: "a", title: "a" },
        { title: "b", deps: ["a"] },
      ]);
      const [idA = "", idB = ""] = [a?.id, b?.id];
      const ready = async (): Promise<readonly string[]> =>
        (await board.list({ ready: true })).map(({ title }) => title);
      await board.move("ada", idA, "done");
      expect(await ready()).toEqual(["b"]);
      await board.move("ada", idA, "open");
      expect(await ready()).toEqual(["a"]);
      expect((await board.claim("m", LEASE))?.ticket.id).toBe(idA);
      await board.move("ada", idA, "done");
      const [later] = await board.post("ada", [{ title: "c", deps: [idA] }]);
      expect(await ready()).toEqual(["b", "c"]);
      await board.depend("ada", later?.id ?? "", [idB]);
      expect(await ready()).toEqual(["b"]);
      expect((await board.claim("m", LEASE))?.ticket.id).toBe(idB);
      expect(await board.claim("m", LEASE)).toBeUndefined();
    });

    test("the first post of a board is made once, whoever else makes it", async () => {
      const { open } = await create();
      const boards = [await open(), await open()];
      const posts = await Promise.all(
        boards.map((board) =>
          board.post("ada", [{ title: "t" }], { isFirst: true }).then(
            () => "posted",
            ({ kind, message }: BoardError) => `${kind}: ${message}`,
          ),
        ),
      );
      expect(posts.sort()).toEqual(["conflict: the board already has tickets", "posted"]);
      expect(await boards[0]?.list()).toHaveLength(1);
    });

    test("whoever waits for a change goes on with the step that another makes, or when the time is up", async () => {
      const { open } = await create();
      const [here, there] = [await open(), await open()];
      const never = new AbortController().signal;
      const before = await here.changed(0, { maxMs: 0, signal: never });
      expect(await here.changed(before, { maxMs: 50, signal: never })).toBe(before);
      const heard = here.changed(before, { maxMs: 600_000, signal: never });
      await there.post("ada", [{ title: "t" }]);
      expect(await heard).toBe(before + 1);
      expect(await here.changed(before, { maxMs: 600_000, signal: never })).toBe(before + 1);
      const stop = new AbortController();
      const stopped = here.changed(before + 1, { maxMs: 600_000, signal: stop.signal });
      stop.abort();
      await expect(stopped).rejects.toBeInstanceOf(Aborted);
    });

    test("any text comes back as it was, whatever characters it has", async () => {
      const { open } = await create();
      const board = await open();
      const odd = "a\0b\u2028c\u2029d\ud800e\udfff \u{1f600} \"' \\u0000 \r\n$1 %s ";
      const [ticket] = await board.post("ada", [{ title: "t'\0\ud800", brief: odd }]);
      const id = ticket?.id ?? "";
      await board.comment("ada", id, odd);
      const claim = await board.claim("m", LEASE);
      await board.finish({ id, token: claim?.token ?? 0 }, "failed", odd);
      await board.send("ada", "bob", { type: "note", text: odd });
      const there = await open();
      expect(await there.get(id)).toMatchObject({
        ...{ title: "t'\0\ud800", brief: odd, summary: odd },
        comments: [{ text: odd }],
      });
      expect(await there.poll("bob")).toMatchObject([{ text: odd }]);
      expect(JSON.stringify(await there.activity())).toContain(JSON.stringify(odd));
    });

    test("what is too long, or of another kind, is refused and named", async () => {
      const board = await (await create()).open();
      const [ticket] = await board.post("ada", [{ title: "t" }]);
      const id = ticket?.id ?? "";
      const bad: readonly (readonly [() => Promise<unknown>, RegExp])[] = [
        [() => board.post("ada", []), /at least one ticket/],
        [() => board.post("a\0b", [{ title: "t" }]), /^by: expected 1 to 100 characters, found "a\\u0000b"/],
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

    test("a clock that steps a day back or ahead changes no order, loses nothing and has nothing done twice", async () => {
      const { open, step } = await create();
      const board = await open();
      await board.post("ada", [
        { key: "a", title: "A" },
        { title: "B", deps: ["a"] },
      ]);
      const first = await board.claim("m", LEASE);
      step(-DAY_MS);
      await board.send("ada", "m", { type: "note", text: "one" });
      await board.finish({ id: first?.ticket.id ?? "", token: first?.token ?? 0 }, "done", "by m");
      step(2 * DAY_MS);
      const later = await board.claim("m", LEASE);
      step(DAY_MS);
      const other = await (await open()).claim("n", LEASE); // if this clock decided when leases end, this one would have ended
      await board.send("ada", "m", { type: "note", text: "two" });
      const ends = await Promise.allSettled(
        [later, other].flatMap((each) =>
          each ? [board.finish({ id: each.ticket.id, token: each.token }, "done", "")] : [],
        ),
      );
      expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect((await board.list()).map(({ status }) => status)).toEqual(["done", "done"]);
      const told = await (await open()).poll("m");
      expect(told.map((each) => (each.type === "note" ? each.text : ""))).toEqual(["one", "two"]);
      const steps = await board.activity();
      expect(steps.map(({ seq }) => seq)).toEqual(steps.map((_, at) => at + 1));
    });

    test("of two who write at once, no step is lost, torn or one with another's", async () => {
      const { open } = await create();
      const writers = [await open(), await open()];
      const [ticket] = await (await open()).post("ada", [{ title: "t" }]);
      const words = Array.from({ length: 50 }, (_, at) => `${at} ${"\u2028é\n".repeat(at)}`);
      await Promise.all(
        writers.map(async (board, who) => {
          for (const word of words) await board.comment(`w${who}`, ticket?.id ?? "", word);
        }),
      );
      const { comments = [] } = (await (await open()).list())[0] ?? {};
      for (const who of ["w0", "w1"])
        expect(comments.flatMap(({ by, text }) => (by === who ? [text] : []))).toEqual(words);
    });

    test("everything that happened stands in its activity, in order and without a gap", async () => {
      const { open } = await create();
      const board = await open();
      await board.enrol("m");
      await board.enrol("m");
      const [ticket] = await board.post("ada", [{ title: "t" }]);
      const claim = await board.claim("m", LEASE);
      if (!ticket || !claim) throw new Error("expected a claim");
      await board.finish({ id: ticket.id, token: claim.token }, "done", "ok");
      await board.send("m", "ada", { type: "result", taskId: ticket.id, status: "ok", summary: "ok" });
      const steps = await (await open()).activity();
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
