// The plain console as a person meets it: the real command in a pseudo-terminal, over real HTTP.

import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { VERSION } from "../../packages/induscode/src/cli/version.ts";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { RecordedRequest, Script, ScriptedTurn } from "../support/model-server.ts";
import { openPlainConsole } from "../support/open-console.ts";
import { createScreen, type TestedTerminal } from "../support/terminal.ts";
import { until, untilHolds } from "../support/until.ts";

const PASTE_OFF = "\x1b[?2004l";
const CTRL_C = "\x03";
const CTRL_D = "\x04";

const says = (text: string): ScriptedTurn => ({ text });
const runs = (command: string): ScriptedTurn => ({ calls: [{ name: "bash", input: { command } }] });
const sent = (request: RecordedRequest | undefined): string => JSON.stringify(request?.body.messages);

describe("a conversation", () => {
  it("greets with the model, the folder and the instructions, answers, tells the cost and waits again", async () => {
    const place = createWorkplace();
    for (const path of ["AGENTS.md", ".claude/rules/a.md", ".claude/rules/b.md", ".claude/rules/c.md"])
      place.file(path, `Of ${path}.\n`);
    place.file("CLAUDE.md", "Be brief.\n");
    const { screen, type, waitFor } = await openPlainConsole([says("Hello, person.")], { place });
    const [first, second, third] = screen().split("\n");
    expect(first).toBe(`indus ${VERSION}  anthropic/scripted  ${place.cwd}`);
    expect(second).toMatch(/^session \d{8}-\d{9}-\w{4} {2}\/help for commands$/);
    expect(third).toMatch(/^instructions: (?:[\w./]+\.md, ){3}[\w./]+\.md and 1 more: indus doctor$/);
    expect(third).toContain("AGENTS.md");
    type("hello\r");
    await waitFor(/\n› hello\nHello, person\.\n— 1 turn, \S+ m?s, 10 tokens in, 5 out\n›$/);
  });

  it("shows the answer while it arrives", async () => {
    const { screen, type, waitFor } = await openPlainConsole([
      { text: "one two three", pieces: 2, trouble: { kind: "silence", after: 1 } },
    ]);
    type("count\r");
    await waitFor("one two");
    expect(screen()).not.toContain("three"); // the model has not sent it yet
  });

  it("shows each tool with how it ended and how long it took", LONG_ONLY, async () => {
    const { place, type, waitFor } = await openPlainConsole([
      {
        calls: [
          { name: "read", input: { path: "a.txt" } },
          { name: "read", input: { path: "missing.txt" } },
        ],
      },
      says("Read."),
    ]);
    place.file("a.txt", "hello");
    type("look\r");
    await waitFor(
      /\n✓ read a\.txt {2}\d+ ms\n✗ read missing\.txt {2}failed {2}\d+ ms\n {2}Cannot read missing\.txt: no such file[^\n]*\nRead\.\n— 2 turns/,
    );
  });

  it("shows what an edit and a write changed, as lines with + and -", LONG_ONLY, async () => {
    const { place, type, waitFor } = await openPlainConsole(
      [
        { calls: [{ name: "read", input: { path: "a.txt" } }] },
        { calls: [{ name: "edit", input: { path: "a.txt", oldText: "two", newText: "zwei" } }] },
        { calls: [{ name: "write", input: { path: "a.txt", content: "new\n" } }] },
        says("Changed."),
      ],
      { args: ["--permission-mode", "bypass"] },
    );
    place.file("a.txt", "one\ntwo\n");
    type("change\r");
    await waitFor(
      /\n✓ edit a\.txt {2}\d+ ms\n {4}one\n {2}- two\n {2}\+ zwei\n✓ write a\.txt {2}\d+ ms\n {2}- one\n {2}- zwei\n {2}\+ new\nChanged\./,
    );
  });

  it("sends the files that a typed line names with @", LONG_ONLY, async () => {
    const { server, place, type, waitFor } = await openPlainConsole([says("Seen.")]);
    place.file("a.txt", "what it holds");
    type("look at @a.txt and @missing\r");
    await waitFor("Seen.");
    expect(sent(server.requests[0])).toMatch(/look at @a\.txt and @missing.*what it holds/);
  });

  it("takes a task from the command line and then talks on", LONG_ONLY, async () => {
    const { server, type, waitFor } = await openPlainConsole([says("First."), says("Second.")], {
      args: ["do", "this"],
    });
    await waitFor("First.");
    type("and that\r");
    await waitFor("Second.");
    expect(sent(server.requests[1])).toMatch(/do this.*First\..*and that/);
  });
});

