// A TypeScript file that ends its compiler ends nothing else: every command that compiles goes on, names the file, what was
// found and the limit, and the addons next to it work.

import { describe, expect, it } from "vitest";
import { createSharedWorkplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { createServedShared } from "../support/served-workplace.ts";

const NESTED = `export function register() {}\nexport const a = ${"(".repeat(17_000)}1${")".repeat(17_000)};\n`;
/** 15 MB of plain TypeScript. */
const LARGE = `export function register() {}\n${"export function f(a: number): number { return a + 1; }\n".repeat(285_000)}`;
const GOOD = `export function register(s: any) { s.addCommand("hello", { summary: "x", run: (c: any) => c.say("hello") }); }`;

const BOMBS = [
  [
    "17,000 nested parentheses",
    NESTED,
    /bomb\.ts: it cannot be compiled: .*on its 34050 bytes .*8 MB of stack/,
  ],
  ["15 MB", LARGE, /its TypeScript cannot be read: it has \d+ bytes; the limit is 4194304/],
] as const;

describe.each(rows(BOMBS, theFirst))("a .ts of %s", (_, text, problem) => {
  const place = () => {
    const here = createSharedWorkplace();
    here.file(".indus/addons/bomb.ts", text);
    here.file(".indus/addons/good.ts", GOOD);
    return here;
  };

  it("does not end print mode, whose other addon works", async () => {
    const { code, stdout, stderr } = await place().run([
      "-p",
      "/hello",
      "--grant",
      "good",
      "--grant",
      "bomb",
    ]);
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: "hello\n" });
    expect(stderr).toMatch(problem);
  });

  it("is a problem of its own in `indus addons`", LONG_ONLY, async () => {
    const { code, stdout, stderr } = await place().run(["addons", "--grant", "good", "--grant", "bomb"]);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(problem);
    expect(stdout).toContain("project:good  enabled");
  });

  it.each([
    [["addon", "check", ".indus/addons/bomb.ts"], 1],
    [["addon", "test", ".indus/addons/bomb.ts"], 1],
  ] as const)("is what `indus %s` says", async (args, expected) => {
    const here = place();
    here.file(".indus/addons/bomb.cassette.jsonl", '{"cassette":1,"about":"nothing"}\n');
    const { code, stdout, stderr } = await here.run(args);
    expect({ code, said: stdout + stderr }).toEqual({ code: expected, said: expect.stringMatching(problem) });
  });

  it("is what `indus addon dev` says, whose session goes on", LONG_ONLY, async () => {
    const here = await createServedShared([{ text: "Hi." }]);
    const path = here.file("bomb.ts", text);
    const { code, stdout, stderr } = await here.run(["addon", "dev", path, "--model", "anthropic/scripted"], {
      stdin: "/quit\n",
    });
    expect({ code, said: stdout + stderr }).toEqual({ code: 0, said: expect.stringMatching(problem) });
  });
});
