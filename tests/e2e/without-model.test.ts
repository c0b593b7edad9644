// What asks no model runs without one: no key, no server, no cassette.

import { describe, expect, it } from "vitest";
import { createSharedWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { createServedShared } from "../support/served-workplace.ts";

const NO_MODEL = "no model is configured";

function place(): Workplace {
  const made = createSharedWorkplace();
  const text = `export function register(s) {
  s.addCommand("hello", { summary: "greets", run: (c) => c.say("hello " + c.args) });
  s.addCommand("ask", { summary: "asks", run: (c) => c.handles.sendMessage("tell me") });
}\n`;
  made.file(".indus/addons/hello.ts", text);
  made.file("other/hello2.ts", text.replaceAll('"hello"', '"hello2"').replaceAll('"ask"', '"ask2"'));
  made.file(".claude/commands/review.md", "Review it.\n");
  return made;
}

describe("without any model", () => {
  it.each([
    ["-p", "hello you\n"],
    ["--json", '{"type":"say","command":"hello","owner":"project:hello","text":"hello you"}\n'],
  ])("%s runs an addon's command", async (mode, shown) => {
    const { run } = place();
    const { code, stdout } = await run([mode, "/hello you", "--grant", "hello"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: shown });
  });

  it.each(rows(["/ask", "/review", "hello"], theFirst))("-p %s needs one, and says so", async (task) => {
    const { run } = place();
    const { code, stdout, stderr } = await run(["-p", task, "--grant", "hello"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.match(new RegExp(NO_MODEL, "g"))).toHaveLength(1);
  });

  it("the same command asks a model where there is one (the twin)", LONG_ONLY, async () => {
    const { run, file, server } = await createServedShared([{ text: "told" }]);
    file(
      ".indus/addons/hello.ts",
      'export function register(s) { s.addCommand("ask", { summary: "x", run: (c) => c.handles.sendMessage("tell me") }); }',
    );
    const { code, stdout } = await run(["-p", "/ask", "--grant", "hello", "--model", "anthropic/x"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "told\n" });
    expect(server.requests).toHaveLength(1);
  });

  it(
    "indus addon dev is a session whose commands run; a line to the model says what is missing, and it goes on",
    LONG_ONLY,
    async () => {
      const { run } = place();
      const stdin = "/hello2 first\nask something\n/hello2 second\n/quit\n";
      const { stdout } = await run(["addon", "dev", "other/hello2.ts"], { stdin });
      expect(stdout).toContain("no model");
      expect(stdout).toContain("hello first");
      expect(stdout).toContain("hello second");
      expect(stdout.match(new RegExp(NO_MODEL, "g"))).toHaveLength(1);
    },
  );

  it.each(
    rows(
      [
        [["addons"], 0],
        [["addons", "explain", "tool:before"], 0],
        [["addon", "new", "x", "--kind", "ts"], 0],
        [["addon", "check", ".indus/addons/hello.ts"], 0],
        [["agents"], 0],
        [["skills", "check"], 0],
        [["prompt"], 0],
        [["doctor"], 0],
        [["--rehearse"], 0],
      ] as const,
      (_, at) => at % 4 === 0,
    ),
  )("%j", async (args, expected) => {
    const { code, stderr } = await place().run(args);
    expect({ code, stderr: stderr.includes(NO_MODEL) }).toEqual({ code: expected, stderr: false });
  });
});
