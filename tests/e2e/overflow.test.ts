// A request that does not fit the model's window, as each provider says it: the session compacts and asks again, through the
// real command and over HTTP.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { createServedShared } from "../support/served-workplace.ts";

// The words and statuses of the providers' own refusals.
const REFUSALS: Readonly<Record<string, readonly [model: string, status: number, body: object]>> = {
  Anthropic: [
    "anthropic/scripted",
    400,
    {
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long: 9 tokens > 8 maximum" },
    },
  ],
  OpenAI: [
    "openai/scripted",
    400,
    {
      error: {
        message: "Your input exceeds the context window of this model.",
        code: "context_length_exceeded",
      },
    },
  ],
  "Azure, under 429": [
    "openai/scripted",
    429,
    { error: { message: "Input tokens exceed the configured limit of 8 tokens.", code: "429" } },
  ],
  "llama.cpp": [
    "openai/scripted",
    400,
    {
      error: {
        code: 400,
        message: "the request exceeds the available context size",
        type: "exceed_context_size_error",
      },
    },
  ],
  "a gateway, by its length in bytes": ["openai/scripted", 413, { message: "Request Entity Too Large" }],
};

const LIMIT = 60_000;

describe.each(Object.entries(REFUSALS))("%s", (_, [model, status, body]) => {
  it.each(rows([["-p"], ["--json"]], theFirst))("compacts and asks again (%s)", async (mode) => {
    const place = await createServedShared(({ rawBody }, index) => {
      if (rawBody.length > LIMIT) return { trouble: { kind: "status", status, body: JSON.stringify(body) } };
      if (index === 0) return { calls: [{ name: "read", input: { path: "big.txt" } }] };
      return { text: rawBody.includes("Use these headings") ? "THE SUMMARY" : "all done" };
    });
    place.file("big.txt", `${"a line of the file\n".repeat(2_600)}`);
    const task = `explain big.txt ${"and every word of this ".repeat(400)}`;
    const { code, stdout, stderr } = await place.run([mode, "--model", model, task]);
    expect(stderr).not.toContain("does not fit");
    expect(code).toBe(0);
    expect(stdout).toContain("all done");
    const types = place.entries().map(({ type }) => type);
    expect(types.filter((type) => type === "summary")).toHaveLength(1);
    expect(place.server.requests.at(-1)?.rawBody).toContain("THE SUMMARY");
    expect((await place.run(["session", "verify"])).code).toBe(0);
  });
});

it("asks for the summary of ever less until that fits", LONG_ONLY, async () => {
  const asked: number[] = [];
  const place = await createServedShared(({ rawBody }, index) => {
    const isSummary = rawBody.includes("Use these headings");
    if (isSummary) asked.push(rawBody.length);
    if (index === 0) return { calls: [{ name: "read", input: { path: "big.txt" } }] };
    if (isSummary ? asked.length < 3 : rawBody.length > LIMIT)
      return { trouble: { kind: "status", status: 400, message: "prompt is too long" } };
    return { text: isSummary ? "THE SUMMARY" : "all done" };
  });
  place.file("big.txt", `${"a line of the file\n".repeat(2_600)}`);
  const { code, stdout } = await place.run(["-p", "--model", "anthropic/scripted", "explain big.txt"]);
  expect([code, stdout]).toEqual([0, "all done\n"]);
  expect(asked).toHaveLength(3);
  expect(asked.toSorted((a, b) => b - a)).toEqual(asked);
});

it("ends at once where the prompt and the tools alone do not fit, and says so", async () => {
  const place = await createServedShared(() => ({
    trouble: { kind: "status", status: 400, message: "prompt is too long" },
  }));
  const { code, stderr } = await place.run(["-p", "--model", "anthropic/scripted", "hello"]);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^indus: anthropic says that the request does not fit the model's window \(400\): prompt is too long\. The prompt and the tools alone take about \d+ tokens, and nothing is left to shorten: choose a model with a larger window, or fewer tools\.\n$/,
  );
  expect(place.server.requests).toHaveLength(1);
  const known = { models: { "anthropic/scripted": { contextWindow: 4_096 } } };
  writeFileSync(join(place.home, "models.json"), JSON.stringify(known));
  const again = await place.run(["-p", "--model", "anthropic/scripted", "hello"]);
  expect(again.stderr).toMatch(/alone take about \d+ tokens of a window of 4096, and nothing/);
});

it("asks for no summary where there is nothing but the line to answer, and says what that takes", async () => {
  const place = await createServedShared(() => ({
    trouble: { kind: "status", status: 400, message: "prompt is too long" },
  }));
  const task = `hello ${"and every word of this ".repeat(400)}`;
  const { stderr } = await place.run(["-p", "--model", "anthropic/scripted", task]);
  expect(stderr).toContain("Your text takes about");
  expect(place.server.requests).toHaveLength(1);
});

it("the twin: any other refusal ends the task at once", async () => {
  const place = await createServedShared(() => ({
    trouble: { kind: "status", status: 400, message: "the tools are not valid" },
  }));
  const { code } = await place.run(["-p", "--model", "anthropic/scripted", "hello"]);
  expect(code).toBe(1);
  expect(place.server.requests).toHaveLength(1);
});
