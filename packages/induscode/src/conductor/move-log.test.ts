import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import type { EntryBody } from "./contract.ts";
import { ContextFold } from "./fold.ts";
import { createLog, LogError, openLog } from "./log.ts";
import { readEntries } from "./log-reader.ts";
import { mendLog, moveLog } from "./move-log.ts";
import { createRecord, type SessionRecord } from "./record.ts";

let path: string;
let next: string;
let record: SessionRecord;
beforeEach(() => {
  const base = mkdtempSync(join(tmpdir(), "indus-log-"));
  [path, next] = [join(base, "folder", "s1.jsonl"), join(base, "elsewhere", "s1.jsonl")];
  record = createRecord(createLog({ id: "s1", path, cwd: "/w", version: "1" }), new ContextFold());
});

const line = (text: string): EntryBody => ({
  type: "user",
  via: "submit",
  content: [{ kind: "text", text }],
});
const texts = (where: string): readonly string[] =>
  readEntries(where).entries.flatMap((entry) =>
    entry.type === "user" && entry.content[0]?.kind === "text" ? entry.content[0].text : [],
  );

it("takes all entries along, and the next ones, numbered on; the old file stays as it was", () => {
  record.append(line("one"));
  moveLog(record, next);
  expect(record.append(line("two")).n).toBe(2);
  record.log().close();
  expect(record.log()).toMatchObject({ id: "s1", path: next });
  expect(record.fold().messages).toHaveLength(2);
  expect([texts(path), texts(next)]).toEqual([["one"], ["one", "two"]]);
  for (const each of [path, next]) openLog(each).log.close(); // neither lock is left
});

it("takes them from the open file where its path is gone", () => {
  record.append(line("one"));
  rmSync(dirname(path), { recursive: true });
  moveLog(record, next);
  record.log().close();
  expect(texts(next)).toEqual(["one"]);
});

it("before the first entry it begins there", () => {
  moveLog(record, next);
  record.append(line("one"));
  record.log().close();
  expect(existsSync(path)).toBe(false);
  expect(texts(next)).toEqual(["one"]);
});

it("never writes over a file, and then goes on where it was", () => {
  record.append(line("one"));
  const taken = join(dirname(path), "taken.jsonl");
  writeFileSync(taken, "another\n");
  expect(() => moveLog(record, taken)).toThrow(LogError);
  record.append(line("two"));
  record.log().close();
  expect(readFileSync(taken, "utf8")).toBe("another\n");
  expect(texts(path)).toEqual(["one", "two"]);
});

it("mended, it goes on in its place, also where that was gone", () => {
  record.append(line("one"));
  mendLog(record);
  record.append(line("two"));
  rmSync(dirname(path), { recursive: true });
  mendLog(record);
  record.append(line("three"));
  record.log().sync();
  record.log().close();
  expect(texts(path)).toEqual(["one", "two", "three"]);
});
