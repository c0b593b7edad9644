import type { Usage } from "indusagi/llmgateway";
import { describe, expect, test } from "vitest";
import type { CallView } from "../view/contract.ts";
import { createStyle } from "./style.ts";
import {
  bodyLines,
  callLine,
  costLine,
  endLine,
  failureLines,
  itemLine,
  reasonOf,
} from "./transcript-lines.ts";

const look = { style: createStyle(false), columns: 80 };

function call(state: CallView["state"], title: string, status?: string): CallView {
  const view = { kind: "call", callId: "c", name: "bash", title, state, durationMs: 1234 } as const;
  return status === undefined ? view : { ...view, status };
}

describe("a finished tool", () => {
  test("shows its state, title, status and time", () => {
    expect(callLine(call("ok", "npm test"), look)).toBe("✓ bash npm test  1.2 s");
    expect(callLine(call("failed", "npm test", "exit 1"), look)).toBe("✗ bash npm test  exit 1  1.2 s");
    expect(callLine(call("failed", "npm test"), look)).toBe("✗ bash npm test  failed  1.2 s");
    expect(callLine(call("refused", "rm -rf /"), look)).toBe("⊘ bash rm -rf /  refused  1.2 s");
    expect(callLine(call("cancelled", "sleep 9", "exit 143"), look)).toBe(
      "– bash sleep 9  cancelled  exit 143  1.2 s",
    );
    expect(callLine(call("ok", ""), look)).toBe("✓ bash  1.2 s");
  });

  test("stands on one line that fits, whatever its title holds", () => {
    const line = callLine(call("ok", `a\n\x1b[2J${"x".repeat(200)}end`), look);
    expect(line).toHaveLength(80);
    expect(line).toMatch(/^✓ bash a⏎\\u\{1b\}\[2Jx+…x+end {2}1\.2 s$/);
  });

  test("has colours where there are colours, and no byte of them elsewhere", () => {
    const coloured = callLine(call("ok", "npm test"), { ...look, style: createStyle(true) });
    expect(coloured).toBe("\x1b[32m✓\x1b[39m \x1b[1mbash\x1b[22m npm test  \x1b[2m1.2 s\x1b[22m");
    expect(callLine(call("ok", "npm test"), look)).not.toContain("\x1b");
  });
});

test("a retry says why, when, and that shown text is void", () => {
  const retry = (kind: "transport" | "rate_limit", isVoiding: boolean) =>
    ({
      kind: "retry",
      retry: { kind: "retry", attempt: 1, waitMs: 1500, fault: { kind, message: "m" } },
      isVoiding,
    }) as const;
  expect(itemLine(retry("transport", true), look)).toBe(
    "[connection lost: retrying in 2 s — the text above is discarded]",
  );
  expect(itemLine(retry("rate_limit", false), look)).toBe("[rate limit reached: retrying in 2 s]");
  const fault = { kind: "rate_limit", message: "m", usedUp: ["input tokens", "requests"] } as const;
  expect(
    itemLine(
      { kind: "retry", retry: { kind: "retry", attempt: 1, waitMs: 1500, fault }, isVoiding: false },
      look,
    ),
  ).toBe("[rate limit reached (input tokens, requests): retrying in 2 s]");
});

test("a feature's alert has rows of a terminal, and is one line in a pipe", () => {
  const alert = { kind: "alert", text: `a: ${"word ".repeat(20)}`, owner: "a" } as const;
  const narrow = { ...look, columns: 40 };
  expect(itemLine(alert, narrow)?.split("\n").length).toBeGreaterThan(1);
  expect(itemLine(alert, { ...narrow, isPiped: true })).toBe(`! ${alert.text.trimEnd()}`);
});

describe("why a call failed", () => {
  const ended = (name: string, state: CallView["state"], output: string) => reasonOf({ name, state, output });

  test("is a command's last line, and any other call's first, on one line without commands to the terminal", () => {
    expect(
      ended("bash", "failed", "stdout:\nok 1\n\nstderr:\na\nnot \x1b[2Jthere\n\nstatus: exit code 1"),
    ).toBe("not there");
    expect(ended("read", "failed", "a.txt is not there\nLook again.")).toBe("a.txt is not there");
    expect(ended("bash", "refused", "Refused: no rule\nallows it")).toBe("Refused: no rule");
    expect(ended("read", "failed", "x".repeat(1_000))).toHaveLength(300);
    expect([
      ended("read", "ok", "text"),
      ended("bash", "cancelled", "text"),
      ended("read", "failed", ""),
    ]).toEqual([...[undefined, undefined, undefined]]);
  });

  test("of a delegate's is below its row", () => {
    const item = { ...call("failed", "a.ts"), reason: "a.ts is not there" };
    const below = ["  a.ts is not there"];
    expect(failureLines({ kind: "delegate", agent: "coder", sessionId: "s", item }, look)).toEqual(below);
    expect(bodyLines({ kind: "delegate", agent: "coder", sessionId: "s", item }, look)).toEqual(below);
  });
});

describe("what a call changed", () => {
  const changed = (diff: string, state: CallView["state"] = "ok"): CallView => ({
    ...call(state, "a.ts"),
    diff: `--- a.ts\n+++ a.ts\n${diff}`,
  });

  test("is lines with + and -, a delegate's too, and nothing of it commands the terminal", () => {
    const item = changed("@@ -1,2 +1,2 @@\n a\n-\tb\x1b[2J\n+c\n@@ -9 +9 @@\n-d\n");
    const lines = ["    a", "  -   b", "  + c", "    ⋯", "  - d"];
    expect(bodyLines(item, look)).toEqual(lines);
    expect(bodyLines({ kind: "delegate", agent: "coder", sessionId: "s", item }, look)).toEqual(lines);
    const colours = { ...look, style: createStyle(true) };
    expect(bodyLines(item, colours)[2]).toBe("  \x1b[32m+ c\x1b[39m");
  });

  test("is bounded, in lines and in columns", () => {
    const rows = Array.from({ length: 60 }, (_, i) => `+${"x".repeat(100)}${i}\n`).join("");
    const lines = bodyLines(changed(`@@ -0,0 +1,60 @@\n${rows}`), { ...look, columns: 40 });
    expect(lines).toHaveLength(41);
    expect(lines[0]).toBe(`  + ${"x".repeat(33)}…`);
    expect(lines.at(-1)).toBe("  … 20 more lines");
  });

  test("is nothing where the call changed nothing or did not succeed", () => {
    expect(bodyLines(call("ok", "a.ts"), look)).toEqual([]);
    expect(bodyLines(changed("@@ -1 +1 @@\n-a\n+b\n", "failed"), look)).toEqual([]);
  });
});

test("why a call did not succeed is below its line, where that does not say so", () => {
  const failed = {
    ...call("failed", "a.ts"),
    name: "edit",
    output: "Cannot edit a.ts: read it first.\x1b\nMore.",
  };
  expect(bodyLines(failed, look)).toEqual(["  Cannot edit a.ts: read it first.\\u{1b}"]);
  expect(bodyLines({ ...failed, state: "refused" }, look)).toHaveLength(1);
  expect(bodyLines({ ...failed, status: "not read" }, look)).toEqual([]);
  expect(failureLines(failed, look)).toEqual(bodyLines(failed, look));
});

test("a command that failed shows the last lines of its output, and one that was refused why", () => {
  const output = `stdout:\n1\n2\n3\n4\n\nstderr:\n5\n6\x1b[2J\n\nstatus: exit code 3`;
  const failed = { ...call("failed", "npm test", "exit code 3"), output };
  expect(bodyLines(failed, look)).toEqual(["  2", "  3", "  4", "  5", "  6"]);
  expect(failureLines(failed, look)).toEqual(bodyLines(failed, look));
  expect(bodyLines({ ...failed, state: "ok" }, look)).toEqual([]);
  const refused = { ...call("refused", "npm test"), output: "Refused: the person said no." };
  expect(bodyLines(refused, look)).toEqual(["  Refused: the person said no."]);
});

test("alerts may have lines, faults have one, and neither commands the terminal", () => {
  expect(itemLine({ kind: "alert", text: "one\ntwo\x1b[2J\n" }, look)).toBe("! one\ntwo");
  const fault = { kind: "model", message: "no key:\nset ONE\x07" } as const;
  expect(itemLine({ kind: "fault", fault }, look)).toBe("indus: no key:⏎set ONE\\u{7}");
});

test("an answer is shown as it comes, and has no line of its own", () => {
  expect(itemLine({ kind: "answer", text: "a", thinking: "b" }, look)).toBeUndefined();
});

test("an end is told unless it is a whole answer", () => {
  expect(endLine({ kind: "complete", text: "x", stop: "complete" }, look)).toBeUndefined();
  expect(endLine({ kind: "complete", text: "x", stop: "max_output" }, look)).toBe(
    "[the answer was truncated: the model reached its output limit]",
  );
  expect(endLine({ kind: "complete", text: "", stop: "refusal" }, look)).toBe(
    "[the model refused to answer]",
  );
  const blank = { kind: "complete", text: " \n" } as const;
  expect(endLine({ ...blank, stop: "complete" }, look)).toBe("[the model's last message is empty]");
  expect(endLine({ ...blank, stop: "tool_calls" }, look)).toBeUndefined(); // a call ended the task: a plan, say
  expect(endLine({ kind: "aborted" }, look)).toBe("stopped");
  expect(endLine({ kind: "faulted", fault: { kind: "log", message: "disk full" } }, look)).toBe(
    "indus: disk full",
  );
});

const read = (
  inputTokens: number,
  outputTokens: number,
  cacheReadTokens = 0,
  cacheWriteTokens = 0,
): Usage => ({
  ...{ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens },
});

test("a task's end shows its time, tokens and cost", () => {
  expect(
    costLine({ turns: 2, usage: read(400, 300, 110_000, 12_000), dollars: 0, unpriced: 2 }, 3100, look),
  ).toBe("— 2 turns, 3.1 s, 12.4k tokens in + 110.0k cached, 300 out");
  expect(costLine({ turns: 1, usage: read(900, 20), dollars: 0, unpriced: 0 }, 40, look)).toBe(
    "— 1 turn, 40 ms, 900 tokens in, 20 out",
  );
  expect(costLine({ turns: 1, usage: read(900, 20), dollars: 0.0042, unpriced: 0 }, 40, look)).toBe(
    "— 1 turn, 40 ms, 900 tokens in, 20 out, $0.0042",
  );
  expect(costLine({ turns: 2, usage: read(900, 20), dollars: 1.5, unpriced: 1 }, 40, look)).toBe(
    "— 2 turns, 40 ms, 900 tokens in, 20 out, at least $1.50",
  );
});
