import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { acquireLock, withLock } from "./lock.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "indus-lock-"));
  path = join(folder, "s1.jsonl.lock");
});

/** This process's id with another start time: its owner is gone. */
const DEAD = JSON.stringify({ pid: process.pid, startedAt: "1", host: hostname() });

/** A lock that this process holds, as text. */
function living(): string {
  const place = join(mkdtempSync(join(tmpdir(), "indus-lock-")), "lock");
  acquireLock(place);
  return readFileSync(place, "utf8");
}

const files = (): readonly string[] => readdirSync(folder).sort();

describe("a lock", () => {
  it("has one owner until it is released, and leaves nothing behind", () => {
    const first = acquireLock(path);
    expect(acquireLock(path)).toEqual({ ok: false, holder: `by process ${process.pid}` });
    expect(files()).toEqual(["s1.jsonl.lock"]);
    if (first.ok) first.lock.release();
    expect(files()).toEqual([]);
  });

  it.each([
    ["whose owner is gone", DEAD],
    ["that a crash of the machine left empty", ""],
    ["that is null", "null"],
  ])("takes over one %s", (_what, text) => {
    writeFileSync(path, text);
    expect(acquireLock(path).ok).toBe(true);
    expect(readFileSync(path, "utf8")).toBe(living());
    expect(files()).toEqual(["s1.jsonl.lock"]);
  });

  it("never takes one of another machine", () => {
    writeFileSync(path, JSON.stringify({ pid: 1, startedAt: "1", host: "elsewhere.example" }));
    expect(acquireLock(path)).toEqual({
      ok: false,
      holder: `by process 1 on elsewhere.example, another machine or container (if nothing runs there, delete its lock ${path})`,
    });
  });

  // Two containers sharing one home: process 1 of one is not process 1 of the other, and neither sees the other's processes.
  it.each([
    ["lives there under a number that is free here", { pid: 2 ** 22 - 1 }],
    ["lives there under the number of a process here", { pid: process.pid, startedAt: "1" }],
  ])("never takes one of another container, whose owner %s", (_what, owner) => {
    writeFileSync(path, JSON.stringify({ ...JSON.parse(living()), namespace: "pid:[1]", ...owner }));
    expect(acquireLock(path)).toMatchObject({ ok: false, holder: expect.stringContaining(path) });
    expect(acquireLock(path)).toMatchObject({ holder: expect.stringContaining(`on ${hostname()}`) });
    expect(files()).toEqual(["s1.jsonl.lock"]);
  });

  it("the twin: by its number and host alone it is taken for dead, and there are two owners", () => {
    const { startedAt, host } = JSON.parse(living()) as Record<string, unknown>;
    writeFileSync(path, JSON.stringify({ pid: 2 ** 22 - 1, startedAt, host }));
    expect(acquireLock(path).ok).toBe(true);
  });

  it("takes over one of this machine before it was started again, and none of another with the same name", () => {
    const { boot: _, ...mine } = JSON.parse(living()) as Record<string, unknown>;
    writeFileSync(path, JSON.stringify({ ...mine, machine: "another", boot: "another" }));
    expect(acquireLock(path).ok).toBe(false);
    if (mine.machine === "") return; // a machine without an id
    writeFileSync(path, JSON.stringify({ ...mine, boot: "the one before" }));
    expect(acquireLock(path).ok).toBe(true);
  });

  it("throws where it cannot be written, and leaves nothing behind", () => {
    expect(() => acquireLock(join(folder, "missing", "lock"))).toThrow("ENOENT");
    expect(files()).toEqual([]);
  });
});

