// The rich console as a person meets it: the real command in a pseudo-terminal, over real HTTP.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWorkplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { Script, ScriptedTurn } from "../support/model-server.ts";
import { openRichConsole, RICH_IDLE } from "../support/open-console.ts";
import type { TestedTerminal } from "../support/terminal.ts";
import { until, untilHolds } from "../support/until.ts";

const BYPASS = ["--permission-mode", "bypass"];

const CTRL_C = "\x03";
const ESC = "\x1b";

const says = (text: string): ScriptedTurn => ({ text });
const runs = (command: string): ScriptedTurn => ({ calls: [{ name: "bash", input: { command } }] });

describe("a conversation", () => {
  it("shows what was asked, the answer with its marks, what it cost, and waits again", async () => {
    const { type, waitFor, screen, raw } = await openRichConsole([
      says("Hello, **person**.\n\n- one\n- two"),
    ]);
    type("hello\r");
    await waitFor(
      /\n› hello\n\nHello, person\.\n\n• one\n• two\n\n— 1 turn, \S+ m?s, 10 tokens in, 5 out\n\n›/,
    );
    expect(raw()).toContain("\x1b[1mperson\x1b[0m");
    expect(screen()).not.toContain("**");
  });

  it("shows the answer while it arrives", LONG_ONLY, async () => {
    const { screen, type, waitFor } = await openRichConsole([
      { text: "one two three", pieces: 2, trouble: { kind: "silence", after: 1 } },
    ]);
    type("count\r");
    await waitFor("one two");
    expect(screen()).not.toContain("three");
  });

  it("shows what calls did: a diff, the lines of a command, the reason of a failure", LONG_ONLY, async () => {
    const { place, server, type, waitFor } = await openRichConsole(
      [
        { calls: [{ name: "read", input: { path: "a.txt" } }] },
        { calls: [{ name: "edit", input: { path: "a.txt", oldText: "two", newText: "zwei" } }] },
        {
          calls: [
            {
              name: "bash",
              input: { command: "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo line $i; done; exit 3" },
            },
            { name: "read", input: { path: "missing.txt" } },
          ],
        },
        { calls: [{ name: "write", input: { path: "a.txt", content: "one\nzwei\n3\n" } }] },
        says("Done."),
      ],
      { args: ["--permission-mode", "bypass"] },
    );
    place.file("a.txt", "one\ntwo\nthree\n");
    type("work\r");
    await waitFor(
      /✓ edit a\.txt {2}\+1 −1 {2}\d+ ms\n {2}1 {3}one\n {2}2 - two\n {2}2 \+ zwei\n {2}3 {3}three\n/,
    );
    await waitFor(
      /✗ bash [^\n]+exit code 3[^\n]*\n {2}line 1\n {2}line 2\n {2}line 3\n {2}… 4 more lines \(Ctrl\+O unfolds\)\n {2}line 8\n[\s\S]*line 12\n/,
    );
    await waitFor(/✗ read missing\.txt {2}failed[^\n]*\n {2}Cannot read missing\.txt/);
    await waitFor(
      /✓ write a\.txt {2}\+1 −1 {2}\d+ ms\n {2}1 {3}one\n {2}2 {3}zwei\n {2}3 - three\n {2}3 \+ 3\n/,
    );
    await waitFor("Done.");
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).not.toContain(
      "@@ -1,3 +1,3 @@\\n one\\n zwei",
    );
    const written = place.entries().filter((entry) => entry.type === "tool" && entry.name === "write");
    expect(written).toMatchObject([
      { text: "Saved 11 bytes to a.txt.", diff: expect.stringContaining("-three") },
    ]);
  });
});