describe("a permission question", () => {
  const QUESTION =
    /\? bash asks for permission: no rule allows this command\n {2}run +│ mkfifo made\n {2}keep +│ exactly this, or any command starting with mkfifo made\n {2}\[y\] once {2}\[s\] this session \(exactly this\) {2}\[a\] always here {2}\[e\] everywhere {2}\[n\] no\n(?: {2}\[m\] [^\n]*\n)? {2}y\/s\/a\/e\/(?:m\/)?n ›$/;

  it.each(rows(["declared", "code"], theFirst))(
    "names the addon that asks, and not the model: %s",
    async (kind) => {
      const place = createWorkplace();
      if (kind === "code")
        place.file(
          ".indus/addons/asks.ts",
          `// /// indus-addon
// [[capability]]
// kind = "files"
// read = true
// execute = true
// reason = "runs mkfifo"
// ///
export function register(s) {
           s.addCommand("make", { summary: "x", run: () => s.handles.exec("mkfifo", ["made"]) });
         }`,
        );
      else
        place.file(
          ".indus/addons/asks/manifest.toml",
          'id = "asks"\n[[capability]]\nkind = "files"\nread = true\nexecute = true\nreason = "runs mkfifo"\n' +
            '[[command]]\nname = "make"\nsummary = "makes it"\nexec = "mkfifo made"\n',
        );
      const { type, answer, waitFor } = await openPlainConsole([], { place, args: ["--grant", "asks"] });
      type("/make\r");
      await waitFor(
        /\? bash asks for permission: project:asks asks, not the model: no rule allows this command\n/,
      );
      await answer("y\r");
      await until(() => existsSync(join(place.cwd, "made")));
    },
  );

  it("about a file shows what becomes of it", LONG_ONLY, async () => {
    const place = createWorkplace();
    place.settings({ localServers: [], permissions: { ask: ["edit", "write"] } });
    place.file("a.txt", "one\ntwo\n");
    const { type, answer, waitFor } = await openPlainConsole(
      [
        { calls: [{ name: "read", input: { path: "a.txt" } }] },
        { calls: [{ name: "write", input: { path: "a.txt", content: "one\nzwei\n" } }] },
        { calls: [{ name: "edit", input: { path: "a.txt", oldText: "zwei", newText: "2\x1b[2J" } }] },
        says("ok"),
      ],
      { place },
    );
    type("go\r");
    await waitFor(
      /\? write asks for permission[^\n]*\n[\s\S]* {2}diff {2}│ {2}one\n {8}│ -two\n {8}│ \+zwei\n {2}\[y\] once[^\n]*\n[^\n]*›$/,
    );
    await answer("y\r");
    await waitFor(
      /\? edit asks for permission[^\n]*\n[\s\S]* {2}diff {2}│ -zwei\n {8}│ \+2\\u\{1b\}\[2J\n {2}\[y\] once[^\n]*\n[^\n]*›$/,
    );
    await answer("n\r");
    await waitFor("reason (Enter for none):");
    await answer("\r");
    await waitFor("ok\n— 4 turns");
  });

  it("y runs the command once: the next time it is asked again", LONG_ONLY, async () => {
    const { place, screen, type, answer, waitFor } = await openPlainConsole([
      runs("mkfifo made"),
      runs("mkfifo made"),
      says("ok"),
    ]);
    type("go\r");
    await waitFor(QUESTION);
    expect(existsSync(join(place.cwd, "made"))).toBe(false);
    await answer("y\r");
    await waitFor(/✓ bash mkfifo made[\s\S]*y\/s\/a\/e\/(?:m\/)?n ›$/);
    expect(existsSync(join(place.cwd, "made"))).toBe(true);
    await answer("y\r");
    await waitFor("ok\n— 3 turns");
    expect(screen().split("asks for permission")).toHaveLength(3);
  });

  it("s allows the same command, and no other, for the session", LONG_ONLY, async () => {
    const { screen, type, answer, waitFor } = await openPlainConsole([
      runs("mkfifo made"),
      runs("mkfifo made"),
      runs("mkfifo other"),
      says("ok"),
    ]);
    type("go\r");
    await waitFor(QUESTION);
    await answer("s\r");
    await waitFor(/mkfifo other\n[\s\S]*y\/s\/a\/e\/(?:m\/)?n ›$/);
    expect(screen().split("asks for permission")).toHaveLength(3);
    await answer("y\r");
    await waitFor("ok\n— 4 turns");
  });

  it(
    "a keeps how the command begins, for this folder: the next session and -p ask no more, and what is wider is not taken",
    LONG_ONLY,
    async () => {
      const { place, type, answer, waitFor } = await openPlainConsole([
        runs("mkfifo made"),
        says("ok"),
        runs("mkfifo other"),
        says("ok"),
        runs("mkfifo third"),
        says("ok"),
      ]);
      type("go\r");
      await waitFor(QUESTION);
      await answer("a\r");
      await waitFor(
        /What should I remember\? \(Enter: exactly this; or a beginning, such as mkfifo made \*\):$/,
      );
      type("* *\r");
      await waitFor(/not +│ That cannot be remembered: [\s\S]*y\/s\/a\/e\/(?:m\/)?n ›$/);
      expect(existsSync(join(place.cwd, "made"))).toBe(false);
      await answer("a\r");
      await waitFor(/such as mkfifo made \*\):$/);
      type("mkfifo *\r");
      await waitFor("ok\n— 2 turns");
      expect(existsSync(join(place.cwd, "made"))).toBe(true);
      const file = join(place.home, "permissions.json");
      expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
        version: 1,
        answers: [{ folder: place.cwd, rule: "bash(mkfifo *)" }],
      });
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const [id = ""] = (await place.run(["permissions"])).stdout.split("  ");
      await place.run(["-p", "go", "--model", "anthropic/scripted"]);
      expect(existsSync(join(place.cwd, "other"))).toBe(true);
      expect((await place.run(["permissions", "rm", id])).code).toBe(0);
      await place.run(["-p", "go", "--model", "anthropic/scripted"]);
      expect(existsSync(join(place.cwd, "third"))).toBe(false); // the twin
    },
  );

  it(
    "/why shows the parts of a call by which rule, and what was answered in this session",
    LONG_ONLY,
    async () => {
      const { type, answer, waitFor } = await openPlainConsole([runs("mkfifo made"), says("ok")], {
        args: ["--deny", "bash(git push)"],
      });
      type("/why bash(mkfifo made; git push)\r");
      await waitFor(
        /is refused {2}\(permission mode acceptEdits\)\n {2}git push {2}is refused: the rule "bash\(git push\)" denies it {2}\(--deny\)/,
      );
      type("go\r");
      await waitFor(QUESTION);
      await answer("s\r");
      await waitFor("ok\n— 2 turns");
      type("/why bash(mkfifo made)\r");
      await waitFor("mkfifo made  passes: the person allowed it for this session");
      type("/why *\r");
      await waitFor(/accepts one call/);
    },
  );

  it("n asks for a reason, and the model reads it", LONG_ONLY, async () => {
    const { place, server, type, answer, waitFor } = await openPlainConsole([
      runs("mkfifo made"),
      says("As you wish."),
    ]);
    type("go\r");
    await waitFor(QUESTION);
    await answer("n\r");
    await waitFor(/reason \(Enter for none\):$/);
    type("use the makefile\r");
    await waitFor(/⊘ bash mkfifo made {2}refused[\s\S]*As you wish\./);
    expect(sent(server.requests[1])).toContain("because the person said no: use the makefile");
    expect(existsSync(join(place.cwd, "made"))).toBe(false);
  });

  it("Ctrl+C cancels the call and stops", LONG_ONLY, async () => {
    const { place, server, type, waitFor } = await openPlainConsole([runs("mkfifo made"), says("unheard")]);
    type("go\r");
    await waitFor(QUESTION);
    type(CTRL_C);
    await waitFor(/– bash mkfifo made {2}cancelled.*\nstopped\n— 1 turn.*\n›$/);
    expect(existsSync(join(place.cwd, "made"))).toBe(false);
    expect(server.requests).toHaveLength(1);
  });

  it(
    "a line half typed when it comes is not its answer, and is there again afterwards",
    LONG_ONLY,
    async () => {
      const { place, server, type, answer, waitFor } = await openPlainConsole(
        (_request, index) =>
          index === 0 ? runs(waitForFile("go")) : index === 1 ? runs("mkfifo made") : says("ok"),
        { args: ["--allow", `bash(${waitForFile("go")})`] },
      );
      type("go\r");
      await waitFor(/\n› go$/);
      type("yes, and");
      await waitFor(/\n› yes, and$/);
      place.file("go", "");
      await waitFor(/y\/s\/a\/e\/(?:m\/)?n ›$/);
      expect(existsSync(join(place.cwd, "made"))).toBe(false);
      await answer("y\r");
      await waitFor(/\n› yes, and$/);
      type(" more\r");
      await waitFor("ok\n— ");
      // It steers the run, or begins the next one where the run was quicker than the typing.
      await untilHolds(() => expect(sent(server.requests.at(-1))).toContain("yes, and more"));
    },
  );
});

