// What the rich console says of a session: what it waits for, what went before, who asks, who works for it.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import type { ScriptedTurn } from "../support/model-server.ts";
import { leaveConsole, openRichConsole, RICH_IDLE } from "../support/open-console.ts";
import { until } from "../support/until.ts";

const says = (text: string): ScriptedTurn => ({ text });
const runs = (command: string): ScriptedTurn => ({ calls: [{ name: "bash", input: { command } }] });
const BYPASS = ["--permission-mode", "bypass"];

describe("the row of a call", () => {
  it("says that it asks, and counts only its run", async () => {
    const { place, type, answer, waitFor, screen } = await openRichConsole([
      runs("mkfifo begun; while [ ! -e go ]; do sleep 0.05; done"),
      says("Done."),
    ]);
    type("work\r");
    await waitFor(/\? bash {2}asking\n[\s\S]*asks for permission[\s\S]*mkfifo begun/);
    await new Promise((resolve) => setTimeout(resolve, 2_500)); // would be counted, if its run began here
    const since = performance.now();
    await answer("y");
    const counted = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] bash mkfifo begun[^\n]* {2}(\d+) s\n/;
    await waitFor(counted);
    const seconds = Number(counted.exec(screen())?.[1]);
    const ofTheRun = (performance.now() - since) / 1_000; // both grow on a slow machine
    expect(seconds).toBeLessThanOrEqual(ofTheRun);
    await until(() => existsSync(join(place.cwd, "begun")));
    place.file("go", "");
    await waitFor("Done.");
    expect(screen()).not.toMatch(/asking\n/);
  });
});

