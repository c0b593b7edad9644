import { expect, test } from "vitest";
import type { CommandContext } from "../../feature/command.ts";
import { CommandRuns } from "./command-runs.ts";

const MEBIBYTE = 1024 * 1024;

function context(said: string[] = []): CommandContext {
  const handles = {};
  return { say: (text: string) => void said.push(text), handles } as unknown as CommandContext;
}

test("a run shows the person as much as it may, and then says once that it wrote more", () => {
  const said: string[] = [];
  const runs = new CommandRuns();
  runs.begin(1, context(said));
  const run = runs.named(1);
  run?.say("x".repeat(MEBIBYTE));
  for (let times = 0; times < 2; times++)
    expect(() => run?.say("y")).toThrow("it wrote more than 1048576 bytes; the rest is omitted");
  expect(said.map((text) => text.length)).toEqual([
    MEBIBYTE,
    "it wrote more than 1048576 bytes; the rest is omitted".length,
  ]);
});

test("a run sends the model as much as it may", () => {
  const runs = new CommandRuns();
  runs.begin(1, context());
  const run = runs.last();
  run?.countSent("x".repeat(64 * 1024));
  expect(() => run?.countSent("y")).toThrow("at most 65536 bytes, but this command sent 65537");
});

test("the end of a run does not end the one that a new process runs under the same id", () => {
  const runs = new CommandRuns();
  const end = runs.begin(1, context());
  const endNext = runs.begin(1, context());
  const next = runs.named(1);
  end();
  expect(runs.named(1)).toBe(next);
  endNext();
  expect(runs.last()).toBeUndefined();
});
