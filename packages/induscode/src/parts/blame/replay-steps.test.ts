import { createHash } from "node:crypto";
import { renderUnifiedDiff } from "indusagi/capabilities";
import { describe, expect, it } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import type { Step } from "./log-steps.ts";
import type { Origin, Prompt } from "./origin.ts";
import { replay } from "./replay-steps.ts";
import type { Version } from "./traced-text.ts";

const prompt = (turn: number): Prompt => ({
  ...{ session: "s", log: "/s.jsonl", isDelegate: false, turn, said: `line ${turn}`, at: turn },
});
const call = (turn: number, change: { readonly content?: string; readonly diff?: string }): Step => {
  const traced = { callId: `c${turn}`, entry: turn, tool: "edit", title: "a.txt", changedBy: [] };
  const origin: Origin = { ...prompt(turn), kind: "call", call: traced };
  return { kind: "call", at: turn, n: turn, origin, ...change };
};
const stateOf = (text: string): string => `${createHash("sha256").update(text).digest("hex")}:644`;

function place() {
  const store = new Map<string, string>();
  const keep = (text: string): string => {
    store.set(stateOf(text), text);
    return stateOf(text);
  };
  const sources = { contentOf: (state: string) => store.get(state), movedHere: () => undefined };
  return { keep, sources };
}

/** `1 one`, `- two`: the turn and the line. */
function told({ lines, by }: Version): readonly string[] {
  return lines.map((line, at) => `${by[at]?.turn ?? "-"} ${line.trimEnd()}`);
}

describe("replayed steps", () => {
  it("a state of a month ago that is no longer kept costs only what calls do not say of themselves", () => {
    const { sources, keep } = place();
    const before = "a one\nb two\nc three\n";
    const after = "a one\nb 2\nc three\n";
    const steps: readonly Step[] = [
      { kind: "state", at: 1, n: 0, state: stateOf(before) },
      call(1, { diff: renderUnifiedDiff(before, after) }),
      { kind: "state", at: 2, n: 2, state: keep(`zero\n${after}`) },
    ];
    const { become, lost } = replay(steps, sources);
    expect(told(become(`zero\n${after}end\n`, 3))).toEqual([
      "- zero",
      "- a one",
      "1 b 2",
      "- c three",
      "- end",
    ]);
    expect(lost).toBe(1);
  });

  it("a diff that was cut in its middle still proves the lines that are left of it", () => {
    const { sources, keep } = place();
    const rows = Array.from({ length: 40 }, (_, at) => `row number ${at}\n`);
    const diff = renderUnifiedDiff("", rows.join("")).split("\n");
    const cut = [...diff.slice(0, 10), "[... 20 lines omitted ...]", ...diff.slice(31)].join("\n");
    const within: Origin = { ...prompt(1), kind: "turn", maybe: [] };
    const { last } = replay(
      [
        { kind: "state", at: 1, n: 0, state: keep("") },
        call(1, { diff: cut }),
        { kind: "state", at: 2, n: 3, state: keep(rows.join("")), within },
      ],
      sources,
    );
    const kinds = last?.by.map((origin) => origin?.kind) ?? [];
    expect(kinds.filter((kind) => kind === "call").length).toBeGreaterThanOrEqual(15);
    // What is missing in between was written in that turn, during or after that call.
    expect(last?.by.every((origin) => origin?.turn === 1)).toBe(true);
  });

  it("a line that was removed and written again is of whoever wrote it again", () => {
    const { sources, keep } = place();
    const whole = "a one\nb two\n";
    const { last } = replay(
      [
        { kind: "state", at: 1, n: 0, state: keep(whole) },
        call(1, { diff: renderUnifiedDiff(whole, "a one\n") }),
        call(2, { diff: renderUnifiedDiff("a one\n", whole) }),
        { kind: "state", at: 3, n: 3, state: keep(whole) },
      ],
      sources,
    );
    expect(last && told(last)).toEqual(["- a one", "2 b two"]);
  });

  it("whatever is edited, each line is of its last writer, with and without checkpoints, CRLF and last line ends", () => {
    const line = fc.constantFrom("alpha\n", "beta\r\n", "gamma", "}\n", "\n");
    const edit = fc.record({ at: fc.nat(20), remove: fc.nat(3), insert: fc.array(line, { maxLength: 4 }) });
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 12 }),
        fc.array(edit, { maxLength: 8 }),
        fc.boolean(),
        (old, edits, keeps) => {
          const { sources, keep } = place();
          let text = old.join("");
          const steps: Step[] = [{ kind: "state", at: 0, n: 0, state: keep(text) }];
          for (const [k, { at, remove, insert }] of edits.entries()) {
            const lines = text.split(/(?<=\n)/);
            const next = lines.toSpliced(at, remove, ...insert).join("");
            steps.push(call(k + 1, { diff: renderUnifiedDiff(text, next) }));
            if (keeps) steps.push({ kind: "state", at: k + 1, n: k + 1, state: keep(next) });
            text = next;
          }
          const { become, last } = replay(steps, sources);
          expect(last?.lines.join("")).toBe(text);
          const end = become(text, 99);
          expect(end.by).toEqual(last?.by);
          const asked = new Set(edits.map((_, k) => k + 1));
          for (const origin of end.by) if (origin) expect(asked.has(origin.turn)).toBe(true);
        },
      ),
    );
  });
});
