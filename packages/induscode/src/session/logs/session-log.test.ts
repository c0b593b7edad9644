import { mkdtempSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createSecretMask } from "indusagi/core";
import { beforeEach, describe, expect, it } from "vitest";
import { createLog, type SessionLog } from "../../conductor/log.ts";
import { listSessions, newestSessions, sessionPath } from "../../conductor/sessions.ts";
import { noteLongSession } from "./long-session.ts";
import { findSession, openSessionLogs } from "./session-log.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "indus-sessions-"));
});

function openSession(id: string): SessionLog {
  const log = createLog({ id, path: sessionPath(folder, id), cwd: "/w", version: "1" });
  log.append({ type: "clear" });
  return log;
}

it("goes on with the session that was written last, by what the logs say and not by their files' times", async () => {
  const [first, second] = [openSession("a1"), openSession("b2")];
  await setTimeout(2);
  first.append({ type: "clear" }); // a1 continues after b2 began
  for (const log of [first, second]) log.close();
  utimesSync(sessionPath(folder, "a1"), 1_000, 1_000); // as a copy or a backup leaves them
  utimesSync(sessionPath(folder, "b2"), 2_000, 2_000);
  expect(findSession(folder, undefined)).toBe("a1");
  expect(findSession(folder, "b")).toBe("b2");
});

it("knows the time of a log whose last line is long, torn or zero", () => {
  const at = (id: string, atMs: number, text: string, tail = ""): void =>
    writeFileSync(
      sessionPath(folder, id),
      `{"n":0,"at":${atMs},"type":"session","v":1,"id":"${id}","cwd":"/w","version":"1"}\n` +
        `{"n":1,"at":${atMs},"type":"notice","origin":"o","text":"${text}"}\n${tail}`,
    );
  at("long", 5_000, "x".repeat(100_000));
  at("torn", 4_000, "y", '{"n":2,"at":99');
  at("zero", 3_000, "z", "\0".repeat(4_096));
  at("short", 2_000, "w");
  expect(listSessions(folder)).toEqual(["long", "torn", "zero", "short"]);
});

it("new sessions, forks and delegates begin in the folder that the person chose, and earlier ones are still found", () => {
  const chosen = mkdtempSync(join(tmpdir(), "indus-chosen-"));
  const home = mkdtempSync(join(tmpdir(), "indus-home-"));
  const logs = openSessionLogs({}, { home, cwd: "/w", secrets: createSecretMask() }, []);
  const [first, helper] = [logs.next(), logs.nextDelegate()];
  for (const log of [first, helper]) {
    log.append({ type: "clear" });
    log.close();
  }
  logs.beginIn(chosen);
  const fork = logs.fork(first.path, 0).log;
  expect([logs.next(), logs.nextDelegate(), fork].map(({ path }) => dirname(path))).toEqual([
    chosen,
    join(chosen, "delegates"),
    chosen,
  ]);
  fork.close();
  const again = logs.openDelegate(helper.id).log;
  expect(again.path).toBe(helper.path);
  again.close();
});

