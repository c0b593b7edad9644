import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLineHistory } from "./line-history.ts";

const place = (): string => join(mkdtempSync(join(tmpdir(), "indus-history-")), "history", "project-1.jsonl");
const plain = (line: string): string => line;

test("what one session sent, the next one finds, each line once and the newest last", () => {
  const path = place();
  const first = createLineHistory(path, plain);
  for (const line of ["one", "two\nrows", "one", "one"]) first.add(line);
  expect(first.lines()).toEqual(["two\nrows", "one"]);
  expect(createLineHistory(path, plain).lines()).toEqual(["two\nrows", "one"]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
});

test("two sessions at once hear of each other, and none loses a line", () => {
  const path = place();
  const [a, b] = [createLineHistory(path, plain), createLineHistory(path, plain)];
  for (let n = 0; n < 20; n++) {
    a.add(`a${n}`);
    b.add(`b${n}`);
  }
  const all = Array.from({ length: 20 }, (_, n) => [`a${n}`, `b${n}`]).flat();
  expect(a.lines()).toEqual(all);
  expect(b.lines()).toEqual(all);
});

test("secrets are masked before they are kept", () => {
  const path = place();
  createLineHistory(path, (line) => line.replaceAll("hunter2-hunter2", "[secret PASS]")).add(
    "use hunter2-hunter2",
  );
  expect(readFileSync(path, "utf8")).toBe('"use [secret PASS]"\n');
});

test("a line that begins with a blank, and one of more than 64 KiB, are of this session only", () => {
  const path = place();
  const history = createLineHistory(path, plain);
  history.add(" private");
  history.add("x".repeat(70_000));
  history.add("kept");
  expect(history.lines().map((line) => line.slice(0, 8))).toEqual(["kept", " private", "xxxxxxxx"]);
  expect(createLineHistory(path, plain).lines()).toEqual(["kept"]);
});

test("a full file keeps its newer half", () => {
  const path = place();
  const history = createLineHistory(path, plain);
  for (let n = 0; n < 40; n++) history.add(`${n} ${"x".repeat(30_000)}`);
  expect(statSync(path).size).toBeLessThan(1024 * 1024);
  const lines = history.lines();
  expect(lines.at(-1)).toMatch(/^39 /);
  expect(lines.length).toBeGreaterThan(15);
  expect(lines[0]).not.toMatch(/^0 /);
});

test("a file that something else let grow is ignored, and started anew with the next line", () => {
  const path = place();
  createLineHistory(path, plain).add("one");
  appendFileSync(path, `${JSON.stringify("x".repeat(3_000_000))}\n`);
  const history = createLineHistory(path, plain);
  expect(history.lines()).toEqual([]);
  history.add("two");
  expect([history.lines(), history.problem()]).toEqual([["two"], undefined]);
  expect(readFileSync(path, "utf8")).toBe('"two"\n');
});

test("a damaged line in the file is skipped, and the others are kept", () => {
  const path = place();
  createLineHistory(path, plain).add("one");
  appendFileSync(path, '"cut\n{"a":1}\n\u0000\n"two"\n');
  expect(createLineHistory(path, plain).lines()).toEqual(["one", "two"]);
});

test("where nothing can be written, the session has its own lines, and knows why", async () => {
  const path = place();
  mkdirSync(join(path, "..", ".."), { recursive: true });
  writeFileSync(join(path, ".."), "a file in the place of the folder");
  const history = createLineHistory(path, plain);
  history.add("one");
  await Promise.resolve();
  await Promise.resolve();
  expect(history.lines()).toEqual(["one"]);
  expect(String(history.problem())).toMatch(/EEXIST|ENOTDIR/);
});
