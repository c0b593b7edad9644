// `indus serve start` and `indus attach` in processes of their own.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWorkplace, type RunOptions, type Workplace } from "../support/indus.ts";
import { isRunning } from "../support/is-running.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { type Script, startModelServer } from "../support/model-server.ts";
import { RICH_IDLE } from "../support/open-console.ts";
import { connectAt } from "../support/serve-client.ts";
import { openTerminal } from "../support/terminal.ts";
import { until, untilHolds } from "../support/until.ts";

async function placeFor(script: Script): Promise<Workplace> {
  const server = await startModelServer(script);
  onTestFinished(server.close);
  const place = createWorkplace(server.url);
  onTestFinished(async () => void (await place.runAlone(["serve", "stop"])));
  return place;
}

const call = (command: string) => ({ calls: [{ name: "bash", input: { command } }] });
const socketOf = (place: Workplace): string => join(place.home, "serve/serve.sock");

async function start(place: Workplace, ...args: readonly string[]): Promise<string> {
  const end = await place.runAlone(["serve", "start", "--model", "anthropic/scripted", ...args]);
  expect(end).toMatchObject({ code: 0, stderr: "" });
  return end.stdout.trim();
}

/** A console on pipes: what it printed so far, and lines for it. */
function attach(place: Workplace, args: readonly string[] = []) {
  let printed = "";
  let write = (_line: string): void => undefined;
  let end = (): void => undefined;
  const options: RunOptions = {
    holdsStdin: true,
    onStart(child) {
      child.stdout?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
      write = (line) => void child.stdin?.write(`${line}\n`);
      end = () => void child.stdin?.end();
    },
  };
  const ended = place.runAlone(["attach", ...args], options);
  return { ended, printed: () => printed, write: (line: string) => write(line), end: () => end() };
}

describe("a task that was started", () => {
  it("goes on after its command, is shown with its past, and takes lines", async () => {
    const place = await placeFor([
      { text: "I begin.", ...call("until test -e go; do sleep 0.05; done; echo gone") },
      { text: "The first is done." },
      { text: "The second is done." },
    ]);
    const id = await start(place, "Wait for the file");
    const console = attach(place, [id.slice(0, -2)]);
    await until(() => console.printed().includes(`session ${id}, served`));
    await until(() => console.printed().includes("I begin."));
    expect(console.printed()).toContain("› Wait for the file");
    expect(console.printed()).not.toContain("The first is done.");
    place.file("go", "");
    await until(() => console.printed().includes("The first is done."));
    console.write("And now the second");
    await until(() => console.printed().includes("The second is done."));
    console.write("/status");
    await until(() => console.printed().includes("  session  "));
    console.end();
    expect(await console.ended).toMatchObject({ code: 0, stderr: "" });
    expect(place.logs()).toHaveLength(1);
    expect(place.problems()).toEqual([]);
    const again = await connectAt(socketOf(place));
    onTestFinished(again.leave);
    expect(await again.request("status")).toMatchObject({ sessions: [{ id, busy: false }] });
  });

  it("is shown in several consoles, each with what the other one says", async () => {
    const place = await placeFor([{ text: "one" }, { text: "two" }]);
    await start(place, "first");
    const [here, there] = [attach(place), attach(place)];
    for (const each of [here, there]) await until(() => each.printed().includes("one"));
    here.write("from here");
    for (const each of [here, there]) await until(() => each.printed().includes("two"));
    expect(there.printed()).toContain("› from here");
    for (const each of [here, there]) each.end();
    for (const each of [here, there]) expect((await each.ended).code).toBe(0);
  });

  it("a console is told when the server ends, and no command outlives that", async () => {
    const place = await placeFor([call("echo $$ > pid; exec sleep 1000")]);
    place.settings({ localServers: [], sandbox: "off", permissions: { mode: "bypass" } });
    await start(place, "wait");
    const console = attach(place);
    await until(() => console.printed().includes(", served"));
    const pid = join(place.cwd, "pid");
    await until(() => existsSync(pid) && readFileSync(pid, "utf8").endsWith("\n"));
    expect(await place.runAlone(["serve", "stop"])).toMatchObject({ code: 0, stderr: "" });
    expect((await console.ended).stderr).toMatch(/the session is gone: a client asked for it/);
    await until(() => !isRunning(Number(readFileSync(pid, "utf8"))));
    expect(existsSync(socketOf(place))).toBe(false);
  });
});

