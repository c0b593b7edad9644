// The rich console as a person meets it: the real command in a pseudo-terminal, over real HTTP.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import {
  type ModelServer,
  type Script,
  type ScriptedTurn,
  startModelServer,
} from "../support/model-server.ts";
import { openTerminal, type TerminalOptions, type TestedTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

interface Opened extends TestedTerminal {
  readonly place: Workplace;
  readonly server: ModelServer;
}

/** The rich console, waiting for a line. */
async function open(
  script: Script,
  options: Partial<TerminalOptions> & { readonly place?: Workplace } = {},
): Promise<Opened> {
  const server = await startModelServer(script);
  onTestFinished(server.close);
  const place = options.place ?? createWorkplace(server.url);
  const terminal = openTerminal({
    ...options,
    place,
    url: server.url,
    args: ["--rich", "--model", "anthropic/scripted", ...(options.args ?? [])],
  });
  await terminal.waitFor(IDLE);
  return { ...terminal, place, server };
}

/** The editor, empty, above the status line. */
const IDLE = /\n─+\n›[^\n]*\n *anthropic\/scripted[^\n]*$/;
const CTRL_C = "\x03";
const ESC = "\x1b";

const says = (text: string): ScriptedTurn => ({ text });
const runs = (command: string): ScriptedTurn => ({ calls: [{ name: "bash", input: { command } }] });

describe("a conversation", () => {
  it("shows what was asked, the answer with its marks, what it cost, and waits again", async () => {
    const { type, waitFor, screen, raw } = await open([says("Hello, **person**.\n\n- one\n- two")]);
    type("hello\r");
    await waitFor(/\n› hello\n\nHello, person\.\n\n• one\n• two\n\n— 1 turn, \S+ m?s, 15 tokens\n─+\n›/);
    expect(raw()).toContain("\x1b[1mperson\x1b[0m");
    expect(screen()).not.toContain("**");
  });

  it("shows the answer while it arrives", async () => {
    const { screen, type, waitFor } = await open([
      { text: "one two three", pieces: 2, trouble: { kind: "silence", after: 1 } },
    ]);
    type("count\r");
    await waitFor("one two");
    expect(screen()).not.toContain("three");
  });

  it("shows what calls did: a diff, the lines of a command, the reason of a failure", async () => {
    const { place, type, waitFor } = await open(
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
      /✗ bash [^\n]+exit code 3[^\n]*\n {2}line 1\n {2}line 2\n {2}line 3\n {2}… 4 more lines \(Ctrl\+O shows all\)\n {2}line 8\n[\s\S]*line 12\n/,
    );
    await waitFor(/✗ read missing\.txt {2}failed[^\n]*\n {2}Cannot read missing\.txt/);
  });
});

describe("a permission question", () => {
  it("is answered by its key, and by arrow and Enter", async () => {
    const { place, type, waitFor } = await open([runs("touch made"), runs("touch other"), says("ok")]);
    type("go\r");
    await waitFor(
      /\? bash asks for permission\n {2}run +│ touch made\n[\s\S]*\[y\] yes, once\n {2}\[s\] [^\n]+\n {2}\[n\] no\n *anthropic/,
    );
    expect(existsSync(join(place.cwd, "made"))).toBe(false);
    type("y");
    await until(() => existsSync(join(place.cwd, "made")));
    await waitFor(/run +│ touch other[\s\S]*\[n\] no\n *anthropic[^\n]*$/);
    type(`${ESC}[B`);
    await waitFor("❯ [y] yes, once");
    type("\r");
    await until(() => existsSync(join(place.cwd, "other")));
    await waitFor(/ok\n\n— 3 turns/);
  });
});

describe("leaving", () => {
  it("Ctrl+C twice leaves when idle, with the terminal as it was", async () => {
    const { type, waitFor, left, raw } = await open([]);
    type(CTRL_C);
    await waitFor("press Ctrl+C again to leave");
    type(CTRL_C);
    expect(await left).toBe(0);
    expect(raw()).toContain("\x1b[?2004l");
  });

  it("Ctrl+C interrupts two tasks in a row and does not leave", async () => {
    const silent: ScriptedTurn = {
      text: "beginning of it",
      pieces: 3,
      trouble: { kind: "silence", after: 1 },
    };
    const { type, waitFor, screen } = await open([silent, silent, says("still here")]);
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
