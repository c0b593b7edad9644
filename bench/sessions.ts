// What many or long sessions cost a person: continuing among ten thousand, searching them, resuming and verifying a log of
// 200 MB, asking after 500 turns, and keeping what a turn changes among 20,000 files. Prints one table; a missed target is no error.
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { foldEntries } from "../packages/induscode/src/conductor/branch.ts";
import type { Entry, EntryBody } from "../packages/induscode/src/conductor/contract.ts";
import { sessionFolder, sessionPath } from "../packages/induscode/src/conductor/sessions.ts";
import { createCheckpoints } from "../packages/induscode/src/parts/checkpoints/checkpoints.ts";

const ROUNDS = 7;
const SESSIONS = 10_000;
const LOG_MB = 200;
const LOG_ENTRIES = 100_000;
const FILES = 20_000;
/** No model answers sooner. */
const ANSWER_MS = 500;
const base = mkdtempSync(join(tmpdir(), "indus-bench-sessions-"));
const rows: string[] = [];

try {
  const one = place("one");
  const many = place("many");
  for (let at = 0; at < SESSIONS; at++) writeLog(many, at, 2);
  writeLog(one, 0, 2);
  const [few, lots] = inTurn(
    () => goOn(one),
    () => goOn(many),
  );
  row(`-c among ${SESSIONS} sessions`, lots - few, "ms more", 20);
  row(
    `search ${SESSIONS} sessions`,
    median(times(3, () => indus(many, ["sessions", "search", "needle"]).ms)),
    "ms",
    1000,
  );

  const long = place("long");
  writeLog(long, 0, 500);
  const [short, after] = inTurn(
    () => ask(place("new")),
    () => goOn(long),
  );
  row("500 turns: first request", after / short, "× a new session's", 1.1);

  const large = place("large");
  const log = writeLog(large, 0, LOG_ENTRIES / 5, (LOG_MB * 1024 * 1024) / (LOG_ENTRIES / 5));
  const resumed = times(3, () => indus(large, ["-p", "go", "-c", "--cassette", tape(large)], true));
  row(`resume ${LOG_MB} MB`, median(resumed.map(({ ms }) => ms)), "ms", 1500);
  row(`resume ${LOG_MB} MB`, median(resumed.map(({ mb }) => mb)), "MB", 250);
  const verified = median(times(3, () => indus(large, ["session", "verify"]).ms));
  row(`verify ${log.mb.toFixed(0)} MB`, log.mb / (verified / 1000), "MB/s", 50, true);

  await measureCheckpoints();
  console.log(["what".padEnd(34), "measured".padStart(10), "target".padStart(10)].join(" "));
  console.log(rows.join("\n"));
} finally {
  rmSync(base, { recursive: true, force: true });
}

interface Place {
  readonly home: string;
  readonly cwd: string;
}

function place(name: string): Place {
  const made = { home: join(base, name, "home"), cwd: join(base, name, "work") };
  mkdirSync(made.home, { recursive: true });
  mkdirSync(made.cwd, { recursive: true });
  writeFileSync(join(made.home, "settings.json"), JSON.stringify({ localServers: [] }));
  mkdirSync(sessionFolder(made.home, made.cwd), { recursive: true });
  return made;
}

/** A cassette with one answer. */
function tape({ home }: Place): string {
  const path = join(home, "tape.jsonl");
  const reply = { message: { role: "assistant", content: [{ kind: "text", text: "Done." }] } };
  writeFileSync(path, `{"cassette":1,"about":"x"}\n${JSON.stringify({ turn: 1, reply })}\n`);
  return path;
}

/** A log of `turns` turns of five entries each, with correct digests. */
function writeLog({ home, cwd }: Place, at: number, turns: number, turnBytes = 600): { readonly mb: number } {
  const began = Date.UTC(2026, 0, 1) + at * 1000;
  const id = `${new Date(began)
    .toISOString()
    .replace(/[-:.Z]/g, "")
    .replace("T", "-")}-aaaa`;
  const file = openSync(sessionPath(sessionFolder(home, cwd), id), "w");
  const fill = "what was said in it is of no importance "
    .repeat(Math.ceil(turnBytes / 80))
    .slice(0, turnBytes / 2);
  const text = (words: string) => [{ kind: "text" as const, text: words }];
  let n = 0;
  let bytes = 0;
  const block: string[] = [];
  const fold = foldEntries([]);
  const put = (body: EntryBody): void => {
    const entry = { n: n++, at: began + n, ...body } as Entry;
    fold.add(entry);
    const line = `${JSON.stringify(entry)}\n`;
    bytes += line.length;
    block.push(line);
    if (block.length > 500) writeSync(file, block.splice(0).join(""));
  };
  put({ type: "session", v: 1, id, cwd, version: "0.1.0" });
  put({ type: "prompt", model: "cassette/recording", system: "You help.", tools: [], params: {} });
  for (let turn = 0; turn < turns; turn++) {
    put({ type: "user", via: "submit", content: text(at === 77 ? `needle ${turn}` : `line ${turn}`) });
    put({ type: "request", digest: fold.digest() });
    const call = {
      kind: "tool_call" as const,
      id: `c${turn}`,
      name: "read",
      input: { path: `src/${turn}.ts` },
    };
    const usage = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 };
    put({
      type: "assistant",
      message: { role: "assistant", content: [...text(fill), call] },
      stop: "tool_calls",
      usage,
    });
    put({ type: "tool", callId: call.id, name: "read", state: "ok", text: fill, durationMs: 1 });
    put({ type: "end", how: "complete", turns: turn + 1 });
  }
  writeSync(file, block.join(""));
  closeSync(file);
  return { mb: bytes / 1024 / 1024 };
}

