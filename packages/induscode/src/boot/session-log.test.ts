import { mkdtempSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { createLog, openLog } from "../conductor/log.ts";
import { sessionPath } from "../conductor/sessions.ts";
import { findSession } from "./session-log.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "indus-sessions-"));
});

function session(id: string, writtenS: number): void {
  const log = createLog({ id, path: sessionPath(folder, id), cwd: "/w", version: "1" });
  log.append({ type: "clear" });
  log.close();
  utimesSync(sessionPath(folder, id), writtenS, writtenS);
}

it("goes on with the session that was written last", () => {
  session("a1", 2000);
  session("b2", 1000);
  expect(findSession(folder, undefined)).toBe("a1");
  expect(findSession(folder, "b")).toBe("b2");
});

it("passes over a file that a full disk left without its first line", () => {
  session("a1", 1000);
  writeFileSync(sessionPath(folder, "b2"), '{"n":1,"at":1,"type":"clear"}\n');
  expect(findSession(folder, undefined)).toBe("a1");
  expect(() => openLog(sessionPath(folder, "b2"))).toThrow("is not a session log"); // the twin: the newest file
});

it("says when there is none", () => {
  writeFileSync(sessionPath(folder, "b2"), "");
  expect(() => findSession(folder, undefined)).toThrow(`there is no session yet in ${folder}`);
  expect(() => findSession(folder, "a")).toThrow(`there is no session "a" in ${folder}; the newest is b2`);
});
