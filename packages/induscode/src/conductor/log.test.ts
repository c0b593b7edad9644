import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { EntryBody } from "./contract.ts";
import { createLog, openLog, readEntries } from "./log.ts";

let path: string;
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), "indus-log-")), "folder", "s1.jsonl");
});

const user = (text: string): EntryBody => ({
  type: "user",
  content: [{ kind: "text", text }],
  via: "submit",
});

function write(...texts: readonly string[]): void {
  const log = createLog({ id: "s1", path, cwd: "/w", version: "1" });
  for (const text of texts) log.append(user(text));
  log.close();
}

/** The texts of the user entries, in order. */
function texts(): readonly string[] {
  return readEntries(path).entries.flatMap((entry) =>
    entry.type === "user" ? entry.content.map((block) => (block.kind === "text" ? block.text : "")) : [],
  );
}

describe("a new log", () => {
  it("leaves nothing behind until its first entry, then begins with the session", () => {
    const log = createLog({ id: "s1", path, cwd: "/w", version: "1" });
    log.close();
    expect(existsSync(path)).toBe(false);
    write("hello");
    const [head, first] = readEntries(path).entries;
    expect(head).toMatchObject({ n: 0, type: "session", v: 1, id: "s1", cwd: "/w", version: "1" });
    expect(first).toMatchObject({ n: 1, type: "user" });
  });

  it("is readable by its owner alone", () => {
    write("hello");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("ends each entry with the write that made it: a reader sees it at once", () => {
    const log = createLog({ id: "s1", path, cwd: "/w", version: "1" });
    log.append(user("now"));
    expect(texts()).toEqual(["now"]);
    log.close();
  });
});

describe("reopening", () => {
  it("goes on numbering where the log ended", () => {
    write("one");
    const { log, entries, damagedLines } = openLog(path);
    log.append(user("two"));
    log.close();
    expect(entries).toHaveLength(2);
    expect(damagedLines).toBe(0);
    expect(texts()).toEqual(["one", "two"]);
    expect(readEntries(path).entries.map((entry) => entry.n)).toEqual([0, 1, 2]);
  });

  it("cuts off a torn last line, so that the next entry does not fuse with it", () => {
    write("one", "two");
    const whole = readFileSync(path);
    truncateSync(path, whole.length - 5);
    const { log } = openLog(path);
    log.append(user("three"));
    log.close();
    expect(texts()).toEqual(["one", "three"]);
  });

  it("the twin: appending without the repair loses both entries", () => {
    write("one", "two");
    truncateSync(path, readFileSync(path).length - 5);
    appendFileSync(path, `${JSON.stringify({ n: 3, at: 0, ...user("three") })}\n`);
    expect(texts()).toEqual(["one"]);
  });

  it("leaves out damaged lines in the middle, counts them and keeps what follows", () => {
    write("one", "two", "three");
    const lines = readFileSync(path, "utf8").split("\n");
    lines[2] = "\0".repeat(4096);
    lines.splice(2, 0, '{"n":1', "[]", '"text"');
    writeFileSync(path, lines.join("\n"));
    expect(texts()).toEqual(["one", "three"]);
    expect(readEntries(path).damagedLines).toBe(4);
  });

  it("survives a cut at every byte: what was whole stays, nothing else appears", () => {
    write("one", "zwei ✓", "three");
    const whole = readFileSync(path);
    const all = ["one", "zwei ✓", "three"];
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(path, whole.subarray(0, length));
      const kept = texts();
      expect(kept).toEqual(all.slice(0, kept.length));
    }
  });

  it("refuses a file that is not a session log", () => {
    write("one");
    writeFileSync(path, '{"n":0,"at":1,"type":"user","content":[],"via":"submit"}\n');
    expect(() => openLog(path)).toThrow("is not a session log");
  });
});

describe("entries", () => {
  it("hold any text: newlines, U+2028, lone surrogates, control characters", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" }), { maxLength: 5 }), (values) => {
        path = join(mkdtempSync(join(tmpdir(), "indus-log-")), "s1.jsonl");
        write(...values, "a\u2028b\nc\r\n\0", "\ud800");
        expect(texts()).toEqual([...values, "a\u2028b\nc\r\n\0", "\ud800"]);
      }),
      { numRuns: 50 },
    );
  });
});

describe("one writer", () => {
  it("refuses a second one while the first lives, and names it", () => {
    const log = createLog({ id: "s1", path, cwd: "/w", version: "1" });
    log.append(user("one"));
    expect(() => openLog(path)).toThrow(`is in use by process ${process.pid}`);
    log.close();
    openLog(path).log.close();
  });

  it("takes over from an owner that is gone", () => {
    write("one");
    writeFileSync(
      `${path}.lock`,
      JSON.stringify({
        pid: process.pid,
        startedAt: "1",
        host: hostname(),
      }),
    );
    const { log } = openLog(path); // same process number, another start: a recycled number is not the owner
    log.close();
    expect(existsSync(`${path}.lock`)).toBe(false);
  });
});