describe("breaking a lock", () => {
  it("is left to the process that is breaking it: the lock counts as in use, and nothing changes", () => {
    writeFileSync(path, DEAD);
    writeFileSync(`${path}.break`, living());
    expect(acquireLock(path)).toEqual({
      ok: false,
      holder: "by another process that is taking it over",
    });
    expect(readFileSync(path, "utf8")).toBe(DEAD);
    expect(files()).toEqual(["s1.jsonl.lock", "s1.jsonl.lock.break"]);
  });

  it("goes on where a process died while breaking it", () => {
    writeFileSync(path, DEAD);
    writeFileSync(`${path}.break`, DEAD);
    writeFileSync(`${path}.break.break`, DEAD);
    expect(acquireLock(path).ok).toBe(true);
    expect(files()).toEqual(["s1.jsonl.lock"]);
  });

  it("gives up where too many processes died while breaking it", () => {
    for (let depth = 0; depth < 5; depth++) writeFileSync(path + ".break".repeat(depth), DEAD);
    expect(acquireLock(path).ok).toBe(false);
    expect(files()).toHaveLength(5);
  });

  it("the twin: looking first and moving away what is there then makes two owners of three processes", () => {
    const take = (owner: string): boolean => {
      const draft = join(folder, owner);
      writeFileSync(draft, owner);
      try {
        linkSync(draft, path);
        return true;
      } catch {
        return false;
      } finally {
        rmSync(draft);
      }
    };
    writeFileSync(path, DEAD);
    const seenBySecond = readFileSync(path, "utf8"); // and the second is suspended
    rmSync(path);
    const first = take("first");
    expect(seenBySecond).toBe(DEAD);
    renameSync(path, `${path}.dead`); // the second resumes and breaks what it saw
    const third = take("third");
    expect({ first, third }).toEqual({ first: true, third: true });
    expect(() => linkSync(`${path}.dead`, path)).toThrow("EEXIST"); // and cannot put it back
  });

  it("has exactly one winner among six processes, 60 times", async () => {
    const locks = Array.from({ length: 60 }, (_, at) => join(folder, `lock${at}`));
    for (const lock of locks) writeFileSync(lock, DEAD);
    const program = `
      const { acquireLock } = await import(${JSON.stringify(new URL("./lock.ts", import.meta.url).href)});
      process.stdout.write("ready");
      process.stdin.once("data", () => {
        const won = ${JSON.stringify(locks)}.filter((lock) => acquireLock(lock).ok);
        process.stdout.write(JSON.stringify(won));
      });
      process.stdin.on("end", () => process.exit());
    `;
    const racers = Array.from({ length: 6 }, () => {
      const child = spawn(process.execPath, [
        "--conditions=indus-source",
        "--input-type=module",
        "-e",
        program,
      ]);
      child.stdout.setEncoding("utf8");
      return child;
    });
    await Promise.all(racers.map((child) => once(child.stdout, "data")));
    const results = Promise.all(racers.map((child) => once(child.stdout, "data")));
    for (const child of racers) child.stdin.write("go");
    const won = (await results).flatMap(([text]) => JSON.parse(String(text)) as string[]);
    expect(won.sort()).toEqual([...locks].sort());
    expect(files()).toEqual(locks.map((lock) => lock.slice(folder.length + 1)).sort());
    const ended = racers.map((child) => once(child, "close"));
    for (const child of racers) child.stdin.end();
    await Promise.all(ended);
  }, 30_000);
});

describe("a lock for one change", () => {
  it("breaks the one of a process that died with it", async () => {
    writeFileSync(path, DEAD);
    expect(await withLock(path, (isMine) => isMine())).toBe(true);
    expect(files()).toEqual([]);
  });

  it("breaks the one of another machine once it is old, as one for a session never is", async () => {
    const elsewhere = JSON.stringify({ pid: 1, startedAt: "1", host: "elsewhere.example" });
    writeFileSync(path, elsewhere);
    const longAgo = Date.now() / 1000 - 60;
    utimesSync(path, longAgo, longAgo);
    expect(acquireLock(path).ok).toBe(false);
    expect(await withLock(path, (isMine) => isMine())).toBe(true);
    expect(files()).toEqual([]);
  });

  it("waits for a holder", async () => {
    const held = acquireLock(path);
    const order: string[] = [];
    const waiting = withLock(path, () => order.push("work"));
    await Promise.resolve();
    order.push("released");
    if (held.ok) held.lock.release();
    await waiting;
    expect(order).toEqual(["released", "work"]);
  });

  it("tells its owner that it was taken away, and never removes another owner's", async () => {
    const waited = withLock(path, (isMine) => {
      writeFileSync(path, "someone else");
      return isMine();
    });
    expect(await waited).toBe(false);
    expect(readFileSync(path, "utf8")).toBe("someone else");
  });
});