describe("while a command runs", () => {
  it("shows what it is, for how long, and its last lines as they come", async () => {
    const { place, type, waitFor } = await openRichConsole(
      [runs("echo first; echo second; while [ ! -e go ]; do sleep 0.05; done; echo third"), says("Done.")],
      { args: ["--permission-mode", "bypass"] },
    );
    type("work\r");
    await waitFor(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] bash echo first[^\n]* {2}\d+ s\n {2}first\n {2}second\n/);
    place.file("go", "");
    await waitFor(/✓ bash [^\n]+\n {2}first\n {2}second\n {2}third\n\nDone\./);
  });

  it(
    "a line that is typed waits where it is seen, can be taken back, and joins at the next step",
    LONG_ONLY,
    async () => {
      const { place, server, type, waitFor } = await openRichConsole(
        [runs("while [ ! -e go ]; do sleep 0.05; done"), says("Heard.")],
        { args: ["--permission-mode", "bypass"] },
      );
      type("work\r");
      await waitFor(/bash while/);
      type("also this\r");
      await waitFor(
        /⏎ also this\n[^\n]*joins at the next step[^\n]*\n\n› *\n *anthropic[^\n]* {2}1 queued {2}/,
      );
      type("\x1b[1;3A");
      await waitFor(/\n\n› also this\n *anthropic(?:(?!queued)[^\n])*$/);
      type(" and that\r");
      await waitFor("⏎ also this and that");
      place.file("go", "");
      await waitFor(/› also this and that\n {2}joined the task\n[\s\S]*Heard\./);
      expect(JSON.stringify(server.requests[1]?.body.messages)).toContain("also this and that");
      // Each line is in the log as it is typed, before the call ends, and so is that it was taken back.
      const kept = place
        .entries()
        .filter(({ type }) => ["queued", "veto", "tool", "user"].includes(String(type)));
      const [line, again] = [kept[1]?.n, kept[3]?.n];
      expect(kept.slice(1)).toMatchObject([
        { type: "queued", content: [{ text: "also this" }] },
        { type: "veto", by: { feature: "person" }, reason: "taken back", queued: line },
        { type: "queued", content: [{ text: "also this and that" }] },
        { type: "tool" },
        { type: "user", via: "steer", queued: again },
      ]);
    },
  );

  it(
    "Esc interrupts at once, keeps what was done, and gives back the lines that wait",
    LONG_ONLY,
    async () => {
      const { type, waitFor } = await openRichConsole([runs("sleep 600"), says("never")], {
        args: ["--permission-mode", "bypass"],
      });
      type("work\r");
      await waitFor(/bash sleep 600/);
      type("and then\r");
      await waitFor("⏎ and then");
      type(ESC);
      await waitFor(/– bash sleep 600[\s\S]*stopped\n[\s\S]*› and then/);
    },
  );
});

describe("the window", () => {
  it("may take 200 sizes while an answer comes: the last one shows each row whole, and the editor below", async () => {
    const words = Array.from({ length: 120 }, (_, i) => `word${i}`).join(" ");
    const { type, waitFor, resize, screen } = await openRichConsole([
      { text: `${words}\n\nthe end`, pieces: 200 },
    ]);
    type("go\r");
    for (let i = 0; i < 200; i++) {
      resize(20 + ((i * 37) % 120), 8 + ((i * 13) % 30));
      if (i % 10 === 0) await new Promise(setImmediate);
    }
    resize(60, 40);
    await waitFor(
      /› go\n\nword0 word1 [\s\S]*word119\n\nthe end\n\n— 1 turn[^\n]*\n\n›[^\n]*\n *anthropic[^\n]*$/,
    );
    // The answer may have settled before the console heard of the last size, after which all is drawn once more.
    await untilHolds(() => {
      const last = screen().slice(screen().lastIndexOf("› go"));
      expect(last.match(/word\d+/g)).toEqual(words.split(" "));
    });
    type("still typed");
    await waitFor(/› still typed\n/);
  });

  it("may be very small", LONG_ONLY, async () => {
    const { type, waitFor, resize } = await openRichConsole([says("A short answer.")]);
    resize(12, 5);
    type("go\r");
    await waitFor(/answer\.\n[\s\S]*›/);
  });
});

