// What a power cut may take, by a trace of the real command: of the log, what was written since its last flush. Whatever a call
// changed in the working folder outlives the cut, so the lines that explain it must as well.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { builtCommand } from "../support/built.ts";
import { createWorkplace, modelEnvironment } from "../support/indus.ts";
import { type Script, startModelServer } from "../support/model-server.ts";
import { lacks } from "../support/needs.ts";
import { stopAtListedCalls, traceProblem } from "../support/system-trace.ts";
import { until } from "../support/until.ts";

const CALL = /^\d+ +(\w+)\((.*)/;
const LOG = /^\d+<[^>]*\/sessions\/[^>]*\.jsonl>/;

interface Disk {
  /** Of the log: bytes that were written, and those of them that a flush has reached. */
  readonly written: number;
  readonly safe: number;
  /** The folder with the log's name in it was flushed. */
  readonly isNameSafe: boolean;
  /** What was changed in the working folder while the log had bytes that were not safe. */
  readonly unexplained: readonly string[];
  readonly changes: number;
}

/** Plays the trace as a disk that keeps what was flushed. A flush counts from its end, a change from its beginning. */
function play(trace: string, cwd: string): Disk {
  let [written, safe, changes, isNameSafe] = [0, 0, 0, false];
  const unexplained: string[] = [];
  const flushing = new Map<string, { readonly upTo: number; readonly isFolder: boolean }>();
  const end = (upTo: number, isFolder: boolean): void => {
    safe = Math.max(safe, upTo);
    isNameSafe ||= isFolder;
  };
  for (const line of trace.split("\n")) {
    const pid = line.split(" ", 1)[0] ?? "";
    if (/<\.\.\. (fdatasync|fsync) resumed>/.test(line)) {
      const { upTo = 0, isFolder = false } = flushing.get(pid) ?? {};
      end(upTo, isFolder);
      continue;
    }
    const [, name = "", args = ""] = CALL.exec(line) ?? [];
    if (name.startsWith("pwrite") && LOG.test(args)) written += Number(/= (\d+)$/.exec(line)?.[1] ?? 0);
    if (name === "fdatasync" || name === "fsync") {
      const isFolder = /^\d+<[^>]*\/sessions\/[^>/]*>/.test(args);
      const upTo = LOG.test(args) ? written : 0;
      if (line.includes("<unfinished")) flushing.set(pid, { upTo, isFolder });
      else end(upTo, isFolder);
    }
    const isChange =
      (/^rename/.test(name) && args.includes(`${cwd}/a.txt`)) ||
      (name === "execve" && args.includes("echo changed"));
    if (!isChange) continue;
    changes++;
    if (safe < written || !isNameSafe) unexplained.push(line);
  }
  return { written, safe, isNameSafe, unexplained, changes };
}

it.skipIf(lacks("strace", traceProblem() === undefined))(
  "what led to a change is safe before it, and the rest soon, whatever the session waits for",
  async () => {
    const place = createWorkplace();
    const trace = join(place.home, "..", "trace");
    const disk = (): Disk => play(existsSync(trace) ? readFileSync(trace, "utf8") : "", place.cwd);
    const held = Promise.withResolvers<void>();
    const script: Script = (_request, index) => {
      if (index === 0) return { calls: [{ name: "write", input: { path: "a.txt", content: "a" } }] };
      if (index === 1) return { calls: [{ name: "bash", input: { command: "echo changed > b.txt" } }] };
      return { text: "done", trouble: { kind: "held", until: held.promise } };
    };
    const server = await startModelServer(script);
    onTestFinished(server.close);
    const options = [
      "-f",
      "-y",
      "-qq",
      "-s",
      "300",
      ...stopAtListedCalls(),
      "-e",
      "signal=none",
      "-o",
      trace,
    ];
    const calls = "trace=pwrite64,fdatasync,fsync,rename,renameat,renameat2,execve";
    const args = ["-p", "change it", "--model", "anthropic/x", "--permission-mode", "bypass"];
    const child = spawn("strace", [...options, "-e", calls, "--", builtCommand(), ...args], {
      cwd: place.cwd,
      env: {
        PATH: process.env.PATH,
        HOME: place.home,
        INDUS_HOME: place.home,
        ...modelEnvironment(server.url),
      },
      stdio: "ignore",
    });
    const ended = once(child, "exit");
    await until(() => server.requests.length === 3);
    // The model thinks for as long as it likes: what the session has shown until then becomes safe meanwhile.
    await until(() => disk().safe === disk().written);
    held.resolve();
    await ended;
    expect(disk()).toMatchObject({ unexplained: [], isNameSafe: true });
    expect(disk().changes).toBeGreaterThanOrEqual(2);
    expect(disk().safe).toBe(disk().written);
    expect(readFileSync(join(place.cwd, "b.txt"), "utf8")).toBe("changed\n");

    // The twin: without the flushes between the first and the last, each change outlives what explains it.
    const lines = readFileSync(trace, "utf8").split("\n");
    const isFlush = (line: string): boolean =>
      /\b(fdatasync|fsync)\b/.test(line) && line.includes("/sessions/");
    const last = lines.findLastIndex(isFlush);
    const first = lines.findIndex(isFlush);
    const old = lines.filter((line, at) => at === first || at === last || !/fdatasync|fsync/.test(line));
    expect(play(old.join("\n"), place.cwd).unexplained.length).toBeGreaterThanOrEqual(2);
  },
);