/** A command that ends when the test has made a file. */
const waitForFile = (name: string): string => `while ! test -e ${name}; do sleep 0.02; done`;

describe("during a run", () => {
  it("a typed line steers: it reaches the model with its next call", async () => {
    const { place, server, type, waitFor } = await openPlainConsole(
      [runs(waitForFile("go")), says("Done as told.")],
      {
        args: ["--permission-mode", "bypass"],
      },
    );
    type("begin\r");
    await toolStarted(place);
    type("only the tests\r");
    await waitFor("› only the tests\n(joins at the next step)");
    expect(server.requests).toHaveLength(1);
    place.file("go", "");
    await waitFor("Done as told.");
    expect(sent(server.requests[1])).toMatch(/begin.*tool_result.*only the tests/);
    expect(place.entries()).toContainEqual(
      expect.objectContaining({
        type: "user",
        via: "steer",
        content: [{ kind: "text", text: "only the tests" }],
      }),
    );
  });

  it("Ctrl+C stops it within the tool, the log says so, and the console goes on", async () => {
    const { place, type, waitFor } = await openPlainConsole([runs("sleep 600"), says("Back again.")], {
      args: ["--permission-mode", "bypass"],
    });
    type("sleep\r");
    await toolStarted(place);
    type(CTRL_C);
    await waitFor(/– bash sleep 600 {2}cancelled.*\nstopped\n— 1 turn.*\n›$/);
    expect(place.entries().at(-1)).toMatchObject({ type: "end", how: "aborted" });
    type("go on\r");
    await waitFor("Back again.");
  });

  it("Ctrl+C stops a silent model", LONG_ONLY, async () => {
    const { place, type, waitFor } = await openPlainConsole([
      { text: "one two three", pieces: 2, trouble: { kind: "silence", after: 1 } },
    ]);
    type("count\r");
    await waitFor("one two");
    type(CTRL_C);
    await waitFor(/one two *\nstopped\n›$/);
    expect(place.entries().at(-1)).toMatchObject({ type: "end", how: "aborted" });
  });
});