describe.each(["plain", "rich"] as const)("in a terminal, the %s console", (console) => {
  it("answers questions, interrupts, and leaves the session running", async () => {
    const script: Script = [
      call("mkfifo made"),
      call("mkfifo other"),
      { text: "Both are made." },
      { text: "The third begins.", ...call("until test -e never; do sleep 0.05; done") },
    ];
    const place = await placeFor(script);
    await start(place, "Make them");
    const open = () => openTerminal({ console, place, url: "http://127.0.0.1:9", args: ["attach"] });
    const [first, second] = [open(), open()];
    for (const each of [first, second]) await each.waitFor(/mkfifo made[\s\S]*\[y\]/);
    await first.answer(console === "plain" ? "y\r" : "y");
    // The other one is not asked any more.
    for (const each of [first, second]) await each.waitFor(/mkfifo other[\s\S]*\[y\]/);
    first.hangUp();
    await second.answer(console === "plain" ? "y\r" : "y");
    await second.waitFor("Both are made.");
    second.type("And a third\r");
    await second.waitFor("The third begins.");
    second.type("\x03");
    await second.waitFor(/[Ss]topped|interrupted|aborted/);
    second.type("\x04");
    expect(await second.left).toBe(0);
    const client = await connectAt(socketOf(place));
    onTestFinished(client.leave);
    expect(await client.request("status")).toMatchObject({ sessions: [{ busy: false }] });
    expect(place.entries().at(-1)).toMatchObject({ type: "end", how: "aborted" });
  });

  it("follows a task that somebody else begins: it is interrupted here, and its end is shown", async () => {
    const place = await placeFor([
      { text: "It is made." },
      { text: "It begins.", ...call("until test -e never; do sleep 0.05; done") },
    ]);
    const session = await start(place, "Make it");
    const terminal = openTerminal({ console, place, url: "http://127.0.0.1:9", args: ["attach"] });
    await terminal.waitFor("It is made.");
    terminal.type("!echo for the next line\r");
    await terminal.waitFor(/for the next line[\s\S]*for the next line/);
    const client = await connectAt(socketOf(place));
    onTestFinished(client.leave);
    await untilHolds(async () =>
      expect(await client.request("status")).toMatchObject({ sessions: [{ id: session, busy: false }] }),
    );
    const content = [{ kind: "text", text: "Begin it" }];
    await client.request("submit", { session, content, wait: false });
    await terminal.waitFor(/› Begin it[\s\S]*It begins\./);
    terminal.type("\x03");
    await terminal.waitFor(/stopped[\s\S]*— 1 turn/);
    // What this person's command printed is for their own next line.
    const sent = place.entries().flatMap((entry) => (entry.type === "user" ? [entry.content] : []));
    expect(JSON.stringify(sent)).not.toContain("for the next line");
    terminal.type("\x04");
    expect(await terminal.left).toBe(0);
  });
});