describe("a session that goes on", () => {
  it("shows its end again: lines, answers with their marks, what calls did", LONG_ONLY, async () => {
    const place = createWorkplace();
    place.file("a.txt", "one\ntwo\nthree\n");
    const first = await openRichConsole(
      [
        says("Hello."),
        { calls: [{ name: "read", input: { path: "a.txt" } }] },
        { calls: [{ name: "edit", input: { path: "a.txt", oldText: "two", newText: "zwei" } }] },
        runs("echo shown again; exit 3"),
        says("It is **done**."),
      ],
      { place, args: BYPASS },
    );
    first.type("hello\r");
    await first.waitFor("Hello.");
    await first.waitFor(RICH_IDLE);
    first.type("change it\r");
    await first.waitFor("It is done.");
    await first.waitFor(RICH_IDLE);
    first.type("/quit\r");
    await first.left;
    const second = await openRichConsole([], { place, args: ["-c"] });
    expect(second.screen()).toMatch(
      /› hello\n\nHello\.\n\n› change it\n\n✓ read a\.txt[^\n]*\n✓ edit a\.txt {2}\+1 −1[^\n]*\n[^\n]*one\n {2}2 - two\n {2}2 \+ zwei\n[^\n]*three\n✗ bash echo shown again[^\n]*exit code 3[^\n]*\n {2}shown again\n\nIt is done\.\n\nindus /,
    );
  });

  it("shows its last tasks only, and says how much is before them", LONG_ONLY, async () => {
    const place = createWorkplace();
    const first = await openRichConsole(
      Array.from({ length: 5 }, (_, i) => says(`answer ${i}`)),
      { place },
    );
    for (let i = 0; i < 5; i++) {
      first.type(`line ${i}\r`);
      await first.waitFor(new RegExp(`answer ${i}\\n\\n— 1 turn[^\\n]*\\n\\n›`));
    }
    first.type("/quit\r");
    await first.left;
    const second = await openRichConsole([], { place, args: ["-c"] });
    expect(second.screen()).toMatch(/^… 4 earlier messages in the session's log\n\n› line 2\n\nanswer 2\n/);
    expect(second.screen()).not.toContain("line 1");
  });
});

describe("background commands", () => {
  const start = (command: string): ScriptedTurn => ({
    calls: [{ name: "process", input: { action: "start", command } }],
  });

  it(
    "/jobs lists them, shows what one says without taking it from the model, and stops one",
    LONG_ONLY,
    async () => {
      const { place, server, type, waitFor } = await openRichConsole(
        [
          start("echo ready; echo $$ >pid; exec sleep 60"),
          says("Started."),
          { calls: [{ name: "process", input: { action: "poll", id: "job-1" } }] },
          says("Polled."),
        ],
        { args: BYPASS },
      );
      type("go\r");
      await waitFor("Started.");
      await until(() => existsSync(join(place.cwd, "pid")));
      type("/jobs\r");
      await waitFor(/job-1 {2}running, started [^\n]* ago {2}echo ready/);
      type("/jobs output job-1\r");
      await waitFor(/stdout:\n {2}ready\n/);
      type("what does it say?\r");
      await waitFor("Polled.");
      expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain("stdout:\\nready");
      type("/jobs stop job-1\r");
      await waitFor("job-1 and all its processes are stopped.");
      await waitFor(/\n *anthropic\/scripted(?:(?!job)[^\n])*$/);
      const pid = Number(readFileSync(join(place.cwd, "pid"), "utf8"));
      await until(() => !existsSync(`/proc/${pid}`));
    },
  );
});

describe("themes", () => {
  const own = (place: Workplace, text: string): void => {
    mkdirSync(join(place.home, "themes"), { recursive: true });
    writeFileSync(join(place.home, "themes/mine.json"), text);
  };

  it("are chosen from a list, the person's own among them; a save of that is seen at once, and a mistake named", async () => {
    const place = createWorkplace();
    own(place, '{ "person": "#123456" }');
    const { type, waitFor, raw } = await openRichConsole([], { place, env: { COLORTERM: "truecolor" } });
    type("/the\r");
    await waitFor(/› \/theme ?\n▸ auto {2}now terminal: [^\n]*\n {2}terminal\n {2}dark\n[\s\S]*\n {2}mine\n/);
    type("mine\r");
    await waitFor(/The theme is now mine\.\s+It is kept in [\s\S]*settings\.json\./);
    await until(() => raw().includes("\x1b[38;2;18;52;86m/theme mine"));
    own(place, '{ "person": "#654321", "acent": 3 }');
    await waitFor('theme mine: line 1: "acent" is not a colour of a theme; did you mean "accent"?');
    await until(() => raw().includes("\x1b[38;2;101;67;33m/theme mine"));
    own(place, "{ broken");
    await waitFor(/The theme mine cannot be read: [\s\S]*Its\s+last\s+colours\s+are\s+kept\./);
    type("/theme nime\r");
    await waitFor('Theme "nime" not found. Available: auto, terminal, dark,');
  });

  it("are named in the settings; one that is not there is said at the start", LONG_ONLY, async () => {
    const place = createWorkplace();
    own(place, '{ "dim": "#010203" }');
    place.settings({ localServers: [], theme: "mine" });
    const mine = await openRichConsole([], { place, env: { COLORTERM: "truecolor" } });
    expect(mine.raw()).toContain("\x1b[38;2;1;2;3m");
    place.settings({ localServers: [], theme: "drak" });
    const { screen } = await openRichConsole([], { place });
    expect(screen()).toContain('Theme "drak" not found. Did you mean "dark"?');
  });
});

describe("the theme of nobody's choice", () => {
  const QUESTION_OPEN = /\? Is this terminal's background[\s\S]*as it is/;
  const QUESTION = "\x1b]11;?\x1b\\";
  const LIGHT_LINK = "\x1b[4;38;2;5;80;174m";
  const FULL = { COLORTERM: "truecolor" };

  it(
    "follows the background that the terminal answers, in parts and late, and nothing of the answer is typed",
    LONG_ONLY,
    async () => {
      const link = { text: "[a link](https://example.com/)" };
      const { type, waitFor, raw, screen } = await openRichConsole([link], { env: FULL, underShell: true });
      await until(() => raw().includes(QUESTION));
      type("go\r");
      await waitFor(/a link[\s\S]*1 turn/);
      expect(raw()).not.toContain(LIGHT_LINK);
      for (const part of ["\x1b]11;rgb:ff", "ff/ffff", "/ffff\x1b", "\\"]) {
        type(part);
        await new Promise((resolve) => setTimeout(resolve, 120)); // longer than a sequence may take
      }
      await until(() => raw().includes(LIGHT_LINK));
      expect(screen()).toMatch(/^modes: /); // what stood there before is still there
      expect(screen().match(/a link/g)).toHaveLength(1);
      expect(screen()).toMatch(RICH_IDLE);
      type("/theme\r");
      await waitFor("▸ auto  now light: the terminal reports the background #ffffff");
      type("dark\r");
      await waitFor("The theme is now dark.");
      type("\x1b]11;rgb:ffff/ffff/ffff\x07/theme\r");
      await waitFor(/\n {2}dark {2}in force\n/);
      expect(screen()).not.toMatch(/ffff\//);
    },
  );

  describe("a terminal that does not say its background is asked about, once", () => {
    const ASKED = "? Is this terminal's background dark or light? (/theme changes it later)";
    const ASKS = { ...FULL, CI: "" };

    it.each([
      ["d", "dark"],
      ["l", "light"],
    ])("%j keeps the theme %s", async (key, theme) => {
      const place = createWorkplace();
      const first = await openRichConsole([], { place, env: ASKS, columns: 140, idle: QUESTION_OPEN });
      expect(first.screen()).toContain(ASKED);
      await first.answer(key);
      await first.waitFor(new RegExp(`› /theme ${theme}\\s+The theme is now ${theme}\\.\\s+It is kept in `));
      expect(readFileSync(join(place.home, "settings.json"), "utf8")).toContain(`"theme": "${theme}"`);
      expect(await leaveConsole(first)).toBe(0);
      const second = await openRichConsole([{ text: "done" }], { place, env: ASKS });
      second.type("go\r");
      await second.waitFor(/done[\s\S]*1 turn/);
      expect(second.screen()).not.toContain(ASKED);
    });

    it("Esc keeps nothing, and asks no more in this session", async () => {
      const place = createWorkplace();
      const first = await openRichConsole([], { place, env: ASKS, columns: 140, idle: QUESTION_OPEN });
      await first.answer("\x1b");
      await first.waitFor(/→ as it is[\s\S]*› /);
      first.type("/theme\r");
      await first.waitFor("▸ auto  now terminal: the terminal does not report its background");
      first.type("\x1b");
      expect(readFileSync(join(place.home, "settings.json"), "utf8")).not.toContain("theme");
      expect(first.screen().split(ASKED)).toHaveLength(2);
    });

    it("an answer of the terminal's that comes late decides, and closes the question", async () => {
      const place = createWorkplace();
      const late = await openRichConsole([], { place, env: ASKS, columns: 140, idle: QUESTION_OPEN });
      late.type("\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
      await late.waitFor(
        "The terminal has answered: the theme is auto, now light: the terminal reports the background #ffffff.",
      );
      await late.waitFor(RICH_IDLE);
      expect(late.screen()).not.toContain(ASKED);
      expect(readFileSync(join(place.home, "settings.json"), "utf8")).not.toContain("theme");
    });

    it("whoever leaves instead has kept nothing, and is asked again", LONG_ONLY, async () => {
      const place = createWorkplace();
      const { signal, left } = await openRichConsole([], { place, env: ASKS, idle: QUESTION_OPEN });
      signal("SIGTERM");
      await left;
      const again = await openRichConsole([], { place, env: ASKS, columns: 140, idle: QUESTION_OPEN });
      expect(again.screen()).toContain(ASKED);
    });

    it.each([
      ["one that COLORFGBG describes", { ...ASKS, COLORFGBG: "15;0" }],
      ["a build service", { ...FULL, CI: "true" }],
      ["one without colours", { ...ASKS, NO_COLOR: "1" }],
      ["one with 16 colours", { TERM: "xterm", CI: "" }],
    ])("but not %s", async (_, env) => {
      const { type, waitFor, screen } = await openRichConsole([{ text: "done" }], { env });
      type("go\r");
      await waitFor(/done[\s\S]*1 turn/);
      expect(screen()).not.toContain(ASKED);
    });
  });

  it.each([
    ["COLORFGBG", { COLORFGBG: "0;15" }, "light: COLORFGBG is 0;15, and the terminal reports nothing"],
    ["the terminal's own palette", {}, "terminal: the terminal does not report its background"],
  ])("is what %s says where no answer comes", async (_, env, said) => {
    const { type, waitFor } = await openRichConsole([], { columns: 160, env: { ...FULL, ...env } });
    type("/theme\r");
    await waitFor(`▸ auto  now ${said}`);
  });

  it.each([
    ["without colours", { NO_COLOR: "1" }, "terminal: the terminal shows no colours"],
    ["with 16 colours", { TERM: "xterm" }, "terminal: the terminal has only its own 16 colours"],
  ])("is not asked for in a terminal %s", async (_, env, said) => {
    const { type, waitFor, raw } = await openRichConsole([], { columns: 160, env });
    type("/theme\r");
    await waitFor(`▸ auto  now ${said}`);
    expect(raw()).not.toContain(QUESTION);
  });
});

it("/model lets choose from the models that are known, the current one first", async () => {
  const { type, waitFor } = await openRichConsole([]);
  type("/model\r");
  await waitFor(/› \/model ?\n▸ anthropic\/scripted\n[\s\S]*anthropic\/claude/);
  type("openai/scr");
  await waitFor("› /model openai/scr");
  type("ipted\r");
  await waitFor("The model is now openai/scripted.");
});
