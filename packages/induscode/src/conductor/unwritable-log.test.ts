import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import type { EntryBody } from "./contract.ts";
import { createLog, LogError, LogInUse, openLog } from "./log.ts";
import { readEntries } from "./log-reader.ts";
import { moveLog } from "./move-log.ts";
import { createRecord } from "./record.ts";
import { openUnwritable } from "./unwritable-log.ts";

const line = (text: string): EntryBody => ({
  type: "user",
  via: "submit",
  content: [{ kind: "text", text }],
});

let path: string;
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), "indus-log-")), "s1.jsonl");
  const log = createLog({ id: "s1", path, cwd: "/w", version: "1" });
  log.append(line("one"));
  log.close();
});

it("is locked and written with the first entry, and until then is free for others", () => {
  const { log, entries } = openUnwritable(path);
  expect(log.id).toBe("s1");
  expect(entries).toHaveLength(2);
  openLog(path).log.close();
  expect(log.append(line("two")).n).toBe(2);
  expect(() => openLog(path)).toThrow(LogInUse);
  log.close();
  openLog(path).log.close();
  expect(readEntries(path).damage).toMatchObject({ missing: 0, repeated: 0, tail: 0 });
});

it("never cuts off what another process has written since", () => {
  const { log, fold } = openUnwritable(path);
  const other = openLog(path).log;
  other.append(line("of another"));
  other.close();
  const after = readFileSync(path, "utf8");
  expect(() => log.append(line("two"))).toThrow("has changed since it was read");
  openLog(path).log.close(); // its lock is not left
  const record = createRecord(log, fold);
  const next = join(dirname(path), "elsewhere", "s1.jsonl");
  moveLog(record, next);
  record.append(line("two"));
  record.log().close();
  expect(readFileSync(path, "utf8")).toBe(after);
  expect(readEntries(next).entries.map(({ n }) => n)).toEqual([0, 1, 2]);
});

it("is copied up to its last entry, which gets its newline", () => {
  appendFileSync(path, '{"n":2,"at":1,"type":"end","how":"complete"}');
  const record = createRecord(openUnwritable(path).log, openUnwritable(path).fold);
  const next = join(dirname(path), "elsewhere", "s1.jsonl");
  moveLog(record, next);
  record.append(line("two"));
  record.log().close();
  expect(readEntries(next)).toMatchObject({ damage: { lines: 0, missing: 0, tail: 0 } });
  expect(readEntries(next).entries).toHaveLength(4);
});

it("says what cannot be read as any log does, and takes nothing once it is closed", () => {
  const { log } = openUnwritable(path);
  log.close();
  expect(log.held()).toBeUndefined();
  expect(() => log.append(line("two"))).toThrow("is closed");
  truncateSync(path, 0);
  expect(() => openUnwritable(path)).toThrow("contains no readable entry");
  rmSync(path);
  expect(() => openUnwritable(path)).toThrow(LogError);
});
