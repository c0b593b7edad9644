import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Entry } from "../../packages/induscode/src/conductor/contract.ts";
import { verifyEntries } from "../../packages/induscode/src/conductor/verify.ts";
import { createWorkplace } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { openTerminal } from "../support/terminal.ts";

const runTests = (cwd: string): number | null =>
  spawnSync(process.execPath, ["--test"], { cwd, env: { PATH: process.env.PATH } }).status;

describe("the rehearsal", () => {
  it("repairs a copy of a repository whose test really failed, and says what was real", async () => {
    const { run, entries } = createWorkplace();
    const { code, stdout } = await run(["--rehearse"]);
    expect(code).toBe(0);
    const copy = /the repaired repository\s+(\S+)/.exec(stdout)?.[1] ?? "";
    expect(runTests(copy)).toBe(0);
    const shipped = join(import.meta.dirname, "../../packages/induscode/assets/rehearsal/repository");
    expect(runTests(shipped)).toBe(1); // the twin: as it ships, the tests fail
    expect(readFileSync(join(copy, "test/receipt.test.js"))).toEqual(
      readFileSync(join(shipped, "test/receipt.test.js")),
    );
    for (const said of [
      "a recording plays the model",
      "The tools, the files and the test runs are real",
      "ANTHROPIC_API_KEY",
      "the session log",
    ]) {
      expect(stdout).toContain(said);
    }
    const log = entries();
    expect(log.filter(isTool).map(({ name, state }) => `${name} ${state}`)).toEqual([
      "ls ok",
      "bash failed",
      "grep ok",
      "read ok",
      "read ok",
      "edit ok",
      "bash failed", // its own first mistake
      "edit ok",
      "bash ok",
    ]);
    expect(verifyEntries(log)).toEqual({ requests: 8, mismatches: [] });
  });

  it("starts by itself for someone who typed npm start and has no model", LONG_ONLY, async () => {
    const { code, stdout } = await createWorkplace().run([], {
      env: { INDUS_STARTED_BY: "npm-start" },
      stdin: "",
    });
    expect(code).toBe(0);
    expect(stdout).toContain(
      "No model is configured and no local model server was found, so here is the rehearsal.",
    );
    expect(stdout).toContain("Fixed: all three tests pass.");
  });

  it("takes the commands of a session, and those that need a model say so", LONG_ONLY, async () => {
    const place = createWorkplace();
    const { type, waitFor, screen, left } = openTerminal({
      ...{ console: "rich", place, url: "http://127.0.0.1:1", args: ["--rehearse"], rows: 60 },
    });
    await waitFor("› The tests fail.");
    type("/keys\r/help\r/settings vi\r/theme dark\r/context\r/model x/y\r/compact\r/resume\r");
    expect(await left).toBe(0);
    const shown = screen();
    for (const said of [
      "page through everything",
      "show what fills the model's context window, by part",
      "vi's normal and insert mode",
      "The theme is now dark",
      "Parts are estimated by length.",
      "its window is unknown",
      "The rehearsal is one recorded task and ends with it; this command needs a session of your own.",
    ])
      expect(shown).toContain(said);
    const refusal = "A recording plays the model here; this command needs a real model.";
    expect(shown.split(refusal)).toHaveLength(3);
    expect(shown).not.toContain("Unknown command");
    expect(shown).toContain("Fixed: all three tests pass.");
  });

  it("exits with 130 when Ctrl+C stops it", LONG_ONLY, async () => {
    const { type, waitFor, left } = openTerminal({
      ...{ console: "rich", place: createWorkplace(), url: "http://127.0.0.1:1", args: ["--rehearse"] },
    });
    await waitFor("› The tests fail.");
    type("\x03");
    expect(await left).toBe(130);
  });

  it("stops and says so when reality no longer fits the recording", LONG_ONLY, async () => {
    const { run, file } = createWorkplace();
    file(
      "tape.jsonl",
      '{"cassette":1,"about":"x"}\n{"turn":1,"match":"the moon","reply":{"message":{"role":"assistant","content":[{"kind":"text","text":"hi"}]}}}\n',
    );
    const { code, stderr } = await run(["-p", "the sun", "--cassette", "tape.jsonl"]);
    expect(code).toBe(1);
    expect(stderr).toContain("the moon");
  });
});

function isTool(entry: Entry): entry is Extract<Entry, { type: "tool" }> {
  return entry.type === "tool";
}