describe("a newer session that cannot be read", () => {
  const NEWER = '{"n":0,"at":9000000000000,"type":"session","v":4,"id":"b2"}\n';

  it.each([
    [
      "of a newer format",
      NEWER,
      "it has format 4, written by a newer indus; this indus reads formats up to 3",
    ],
    ["of zeros", `\0\0\0\0\n`, "it contains no readable entry"],
    ["with a torn first line and nothing else", '{"n":0,"at":17', "it contains no readable entry"],
  ])("is passed over with a word: one %s", (_what, text, reason) => {
    openSession("a1").close();
    writeFileSync(sessionPath(folder, "b2"), text);
    const later = Date.now() / 1_000 + 60; // the file's own time, used if its lines give none
    utimesSync(sessionPath(folder, "b2"), later, later);
    const notices: string[] = [];
    expect(findSession(folder, undefined, notices)).toBe("a1");
    expect(notices).toEqual([`skipped the newer session b2: ${reason}. Using a1.`]);
  });

  it("is told as the reason where there is no other", () => {
    writeFileSync(sessionPath(folder, "b2"), NEWER);
    expect(() => findSession(folder, undefined)).toThrow(
      `no session in ${folder} can be read: b2: it has format 4`,
    );
  });

  it("an empty one is passed over in silence: nothing was ever said in it", () => {
    openSession("a1").close();
    for (const text of ["", "\n"]) {
      writeFileSync(sessionPath(folder, "b2"), text);
      const notices: string[] = [];
      expect(findSession(folder, undefined, notices)).toBe("a1");
      expect(notices).toEqual([]);
    }
  });

  it("one whose first line is damaged is no such session: it goes on", () => {
    openSession("a1").close();
    writeFileSync(sessionPath(folder, "b2"), `{"n":0,"a\0\n{"n":1,"at":9000000000000,"type":"clear"}\n`);
    expect(findSession(folder, undefined)).toBe("b2");
  });
});

it("says when there is none", () => {
  writeFileSync(sessionPath(folder, "b2"), "");
  expect(() => findSession(folder, undefined)).toThrow(`no sessions in ${folder} yet`);
  expect(() => findSession(folder, "a")).toThrow(`session "a" not found in ${folder}; the newest is b2`);
});

describe("the newest of thousands", () => {
  /** A session that began in the given minute, and whose last entry can be from another. */
  function lay(minute: number, lastMinute: number = minute): string {
    const stamp = new Date(1_700_000_000_000 + minute * 60_000).toISOString();
    const id = `${stamp.replace(/[-:.Z]/g, "").replace("T", "-")}-${String(minute).padStart(4, "0").slice(-4)}`;
    const at = (of: number): number => 1_700_000_000_000 + of * 60_000;
    const head = `{"n":0,"at":${at(minute)},"type":"session","v":1,"id":"${id}","cwd":"/w","version":"1"}`;
    writeFileSync(sessionPath(folder, id), `${head}\n{"n":1,"at":${at(lastMinute)},"type":"clear"}\n`);
    return id;
  }

  it("is found among those that began last, and no other is looked at", () => {
    const ids = Array.from({ length: 500 }, (_, minute) => lay(minute));
    expect(newestSessions(folder)).toEqual(ids.slice(-64).reverse());
    expect(findSession(folder, undefined)).toBe(ids.at(-1));
    expect(findSession(folder, ids[7])).toBe(ids[7]);
  });

  it("is the old one that was gone on with, is open, was killed, or has a name of its own", () => {
    for (let minute = 0; minute < 200; minute++) lay(minute);
    const [resumed, killed] = [lay(1, 900), lay(2, 901)];
    expect(findSession(folder, undefined)).not.toBe(resumed); // the counterpart: nothing distinguishes it from the others
    noteLongSession(sessionPath(folder, resumed), 1_700_000_000_000);
    expect(findSession(folder, undefined)).toBe(resumed);
    writeFileSync(`${sessionPath(folder, killed)}.lock`, "{}");
    expect(findSession(folder, undefined)).toBe(killed);
    const log = openSession("imported");
    log.close();
    expect(findSession(folder, undefined)).toBe("imported");
    expect(listSessions(folder).slice(0, 3)).toEqual(["imported", killed, resumed]);
  });

  it("the note keeps the last of many, and nothing of a session that was never written", () => {
    for (let minute = 0; minute < 100; minute++)
      noteLongSession(sessionPath(folder, lay(minute)), 1_700_000_000_000);
    noteLongSession(sessionPath(folder, "never"), 0);
    noteLongSession(sessionPath(folder, lay(100)), Date.now());
    const noted = readFileSync(join(folder, "long-sessions"), "utf8").trimEnd().split("\n");
    expect([noted.length, noted.includes("never")]).toEqual([64, false]);
  });
});
