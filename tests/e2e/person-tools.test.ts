// Plan mode and the model's questions as a person meets them, in both consoles; where nobody sits they are not there.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createPainter, THEMES } from "../../packages/induscode/src/tui/screen/theme.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { RecordedRequest, ScriptedTurn } from "../support/model-server.ts";
import { openPlainConsole, openRichConsole } from "../support/open-console.ts";
import { createServedShared } from "../support/served-workplace.ts";

const calls = (name: string, input: unknown = {}): ScriptedTurn => ({ calls: [{ name, input }] });
const bash = (command: string): ScriptedTurn => calls("bash", { command });
const says = (text: string): ScriptedTurn => ({ text });
const sent = (request: RecordedRequest | undefined): string => JSON.stringify(request?.body);

const PLAN = calls("exit_plan_mode", { plan: "1. make **a.txt**\n2. run the tests" });
const MODES = ["--permission-mode", "bypass"];

describe("plan mode", () => {
  it("binds every tool, bash too and in bypass, until the person agrees; a refusal's reason goes to the model", async () => {
    const { place, server, type, answer, waitFor } = await openPlainConsole(
      [
        calls("enter_plan_mode"),
        bash("touch early"),
        calls("write", { path: "early.txt", content: "x" }),
        PLAN,
        PLAN,
        bash("ls && touch late"),
        says("Done."),
      ],
      { args: MODES },
    );
    type("go\r");
    await waitFor(
      /▌ Proposed plan\n▌ 1\. make \*\*a\.txt\*\*\n▌ 2\. run the tests[\s\S]*\? Proposed plan: approve it, and let the work begin\?\n {2}\[1\] Yes, in the mode bypass\n {2}\[2\] Yes, and accept edits\n {2}\[3\] Yes, ask me\n {2}\[4\] No, keep planning\n {2}1-4 ›$/,
    );
    expect([existsSync(join(place.cwd, "early")), existsSync(join(place.cwd, "early.txt"))]).toEqual([
      false,
      false,
    ]);
    expect(sent(server.requests[2])).toContain("no plan is approved yet and bash would run");
    expect(sent(server.requests[3])).toContain("no plan is approved yet and write would");
    await answer("4\r");
    await waitFor(/what should be different\?[\s\S]*› ?$/);
    await answer("smaller steps\r");
    await waitFor(/✗ plan[\s\S]*1-4 ›$/);
    expect(sent(server.requests[4])).toContain(
      "the person did not approve: smaller steps. You are still in plan mode.",
    );
    expect(existsSync(join(place.cwd, "late"))).toBe(false);
    await answer("1\r");
    await waitFor("Done.\n— 7 turns");
    expect(sent(server.requests[5])).toContain("The person approved. Carry out this plan");
    expect(existsSync(join(place.cwd, "late"))).toBe(true); // the twin: the same mode, the plan agreed
    expect(sent(server.requests[0])).toContain("# Plan mode");
  });

  it("shows the code of a plan in the colours of an answer's", async () => {
    const plan = "Round it:\n\n```js\nconst cents = 5;\n```\n\nThen test.";
    const keyword = createPainter(THEMES.dark, 256)("keyword");
    const env = { COLORFGBG: "15;0" };
    const { type, waitFor, raw } = await openRichConsole(
      [calls("enter_plan_mode"), calls("exit_plan_mode", { plan })],
      { env },
    );
    type("go\r");
    await waitFor(/▌ {3}const cents = 5;\n▌ ?\n▌ Then test\.\n[\s\S]*\? Proposed plan: approve it/);
    expect(raw()).toContain(`${keyword}const`);
  });

  it("holds in a session that goes on", LONG_ONLY, async () => {
    const first = await openPlainConsole([calls("enter_plan_mode"), says("planning")], { args: MODES });
    first.type("go\r");
    await first.waitFor("planning\n— 2 turns");
    first.type("/quit\r");
    await first.left;
    const again = await openPlainConsole([bash("touch early"), says("ok")], {
      place: first.place,
      args: ["-c", ...MODES],
    });
    again.type("go\r");
    await again.waitFor("ok\n— 2 turns");
    expect(existsSync(join(first.place.cwd, "early"))).toBe(false);
  });
});

const PLANNING = ["--model", "anthropic/scripted", "--permission-mode", "plan"];

describe("--permission-mode plan", () => {
  it("with -p ends with the plan printed, and nothing that changes something has run; the model is not asked again", async () => {
    const script = [
      bash("touch early"),
      calls("write", { path: "early.txt", content: "x" }),
      { calls: [...(PLAN.calls ?? []), { name: "bash", input: { command: "touch early" } }] },
      bash("touch late"),
      says("never asked"),
    ];
    const place = await createServedShared(script);
    const { code, stdout, stderr } = await place.run(["-p", "go", ...PLANNING]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "1. make **a.txt**\n2. run the tests\n" });
    expect(stderr).toContain("no plan is approved yet and write would");
    expect(place.server.requests).toHaveLength(3);
    expect(sent(place.server.requests[0])).toContain("Plan mode is on");
    expect(sent(place.server.requests[0])).not.toContain("enter_plan_mode");
    for (const name of ["early", "early.txt", "late"])
      expect(existsSync(join(place.cwd, name)), name).toBe(false);
    expect(place.entries().at(-1)).toMatchObject({ type: "end", how: "complete" });
    // The person has read it: what they say next is no planning any more. It is the twin, too.
    await place.run(["-p", "-c", "go on", "--model", "anthropic/scripted", "--permission-mode", "bypass"]);
    expect(existsSync(join(place.cwd, "late"))).toBe(true);
  });

  it("with --json is one line more; --output-schema is refused next to it", async () => {
    const place = await createServedShared([PLAN]);
    const { stdout } = await place.run(["-p", "go", "--json", ...PLANNING]);
    expect(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")).toEqual({
      type: "plan",
      text: "1. make **a.txt**\n2. run the tests",
    });
    place.file("schema.json", "{}");
    const refused = await place.run(["-p", "go", "--output-schema", "schema.json", ...PLANNING]);
    expect({ code: refused.code, says: refused.stderr.includes("omit one of them") }).toEqual({
      code: 2,
      says: true,
    });
  });

  it("is the mode that `why` tells, and one that settings may name", async () => {
    const place = await createServedShared([]);
    const why = async (args: readonly string[]): Promise<string> =>
      (await place.run(["why", "bash(touch x)", ...args])).stdout;
    expect(await why(["--permission-mode", "plan"])).toContain("no plan is approved yet");
    expect(await why(["--permission-mode", "bypass"])).not.toContain("no plan");
    place.settings({ permissions: { mode: "plan" } });
    expect(await why([])).toContain("no plan is approved yet");
  });
});

