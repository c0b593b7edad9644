// What addons show and ask, through the real command in a pseudo-terminal: the example that uses all of it, every kind of
// addon, and the run modes in which there is nobody to ask.

import { chmodSync, copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { Script, ScriptedTurn } from "../support/model-server.ts";
import { type OpenedConsole, openPlainConsole, openRichConsole } from "../support/open-console.ts";
import { createServedWorkplace } from "../support/served-workplace.ts";
import { compileReply } from "../support/test-wasm.ts";

const EXAMPLE = join(import.meta.dirname, "../../examples/addons/release-desk.ts");
const SECRET = "tok-7f3a9c1e5b2d4068";
const CTRL_C = "\x03";

/** A workplace with the example among its addons. */
function withExample(place: Workplace): Workplace {
  mkdirSync(join(place.cwd, ".indus/addons"), { recursive: true });
  copyFileSync(EXAMPLE, join(place.cwd, ".indus/addons/release-desk.ts"));
  return place;
}

async function open(
  script: Script = [],
  addons?: (place: Workplace) => unknown,
  openConsole: typeof openPlainConsole = openPlainConsole,
): Promise<OpenedConsole> {
  const place = createWorkplace();
  if (addons) await addons(place);
  else withExample(place);
  return openConsole(script, { place, args: ["--grant", addons ? "asker" : "release-desk"] });
}

describe("the example in the plain console", () => {
  it(
    "asks under its name, shows each shape behind its mark, and hides the token that was typed",
    LONG_ONLY,
    async () => {
      const { type, answer, waitFor, screen, raw, place } = await open([{ text: `Found ${SECRET}.` }]);
      type("/release\r");
      await waitFor(
        /\? Question from the addon project:release-desk \(grants no permission\)\n {2}addon │ How large is the change\?\n {2}\[1\] patch\n {2}\[2\] minor\n {2}\[3\] major\n {2}1-3 ›/,
      );
      await answer("9\r");
      await waitFor("enter a number from 1 to 3");
      type("2\r");
      await waitFor("The token of the registry?\n  (not shown) ›");
      await answer(`${SECRET}x\x7f\r`);
      await waitFor("Release it?");
      expect(screen()).toContain("▌ project:release-desk: What would be done");
      expect(screen()).toMatch(/▌ tag +a minor version\n/);
      expect(screen()).toContain("▌ 1. changelog");
      expect(screen()).toContain("▌ token  given");
      await answer("y\r");
      await waitFor("▌ **Released** (not really: this is an example).");
      expect(screen()).toMatch(/▌ release {2}█{20} {2}3\/3/);
      type("look\r");
      await waitFor("Found [secret typed for project:release-desk].");
      expect(raw()).not.toContain(SECRET);
      for (const log of place.logs()) expect(readFileSync(log, "utf8")).not.toContain(SECRET);
    },
  );

  it("a question that is left is answered by nobody, and the console goes on", LONG_ONLY, async () => {
    const { type, waitFor, screen } = await open([{ text: "Fine." }]);
    type("/release\r");
    await waitFor("1-3 ›");
    type(CTRL_C);
    await waitFor(/\[3\] major\n›/);
    type("go on\r");
    await waitFor("Fine.");
    expect(screen()).not.toContain("The token");
  });

  it("shows its status before the prompt, replaced and taken away", LONG_ONLY, async () => {
    const { type, waitFor, screen } = await open();
    type("/remind two things\r");
    await waitFor("▌ project:release-desk two things\n›");
    type("/remind \x1b[31mthree\r");
    type("/remind three things\r");
    await waitFor("▌ project:release-desk three things\n›");
    type("/remind\r");
    await waitFor(/three things\n(?:›[^\n]*\n)+›/);
    expect(screen().match(/▌ [^\n]*two things/g)).toHaveLength(1);
  });
});

describe("the example in the rich console", () => {
  const openRich = (script: Script = [], addons?: (place: Workplace) => void): Promise<OpenedConsole> =>
    open(script, addons, openRichConsole);

  it("asks by key, shows each shape behind its mark, and hides the token that was typed", async () => {
    const { type, waitFor, screen, raw, place } = await openRich([{ text: `Found ${SECRET}.` }]);
    type("/release\r");
    await waitFor(
      /\? Question from the addon project:release-desk \(grants no permission\)\n {2}addon │ How large is the change\?\n❯ \[1\] patch\n {2}\[2\] minor\n {2}\[3\] major[^\n]*\n[^\n]*\n?/,
    );
    await quiet();
    type("2");
    await waitFor("→ minor");
    await waitFor("what you type is not shown");
    await quiet();
    type(`${SECRET}x\x7f`);
    await waitFor("•".repeat(SECRET.length));
    type("\r");
    await waitFor("→ answered (not shown)");
    await waitFor("Release it?");
    expect(screen()).toContain("▌ project:release-desk: What would be done");
    expect(screen()).toContain("▌ 1. changelog");
    expect(screen()).toContain("▌ token  given");
    await quiet();
    type("y");
    await waitFor("▌ Released (not really: this is an example).");
    expect(screen()).toMatch(/▌ release {2}█{20} {2}3\/3/);
    type("look\r");
    await waitFor("Found [secret typed for project:release-desk].");
    expect(raw()).not.toContain(SECRET);
    for (const log of place.logs()) expect(readFileSync(log, "utf8")).not.toContain(SECRET);
  });

  it(
    "what is typed on while it asks goes to the line and answers nothing; Esc leaves the question",
    LONG_ONLY,
    async () => {
      const { type, waitFor, screen } = await openRich();
      type("/release\r");
      type("2"); // before anybody can have read it
      await waitFor("How large is the change?");
      await quiet();
      type("\x1b");
      await waitFor("→ not answered");
      expect(screen()).not.toContain("→ minor");
      await waitFor(/\n›( 2)?\n/);
    },
  );

  it(
    "keeps a text in the status line, replaced, taken away, and gone with the addon",
    LONG_ONLY,
    async () => {
      const { type, waitFor, screen } = await openRich();
      type("/remind two \x1bthings\r");
      await waitFor(/scripted[^\n]*\[project:release-desk two/);
      type("/remind three things\r");
      await waitFor(/scripted[^\n]*\[project:release-desk three things\]/);
      type("/addons restart release-desk\r");
      await waitFor(/scripted[^\n[]*$/);
      expect(screen()).not.toMatch(/scripted[^\n]*three things\]$/);
    },
  );
});

it(
  "the addon of the guide asks in a console, and says in print mode that nobody is here",
  LONG_ONLY,
  async () => {
    const guide = readFileSync(join(import.meta.dirname, "../../docs/guide/addons.md"), "utf8");
    const code =
      /```ts\n(\/\/ \/\/\/ indus-addon\n(?:(?!```)[\s\S])*ui\.confirm[\s\S]*?)```/.exec(guide)?.[1] ?? "";
    const lay = (place: Workplace): void => void place.file(".indus/addons/asker.ts", code);
    const { type, answer, waitFor } = await open([], lay);
    type("/tidy\r");
    await waitFor(/addon │ Tidy up\?\n/);
    await answer("y\r");
    await waitFor(/▌ project:asker\n▌ tidied {2}yes\n/);
    const place = await createServedWorkplace([]);
    lay(place);
    const { stdout } = await place.run(["-p", "/tidy", "--grant", "asker"]);
    expect(stdout).toContain("nobody is here to ask");
  },
);

it("a delegate has no console, while the session that it works for has one", LONG_ONLY, async () => {
  const lay = (place: Workplace): void => {
    place.file(
      ".indus/addons/asker.ts",
      `${ASKS("//")}
import type { AddonSurface, HostRefused } from "induscode/addons";
export function register({ addTool, ui }: AddonSurface): void {
  addTool({ name: "who", description: "Asks.", parameters: { type: "object", properties: {} }, run: async () => {
    const { ask } = await ui.offers();
    const answer = await ui.confirm("Are you there?").catch((error: HostRefused) => error.kind);
    return "offers " + ask + ", answer " + answer;
  } });
}
`,
    );
    place.file(
      ".indus/agents/scout.toml",
      `description = "Looks."\nwhen = "always"\ntools = ["who"]\nprompt = "Be brief."\n`,
    );
  };
  const turns: Record<string, ScriptedTurn[]> = {
    delegate: [{ calls: [{ name: "who", input: {} }] }, { text: "Done." }],
    main: [
      { calls: [{ name: "task", input: { agent: "scout", objective: "ask" } }] },
      { calls: [{ name: "who", input: {} }] },
      { text: "All done." },
    ],
  };
  const script: Script = (request) =>
    turns[request.rawBody.includes("You are the delegate") ? "delegate" : "main"]?.shift();
  const place = createWorkplace();
  lay(place);
  const args = ["--grant", "asker", "--permission-mode", "bypass"];
  const { type, answer, waitFor } = await openPlainConsole(script, { place, args });
  type("go\r");
  await waitFor("addon │ Are you there?");
  await answer("y\r");
  await waitFor("All done.");
  const said = place.logs().map((log) => readFileSync(log, "utf8"));
  const of = (isDelegate: boolean): string | undefined =>
    said.find((_, at) => place.logs()[at]?.includes("/delegates/") === isDelegate);
  expect(of(true)).toContain("offers false, answer unavailable");
  expect(of(false)).toContain("offers true, answer true");
});

/** As long as somebody needs to read a question; keys count once the keyboard has been quiet. */
function quiet(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 600));
}

const ASKS = (comment: string): string =>
  ["/// indus-addon", "[[capability]]", 'kind = "ui"', "ask = true", 'reason = "asks"', "///"]
    .map((line) => `${comment} ${line}`)
    .join("\n");

const KINDS = [
  {
    kind: "Python",
    lay: (place: Workplace) =>
      place.file(
        ".indus/addons/asker.py",
        `${ASKS("#")}
from induscode.addons import CommandSpec, HostRefused

def register(surface):
    def run(ctx):
        if not surface.ui.offers().ask:
            print("nobody is here")
            return
        name = surface.ui.select("Which?", ["one", "two"])
        try:
            surface.ui.status("x")
        except HostRefused as refused:
            print(f"took {name}; status: {refused.kind}")
    surface.add_command("ask", CommandSpec(summary="asks", run=run))
`,
      ),
  },
  {
    kind: "TypeScript",
    lay: (place: Workplace) =>
      place.file(
        ".indus/addons/asker.ts",
        `${ASKS("//")}
import { type AddonSurface, HostRefused } from "induscode/addons";
export function register({ addCommand, ui }: AddonSurface): void {
  addCommand("ask", { summary: "asks", run: async ({ say }) => {
    if (!(await ui.offers()).ask) return say("nobody is here");
    const name = await ui.select("Which?", ["one", "two"]);
    await ui.status("x").catch((error: HostRefused) => say("took " + name + "; status: " + error.kind));
  } });
}
`,
      ),
  },
  {
    kind: "a program that speaks the protocol",
    lay(place: Workplace) {
      place.file(
        ".indus/addons/asker/manifest.toml",
        `id = "asker"\n[run]\ncommand = ["./asker.sh"]\n[[capability]]\nkind = "ui"\nask = true\nreason = "asks"\n`,
      );
      chmodSync(place.file(".indus/addons/asker/asker.sh", PROGRAM), 0o755);
    },
  },
  {
    kind: "WASM",
    async lay(place: Workplace) {
      place.file(
        ".indus/addons/asker/manifest.toml",
        `id = "asker"\n[run]\nwasm = "asker.wasm"\n[[capability]]\nkind = "ui"\nask = true\nreason = "asks"\n`,
      );
      place.bytes(".indus/addons/asker/asker.wasm", await compileReply(MODULE));
    },
  },
] as const;

const MODULE = `
  if (message.includes('"method":"describe"'))
    return result(message, '{"protocol":1,"commands":[{"name":"ask","summary":"asks"}]}');
  if (!message.includes('"method":"command"')) return result(message, "{}");
  const say = '{"jsonrpc":"2.0","method":"progress","params":{"id":' + idOf(message) + ',"text":"';
  const offers = call('{"jsonrpc":"2.0","id":1,"method":"ui/offers","params":{}}');
  if (offers.includes('"ask":false')) {
    call(say + 'nobody is here"}}');
    return result(message, "{}");
  }
  const chosen = call('{"jsonrpc":"2.0","id":2,"method":"ui/select","params":{"question":"Which?","choices":["one","two"]}}');
  const status = call('{"jsonrpc":"2.0","id":3,"method":"ui/status","params":{"text":"x"}}');
  if (chosen.includes('"choice":1') && status.includes("-32001")) call(say + 'took two; status: denied"}}');
  return result(message, "{}");
`;

/** Built-ins of the shell alone: an addon starts no programs. It names no call that it asks during. */
const PROGRAM = `#!/bin/sh
say() { printf '{"jsonrpc":"2.0","method":"progress","params":{"id":%s,"text":"%s"}}\\n' "$call" "$1"; }
while IFS= read -r line; do
  id=\${line#*'"id":'}
  id=\${id%%[!0-9]*}
  case $line in
    *'"method":"describe"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocol":1,"commands":[{"name":"ask","summary":"asks"}]}}\\n' "$id" ;;
    *'"method":"command"'*) call=$id
      printf '{"jsonrpc":"2.0","method":"ack","params":{"id":%s}}\\n' "$id"
      printf '{"jsonrpc":"2.0","id":901,"method":"ui/offers","params":{}}\\n' ;;
    *'"ask":false'*) say "nobody is here"; printf '{"jsonrpc":"2.0","id":%s,"result":{}}\\n' "$call" ;;
    *'"ask":true'*) printf '{"jsonrpc":"2.0","id":902,"method":"ui/select","params":{"question":"Which?","choices":["one","two"]}}\\n' ;;
    *'"choice":1'*) chosen=two; printf '{"jsonrpc":"2.0","id":903,"method":"ui/status","params":{"text":"x"}}\\n' ;;
    *'"code":-32001'*) say "took $chosen; status: denied"; printf '{"jsonrpc":"2.0","id":%s,"result":{}}\\n' "$call" ;;
    *'"method":"dispose"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{}}\\n' "$id"; exit 0 ;;
    *'"method"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{}}\\n' "$id" ;;
  esac
done
`;

describe.each(rows(KINDS, theFirst))("an addon in $kind", ({ lay }) => {
  it("asks in the console, and is refused the part that it was not granted", async () => {
    const { type, answer, waitFor } = await open([], lay);
    type("/ask\r");
    await waitFor(/Question from the addon project:asker[^\n]*\n {2}addon │ Which\?\n/);
    await answer("2\r");
    await waitFor("took two; status: denied");
  });

  it.each(
    rows(
      [
        ["-p", ["-p", "/ask"]],
        ["--json", ["--json", "/ask"]],
        ["a pipe", []],
      ],
      theFirst,
    ),
  )("is told that nobody is here: %s", async (_mode, args) => {
    const place = await createServedWorkplace([]);
    await lay(place);
    const { code, stdout, stderr } = await place.run([...args, "--grant", "asker"], { stdin: "/ask\n" });
    expect(`${stdout}${stderr}`).toContain("nobody is here");
    expect(code).toBe(0);
  });
});
