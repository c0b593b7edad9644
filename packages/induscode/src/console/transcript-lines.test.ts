import { describe, expect, test } from "vitest";
import type { ConductorEvent, ToolState } from "../conductor/contract.ts";
import { createStyle } from "./style.ts";
import { costLine, endLine, eventLine, retryLine, toolLine } from "./transcript-lines.ts";

const look = { style: createStyle(false), columns: 80 };

function toolEnd(
  state: ToolState,
  title: string,
  detail?: string,
): Extract<ConductorEvent, { kind: "tool_end" }> {
  const event = { kind: "tool_end", callId: "c", name: "bash", title, state, durationMs: 1234 } as const;
  return detail === undefined ? event : { ...event, detail };
}

describe("a finished tool", () => {
  test("with its state, title, detail and time", () => {
    expect(toolLine(toolEnd("ok", "npm test"), look)).toBe("✓ bash npm test  1.2 s");
    expect(toolLine(toolEnd("failed", "npm test", "exit 1"), look)).toBe("✗ bash npm test  exit 1  1.2 s");
    expect(toolLine(toolEnd("failed", "npm test"), look)).toBe("✗ bash npm test  failed  1.2 s");
    expect(toolLine(toolEnd("refused", "rm -rf /"), look)).toBe("⊘ bash rm -rf /  refused  1.2 s");
    expect(toolLine(toolEnd("cancelled", "sleep 9", "exit 143"), look)).toBe(
      "– bash sleep 9  cancelled  exit 143  1.2 s",
    );
    expect(toolLine(toolEnd("ok", ""), look)).toBe("✓ bash  1.2 s");
  });

  test("on one line that fits, whatever its title holds", () => {
    const line = toolLine(toolEnd("ok", `a\n\x1b[2J${"x".repeat(200)}end`), look);
    expect(line).toHaveLength(80);
    expect(line).toMatch(/^✓ bash a⏎\\u\{1b\}\[2Jx+…x+end {2}1\.2 s$/);
  });

  test("in colour when there is colour, and not a byte of it when there is none", () => {
    const coloured = toolLine(toolEnd("ok", "npm test"), { ...look, style: createStyle(true) });
    expect(coloured).toBe("\x1b[32m✓\x1b[39m \x1b[1mbash\x1b[22m npm test  \x1b[2m1.2 s\x1b[22m");
    expect(toolLine(toolEnd("ok", "npm test"), look)).not.toContain("\x1b");
  });
});

test("a retry says why, when, and that shown text is void", () => {
  const retry = (kind: "transport" | "rate_limit") =>
    ({ kind: "retry", attempt: 1, waitMs: 1500, fault: { kind, message: "m" } }) as const;
  expect(retryLine(retry("transport"), look, true)).toBe(
    "[connection lost: retrying in 2 s — the text above is discarded]",
  );
  expect(eventLine({ kind: "delta", delta: retry("rate_limit") }, look)).toBe(
    "[rate limit reached: retrying in 2 s]",
  );
});

test("alerts may have lines, faults have one, and neither commands the terminal", () => {
  expect(eventLine({ kind: "alert", text: "one\ntwo\x1b[2J\n" }, look)).toBe("! one\ntwo");
  const fault = { kind: "model", message: "no key:\nset ONE\x07" } as const;
  expect(eventLine({ kind: "fault", fault }, look)).toBe("indus: no key:⏎set ONE\\u{7}");
});

test("other events have no line", () => {
  expect(eventLine({ kind: "delta", delta: { kind: "text", text: "a" } }, look)).toBeUndefined();
  expect(eventLine({ kind: "tool_start", callId: "c", name: "read", title: "a" }, look)).toBeUndefined();
});

test("an end is told unless it is a whole answer", () => {
  expect(endLine({ kind: "complete", text: "x", stop: "complete" }, look)).toBeUndefined();
  expect(endLine({ kind: "complete", text: "x", stop: "max_output" }, look)).toBe(
    "[the answer was cut: the model reached its output limit]",
  );
  expect(endLine({ kind: "complete", text: "", stop: "refusal" }, look)).toBe(
    "[the model refused to answer]",
  );
  expect(endLine({ kind: "aborted" }, look)).toBe("stopped");
  expect(endLine({ kind: "faulted", fault: { kind: "log", message: "disk full" } }, look)).toBe(
    "indus: disk full",
  );
});

test("what a task took", () => {
  expect(costLine({ turns: 2, durationMs: 3100, tokens: 12_400 }, look)).toBe(
    "— 2 turns, 3.1 s, 12.4k tokens",
  );
  expect(costLine({ turns: 1, durationMs: 40, tokens: 900 }, look)).toBe("— 1 turn, 40 ms, 900 tokens");
});