describe("/plan", () => {
  it.each(
    rows(
      [
        ["plain", openPlainConsole],
        ["rich", openRichConsole],
      ] as const,
      theFirst,
    ),
  )("begins and ends it in the %s console, and a new session begins without", async (_, open) => {
    const { place, server, type, waitFor } = await open(
      [bash("touch early"), says("one"), bash("touch late"), says("two")],
      { args: MODES },
    );
    type("/plan now\r");
    await waitFor("Usage: /plan, or /plan off.");
    type("/plan\r");
    await waitFor("Nothing is changed until you approve a plan.");
    type("/plan\r");
    await waitFor("Plan mode is already on");
    type("go\r");
    await waitFor(/one\n[\s\S]*— 2 turns/);
    expect(sent(server.requests[0])).toContain("Plan mode is on");
    expect(existsSync(join(place.cwd, "early"))).toBe(false);
    type("/plan off\r");
    await waitFor("Plan mode is off");
    type("go\r");
    await waitFor(/two\n[\s\S]*— 2 turns/);
    expect(sent(server.requests[2])).toContain("The person ended plan mode");
    expect(existsSync(join(place.cwd, "late"))).toBe(true); // the twin: the same mode, no plan wanted
  });

  it("holds in a session that goes on, and /new begins as the first session did", LONG_ONLY, async () => {
    const first = await openPlainConsole([says("ok")], { args: MODES });
    first.type("go\r");
    await first.waitFor("ok\n— 1 turn");
    first.type("/plan\r");
    await first.waitFor("Nothing is changed");
    first.type("/quit\r");
    await first.left;
    const again = await openPlainConsole([], { place: first.place, args: ["-c", ...MODES] });
    again.type("/why bash(touch x)\r");
    await again.waitFor("no plan is approved yet");
    again.type("/new\r");
    await again.waitFor("New session:");
    again.type("/why bash(touch y)\r");
    await again.waitFor(/the permission mode is bypass/);
  });
});

const WRITER = `// /// indus-addon
// [[capability]]
// kind = "files"
// read = true
// write = true
// execute = true
// reason = "test"
// ///
import type { AddonSurface } from "induscode/addons";
export function register(surface: AddonSurface): void {
  for (const [name, deed] of [["put", () => surface.host.writeFile("by-host", "x")], ["run", () => surface.handles.exec("touch by-exec")]] as const)
    surface.addCommand(name, {
      summary: "does it",
      run: ({ say }) => deed().then(() => say(name + " is done"), (error: Error) => say(name + ": " + error.message)),
    });
}
`;

describe("an addon", () => {
  it("writes and runs nothing through the host while a plan is made (twin: it does both afterwards)", async () => {
    const place = await createServedShared([]);
    place.file(".indus/addons/writer.ts", WRITER);
    const { type, waitFor } = await openPlainConsole([], { place, args: [...MODES, "--grant", "writer"] });
    type("/plan\r");
    await waitFor("Nothing is changed");
    type("/put\r");
    await waitFor(/put: EACCES[^›]*no\s+plan\s+is\s+approved/);
    type("/run\r");
    await waitFor(/run: [^›]*no\s+plan\s+is\s+approved/);
    expect([existsSync(join(place.cwd, "by-host")), existsSync(join(place.cwd, "by-exec"))]).toEqual([
      false,
      false,
    ]);
    type("/plan off\r");
    await waitFor("Plan mode is off");
    type("/put\r");
    await waitFor("put is done");
    type("/run\r");
    await waitFor("run is done");
    expect([existsSync(join(place.cwd, "by-host")), existsSync(join(place.cwd, "by-exec"))]).toEqual([
      true,
      true,
    ]);
  });
});

describe("ask_user", () => {
  it("asks with choices by key in the rich console, and the model reads which", LONG_ONLY, async () => {
    const { server, type, answer, waitFor } = await openRichConsole([
      calls("ask_user", { question: "Which store?", choices: ["files", "a database"] }),
      says("ok"),
    ]);
    type("go\r");
    await waitFor(
      /Question from the model \(grants no permission\)[\s\S]*Which store\?[\s\S]*\[1\] files\n {2}\[2\] a database\n {2}\[3\] Something else[^\n]*\n *anthropic[^\n]*$/,
    );
    await answer("2");
    await waitFor(/ok\n\n— 2 turns/);
    expect(sent(server.requests[1])).toContain("The person chose: a database");
  });

  it("is not there with -p, and neither is plan mode (twin: a console has all three)", async () => {
    const { run, server } = await createServedShared([says("Done.")]);
    await run(["-p", "go", "--model", "anthropic/scripted"]);
    for (const name of ["ask_user", "enter_plan_mode", "exit_plan_mode", "# Plan mode"])
      expect(sent(server.requests[0])).not.toContain(name);
  });
});
