// `indus serve start` and `indus attach` in processes of their own.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWorkplace, type RunOptions, type Workplace } from "../support/indus.ts";
import { isRunning } from "../support/is-running.ts";
import { type Script, startModelServer } from "../support/model-server.ts";
import { connectAt } from "../support/serve-client.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

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
});

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