function goOn(where: Place): number {
  return indus(where, ["-p", "go", "-c", "--cassette", tape(where)]).ms;
}

function ask(where: Place): number {
  return indus(where, ["-p", "go", "--cassette", tape(where)]).ms;
}

function indus(
  { home, cwd }: Place,
  args: readonly string[],
  isMeasured = false,
): { readonly ms: number; readonly mb: number } {
  const peak = join(home, "peak");
  const program = fileURLToPath(new URL("../packages/induscode/bin/indus.cjs", import.meta.url));
  const preload = fileURLToPath(new URL("../tests/support/peak-memory.cjs", import.meta.url));
  const began = performance.now();
  const { status, stderr } = spawnSync(
    process.execPath,
    [...(isMeasured ? ["--require", preload] : []), program, ...args],
    {
      cwd,
      env: { PATH: process.env.PATH, HOME: home, INDUS_HOME: home, PEAK_FILE: peak },
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  const ms = performance.now() - began;
  if (status !== 0) throw new Error(`indus ${args.join(" ")} ended with ${status}: ${stderr.slice(0, 500)}`);
  return { ms, mb: isMeasured ? Number(readText(peak)) / 1024 : 0 };
}

function readText(path: string): string {
  return spawnSync("cat", [path], { encoding: "utf8" }).stdout;
}

/** Ten of 20,000 files change: by tools, which say which, and by a command, after which all files are checked. */
async function measureCheckpoints(): Promise<void> {
  const { home, cwd } = place("files");
  for (let at = 0; at < FILES; at++) {
    const folder = join(cwd, `d${at % 200}`);
    if (at < 200) mkdirSync(folder);
    writeFileSync(join(folder, `f${at}.ts`), `export const value${at} = ${at};\n`.repeat(20));
  }
  const change = (): void => {
    for (let at = 0; at < 10; at++) appendFileSync(join(cwd, `d${at}`, `f${at}.ts`), "// changed\n");
  };
  /** How long the turn waits; the model's answer takes `answerMs`. */
  const turn = async (
    touched: Parameters<ReturnType<typeof open>["before"]>[0],
    checkpoints = open(),
    answerMs = 0,
  ): Promise<number> => {
    const began = performance.now();
    checkpoints.begin();
    const after = await checkpoints.before(touched);
    const looked = performance.now() - began;
    change();
    after();
    checkpoints.meanwhile();
    if (answerMs > 0) await sleep(answerMs);
    const ended = performance.now();
    await checkpoints.end();
    return looked + performance.now() - ended;
  };
  const open = () => createCheckpoints({ cwd, home, folder: "files", looksAtAll: true, tell: console.error });
  const writes = Array.from({ length: 10 }, (_, at) => ({
    kind: "write" as const,
    path: join(cwd, `d${at}`, `f${at}.ts`),
  }));
  const command = [{ kind: "execute" as const, command: "make", cwd }];
  row("checkpoint: 10 files by tools", median(await each(ROUNDS, () => turn(writes))), "ms", 30);
  row(`first command of all, ${FILES} files`, await turn(command), "ms");
  row("first command of a later session", await turn(command), "ms");
  const kept = open();
  await turn(command, kept);
  const commands = (answerMs: number) => each(ROUNDS, () => turn(command, kept, answerMs));
  row("checkpoint: 10 files by a command", median(await commands(ANSWER_MS)), "ms", 30);
  row("the same, answered at once", median(await commands(0)), "ms");
}

async function each(count: number, work: () => Promise<number>): Promise<readonly number[]> {
  const found: number[] = [];
  for (let round = 0; round < count; round++) found.push(await work());
  return found;
}

function times<Value>(count: number, work: () => Value): readonly Value[] {
  return Array.from({ length: count }, work);
}

/** The medians of two, run alternately because a busy machine drifts. */
function inTurn(a: () => number, b: () => number): readonly [number, number] {
  const rounds = times(ROUNDS, () => [a(), b()] as const);
  return [median(rounds.map(([first]) => first)), median(rounds.map(([, second]) => second))];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function row(what: string, value: number, unit: string, target?: number, isLeast = false): void {
  const ok = target === undefined ? "" : (isLeast ? value >= target : value <= target) ? "ok" : "MISSED";
  const shown = target === undefined ? "" : `${isLeast ? "≥" : "≤"} ${target}`;
  rows.push(
    `${what.padEnd(34)} ${value.toFixed(unit.startsWith("×") ? 2 : 0).padStart(10)} ${unit.padEnd(18)} ${shown.padStart(7)} ${ok}`,
  );
}
