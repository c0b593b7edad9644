// `-p` where a call would be asked about: what is refused, what would allow it, and how the run ends.

import { describe, expect, it } from "vitest";
import { rows, theFirst } from "../support/long-form.ts";
import type { Script } from "../support/model-server.ts";
import { createServedShared } from "../support/served-workplace.ts";

const MODEL = ["--model", "anthropic/scripted"];
const SCRIPT: Script = [
  {
    calls: [
      { name: "bash", input: { command: "make all" } },
      { name: "bash", input: { command: "make all" } },
    ],
  },
  { calls: [{ name: "bash", input: { command: "ls && rm x" } }] },
  { text: "Done without." },
];

const SUMMARY = [
  "indus: 3 calls were refused:",
  "  bash: make all: no rule allows this command. Start with --allow 'bash(make all)' or --permission-mode bypass to permit it.",
  "  bash: rm x: no rule allows this command. Start with --allow 'bash(rm x)' or --permission-mode bypass to permit it.",
];

describe.each(["-p", "--json"])("%s", (how) => {
  it.each(
    rows(
      [
        [[], 3],
        [["--permission-prompt", "none"], 0],
        [["--permission-prompt", "deny"], 3],
      ] as const,
      theFirst,
    ),
  )("%j: each refusal is one line, all of them one summary, and the code is %i", async (flags, code) => {
    const { run } = await createServedShared(SCRIPT);
    const finished = await run([how, "go", ...flags, ...MODEL]);
    const lines = finished.stderr.trimEnd().split("\n");
    expect([finished.code, lines.slice(-3)]).toEqual([code, SUMMARY]);
    if (how === "-p") {
      expect(finished.stdout).toBe("Done without.\n");
      expect(lines.filter((line) => line.startsWith("⊘ bash"))).toHaveLength(3);
    }
  });

  it("fail: the first refusal ends the task, the model is not asked again, and the code is 3", async () => {
    const { run, server } = await createServedShared(SCRIPT);
    const { code, stderr } = await run([how, "go", "--permission-prompt", "fail", ...MODEL]);
    expect([code, server.requests.length]).toEqual([3, 1]);
    expect(stderr).toMatch(
      /indus: \d calls? (?:was|were) refused, and the task was stopped:\n {2}bash: make all: /,
    );
  });

  it("what the person's own rule denies is in the summary, and stops nothing (twin: an allowed run has none)", async () => {
    const { run } = await createServedShared(SCRIPT);
    const denied = await run([how, "go", "--deny", "bash", "--permission-prompt", "fail", ...MODEL]);
    expect(denied.code).toBe(0);
    expect(denied.stderr).toContain(
      '3 calls were refused:\n  bash: make all: the rule "bash" denies it (--deny)\n',
    );
    const other = await createServedShared([{ text: "Done." }]);
    const { stderr, code } = await other.run([how, "go", "--permission-prompt", "fail", ...MODEL]);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("refused")]);
  });
});
