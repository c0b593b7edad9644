// The file board: the contract, and what can only happen to files.

import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type BoardPlace, boardConformance } from "./board-conformance-cases.ts";
import { BOARD_FILE } from "./board-file.ts";
import { createFileBoard } from "./file-board.ts";

function place(): BoardPlace & { readonly file: string } {
  const folder = mkdtempSync(join(tmpdir(), "indus-board-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  let now = Date.UTC(2026, 0, 1);
  let last: Promise<unknown> = Promise.resolve();
  const withLock = <T>(_path: string, work: (isMine: () => boolean) => T): Promise<T> => {
    const mine = last.then(() => work(() => true));
    last = mine.catch(() => undefined);
    return mine;
  };
  return {
    file: join(folder, BOARD_FILE),
    open: async () => createFileBoard({ folder, withLock, nowMs: () => now }),
    wait(ms) {
      now += ms;
    },
    step(ms) {
      now += ms;
    },
  };
}

boardConformance("the board on files", place);

test("what a killed writer left of a step is not there, and the next step takes its place", async () => {
  const { open, file } = place();
  const [whole] = await (await open()).post("ada", [{ title: "whole" }]);
  for (const torn of ['{"seq":2,"at":"2026', '{"seq":2}', "\0\0\0"]) {
    const before = readFileSync(file);
    appendFileSync(file, torn);
    expect(await (await open()).list(), torn).toEqual([whole]);
    await (await open()).comment("ada", whole?.id ?? "", torn);
    const text = readFileSync(file, "utf8");
    expect(text.startsWith(before.toString("utf8"))).toBe(true);
    expect(text.endsWith("\n")).toBe(true);
    writeFileSync(file, before);
  }
});

test("a line that is no step is named with its place, and nothing is added behind it", async () => {
  const { open, file } = place();
  await (await open()).post("ada", [{ title: "t" }]);
  appendFileSync(file, "not a step\n");
  const said = `${file}: expected a step of the board in line 2, found something else`;
  const board = await open();
  await expect(board.list()).rejects.toThrow(said);
  await expect(board.list()).rejects.toThrow(said); // the same location each time
  await expect((await open()).post("ada", [{ title: "u" }])).rejects.toThrow(said);
  expect(readFileSync(file, "utf8").split("\n")).toHaveLength(3);
});

test("a file that was put in its place is the board from then on", async () => {
  const { open, file } = place();
  const board = await open();
  await board.post("ada", [{ title: "before" }]);
  await board.post("ada", [{ title: "and another" }]);
  const other = place();
  await (await other.open()).post("bob", [{ title: "after" }]);
  rmSync(file);
  writeFileSync(file, readFileSync(other.file));
  expect((await board.list()).map(({ title }) => title)).toEqual(["after"]);
  await board.post("ada", [{ title: "more" }]);
  expect((await (await open()).list()).map(({ title }) => title)).toEqual(["after", "more"]);
});

test.each([
  ["a pipe that nobody writes to", (file: string) => void execFileSync("mkfifo", [file])],
  ["a folder", (file: string) => void mkdirSync(file)],
])("%s in the board's place is named, and nothing waits for it", async (_what, plant) => {
  const { open, file } = place();
  plant(file);
  await expect((await open()).list()).rejects.toThrow(`${file} cannot be read: it is not a regular file`);
});

test("a step of any length is read whole, also across the parts in which the file is read", async () => {
  const { open } = place();
  const brief = "é".repeat(30_000);
  await (await open()).post(
    "ada",
    Array.from({ length: 40 }, (_, at) => ({ title: `t${at}`, brief })),
  );
  expect((await (await open()).list()).map((ticket) => ticket.brief === brief)).toEqual(Array(40).fill(true));
});

test("a step whose lock was taken over meanwhile is done again, after what the other one did", async () => {
  const folder = mkdtempSync(join(tmpdir(), "indus-board-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  let holder = 0;
  // Nobody waits: each comer takes the lock over, as from a holder that was suspended for a long time.
  const withLock = async <T>(_path: string, work: (isMine: () => boolean) => T): Promise<T> => {
    const mine = ++holder;
    return work(() => holder === mine);
  };
  let meanwhile = (): void => undefined;
  const nowMs = (): number => {
    const once = meanwhile;
    meanwhile = () => undefined;
    once();
    return Date.UTC(2026, 0, 1);
  };
  const quick = createFileBoard({ folder, withLock });
  const [ticket] = await quick.post("ada", [{ title: "t" }]);
  const slow = createFileBoard({ folder, withLock, nowMs });
  const others: Promise<unknown>[] = [];
  meanwhile = () => void others.push(quick.comment("quick", ticket?.id ?? "", "in between"));
  await slow.comment("slow", ticket?.id ?? "", "late");
  await Promise.all(others);
  for (const board of [slow, quick, createFileBoard({ folder, withLock })])
    expect((await board.activity()).map(({ seq, by }) => [seq, by])).toEqual([
      [1, "ada"],
      [2, "quick"],
      [3, "slow"],
    ]);
  const lost = createFileBoard({ folder, withLock: async (_path, work) => work(() => false) });
  await expect(lost.post("ada", [{ title: "u" }])).rejects.toMatchObject({
    kind: "lock_timeout",
    message: expect.stringContaining("its lock was taken over 5 times"),
  });
  expect(await quick.list()).toHaveLength(1);
});

test("a lock that nobody gives says which board did not change", async () => {
  const { file } = place();
  const folder = join(file, "..");
  const withLock = (): Promise<never> => Promise.reject(new Error("held by another process"));
  const board = createFileBoard({ folder, withLock });
  await expect(board.post("ada", [{ title: "t" }])).rejects.toMatchObject({
    kind: "lock_timeout",
    message: `the board in ${folder} was not changed: held by another process`,
  });
});

test("a folder that cannot be written to is not a lock that nobody gives", async () => {
  const { file } = place();
  const refused = Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
  const board = createFileBoard({ folder: join(file, ".."), withLock: () => Promise.reject(refused) });
  await expect(board.post("ada", [{ title: "t" }])).rejects.toMatchObject({ kind: "unreachable" });
});
