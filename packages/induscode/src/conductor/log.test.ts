import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import * as fc from "../../../../tests/support/fast-check.ts";
import { NO_DAMAGE } from "../../../../tests/support/test-damage.ts";
import { PATIENCE_MS } from "../../../../tests/support/until.ts";
import type { Entry, EntryBody } from "./contract.ts";
import { ContextFold } from "./fold.ts";
import { createLog, LogError, openLog } from "./log.ts";
import { readEntries } from "./log-reader.ts";

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

function openAndClose(): readonly Entry[] {
  const { log, entries } = openLog(path);
  log.close();
  return entries;
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

/** Appends twice in a process that may write at most 512 bytes (1 KiB in some shells) to a file. */
function appendOnFullDisk(cwd: string): { readonly errors: unknown; readonly stderr: string } {
  const program = `
    const { createLog } = await import(${JSON.stringify(new URL("./log.ts", import.meta.url).href)});
    const log = createLog({ id: "s1", path: ${JSON.stringify(path)}, cwd: ${JSON.stringify(cwd)}, version: "1" });
    const errors = [];
    for (let i = 0; i < 2; i++) {
      try { log.append({ type: "clear" }); } catch (error) { errors.push(error.name); }
    }
    log.close();
    process.stdout.write(JSON.stringify(errors));
  `;
  const command = 'ulimit -f 1; exec "$0" --conditions=indus-source --input-type=module -e "$1"';
  const { stdout, stderr } = spawnSync("sh", ["-c", command, process.execPath, program], {
    encoding: "utf8",
    timeout: PATIENCE_MS,
  });
  return { errors: JSON.parse(stdout || "null"), stderr };
}

describe("a new log that cannot be begun", () => {
  it("takes no entry and leaves nothing behind when its first line does not fit on the disk", () => {
    expect(appendOnFullDisk("/w".repeat(2000))).toMatchObject({ errors: ["LogError", "LogError"] });
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  it("the twin: a shorter first line fits, and the same limit lets both entries in", () => {
    expect(appendOnFullDisk("/w")).toMatchObject({ errors: [] });
    expect(readEntries(path).entries.map(({ type }) => type)).toEqual(["session", "clear", "clear"]);
  });

  it("is tried again with the next entry", () => {
    const log = createLog({ id: "s1", path, cwd: "/w", version: "1" });
    writeFileSync(dirname(path), "in the way");
    expect(() => log.append(user("lost"))).toThrow(LogError);
    rmSync(dirname(path));
    expect(log.append(user("kept")).n).toBe(1);
    log.close();
    expect(openAndClose().map(({ type }) => type)).toEqual(["session", "user"]);
  });

  it.each(["", ".lock"])("is a LogError where something else stands at its path%s", (suffix) => {
    mkdirSync(path + suffix, { recursive: true });
    const log = createLog({ id: "s1", path, cwd: "/w", version: "1" });
    expect(() => log.append(user("lost"))).toThrow(LogError);
    expect(() => openLog(path)).toThrow(LogError);
    expect(readdirSync(dirname(path))).toEqual([`s1.jsonl${suffix}`]);
  });

  it("one that is not there cannot be opened, and opening leaves nothing behind", () => {
    mkdirSync(dirname(path));
    expect(() => openLog(path)).toThrow(LogError);
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  it("an entry that is no JSON is refused, and the log goes on", () => {
    const log = createLog({ id: "s1", path, cwd: "/w", version: "1" });
    const endless: unknown[] = [];
    endless.push(endless);
    const body = { type: "tool", callId: "1", name: "ls", state: "ok", text: "", durationMs: 0 } as const;
    expect(() => log.append({ ...body, output: endless as never })).toThrow(LogError);
    log.append(user("next"));
    log.close();
    expect(texts()).toEqual(["next"]);
  });
});

describe("reopening", () => {
  it("goes on numbering where the log ended", () => {
    write("one");
    const { log, entries, damage } = openLog(path);
    log.append(user("two"));
    log.close();
    expect(entries).toHaveLength(2);
    expect(damage).toEqual(NO_DAMAGE);
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

  it("the twin: appending without the repair fuses both; the whole one is found in what is left", () => {
    write("one", "two");
    truncateSync(path, readFileSync(path).length - 5);
    appendFileSync(path, `${JSON.stringify({ n: 3, at: 0, ...user("three") })}\n`);
    const fused = readFileSync(path, "utf8").split("\n")[2] ?? "";
    expect(() => JSON.parse(fused)).toThrow(SyntaxError);
    expect(texts()).toEqual(["one", "three"]);
    expect(readEntries(path).damage).toMatchObject({ salvaged: 1, missing: 1 });
  });

  it("keeps a whole last entry that lacks only its newline, and the next one begins a line", () => {
    write("one", "two");
    truncateSync(path, readFileSync(path).length - 1);
    const { log, entries, damage } = openLog(path);
    log.append(user("three"));
    log.close();
    expect([entries.length, damage]).toEqual([3, NO_DAMAGE]);
    expect(texts()).toEqual(["one", "two", "three"]);
    expect(readFileSync(path, "utf8").split("\n")).toHaveLength(5);
  });

  it("takes the id of a session whose first line is damaged from its file's name", () => {
    write("one");
    const bytes = readFileSync(path);
    bytes[3] = 0;
    writeFileSync(path, bytes);
    const { log, entries, damage } = openLog(path);
    expect(log.id).toBe("s1");
    expect(log.append(user("two")).n).toBe(2);
    log.close();
    expect(entries.map(({ type }) => type)).toEqual(["user"]);
    expect(damage).toEqual({ ...NO_DAMAGE, lines: 1, missing: 1, isHeadless: true });
  });

  it("refuses a file without any entry", () => {
    write("one");
    for (const text of ["", "\n\n", "hello\n", "\0\0\0\n", '{"n":0,"at":1']) {
      writeFileSync(path, text);
      expect(() => openLog(path)).toThrow("is not a session log: it contains no readable entry");
      expect(readFileSync(path, "utf8")).toBe(text);
    }
  });

  it("refuses a log of a newer format, and changes nothing in it", () => {
    const text =
      '{"n":0,"at":1,"type":"session","v":4,"id":"s1"}\n{"n":1,"at":1,"type":"mood","value":7}\n{"n":2';
    write("one");
    writeFileSync(path, text);
    expect(() => openLog(path)).toThrow(
      `The session log ${path} cannot be read: it has format 4, written by a newer indus; this indus reads formats up to 3. ` +
        "Update indus, or start a new session.",
    );
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it.each([
    ["an assistant entry without a message", { type: "assistant" }],
    ["a message of a block that is null", { type: "user", content: [null] }],
    ["a tool entry without a text", { type: "tool", callId: "1", name: "ls", state: "ok" }],
    ["a context entry whose messages are a text", { type: "context", from: 0, remove: 0, insert: "x" }],
    ["a prompt without tools", { type: "prompt", model: "m", system: "s", params: {} }],
    ["a summary without usage", { type: "summary", text: "s" }],
    ["a number that is none", { type: "clear", n: 1.5 }],
  ])("counts %s as damaged, although it is JSON", (_what, body) => {
    write("one");
    appendFileSync(path, `${JSON.stringify({ n: 2, at: 1, ...body })}\n`);
    expect(readEntries(path).damage.lines).toBe(1);
    expect(openAndClose()).toHaveLength(2);
  });

  it("the twin: folding such a line dies", () => {
    const line = { n: 2, at: 1, type: "assistant" } as unknown as Entry;
    expect(() => new ContextFold().add(line)).toThrow(TypeError);
  });

  it("keeps an entry of a type that only a later version knows", () => {
    write("one");
    appendFileSync(path, '{"n":2,"at":1,"type":"mood","value":7}\n');
    expect(readEntries(path)).toMatchObject({
      damage: { ...NO_DAMAGE, later: [{ type: "mood", n: 2 }] },
      entries: { length: 3 },
    });
  });

  it("survives a cut at every byte: what was whole stays, nothing else appears", () => {
    write("one", "zwei ✓", "three");
    const whole = readFileSync(path);
    const all = ["one", "zwei ✓", "three"];
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(path, whole.subarray(0, length));
      const kept = texts();
      expect(kept).toEqual(all.slice(0, kept.length));
      const newlines = whole.subarray(0, length).filter((byte) => byte === 10).length;
      const isWhole = whole[length] === 10; // only its newline is missing
      expect(readEntries(path).entries).toHaveLength(newlines + (isWhole ? 1 : 0));
    }
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
    const { log } = openLog(path); // same process number, different start time: a recycled number is not the owner
    log.close();
    expect(existsSync(`${path}.lock`)).toBe(false);
  });
});

it("a folder that cannot be created is named, with the way out", () => {
  const path = join(import.meta.filename, "sessions", "s1.jsonl"); // below a file
  expect(() =>
    createLog({ id: "s1", path, cwd: "/w", version: "1" }).append({ type: "end", how: "complete" }),
  ).toThrow(
    /^The folder of the session log .* cannot be created: .*ENOTDIR.*Set INDUS_HOME to a folder that can be written$/,
  );
});
