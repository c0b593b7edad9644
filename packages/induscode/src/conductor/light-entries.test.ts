import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { LONG_ONLY } from "../../../../tests/support/long-form.ts";
import { foldEntries, startFold } from "./branch.ts";
import type { Entry } from "./contract.ts";
import { forkLog } from "./fork.ts";
import { HELD_BYTES } from "./light-entries.ts";
import { openLog } from "./log.ts";
import { readEntries } from "./log-reader.ts";
import { createRecord } from "./record.ts";
import { verifyEntries, verifyLog } from "./verify.ts";

const USAGE = { inputTokens: 9, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
const TEXT = "a line with “quotes” and \u{1f40d}, ".repeat(8_000); // 256 KB
const TURNS = Math.ceil((2 * HELD_BYTES) / (4 * TEXT.length));
const ID = "20260202-010000000-aaaa";
const [JUMP_AT, JUMP_TO] = [29, 16];
let lines: readonly string[] = [];

/** Twice the amount held in memory, with a jump back in the middle. */
beforeAll(() => {
  const entries: Entry[] = [];
  const { fold, add } = startFold(new Map([[JUMP_AT, JUMP_TO]]));
  const put = (body: object): void => {
    const entry = { n: entries.length, at: 1_770_000_000_000, ...body } as Entry;
    entries.push(entry);
    add(entry);
  };
  const said = (text: string): object => [{ kind: "text", text }];
  const image = { kind: "image", mediaType: "image/png", data: "iVBORw0KGgo".repeat(200) };
  put({ type: "session", v: 1, id: ID, cwd: "/w", version: "0.1.0" });
  put({ type: "prompt", model: "m/m", system: TEXT, tools: [], params: {} });
  for (let turn = 0; turn < TURNS; turn++) {
    put({ type: "user", via: "submit", content: said(`${turn} ${TEXT}`) });
    if (turn === 5) put({ type: "session", v: 2, id: ID, cwd: "/w", version: "0.1.0" });
    if (turn === 5) put({ type: "jump", to: JUMP_TO });
    put({ type: "request", digest: fold.digest() });
    const call = { kind: "tool_call", id: `c${turn}`, name: "write", input: { path: "a", content: TEXT } };
    const message = { role: "assistant", content: [{ kind: "text", text: TEXT }, call] };
    put({ type: "assistant", message, stop: "tool_calls", usage: USAGE });
    const images = turn === 3 ? { images: [image] } : {};
    put({ type: "tool", callId: call.id, name: "write", state: "ok", text: TEXT, ...images, durationMs: 1 });
    put({ type: "end", how: "complete", turns: turn + 1 });
  }
  lines = entries.map((entry) => JSON.stringify(entry));
});

function largeLog(): string {
  const folder = mkdtempSync(join(tmpdir(), "indus-light-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, `${ID}.jsonl`);
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

const plain = (): readonly Entry[] => lines.map((line) => JSON.parse(line) as Entry);

/** Characters of the texts that `value` itself holds. */
function heldIn(value: object): number {
  return Object.values(Object.getOwnPropertyDescriptors(value)).reduce((sum, { value: part, get }) => {
    if (get) return sum;
    return (
      sum + (typeof part === "string" ? part.length : typeof part === "object" && part ? heldIn(part) : 0)
    );
  }, 0);
}

test("the jump of this log is where its view is made for", () => {
  expect(JSON.parse(lines[JUMP_AT] ?? "")).toMatchObject({ type: "jump", to: JUMP_TO });
});

test("a long log's texts stay in its file, but for the end, and are there for whoever asks", () => {
  const path = largeLog();
  const { entries, damage } = readEntries(path);
  expect(damage).toMatchObject({ lines: 0, missing: 0, salvaged: 0 });
  expect(heldIn(plain() as object)).toBeGreaterThan(HELD_BYTES * 1.4); // what reading the whole log holds
  expect(heldIn(entries as object)).toBeLessThan(HELD_BYTES);
  expect(entries.map((entry) => JSON.stringify(entry))).toEqual(lines);
  expect(heldIn(entries as object)).toBeLessThan(HELD_BYTES); // reading keeps nothing in memory
  expect(entries.at(-2)).toMatchObject({ type: "tool", text: TEXT });
});

test("its view, its requests and its fork are those of the same log read whole", LONG_ONLY, () => {
  const path = largeLog();
  const { log, entries, fold } = openLog(path);
  onTestFinished(log.close);
  const whole = foldEntries(plain());
  expect(heldIn(fold.messages as object)).toBeLessThan(HELD_BYTES);
  expect(fold.digest()).toBe(whole.digest());
  expect(JSON.stringify(fold.request("m"))).toBe(JSON.stringify(whole.request("m")));
  expect([fold.turns, fold.contextTokens, fold.usage]).toEqual([
    whole.turns,
    whole.contextTokens,
    whole.usage,
  ]);
  expect(verifyLog(path).verification).toEqual({ requests: TURNS, mismatches: [] });
  expect(verifyEntries(plain())).toEqual({ requests: TURNS, mismatches: [] });

  const to = { id: "f", path: join(path, "..", "f.jsonl"), cwd: "/w", version: "0" };
  const fork = forkLog(entries, ID, to);
  onTestFinished(fork.log.close);
  expect(fork.fold.digest()).toBe(whole.digest());
  expect(readFileSync(to.path, "utf8").trimEnd().split("\n").slice(1)).toEqual(lines.slice(1));
});

test("a jump in it makes the view that the log makes with the jump", LONG_ONLY, () => {
  const { log, fold, entries } = openLog(largeLog());
  onTestFinished(log.close);
  const record = createRecord(log, fold);
  const to = 20;
  const jump = record.append({ type: "jump", to });
  expect(record.fold().digest()).toBe(foldEntries([...plain(), jump]).digest());
  expect(record.fold().digest()).not.toBe(foldEntries(entries).digest());
});

test(
  "texts of a log that was replaced while it was open come from where it goes on; of one that has no such entry, an error",
  LONG_ONLY,
  () => {
    const path = largeLog();
    const { log, entries } = openLog(path);
    onTestFinished(log.close);
    rmSync(path);
    writeFileSync(path, "something else\n");
    log.sync();
    expect(log.path).not.toBe(path);
    expect(JSON.stringify(entries[1])).toBe(lines[1]);
    copyFileSync(path, log.path);
    expect(() => JSON.stringify(entries[2])).toThrow("entry 2 is no longer where it was in the session log");
  },
);
