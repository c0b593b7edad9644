// What the rich console shows at every width and of every script, who it lets ask, and how it ends: the real command in a
// pseudo-terminal, its screen as text.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { drawFrom } from "../fuzz/draw.ts";
import { createWorkplace } from "../support/indus.ts";
import { isRunning } from "../support/is-running.ts";
import { expectTerminalAsBefore, ODD_INPUT, SEQUENCES } from "../support/keys.ts";
import { isLong, LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { type Script, type ScriptedTurn, startModelServer } from "../support/model-server.ts";
import {
  clearForLine,
  leaveConsole,
  type OpenedConsole,
  openPlainConsole,
  openRichConsole,
  RICH_IDLE,
} from "../support/open-console.ts";
import { createScreen, openTerminal, type TestedTerminal } from "../support/terminal.ts";
import { PATIENCE_MS, until } from "../support/until.ts";

const says = (text: string): ScriptedTurn => ({ text });
const runs = (command: string): ScriptedTurn => ({ calls: [{ name: "bash", input: { command } }] });
const BYPASS = ["--permission-mode", "bypass"];

/** Words of several scripts: wide, joined, combining, from right to left. */
const SCRIPTS = {
  "Chinese and Japanese":
    "端末の中で動くエージェントは、変更した行と実行したコマンドを見せる。日本語の長い文章も途中で切れない。".repeat(
      4,
    ),
  "emoji with joiners": "👩‍👩‍👧‍👦 👍🏽 🏳️‍🌈 family and flags 🇩🇪 ❤️ ".repeat(8),
  "combining characters": "e\u0301a\u0308o\u0302 n\u0303 — Zu\u0308rich, cafe\u0301, q\u0323\u0307 ".repeat(
    12,
  ),
  "right to left": "שלום עולם, זה טקסט ארוך. مرحبا بالعالم وهذا نص طويل. ".repeat(6),
};
const WIDTHS = [40, 80, 200] as const;

/** A question that takes keys: until the keyboard was quiet for a moment, a row between says that it does not. */
const ARMED = /asks for permission[\s\S]*\[r\][^\n]*\n(?: {2,}(?!what)[^\n]*\n)* *anthropic[^\n]*$/;

const bare = (text: string): string => text.replace(/[\s\u200b]/g, "");

describe.each(rows(WIDTHS, (columns) => columns === 40))("at %i columns", (columns) => {
  it.each(rows(Object.entries(SCRIPTS), theFirst))(
    "%s: an answer, a line, a command that is asked about and its output are whole",
    async (_, text) => {
      const words = text.trim();
      const { type, answer, waitFor, screen } = await openRichConsole(
        [says(words), runs(`touch '${words}'`), says("Done.")],
        {
          columns,
          args: ["--permission-mode", "ask"],
        },
      );
      type(`\x1b[200~say ${words}\x1b[201~\r`);
      await waitFor(/— 1 turn[\s\S]*\n\n›[^\n]*\n *anthropic/);
      const shown = screen();
      expect(bare(shown)).toContain(bare(`› say ${words}`));
      expect(bare(shown.slice(shown.indexOf("› say")))).toContain(bare(`${words} — 1 turn`));
      type("go on\r");
      await waitFor(ARMED);
      const asked = screen().slice(screen().lastIndexOf("asks for permission"));
      expect(bare(asked.replaceAll("│", ""))).toContain(bare(`touch '${words}'`));
      await answer("y");
      await waitFor(/Done\.\n\n—/);
      expect(screen()).toMatch(/[✓✗] bash touch/); // some names are longer than a file's may be
    },
  );

  it("a table, a list and code are all there", LONG_ONLY, async () => {
    const { type, waitFor, screen } = await openRichConsole(
      [
        says(
          "| 名前 | what it is |\n|---|---|\n| 漢字 | characters that take two cells |\n| e\u0301 | one of two |\n\n1. first\n   - inner\n2. second\n\n```\nconst 幅 = 2;\n```",
        ),
      ],
      { columns },
    );
    type("show\r");
    await waitFor(/— 1 turn/);
    for (const part of ["名前", "漢字", "inner", "const 幅 = 2;"]) expect(screen()).toContain(part);
  });
});

describe("an addon of the folder", () => {
  const manifest = (runs: string): string =>
    `id = "safety"\nsummary = "asks"\n[[command]]\nname = "deploy"\nsummary = "deploys"\nexec = "${runs}"\n`;

  async function start(place: ReturnType<typeof createWorkplace>): Promise<TestedTerminal> {
    const server = await startModelServer([]);
    onTestFinished(server.close);
    return openTerminal({ console: "rich", place, url: server.url, args: ["--model", "anthropic/scripted"] });
  }

  it("is asked about with everything that it would do; the answer is kept, and a changed one is asked about again", async () => {
    const place = createWorkplace();
    place.file(".indus/addons/safety/manifest.toml", manifest("./scripts/deploy.sh"));
    const first = await start(place);
    await first.waitFor(/\[y\] trust it[\s\S]*\[n\]/);
    expect(first.screen()).toMatch(/\/deploy runs: \.\/scripts\/deploy\.sh/);
    await first.answer("y");
    await first.waitFor(/→ trust it[\s\S]*\/help for commands/);
    first.type("/deploy\r");
    await first.waitFor(/project:safety asks, not the model[\s\S]*\[n\] no/);
    first.type("\x1b");
    await first.waitFor("→ no");
    first.type("/quit\r");
    expect(await first.left).toBe(0);

    const second = await start(place);
    await second.waitFor(RICH_IDLE);
    expect(second.screen()).not.toContain("trust it");
    second.type("/quit\r");
    await second.left;

    place.file(".indus/addons/safety/manifest.toml", manifest("./other.sh"));
    const third = await start(place);
    await third.waitFor(/\[n\]/);
    await third.answer("\x1b[B\x1b[B\r"); // from the second choice, which is chosen already, around to it again
    await third.waitFor("was not trusted");
    await third.waitFor(RICH_IDLE);
    third.type("/deploy\r");
    await third.waitFor("/deploy");
    third.type("/quit\r");
    await third.left;
  });

  it("is not trusted by what was typed while indus started", async () => {
    const place = createWorkplace();
    place.file(".indus/addons/safety/manifest.toml", manifest("id"));
    const terminal = await start(place);
    terminal.type("yyyy\r");
    await terminal.waitFor("[y] trust it");
    terminal.type("\x03");
    await terminal.waitFor("not answered");
    expect(existsSync(join(place.home, "trust.json"))).toBe(false);
  });
});

describe("the status line", () => {
  it("counts what addons alert of until the next task, and says that one is in quarantine", async () => {
    const place = createWorkplace();
    place.file(
      ".indus/addons/loud.ts",
      `// /// indus-addon
// [[capability]]
// kind = "alert"
// reason = "says so"
// ///
export function register(s) {
  s.addCommand("warn", { summary: "x", run: () => s.host.alert("mind the gap \\u001b[31m\\u202e") });
  s.addTool({ name: "flaky", description: "x", parameters: { type: "object" }, run: () => { throw new Error("it broke"); } });
}`,
    );
    const flaky = { calls: [{ name: "flaky", input: {} }] };
    const { type, waitFor, raw } = await openRichConsole([flaky, flaky, flaky, says("Enough.")], {
      place,
      columns: 160,
      args: ["--grant", "loud", ...BYPASS],
    });
    type("/warn\r");
    await waitFor(/! [^\n]*mind the gap[\s\S]*\n *anthropic[^\n]* {2}! 1 alert /);
    expect(raw()).not.toContain("gap \x1b[31m");
    type("go\r");
    await waitFor(/Enough\.[\s\S]*\n *anthropic[^\n]* {2}1 addon in quarantine [^\n]*$/);
    await waitFor(/\n *anthropic(?:(?!alert)[^\n])*$/);
  });

  it("has the parts that the settings choose, in their order", LONG_ONLY, async () => {
    const place = createWorkplace();
    place.settings({ localServers: [], statusLine: ["mode", "model"] });
    const server = await startModelServer([]);
    onTestFinished(server.close);
    const terminal = openTerminal({
      console: "rich",
      place,
      url: server.url,
      args: ["--model", "anthropic/scripted"],
    });
    await terminal.waitFor(/\nacceptEdits {2}anthropic\/scripted$/);
    place.settings({ localServers: [], statusLine: ["modle"] });
    const { stderr } = await place.run(["-p", "x", "--model", "anthropic/x"]);
    expect(stderr).toContain('"statusLine" must be a list of model, context, limits, quarantine');
  });
});

it(
  "a delegate has an indented row from its start to its end, its live calls below; they stay as lines",
  LONG_ONLY,
  async () => {
    let turns = 0;
    let ofDelegate = 0;
    const held = Promise.withResolvers<void>();
    onTestFinished(() => held.resolve());
    const HELD: ScriptedTurn = { text: "did it", trouble: { kind: "held", until: held.promise } };
    const script: Script = ({ body }) => {
      if (JSON.stringify(body.system).includes("You are the delegate"))
        return ofDelegate++ === 0 ? runs("while [ ! -e go ]; do sleep 0.05; done; echo built") : HELD;
      return turns++ === 0
        ? { calls: [{ name: "task", input: { agent: "coder", objective: "build it" } }] }
        : says("All done.");
    };
    const { place, type, waitFor } = await openRichConsole(script, { args: BYPASS });
    type("go\r");
    await waitFor(/\n {2}[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] coder build it {2}\d+ s\n {4}[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] bash while[^\n]* {2}\d+ s\n/);
    await waitFor(/ {4}[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] bash while[^\n]* {2}[1-9]\d* s\n/); // it counts
    place.file("go", "");
    await waitFor(
      / {2}coder ✓ bash while[^\n]*\n[\s\S]*\n {2}[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] coder build it {2}waiting for its model {2}\d+ s\n/,
    );
    held.resolve();
    await waitFor(/ {2}coder ✓ ended {2}[^\n]* s\n[\s\S]*✓ task [^\n]*\n[\s\S]*All done\./);
  },
);

it("a delegate's row says that a question of it waits, and whose it is", LONG_ONLY, async () => {
  let turns = 0;
  let ofDelegate = 0;
  const { type, answer, waitFor } = await openRichConsole(({ body }) => {
    if (JSON.stringify(body.system).includes("You are the delegate"))
      return ofDelegate++ === 0 ? runs("mkfifo made") : says("did it");
    return turns++ === 0
      ? { calls: [{ name: "task", input: { agent: "coder", objective: "build it" } }] }
      : says("All done.");
  });
  type("go\r");
  await waitFor(/ {2}\? coder build it {2}asking\n {4}\? bash {2}asking\n[\s\S]*\[r\]/);
  await waitFor(ARMED);
  await answer("n");
  await waitFor(/ {2}coder ⊘ bash mkfifo made[^\n]*\n[\s\S]*coder ✓ ended[\s\S]*All done\./);
});

describe("the end of a terminal", () => {
  it.each([
    ["idle", "", false],
    ["in a run", "go\r", true],
  ])("a window that is closed ends it, %s, with a log that is whole", async (_, keys, isBusy) => {
    const terminal = await openRichConsole([
      { text: "begin of it", pieces: 2, trouble: { kind: "silence", after: 1 } },
    ]);
    if (isBusy) {
      terminal.type(keys);
      await terminal.waitFor("begin");
    }
    const pid = terminal.hangUp();
    await until(() => !isRunning(pid));
    if (!isBusy) return; // nothing was said, and there is no log
    expect(terminal.place.problems()).toEqual([]);
    expect(terminal.place.entries().at(-1)).toMatchObject({ type: "end", how: "aborted" });
  });

  it.each(rows(["rich", "plain"] as const, theFirst))(
    "and is what its exit code says, %s, also where no signal tells of it",
    async (console) => {
      const place = createWorkplace();
      const at = (name: string): string => join(place.home, name);
      // Without a controlling terminal: what is read and written fails, and nothing else happens.
      writeFileSync(
        at("apart.cjs"),
        `process.on("SIGHUP", () => undefined);
      const { spawn } = require("node:child_process");
      spawn(process.execPath, process.argv.slice(2), { stdio: "inherit", detached: true }).on("exit", (code) => {
        require("node:fs").writeFileSync(${JSON.stringify(at("code"))}, "left: " + code);
      });`,
      );
      writeFileSync(at("node"), `#!/bin/sh\nexec ${process.execPath} ${at("apart.cjs")} "$@"\n`, {
        mode: 0o755,
      });
      const open = console === "rich" ? openRichConsole : openPlainConsole;
      const terminal = await open([], { place, env: { INDUS_NODE: at("node") } });
      terminal.hangUp();
      const said = (): string => (existsSync(at("code")) ? readFileSync(at("code"), "utf8") : "");
      await until(() => said() !== "");
      expect(said()).toBe("left: 129");
    },
  );

  it(
    "Esc twice at an empty line opens the tree, which says so where nothing was said yet",
    LONG_ONLY,
    async () => {
      const { type, waitFor } = await openRichConsole([says("still here")]);
      type("\x1b");
      await new Promise((resolve) => setTimeout(resolve, 120)); // Esc alone is known by the pause after it
      type("\x1b");
      await waitFor(/› \/tree\n\nNothing has been said in this session yet\.\n\n›/);
      type("go\r");
      await waitFor("still here");
    },
  );
});

describe("whatever is pressed while anything happens", () => {
  const KEYS = [
    ..."abc /@漢é👍'\"\\ynsr",
    ..."\x01\x02\x05\x06\x08\x0b\x0c\x0e\x0f\x10\x12\x14\x15\x17\x19\x1f\x7f\t\n\r",
    ...SEQUENCES,
    ...ODD_INPUT,
    ..."qgGjk",
    ...["/keys\r", "/jobs\r", "/theme light\r", "/context\r", "/nothing\r", "hello\r", "\x1b"],
  ];
  const PAGER_KEYS = [..."jkbgGn /x", "\x1b[A", "\x1b[6~", "\x1b[H", "\r", "\x7f", "\x1b[I"];
  const LONG = 6 * PATIENCE_MS;
  /** What the model does, over and over. */
  const TURNS: readonly ScriptedTurn[] = [
    says("# One\n\n- 漢字 and `code`\n\n| a | b |\n|---|---|\n| 1 | 👩‍👩‍👧 |"),
    runs("echo out; echo err >&2; exit 3"),
    { calls: [{ name: "todo_set", input: { items: [{ id: "a", text: "look", status: "active" }] } }] },
    { thinking: "hmm ".repeat(40), text: "thought." },
    { text: "cut off", pieces: 3, trouble: { kind: "cut", after: 1 } },
    {
      calls: [
        { name: "read", input: { path: "missing" } },
        { name: "bash", input: { command: "sleep 0.2" } },
      ],
    },
    says("x ".repeat(300)),
  ];

  const script: Script = (_, index) => TURNS[index % TURNS.length];
  const STEPS = isLong ? 200 : 15;
  /** Short: some; long: these and more. */
  const seeds = (...some: readonly number[]): readonly number[] =>
    isLong ? [...some, ...Array.from({ length: 8 }, (_, n) => (some[0] ?? 0) + n + 1)] : some;

  async function play({ type, resize }: TestedTerminal, seed: number, resizes: boolean): Promise<void> {
    const draw = drawFrom(seed);
    for (let n = 0; n < STEPS; n++) {
      type(Array.from({ length: 1 + draw.below(15) }, () => draw.of(KEYS)).join(""));
      if (resizes && draw.below(6) === 0) resize(20 + draw.below(140), 6 + draw.below(40));
      await new Promise((resolve) => setTimeout(resolve, draw.below(40)));
    }
  }

  /** The line takes what is typed, with the cursor behind it; the pager opens over it and goes again, whatever is pressed in it. */
  async function expectAtHome(terminal: TestedTerminal, seed: number): Promise<void> {
    const { type, waitFor, screen, cursor, raw } = terminal;
    const draw = drawFrom(seed);
    const isInLine = (): boolean => {
      const { row, column } = cursor();
      return /^› ?still here$/.test(screen().split("\n")[row] ?? "") && column === 12;
    };
    await clearForLine(terminal, "still here");
    await until(isInLine);
    type("\x14");
    await waitFor(/ \d+\/\d+ {2}↑↓ [^\n]*$/);
    type(Array.from({ length: 60 }, () => draw.of(PAGER_KEYS)).join(""));
    await clearForLine(terminal, "still here");
    await until(isInLine);
    expect(raw().lastIndexOf("\x1b[?1049l")).toBeGreaterThan(raw().lastIndexOf("\x1b[?1049h"));
  }

  async function expectWhole(terminal: OpenedConsole): Promise<void> {
    expect(terminal.raw()).not.toMatch(/defect of indus|TypeError|undefined is not/);
    expect(await leaveConsole(terminal)).toBe(0);
    expectTerminalAsBefore(terminal.raw());
    expect(terminal.place.problems()).toEqual([]);
  }

  it.each(rows(seeds(20_261_123, 7, 4_242), theFirst))(
    "it still answers, the cursor is in its line, the log is whole, and the terminal is as it was (%i)",
    { timeout: LONG },
    async (seed) => {
      const terminal = await openRichConsole(script, {
        underShell: true,
        env: { VISUAL: "true" }, // Ctrl+G may come of what is cut
      });
      await play(terminal, seed, true);
      terminal.resize(120, 40);
      await expectAtHome(terminal, seed);
      await expectWhole(terminal);
    },
  );

  it("twin: a move out of the window is seen, which the terminal stops at its edge without a word", async () => {
    const screen = createScreen(10, 3);
    screen.feed(Buffer.from("\x1b[2B\x1b[9C\x1b[2A\x1b[A\x1b[4B\x1b[10D"));
    await screen.settled();
    expect(screen.strayMoves()).toEqual(["1A of 0", "4B of 2", "10D of 9"]);
    expect(screen.cursor()).toEqual({ row: 2, column: 0 });
  });

  it.each(
    rows(
      [
        ...seeds(13).map((seed) => [24, 8, seed] as const),
        ...seeds(12).map((seed) => [40, 15, seed] as const),
        ...seeds(11).map((seed) => [80, 24, seed] as const),
      ],
      theFirst,
    ),
  )(
    "in a window of %i columns and %i rows no move leads the cursor out of it (%i)",
    { ...LONG_ONLY, timeout: LONG },
    async (columns, rows, seed) => {
      const terminal = await openRichConsole(script, {
        ...{ columns, rows, underShell: true, idle: /›/ },
        env: { VISUAL: "true" },
      });
      await play(terminal, seed, false);
      expect(terminal.strayMoves()).toEqual([]);
      terminal.resize(120, 40);
      await expectAtHome(terminal, seed);
      await expectWhole(terminal);
    },
  );
});