describe("an attached console has what every console has", () => {
  async function attached(script: Script) {
    const place = await placeFor(script);
    place.settings({ localServers: [], sandbox: "off", permissions: { mode: "ask" } });
    const id = await start(place, "First task");
    const terminal = openTerminal({ console: "rich", place, url: "http://127.0.0.1:9", args: ["attach"] });
    await terminal.waitFor("one");
    await terminal.waitFor(RICH_IDLE);
    return { place, terminal, id };
  }

  it("the key for the next mode, `!` lines that the model reads, and /theme of this terminal", async () => {
    const { place, terminal } = await attached([{ text: "one" }, { text: "two" }]);
    terminal.type("\x1b[Z");
    await terminal.waitFor("permission mode acceptEdits: edits need no question; commands do");
    expect(await modeOf(place)).toBe("acceptEdits");
    terminal.type("!echo from-$((40 + 2)); exit 3\r");
    await terminal.waitFor(/from-42[\s\S]*exit code 3/);
    terminal.type("!mkfifo refused\r");
    await terminal.waitFor(/mkfifo refused[\s\S]*\[y\]/);
    await terminal.answer("n");
    await terminal.waitFor(/not run: /);
    terminal.type("Second task\r");
    await terminal.waitFor("two");
    const said = place.entries().flatMap((entry) => (entry.type === "user" ? [JSON.stringify(entry)] : []));
    expect(said.at(-1)).toContain("I ran this command myself:");
    expect(said.at(-1)).toContain("from-42");
    terminal.type("/theme light\r");
    await terminal.waitFor(/It is kept in/);
    expect(readFileSync(join(place.home, "settings.json"), "utf8")).toContain('"theme": "light"');
    terminal.type("/copy\r");
    await terminal.waitFor("The last answer (3 characters) was sent to the terminal's clipboard.");
    terminal.type("\x04");
    expect(await terminal.left).toBe(0);
  });

  it("lists to choose from: values of a command, turns whose line comes back, sessions", async () => {
    const { place, terminal, id } = await attached([{ text: "one" }, { text: "two" }, { text: "elsewhere" }]);
    terminal.type("/thinking ");
    await terminal.waitFor(/medium[\s\S]*high/);
    terminal.type("hig\t\r");
    await terminal.waitFor(/thinking level is "high"/);
    terminal.type("Second task\r");
    await terminal.waitFor("two");
    terminal.type("/tree\r");
    await terminal.waitFor("Where should the conversation continue?");
    await terminal.answer("second\r");
    await terminal.waitFor(/Turn 2:/);
    await terminal.answer("\x1b[B\r");
    await terminal.waitFor(/The conversation continues before turn 2[\s\S]*› Second task/);
    terminal.type("\x15");
    const client = await connectAt(socketOf(place));
    onTestFinished(client.leave);
    const other = (await client.request("sessions/open", { cwd: place.cwd })) as { readonly id: string };
    await client.request("submit", {
      ...{ session: other.id, content: [{ kind: "text", text: "Of another session" }] },
    });
    await client.request("sessions/close", { session: other.id });
    terminal.type("/resume\r");
    await terminal.waitFor("Which session?");
    await terminal.answer("another\r");
    await terminal.waitFor(`You are now in ${other.id}`);
    await terminal.waitFor("elsewhere");
    expect(await client.request("status")).toMatchObject({ sessions: [{ id: other.id, before: [id] }] });
    terminal.type("\x04");
    expect(await terminal.left).toBe(0);
  });

  it("/rewind: a turn, what goes back with it, and the files of the served session", async () => {
    const write = (path: string) => ({ calls: [{ name: "write", input: { path, content: path } }] });
    const { place, terminal, id } = await attached([
      ...[{ text: "one" }, write("a.txt"), { text: "two" }, write("b.txt"), { text: "three" }],
    ]);
    const made = (): readonly boolean[] =>
      ["a.txt", "b.txt"].map((name) => existsSync(join(place.cwd, name)));
    terminal.type("\x1b[Z");
    await terminal.waitFor("permission mode acceptEdits");
    for (const [line, answer] of [
      ["Second task", "two"],
      ["Third task", "three"],
    ] as const) {
      terminal.type(`${line}\r`);
      await terminal.waitFor(answer);
      await terminal.waitFor(RICH_IDLE);
    }
    expect(made()).toEqual([true, true]);
    terminal.type("/rewind ");
    await terminal.waitFor(/3: Third task \(1 file\)[\s\S]*2: Second task \(1 file\)[\s\S]*1: First task/);
    terminal.type("2\r");
    await terminal.waitFor(/Before line 2, "Second task": 2 files[\s\S]*❯ stay here/);
    await terminal.answer("\r"); // Enter alone destroys nothing
    await terminal.waitFor("Nothing was changed.");
    expect(made()).toEqual([true, true]);
    terminal.type("/rewind 3\r");
    await terminal.waitFor(/Before line 3[\s\S]*❯ stay here[\s\S]*conversation only/);
    await terminal.answer("files only\r");
    await terminal.waitFor("Only files were restored");
    expect(made()).toEqual([true, false]);
    terminal.type("/rewind undo\r");
    await terminal.waitFor("Undone.");
    expect(made()).toEqual([true, true]);
    terminal.type("/rewind 3\r");
    await terminal.waitFor(/Undone\.[\s\S]*❯ stay here[\s\S]*conversation only/);
    await terminal.answer("conversation only\r");
    await terminal.waitFor(/You are now in session \S+; the earlier conversation is still in/);
    expect(made()).toEqual([true, true]);
    terminal.type("/rewind 2\r");
    await terminal.waitFor(/still in[\s\S]*Before line 2[\s\S]*❯ stay here[\s\S]*conversation only/);
    await terminal.answer("files and conversation\r");
    await terminal.waitFor(/(?:the earlier conversation is still in[\s\S]*){2}/);
    expect(made()).toEqual([false, true]);
    const client = await connectAt(socketOf(place));
    onTestFinished(client.leave);
    const { sessions } = (await client.request("status")) as {
      readonly sessions: readonly { readonly before: readonly string[] }[];
    };
    expect(sessions).toMatchObject([{ before: [expect.any(String), id] }]);
    terminal.type("\x04");
    expect(await terminal.left).toBe(0);
    expect(place.problems()).toEqual([]);
  });

  it("but for the lines that wait, which it says the server has", LONG_ONLY, async () => {
    const { terminal } = await attached([{ text: "one" }]);
    terminal.type("\x1b[1;3A");
    await terminal.waitFor("the server has the waiting lines");
    terminal.type("\x04");
    expect(await terminal.left).toBe(0);
  });

  it("nobody else is asked by a list, and one whose console is gone ends", async () => {
    const { place, terminal, id } = await attached([{ text: "one" }]);
    const client = await connectAt(socketOf(place));
    onTestFinished(client.leave);
    await client.request("subscribe", { session: id });
    terminal.type("/tree\r");
    await terminal.waitFor("Where should the conversation continue?");
    terminal.hangUp();
    expect(await client.request("run", { session: id, line: "/tree" })).toMatchObject({
      kind: "done",
      said: expect.stringMatching(/The turns of /),
    });
    const listed = { session: id, line: "/tree", lists: true };
    const end = client.request("run", listed);
    await until(() => client.told("question").length > 0);
    const [asked] = client.told("question");
    expect(client.told("question")).toHaveLength(1);
    expect(asked).toMatchObject({ question: { kind: "list" } });
    await client.request("answer", {
      session: id,
      id: (asked as { id: number }).id,
      answer: { kind: "left" },
    });
    expect(await end).toMatchObject({ said: "The conversation continues where it is." });
  });
});

async function modeOf(place: Workplace): Promise<unknown> {
  const client = await connectAt(socketOf(place));
  const { sessions } = (await client.request("status")) as { readonly sessions: readonly { mode: string }[] };
  client.leave();
  return sessions[0]?.mode;
}

it("says what is missing", async () => {
  const place = await placeFor([{ text: "one" }, { text: "two" }]);
  const attached = (...args: readonly string[]) => place.runAlone(["attach", ...args]);
  expect((await attached()).stderr).toMatch(
    /indus serve is not running; to start it with a task: indus serve start "task"/,
  );
  expect((await place.runAlone(["serve", "stop"])).stderr).toBe("indus: indus serve is not running\n");
  const ids = [await start(place, "a"), await start(place, "b")];
  const several = await attached();
  expect(several).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/indus serve has several sessions; name one:/),
  });
  for (const id of ids) expect(several.stderr).toContain(id);
  expect((await attached("nonsense")).stderr).toMatch(/indus serve has no session "nonsense"; it has:/);
});