describe("code", () => {
  it("is coloured once its language is loaded, also what is on the screen by then", async () => {
    const { raw, screen, type, waitFor } = await openRichConsole([
      says("```ts\nconst one = 1; // why\n```\n\nafter"),
    ]);
    type("code\r");
    await waitFor("after");
    await until(() => /\x1b\[35mconst/.test(raw()));
    expect(screen().match(/const one/g)).toHaveLength(1);
  });
});

it("a path in the folder is told from there, however the model wrote it; one outside stays whole", async () => {
  const place = createWorkplace(undefined);
  place.file("src/a.txt", "one\n");
  const read = (path: string) => ({ calls: [{ name: "read", input: { path } }] });
  const script = [read(join(place.cwd, "src/a.txt")), read("/etc/hostname"), says("Read.")];
  const { type, waitFor, left } = await openRichConsole(script, { place, columns: 140, args: BYPASS });
  type("look\r");
  await waitFor(/\n✓ read src\/a\.txt {2}1 line[\s\S]*\n✓ read \/etc\/hostname [\s\S]*Read\./);
  type("/quit\r");
  await left;
  const again = await openRichConsole([], { place, columns: 140, args: ["-c", ...BYPASS] });
  await again.waitFor(/\n✓ read src\/a\.txt {2}1 line/);
});

describe("what a model, a tool and a file send", () => {
  const NASTY = "\x1b]52;c;aGFjaw==\x07\x1b[2J\x1b]0;owned\x07\x9b31m\x1bPq\x1b\\\u202etxt.exe";

  it("commands nothing: no sequence but our own reaches the terminal", async () => {
    const place = createWorkplace();
    place.file("a.txt", `one\n${NASTY}\n`);
    const { raw, title, type, waitFor, screen } = await openRichConsole(
      [
        {
          thinking: NASTY,
          text: `# ${NASTY}\n\n- [link](http://x/${NASTY}) \`${NASTY}\``,
          calls: [
            { name: "edit", input: { path: "a.txt", oldText: "one", newText: `two ${NASTY}` } },
            {
              name: "bash",
              input: { command: `printf '%b' '\\033]52;c;aGFjaw==\\007\\033[2J'; echo ran # ${NASTY}` },
            },
          ],
        },
        says("Done."),
      ],
      { place, args: ["--permission-mode", "bypass"] },
    );
    type("go\r");
    await waitFor("Done.");
    const own =
      /\x1b\[[\d;]*m|\x1b\[\?(?:2004|1004|7|25|2026|1049)[hl]|\x1b\[(?:>1|<|>4;1)[um]|\x1b\[>4m|\x1b\[2[23];2t|\x1b\]2;[^\x00-\x1f\x7f-\x9f]*\x07|\x1b\[\d*[ABCKJH]|\x1b\](?:8;;[!-~]*|11;\?)\x1b\\/g;
    expect(
      raw()
        .replace(own, "")
        .match(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]/g),
    ).toBeNull();
    expect(raw()).not.toContain("\x1b]52;");
    expect(title()).not.toContain("owned");
    expect(screen()).toContain("\\u{202e}");
  });

  it(
    "is shown whole where it is asked about: what reorders or hides text is spelled out",
    LONG_ONLY,
    async () => {
      const { type, waitFor } = await openRichConsole([
        runs("echo \u202eabc\u200b; mkfifo made"),
        says("ok"),
      ]);
      type("go\r");
      await waitFor(/run +│ echo \\u\{202e\}abc\\u\{200b\}; mkfifo made/);
    },
  );
});

/** A question that takes keys, as the last thing on the screen. */
const ASKED = /asks for permission[\s\S]*\[r\][^\n]*\n(?: {2,}(?!what)[^\n]*\n)* *anthropic[^\n]*$/;

describe("a permission question", () => {
  it("is answered by its key, and by arrow and Enter", LONG_ONLY, async () => {
    const { place, type, answer, waitFor } = await openRichConsole(
      [runs("mkfifo made"), runs("mkfifo other"), says("ok")],
      { args: ["--sandbox", "off"] }, // elsewhere a mode is offered as well
    );
    type("go\r");
    await waitFor(
      /\? bash asks for permission: no rule allows this command\n {2}run +│ mkfifo made\n❯ 1\. \[y\] yes\n {2}2\. \[a\] yes, and don't ask again here for mkfifo made \* {2}←→\n {2}3\. \[n\] no\n {2}4\. \[r\] no, and tell the model what to do instead {4}↑↓ Enter · Tab edits · Esc stops the task\n *anthropic/,
    );
    expect(existsSync(join(place.cwd, "made"))).toBe(false);
    await answer("y");
    await until(() => existsSync(join(place.cwd, "made")));
    await waitFor(/run +│ mkfifo other[\s\S]*↑↓ Enter[^\n]+\n *anthropic[^\n]*$/);
    await answer("\r");
    await until(() => existsSync(join(place.cwd, "other")));
    await waitFor(/ok\n\n— 3 turns/);
  });

  it(
    "e keeps what the row shows for every folder; indus why and indus permissions say so",
    LONG_ONLY,
    async () => {
      const { place, type, answer, waitFor } = await openRichConsole([
        runs("mkfifo made"),
        runs("mkfifo made"),
        says("ok"),
      ]);
      type("go\r");
      await waitFor(ASKED);
      await answer("e");
      await waitFor(/→ yes, and don't ask again in any folder for mkfifo made \*[\s\S]*ok\n\n— 3 turns/);
      expect(existsSync(join(place.cwd, "made"))).toBe(true);
      const { stdout } = await place.run(["why", "bash(mkfifo made && ls)"]);
      expect(stdout).toContain(
        `mkfifo made  passes: the rule "bash(mkfifo made *)" allows it  (${join(place.home, "permissions.json")})`,
      );
      expect((await place.run(["permissions"])).stdout).toMatch(
        /^[0-9a-f]{8} {2}bash\(mkfifo made \*\) {2}everywhere\n$/,
      );
    },
  );

  it(
    "Tab edits what is kept: exactly the command, where that is all that is left of it",
    LONG_ONLY,
    async () => {
      const { place, type, answer, waitFor } = await openRichConsole([
        runs("mkfifo made"),
        runs("mkfifo made"),
        says("ok"),
      ]);
      type("go\r");
      await waitFor(ASKED);
      await answer("\t");
      await waitFor(/› mkfifo made \*\n/);
      type("\x7f\x7f\r");
      await waitFor(/ok\n\n— 3 turns/);
      expect((await place.run(["permissions"])).stdout).toMatch(
        /^[0-9a-f]{8} {2}bash\(mkfifo made\) {2}in \//,
      );
    },
  );

  it("Esc stops the task and gives the line back; n goes on", LONG_ONLY, async () => {
    const { place, type, answer, waitFor } = await openRichConsole([
      runs("mkfifo one"),
      runs("mkfifo two"),
      says("never said"),
    ]);
    type("go\r");
    await waitFor(ASKED);
    await answer("n");
    await waitFor(/run +│ mkfifo two[\s\S]*↑↓ Enter[^\n]+\n *anthropic[^\n]*$/);
    await answer("\x1b");
    await waitFor(/→ task stopped[\s\S]*\n›[^\n]*\n *anthropic[^\n]*$/);
    expect([existsSync(join(place.cwd, "one")), existsSync(join(place.cwd, "two"))]).toEqual([false, false]);
  });

  it(
    "about a command of 8 lines has 12 rows at 100 columns, and the command stands there once",
    LONG_ONLY,
    async () => {
      const lines = ["python3 - <<'EOF'", ..."abcdef".split("").map((letter) => letter.repeat(9)), "EOF"];
      const { type, waitFor, screen } = await openRichConsole([runs(lines.join("\n")), says("ok")], {
        columns: 100,
      });
      type("go\r");
      await waitFor(ASKED);
      const shown = screen().slice(screen().lastIndexOf("? bash asks"));
      expect(shown.split("\n").slice(0, -1)).toHaveLength(12);
      expect(shown.split("ccccccccc")).toHaveLength(2);
    },
  );
});

it("a question mark alone shows the keys, and asks no model", async () => {
  const { type, waitFor, server } = await openRichConsole([says("never said")]);
  type("?\r");
  await waitFor(/Ctrl\+O/);
  expect(server.requests).toHaveLength(0);
});

/** What the console changes of a terminal, and how each is taken back; the last of each pair counts. */
const MODES: readonly (readonly [on: string, off: string])[] = [
  ["\x1b[?2004h", "\x1b[?2004l"],
  ["\x1b[?1004h", "\x1b[?1004l"],
  ["\x1b[>1u", "\x1b[<u"],
  ["\x1b[>4;1m", "\x1b[>4m"],
  ["\x1b[?7l", "\x1b[?7h"],
  ["\x1b[?25l", "\x1b[?25h"],
  ["\x1b[?1049h", "\x1b[?1049l"],
  ["\x1b[?2026h", "\x1b[?2026l"],
];

/** The names of the modes that are still on, the kernel's among them. */
function modesLeft({ raw, screen }: TestedTerminal): readonly string[] {
  const [before, after] = [...screen().matchAll(/^ *modes: (\S+)$/gm)].map(([, modes]) => modes);
  const left = MODES.filter(([on, off]) => raw().lastIndexOf(on) > raw().lastIndexOf(off));
  return [...left.map(([on]) => JSON.stringify(on)), ...(before === after ? [] : ["stty"])];
}

describe("every way out gives the terminal back", () => {
  it.each(rows(["SIGTERM", "SIGHUP", "SIGINT"] as const, theFirst))(
    "%s, at the editor and in a run",
    async (name) => {
      const script: Script = [{ text: "begin of it", pieces: 2, trouble: { kind: "silence", after: 1 } }];
      const idle = await openRichConsole([], { underShell: true });
      const busy = await openRichConsole(script, { underShell: true });
      busy.type("go\r");
      await busy.waitFor("begin");
      for (const terminal of [idle, busy]) {
        terminal.signal(name);
        await terminal.left;
        expect(modesLeft(terminal)).toEqual([]);
      }
      expect(busy.place.entries().at(-1)).toMatchObject({ type: "end", how: "aborted" });
    },
  );

  it("SIGQUIT, which still ends it as it ends any program", LONG_ONLY, async () => {
    const terminal = await openRichConsole([], { underShell: true });
    terminal.signal("SIGQUIT");
    await terminal.left;
    expect(modesLeft(terminal)).toEqual([]);
    expect(terminal.screen()).toContain("left: 131");
  });

  it.each(rows(["exception", "exit"] as const, theFirst))("an end that nobody asked for: %s", async (how) => {
    const place = createWorkplace();
    const code = how === "exit" ? "process.exit(3)" : "throw new Error('broken on purpose')";
    writeFileSync(join(place.home, "break.cjs"), `process.on("SIGUSR2", () => { ${code}; });`);
    const node = join(place.home, "node");
    writeFileSync(node, `#!/bin/sh\nexec ${process.execPath} --require ${place.home}/break.cjs "$@"\n`, {
      mode: 0o755,
    });
    const terminal = await openRichConsole([], { place, underShell: true, env: { INDUS_NODE: node } });
    terminal.signal("SIGUSR2");
    await terminal.left;
    expect(modesLeft(terminal)).toEqual([]);
    expect(terminal.screen()).toContain("left: 70");
  });

  it(
    "the twin: a process that is killed cannot, and the modes that are left are seen",
    LONG_ONLY,
    async () => {
      const terminal = await openRichConsole([], { underShell: true });
      terminal.signal("SIGKILL");
      await terminal.left;
      expect(modesLeft(terminal)).toContain("stty");
    },
  );

  it("from within the pager, and with a question open", LONG_ONLY, async () => {
    const paging = await openRichConsole([], { underShell: true });
    paging.type("\x14");
    await paging.waitFor("q back");
    const asked = await openRichConsole([runs("mkfifo made")], { underShell: true });
    asked.type("go\r");
    await asked.waitFor("asks for permission");
    for (const terminal of [paging, asked]) {
      terminal.signal("SIGTERM");
      await terminal.left;
      expect(modesLeft(terminal)).toEqual([]);
    }
    expect(existsSync(join(asked.place.cwd, "made"))).toBe(false);
  });

  it("Ctrl+Z with no shell above to stop for: the console is back by itself", LONG_ONLY, async () => {
    const { type, waitFor, raw } = await openRichConsole([says("after all")]);
    type("\x1a");
    await until(() => raw().split("\x1b[?2004h").length === 3);
    expect(raw().lastIndexOf("\x1b[?2004l")).toBeLessThan(raw().lastIndexOf("\x1b[?2004h"));
    type("go\r");
    await waitFor("after all");
  });

  it("stopped and continued by somebody else, it takes the terminal again and draws", LONG_ONLY, async () => {
    const { type, waitFor, signal, raw, screen } = await openRichConsole([says("after all")]);
    signal("SIGSTOP");
    signal("SIGCONT");
    await until(() => raw().split("\x1b[?2004h").length === 3);
    type("go\r");
    await waitFor("after all");
    await waitFor(RICH_IDLE);
    // Nothing of the picture before is left.
    expect(
      screen()
        .match(/^›.*$/gm)
        ?.map((row) => row.trimEnd()),
    ).toEqual(["› go", "›"]);
  });
});

describe("leaving", () => {
  it("Ctrl+C twice leaves when idle, with the terminal as it was", async () => {
    const { type, waitFor, left, raw } = await openRichConsole([]);
    type(CTRL_C);
    await waitFor("press Ctrl+C again to quit");
    type(CTRL_C);
    expect(await left).toBe(0);
    expect(raw()).toContain("\x1b[?2004l");
  });

  it("with another key between them, Ctrl+C twice leaves nothing", LONG_ONLY, async () => {
    const { type, waitFor } = await openRichConsole([says("still here")]);
    type(`${CTRL_C}x\x15${CTRL_C}`);
    await waitFor("press Ctrl+C again to quit");
    type("go\r");
    await waitFor("still here");
  });

  it("Ctrl+C interrupts two tasks in a row and does not leave", LONG_ONLY, async () => {
    const silent: ScriptedTurn = {
      text: "beginning of it",
      pieces: 3,
      trouble: { kind: "silence", after: 1 },
    };
    const { type, waitFor, screen } = await openRichConsole([silent, silent, says("still here")]);
    type("one\r");
    await waitFor("begin");
    type(CTRL_C);
    await waitFor(/stopped|interrupted|aborted/i);
    type("two\r");
    await waitFor(/› two[\s\S]*begin/);
    type(CTRL_C);
    await waitFor(/› two[\s\S]*(?:stopped|interrupted|aborted)[\s\S]*\n›[^\n]*\n/i);
    type("three\r");
    await waitFor("still here");
    expect(screen()).toContain("› three");
  });
});

it("shows the addresses of links on a terminal without links, in the pager too", LONG_ONLY, async () => {
  const { type, waitFor, raw } = await openRichConsole([says("See [the docs](https://example.com/docs).")], {
    env: { TERM_PROGRAM: "Apple_Terminal" },
  });
  type("go\r");
  await waitFor("See the docs (https://example.com/docs).");
  await waitFor(RICH_IDLE);
  type("\x14");
  await waitFor(/the docs \(https:\/\/example\.com\/docs\)\.[\s\S]*q back/);
  expect(raw()).not.toContain("\x1b]8;");
});

it(
  "counts the background jobs that run in the status line, also when one ends while nothing else happens",
  LONG_ONLY,
  async () => {
    const command = "until [ -e end ]; do sleep .1; done";
    const start = { name: "process", input: { action: "start", command } };
    const { type, waitFor, place } = await openRichConsole([{ calls: [start] }, says("Started.")], {
      args: ["--permission-mode", "bypass"],
    });
    type("go\r");
    await waitFor(/Started\.[\s\S]*\n *anthropic\/scripted[^\n]* 1 job /);
    type("/fork\r");
    await waitFor(/a fork of[\s\S]*\n *anthropic\/scripted[^\n]* 1 job /);
    place.file("end", "");
    await waitFor(/\n *anthropic\/scripted(?:(?!job)[^\n])*$/);
  },
);
