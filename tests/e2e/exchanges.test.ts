// Recordings of HTTP exchanges, through the real command: recorded from the strict server on each wire, secrets removed, and played
// through the wire's own code without a server or a key.

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { WireName } from "../../packages/indusagi/src/llmgateway/wires/table.ts";
import { createSharedWorkplace } from "../support/indus.ts";
import { startModelServer } from "../support/model-server.ts";
import { startStrictServer } from "../support/strict/server.ts";

const KEY = "key-of-strict-93d1ce4f";
const MODELS: readonly (readonly [WireName, string])[] = [
  ["chat", "deepseek-v4"],
  ["gemini", "gemini-3.1-pro-preview"],
  ["messages", "claude-opus-5-5"],
  ["responses", "gpt-6.1-sol"],
];

describe.each(MODELS)("%s", (wire, model) => {
  it("is recorded without secrets, and what is played is what came", async () => {
    const server = await startStrictServer((at) => {
      if (at === 0) return { trouble: "busy" };
      return at === 1
        ? { thinking: "I look.", calls: [{ name: "read", input: { path: "a.txt" } }] }
        : { thinking: "Done.", text: `the key is ${KEY}, é` };
    });
    onTestFinished(() => server.close());
    const place = createSharedWorkplace();
    place.file("a.txt", `a line\n${KEY}\n`);
    const strict = {
      wire,
      baseUrl: `${server.url}/v1`,
      apiKeyEnv: "STRICT_KEY",
      headers: { "x-team": "blue-team-1" },
    };
    writeFileSync(join(place.home, "models.json"), JSON.stringify({ providers: { strict } }));
    const tape = join(place.cwd, "tape.http.jsonl");
    const recorded = await place.run(["-p", "--model", `strict/${model}`, "--record", tape, "look"], {
      env: { STRICT_KEY: KEY },
    });
    expect([recorded.code, server.refusals]).toEqual([0, []]);
    const text = readFileSync(tape, "utf8");
    expect(statSync(tape).mode & 0o777).toBe(0o600);
    expect(text).not.toContain(KEY);
    expect(text).not.toContain("blue-team-1");
    const lines = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines[0]).toMatchObject({ exchanges: 1 });
    expect(lines.slice(1).map(({ status }) => status)).toEqual([429, 200, 200]);

    const again = createSharedWorkplace();
    again.file("a.txt", "a line\n");
    const played = await again.run(["-p", "--cassette", tape, "look"]);
    expect([played.code, played.stdout]).toEqual([0, recorded.stdout]);
    const shape = (entries: ReturnType<typeof place.entries>): readonly unknown[] =>
      entries.flatMap((entry) =>
        entry.type === "assistant"
          ? [[entry.message.content.map(({ kind }) => kind), entry.usage, entry.stop]]
          : [],
      );
    expect(shape(again.entries())).toEqual(shape(place.entries()));
  });
});

it("an end of the recording, another wire and a damaged line are told", async () => {
  const place = createSharedWorkplace();
  const answer = 'data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
  const taped = {
    exchange: 1,
    model: "own/m",
    path: "/v1/chat/completions",
    headers: {},
    body: "{}",
    status: 200,
    type: "text/event-stream",
    answer,
  };
  const tape = (...lines: readonly unknown[]): string =>
    place.file(
      "t.http.jsonl",
      [{ exchanges: 1, about: "x" }, ...lines].map((line) => JSON.stringify(line)).join("\n"),
    );
  tape(taped);
  expect(await place.run(["-p", "--cassette", "t.http.jsonl", "go"])).toMatchObject({
    code: 0,
    stdout: "hi\n",
  });
  const ended = await place.run(["-p", "-c", "--cassette", "t.http.jsonl", "go"]);
  expect(ended.code).toBe(0); // each run begins with the first exchange
  tape({ ...taped, exchange: 2 });
  expect((await place.run(["-p", "--cassette", "t.http.jsonl", "go"])).stderr).toContain(
    'Line 2 of the recording: expected "exchange": 1',
  );
  tape();
  expect((await place.run(["-p", "--cassette", "t.http.jsonl", "go"])).stderr).toContain(
    "contains no exchanges",
  );
  const call = { function: { name: "ls", arguments: "{}" }, index: 0, id: "c" };
  tape({
    ...taped,
    answer: `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [call] }, finish_reason: "tool_calls" }] })}\n\ndata: [DONE]\n\n`,
  });
  expect((await place.run(["-p", "--cassette", "t.http.jsonl", "go"])).stderr).toContain(
    "The recording ends after exchange 1, but exchange 2 was requested",
  );
});

it("an answer that quotes a secret in pieces is left out of the recording, and that is said", async () => {
  const server = await startModelServer([{ text: `the key is ${KEY}`, pieces: 9 }]);
  onTestFinished(() => server.close());
  const place = createSharedWorkplace(server.url);
  const end = await place.run(["-p", "--model", "anthropic/x", "--record", "t.http.jsonl", "go"], {
    env: { STRICT_KEY: KEY },
  });
  expect(end.code).toBe(0);
  expect(end.stderr).toContain("an answer quotes a secret in pieces and is omitted");
  expect(readFileSync(join(place.cwd, "t.http.jsonl"), "utf8").trim().split("\n")).toHaveLength(1);
});
