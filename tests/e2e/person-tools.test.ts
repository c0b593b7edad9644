// Plan mode and the model's questions as a person meets them, in both consoles; where nobody sits they are not there.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RecordedRequest, ScriptedTurn } from "../support/model-server.ts";
import { openPlainConsole, openRichConsole } from "../support/open-console.ts";
import { createServedWorkplace } from "../support/served-workplace.ts";

const calls = (name: string, input: unknown = {}): ScriptedTurn => ({ calls: [{ name, input }] });
const bash = (command: string): ScriptedTurn => calls("bash", { command });
const says = (text: string): ScriptedTurn => ({ text });
const sent = (request: RecordedRequest | undefined): string => JSON.stringify(request?.body);

const PLAN = calls("exit_plan_mode", { plan: "1. make **a.txt**\n2. run the tests" });
const MODES = ["--permission-mode", "bypass"];

describe("plan mode", () => {
  it("binds every tool, bash too and in bypass, until the person agrees; a refusal's reason goes to the model", async () => {
    const { place, server, type, waitFor } = await openPlainConsole(
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
      /the model: the plan\n▌ 1\. make \*\*a\.txt\*\*\n▌ 2\. run the tests[\s\S]*the model asks[\s\S]*1-3 ›$/,
    );
    expect([existsSync(join(place.cwd, "early")), existsSync(join(place.cwd, "early.txt"))]).toEqual([
      false,
      false,
    ]);
    expect(sent(server.requests[2])).toContain("no plan is agreed on yet and bash would run");
    expect(sent(server.requests[3])).toContain("no plan is agreed on yet and write would");
    type("2\r");
    await waitFor(/What is to be different\?[\s\S]*› ?$/);
    type("smaller steps\r");
    await waitFor(/✗ exit_plan_mode[\s\S]*1-3 ›$/);
    expect(sent(server.requests[4])).toContain(
      "the person did not agree: smaller steps. You are still planning.",
    );
    expect(existsSync(join(place.cwd, "late"))).toBe(false);
    type("1\r");
    await waitFor("Done.\n— 7 turns");
    expect(sent(server.requests[5])).toContain("The person agreed. Carry out this plan");
    expect(existsSync(join(place.cwd, "late"))).toBe(true); // the twin: the same mode, the plan agreed
    expect(sent(server.requests[0])).toContain("# Plan mode");
  });

  it("holds in a session that goes on", async () => {
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

describe("ask_user", () => {
  it("asks with choices by key in the rich console, and the model reads which", async () => {
    const { server, type, waitFor } = await openRichConsole([
      calls("ask_user", { question: "Which store?", choices: ["files", "a database"] }),
      says("ok"),
    ]);
    type("go\r");
    await waitFor(
      /the model asks[\s\S]*Which store\?[\s\S]*\[1\] files\n {2}\[2\] a database\n {2}\[3\] Something else\n *anthropic[^\n]*$/,
    );
    type("2");
    await waitFor(/ok\n\n— 2 turns/);
    expect(sent(server.requests[1])).toContain("The person chose: a database");
  });

  it("is not there with -p, and neither is plan mode (twin: a console has all three)", async () => {
    const { run, server } = await createServedWorkplace([says("Done.")]);
    await run(["-p", "go", "--model", "anthropic/scripted"]);
    for (const name of ["ask_user", "enter_plan_mode", "exit_plan_mode", "# Plan mode"])
      expect(sent(server.requests[0])).not.toContain(name);
  });
});