/** The model has called a tool, as the log has it. */
async function toolStarted(place: Workplace): Promise<void> {
  await untilHolds(() => expect(place.entries().at(-1)?.type).toMatch(/^(?:assistant|decision)$/));
}

/** What a command wrote with `echo $$ > pid`. */
async function commandPid({ cwd }: Workplace): Promise<number> {
  const path = join(cwd, "pid");
  await untilHolds(() => expect(existsSync(path) && readFileSync(path, "utf8")).toMatch(/\d\n/));
  return Number(readFileSync(path, "utf8"));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // ESRCH: no such process
  }
}

describe("leaving", () => {
  /** Everything of the terminal's modes is as it was: the kernel's by stty, bracketed paste by its sequence. */
  function expectRestored({ raw, screen }: TestedTerminal): void {
    const [before, after] = [...screen().matchAll(/^modes: (\S+)$/gm)].map(([, modes]) => modes);
    expect(before).toMatch(/^[0-9a-f:]+$/);
    expect(after).toBe(before);
    expect(raw().lastIndexOf(PASTE_OFF)).toBeGreaterThan(raw().lastIndexOf("\x1b[?2004h"));
    expect(raw().slice(raw().lastIndexOf(PASTE_OFF))).not.toMatch(/\x1b\[\?(?!2004l)/);
  }

  it("Ctrl+C twice leaves, and the terminal is as it was", async () => {
    const terminal = await openPlainConsole([], { underShell: true });
    terminal.type(CTRL_C);
    await terminal.waitFor("press Ctrl+C again to quit");
    terminal.type(CTRL_C);
    await terminal.left;
    expect(terminal.screen()).toContain("\nleft: 0\n");
    expectRestored(terminal);
  });

  it("Ctrl+C twice leaves a running command, which ends with it", LONG_ONLY, async () => {
    const terminal = await openPlainConsole([runs("echo $$ > pid; exec sleep 600")], {
      underShell: true,
      args: ["--permission-mode", "bypass"],
    });
    terminal.type("sleep\r");
    const pid = await commandPid(terminal.place);
    expect(isRunning(pid)).toBe(true);
    terminal.type(CTRL_C + CTRL_C);
    await terminal.left;
    await untilHolds(() => expect(isRunning(pid)).toBe(false));
    expectRestored(terminal);
    expect(terminal.place.entries().at(-1)).toMatchObject({ type: "end", how: "aborted" });
  });

  it.each(rows(["/quit\r", "/exit\r", "/QUIT\r", CTRL_D], theFirst))("%j leaves with 0", async (keys) => {
    const { type, left, raw } = await openPlainConsole([]);
    type(keys);
    expect(await left).toBe(0);
    expect(raw()).toContain(PASTE_OFF);
  });

  it("SIGTERM gives the terminal back, at the prompt and in a run", LONG_ONLY, async () => {
    const idle = await openPlainConsole([], { underShell: true });
    const busy = await openPlainConsole([runs("echo $$ > pid; exec sleep 600")], {
      underShell: true,
      args: ["--permission-mode", "bypass"],
    });
    busy.type("sleep\r");
    const pid = await commandPid(busy.place);
    for (const terminal of [idle, busy]) {
      terminal.signal("SIGTERM");
      await terminal.left;
      expectRestored(terminal);
    }
    expect(busy.place.entries().at(-1)).toMatchObject({ type: "end", how: "aborted" });
    await untilHolds(() => expect(isRunning(pid)).toBe(false));
  });
});

describe("commands", () => {
  it("what a command says is wrapped between words, below the column that it is in", LONG_ONLY, async () => {
    const { type, waitFor } = await openPlainConsole([], { columns: 80, rows: 60 });
    type("/help\r");
    await waitFor(/\n {2}\/model \[provider\/model\] +show the model, or switch to\n {45}another\n/);
  });

  it("/help lists every command; an unknown one points there", async () => {
    const { screen, server, type, waitFor } = await openPlainConsole([]);
    type("/help\r");
    await waitFor(/\/exit +leave\n[\s\S]*\/bug [^\n]+\n›$/);
    for (const name of ["help", "model", "new", "clear", "compact", "quit", "exit", "context", "keys"]) {
      expect(screen()).toMatch(new RegExp(`^ {2}/${name} `, "m"));
    }
    type("/hepl\r");
    await waitFor("Unknown command /hepl. Did you mean /help? Type /help.");
    expect(server.requests).toHaveLength(0);
  });

  it(
    "/model tells the model, switches it, and keeps the old one when the new one is not known",
    LONG_ONLY,
    async () => {
      const { server, type, waitFor } = await openPlainConsole([says("one"), says("two"), says("three")]);
      type("first\r");
      await waitFor("one\n— ");
      type("/model\r");
      await waitFor("anthropic/scripted  (context 15 tokens; 10 in, 5 out so far)");
      type("/model openai/other\r");
      await waitFor("The model is now openai/other.");
      type("second\r");
      await waitFor("two\n— ");
      type("/model nobody/x\r");
      await waitFor('Unknown provider "nobody"');
      type("third\r");
      await waitFor("three\n— ");
      expect(server.requests.map(({ wire, body }) => `${wire} ${body.model}`)).toEqual([
        "anthropic scripted",
        "openai other",
        "openai other",
      ]);
      expect(sent(server.requests[2])).toMatch(/first.*one.*second.*two.*third/);
    },
  );

  it(
    "/clear empties the model's view and /new begins another session; both keep the log",
    LONG_ONLY,
    async () => {
      const { place, server, type, waitFor } = await openPlainConsole([
        says("one"),
        says("two"),
        says("three"),
      ]);
      type("alpha\r");
      await waitFor("one\n— ");
      type("/clear\r");
      await waitFor("The model starts afresh; the log keeps everything.");
      type("beta\r");
      await waitFor("two\n— ");
      type("/new\r");
      await waitFor(/New session: \S+\n›$/);
      type("gamma\r");
      await waitFor("three\n— ");
      expect(server.requests.map((request) => sent(request).match(/alpha|beta|gamma/g))).toEqual([
        ["alpha"],
        ["beta"],
        ["gamma"],
      ]);
      expect(place.logs()).toHaveLength(2);
    },
  );

  it("/compact lets the model go on from a summary", LONG_ONLY, async () => {
    const { server, type, waitFor } = await openPlainConsole([
      says("one"),
      says("SUMMARY: alpha was said"),
      says("two"),
    ]);
    type("alpha\r");
    await waitFor("one\n— ");
    type("/compact the colours\r");
    await waitFor(/Compacted \d+ messages?: /);
    type("beta\r");
    await waitFor("two\n— ");
    expect(sent(server.requests[1])).toContain("Keep above all: the colours");
    expect(sent(server.requests[2])).toMatch(/summary of the session so far.*SUMMARY: alpha was said.*beta/);
    expect(sent(server.requests[2])).not.toContain('"one"');
  });
});

describe("hostile output of a model", () => {
  // What a terminal would obey: clipboard, title, link, screen clearing, cursor, 8-bit forms, a reply request.
  const ATTACKS = [
    "\x1b]52;c;b3duZWQ=\x07",
    "\x1b]0;owned\x07",
    "\x1b]8;;http://evil.example\x1b\\",
    "\x1b[2J\x1b[5;7H",
    "\x1bP+q544e\x1b\\",
    "\u009d0;owned\u009c",
    "\u009b2J",
    "\x1b[c",
    "\x1b[?1049h",
  ];
  const TEXT = `before${ATTACKS.join(".")}after`;
  // The console's own: where the cursor stands in the line, erasing, colours, bracketed paste.
  const OWN = /\x1b\[(?:\d*[ABCDGJK]|\d+(?:;\d+)*m|\?2004[hl])/g;

  it("never reaches the terminal: not from the answer, a tool's name, its title or its output", async () => {
    const { place, raw, title, type, answer, waitFor } = await openPlainConsole([
      { text: TEXT, pieces: 60, calls: [{ name: "read", input: { path: `x${TEXT}` } }] },
      runs(`printf '${TEXT.replaceAll("\\", "\\\\")}' > made`),
      { calls: [{ name: `tool${TEXT}`, input: {} }] },
      says("The end."),
    ]);
    type("go\r");
    await waitFor(/y\/s\/a\/e\/(?:m\/)?n ›$/); // a question about the command shows it whole
    await answer("y\r");
    await waitFor("The end.\n— ");
    const rest = raw().replaceAll(OWN, "");
    expect(rest).not.toMatch(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/); // all but TAB, LF and CR
    for (const attack of ATTACKS) expect(raw()).not.toContain(attack);
    expect(title()).toBe("");

    // The twin: the model did send it, the log keeps it, and the same terminal obeys it.
    const said = place
      .entries()
      .flatMap((entry) => (entry.type === "assistant" ? entry.message.content : []));
    expect(said).toContainEqual({ kind: "text", text: TEXT });
    const unguarded = createScreen(100);
    unguarded.feed(Buffer.from(TEXT));
    await unguarded.settled();
    expect(unguarded.title()).toBe("owned");
    expect(unguarded.text()).not.toContain("before");
  });
});

describe("the terminal's own ways", () => {
  it("a paste of three lines is one line, submitted once", async () => {
    const { server, type, waitFor } = await openPlainConsole([says("Got it.")]);
    type("\x1b[200~one\rtwo\rthree\x1b[201~");
    await waitFor("› one␊two␊three");
    expect(server.requests).toHaveLength(0);
    type("\r");
    await waitFor("Got it.");
    expect(server.requests[0]?.body.messages).toMatchObject([
      { role: "user", content: [{ type: "text", text: "one\ntwo\nthree" }] },
    ]);
  });

  it("without the marks the same keys are three lines (the twin)", LONG_ONLY, async () => {
    const { place, type } = await openPlainConsole(() => says("Got it."));
    type("one\rtwo\rthree\r");
    await untilHolds(() =>
      expect(place.entries().flatMap((entry) => (entry.type === "user" ? entry.content : []))).toMatchObject([
        { text: "one" },
        { text: "two" },
        { text: "three" },
      ]),
    );
  });

  it("in 40 columns tool lines fit one row and a question shows every character", LONG_ONLY, async () => {
    const path = `src/${"deep/".repeat(12)}file.txt`;
    const command = `/usr/bin/env -u X printf '%s' ${"0123456789".repeat(9)}`;
    const { place, screen, type, answer, waitFor } = await openPlainConsole(
      [{ calls: [{ name: "read", input: { path } }] }, runs(command), says("ok")],
      { columns: 40 },
    );
    place.file(path, "x");
    type("go\r");
    await waitFor(/y\/s\/a\/e\/(?:m\/)?n ›$/);
    const rows = screen().split("\n");
    const tool = rows.filter((row) => row.startsWith("✓ read"));
    expect(tool).toEqual([expect.stringMatching(/^✓ read src\/deep.*….*file\.txt {2}\d+ ms$/)]);
    const begin = rows.findIndex((row) => row.startsWith("  run"));
    const end = rows.findIndex((row, at) => at > begin && !row.startsWith("        │"));
    const shown = rows.slice(begin, end).map((row) => row.slice("  run   │ ".length));
    expect(shown.join("").replaceAll(" ", "")).toBe(command.replaceAll(" ", ""));
    await answer("y\r");
    await waitFor("ok\n— ");
  });

  it("NO_COLOR is obeyed; without it there are colours (the twin)", LONG_ONLY, async () => {
    const script: Script = [{ calls: [{ name: "ls", input: {} }] }, says("ok")];
    const colours = async (env: Record<string, string>): Promise<boolean> => {
      const { raw, type, waitFor } = await openPlainConsole(script, { env });
      type("go\r");
      await waitFor("ok\n— ");
      return /\x1b\[\d+(?:;\d+)*m/.test(raw());
    };
    expect(await colours({ NO_COLOR: "1" })).toBe(false);
    expect(await colours({})).toBe(true);
  });
});
