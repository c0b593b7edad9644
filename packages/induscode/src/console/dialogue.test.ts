import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createTestOutput, openTestDialogue } from "../../../../tests/support/test-terminal.ts";
import { goesOnHolding } from "../../../../tests/support/until.ts";
import type { PermissionQuestion } from "../feature/permission.ts";
import { createDialogue, type Dialogue } from "./dialogue.ts";

const QUESTION: PermissionQuestion = {
  tool: "bash",
  accesses: [{ kind: "execute", command: "npm test", cwd: "/p" }],
  folder: "/p",
  reason: "No rule allows it.",
  sessionRule: "bash(npm test)",
};
const SHOWN = `? bash asks for permission: No rule allows it.
  run   │ npm test
  [y] once  [s] this session (exactly this)  [n] no
`;

function onPipe(input: string, isOpen = false): { readonly input: PassThrough; readonly dialogue: Dialogue } {
  const pipe = new PassThrough();
  if (isOpen) pipe.write(input);
  else pipe.end(input);
  const dialogue = createDialogue({
    input: pipe,
    output: new PassThrough(),
    isTerminal: false,
    colour: false,
  });
  onTestFinished(() => dialogue.close());
  return { input: pipe, dialogue };
}

const never = new AbortController().signal;
const leave = (): void => undefined;

describe("a permission question on a terminal", () => {
  test("is shown whole, and `y` allows once", async () => {
    const { terminal, dialogue } = openTestDialogue();
    const answer = dialogue.ask(QUESTION, never);
    await terminal.settle();
    expect(terminal.screen()).toBe(`${SHOWN}  y/s/n ›`);
    await terminal.type("y\r");
    expect(await answer).toEqual({ kind: "once" });
  });

  test("`s` allows for the session", async () => {
    const { terminal, dialogue } = openTestDialogue();
    const answer = dialogue.ask(QUESTION, never);
    await terminal.settle();
    await terminal.type("S\r");
    expect(await answer).toEqual({ kind: "session" });
  });

  test("`h`, `t` and `f` let it reach the host, or read or change the folder, that is offered inside; without one they are no answers", async () => {
    for (const [offered, kind] of [
      [{ host: "a.example" }, "host"],
      [{ readable: "/srv/shared" }, "folder"],
      [{ writable: "/srv/shared" }, "folder"],
    ] as const)
      for (const [key, lasts] of [
        ["h", "once"],
        ["t", "session"],
        ["f", "here"],
      ]) {
        const { terminal, dialogue } = openTestDialogue();
        const answer = dialogue.ask({ ...QUESTION, ...offered }, never);
        await terminal.settle();
        await terminal.type(`${key}\r`);
        expect(await answer).toEqual({ kind, lasts });
      }
    const { terminal, dialogue } = openTestDialogue();
    const answer = dialogue.ask(QUESTION, never);
    await terminal.settle();
    await terminal.type("h\r");
    await terminal.type("y\r");
    expect(await answer).toEqual({ kind: "once" });
  });

  test("anything else asks again; `n` asks for a reason", async () => {
    const { terminal, dialogue } = openTestDialogue();
    const answer = dialogue.ask(QUESTION, never);
    await terminal.settle();
    await terminal.type("\r");
    await terminal.type("sure\r");
    await terminal.type("n\r");
    await terminal.type("not now\r");
    expect(await answer).toEqual({ kind: "no", reason: "not now" });
    expect(terminal.screen()).toBe(`${SHOWN}  y/s/n ›
  answer y, s or n
  y/s/n › sure
  answer y, s or n
  y/s/n › n
  reason (Enter for none): not now`);
  });

  test("`n` and Enter is a no without a reason", async () => {
    const { terminal, dialogue } = openTestDialogue();
    const answer = dialogue.ask(QUESTION, never);
    await terminal.settle();
    await terminal.type("no\r");
    await terminal.type("\r");
    expect(await answer).toEqual({ kind: "no" });
  });

  test("is not answered by a line begun before it could be read: that waits at the prompt", async () => {
    const { terminal, dialogue } = openTestDialogue(0);
    const answer = dialogue.ask(QUESTION, never);
    await terminal.settle();
    await terminal.type("y\r");
    expect(terminal.screen()).toBe(`${SHOWN}  y/s/n › y
  (typed before this could be read: kept at your prompt)
  y/s/n ›`);
    await terminal.read();
    await terminal.type("n\r");
    await terminal.type("\r");
    expect(await answer).toEqual({ kind: "no" });
    const line = dialogue.nextLine(leave);
    await terminal.type("es, please\r");
    expect(await line).toBe("yes, please");
  });

  test("a line begun too early joins what was typed before the question, and nothing is sent by itself", async () => {
    const { terminal, dialogue } = openTestDialogue(0);
    const heard: string[] = [];
    const finish = Promise.withResolvers<void>();
    const task = dialogue.during(finish.promise, {
      onLine: (line) => void heard.push(line),
      onInterrupt: leave,
    });
    await terminal.type("do not ");
    const answer = dialogue.ask(QUESTION, never);
    await terminal.settle();
    await terminal.type("delete\r");
    await terminal.type("the files\r");
    await terminal.read();
    await terminal.type("y\r");
    expect(await answer).toEqual({ kind: "once" });
    expect(heard).toEqual([]);
    expect(terminal.screen()).toMatch(/› do not delete␊the files$/);
    await terminal.type("!\r");
    expect(heard).toEqual(["do not delete\nthe files!"]);
    finish.resolve();
    await task;
  });

  test("a line begun too early at the idle prompt leaves the question open, and output goes on after it", async () => {
    const { terminal, dialogue } = openTestDialogue(0);
    const typed = dialogue.nextLine(leave);
    const answer = dialogue.ask(QUESTION, never);
    await terminal.settle();
    await terminal.type("/help\rmore\r");
    await terminal.read();
    await terminal.type("y\r");
    expect(await answer).toEqual({ kind: "once" });
    await terminal.type("\r");
    expect(await typed).toBe("/help\nmore");
    dialogue.line("what comes later");
    expect(terminal.screen()).toContain("what comes later");
  });

  test("a task that ends under an open question leaves it open; the idle prompt comes after the answer", async () => {
    const { terminal, dialogue } = openTestDialogue();
    const answer = dialogue.ask(QUESTION, never);
    await terminal.settle();
    const next = dialogue.nextLine(leave);
    await terminal.type("y\r");
    expect(await answer).toEqual({ kind: "once" });
    await terminal.type("go on\r");
    expect(await next).toBe("go on");
  });

  test("an answer stays one, however much is printed while it is typed", async () => {
    const { terminal, dialogue } = openTestDialogue();
    const answer = dialogue.ask(QUESTION, never);
    await terminal.settle();
    await terminal.type("y");
    dialogue.line("x".repeat(300_000)); // more than is held back: it is printed above the prompt
    await terminal.type("\r");
    expect(await answer).toEqual({ kind: "once" });
  });

  test("the twin: the same line, begun when it was read, allows", async () => {
    const { terminal, dialogue } = openTestDialogue();
    const answer = dialogue.ask(QUESTION, never);
    await terminal.settle();
    await terminal.type("y\r");
    expect(await answer).toEqual({ kind: "once" });
  });

  test("closes when its signal fires", async () => {
    const { terminal, dialogue } = openTestDialogue();
    const controller = new AbortController();
    const answer = dialogue.ask(QUESTION, controller.signal);
    await terminal.settle();
    controller.abort();
    await expect(answer).rejects.toThrow("Cancelled.");
    expect(terminal.screen()).toBe(SHOWN.trimEnd());
    await expect(dialogue.ask(QUESTION, controller.signal)).rejects.toThrow("Cancelled.");
  });

  test("closes when its signal fires before the keys have been quiet for long enough", async () => {
    const { terminal, dialogue } = openTestDialogue();
    await terminal.type("x");
    vi.useFakeTimers({ toFake: ["setTimeout"] }); // the quiet never comes
    try {
      const controller = new AbortController();
      const answer = dialogue.ask(QUESTION, controller.signal);
      let ended = "waits";
      answer.catch(() => {
        ended = "cancelled";
      });
      for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
      expect(ended).toBe("waits");
      controller.abort();
      for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
      expect(ended).toBe("cancelled");
    } finally {
      vi.useRealTimers();
    }
  });

  test("Ctrl+D is a no", async () => {
    const { terminal, dialogue } = openTestDialogue();
    const answer = dialogue.ask(QUESTION, never);
    await terminal.settle();
    await terminal.type("\x04");
    expect(await answer).toEqual({ kind: "no", reason: "the input ended" });
    expect(await dialogue.ask(QUESTION, never)).toEqual({ kind: "no", reason: "the input ended" });
  });

  test("Ctrl+C without a task is a no", async () => {
    const { terminal, dialogue } = openTestDialogue();
    const answer = dialogue.ask(QUESTION, never);
    await terminal.settle();
    await terminal.type("\x03");
    expect(await answer).toEqual({ kind: "no", isInterrupted: true });
  });

  test("questions come one at a time", async () => {
    const { terminal, dialogue } = openTestDialogue();
    const answers = Promise.all([
      dialogue.ask(QUESTION, never),
      dialogue.ask({ ...QUESTION, tool: "edit" }, never),
    ]);
    await terminal.settle();
    expect(terminal.screen()).not.toContain("edit");
    await terminal.type("y\r");
    expect(terminal.screen()).toContain("? edit asks for permission");
    await terminal.type("s\r");
    expect(await answers).toEqual([{ kind: "once" }, { kind: "session" }]);
  });

  test("output waits while a question is open", async () => {
    const { terminal, dialogue } = openTestDialogue();
    const answer = dialogue.ask(QUESTION, never);
    await terminal.settle();
    dialogue.line("✓ read a.ts  3 ms");
    expect(terminal.screen()).toBe(`${SHOWN}  y/s/n ›`);
    await terminal.type("y\r");
    await answer;
    expect(terminal.screen()).toBe(`${SHOWN}  y/s/n › y\n✓ read a.ts  3 ms`);
  });

  test("a half-typed line never becomes an answer: it waits and comes back", async () => {
    const { terminal, dialogue } = openTestDialogue();
    const typed: string[] = [];
    const finish = Promise.withResolvers<void>();
    const task = dialogue.during(finish.promise, {
      onLine: (line) => {
        typed.push(line);
        return "(noted)";
      },
      onInterrupt: leave,
    });
    await terminal.type("y");
    const answer = dialogue.ask(QUESTION, never);
    await terminal.settle();
    expect(terminal.screen()).toBe(`${SHOWN}  y/s/n ›`);
    await terminal.type("\r");
    await terminal.type("n\r");
    await terminal.type("\r");
    expect(await answer).toEqual({ kind: "no" });
    await terminal.type("es\r");
    expect(typed).toEqual(["yes"]);
    expect(terminal.screen()).toMatch(/› yes\n\(noted\)$/);
    finish.resolve();
    await task;
  });

  test("answers stay out of the history", async () => {
    const { terminal, dialogue } = openTestDialogue();
    const first = dialogue.nextLine(leave);
    await terminal.type("a task\r");
    await first;
    const answer = dialogue.ask(QUESTION, never);
    await terminal.settle();
    await terminal.type("y\r");
    await answer;
    void dialogue.nextLine(leave);
    await terminal.type("\x1b[A");
    expect(terminal.screen()).toMatch(/\n› a task$/);
  });
});

describe("a yes-or-no question", () => {
  const ADDON = ["? The addon x is new here.", "  [y] trust   [n] skip it"];

  test.each([
    ["y", "yes"],
    [" YES ", "yes"],
    ["n", "no"],
    ["", "no"],
  ])("takes %j for %s", async (typed, meant) => {
    const { terminal, dialogue } = openTestDialogue();
    const answer = dialogue.confirm(ADDON);
    await terminal.settle();
    expect(terminal.screen()).toBe(`${ADDON.join("\n")}\n  y/n ›`);
    await terminal.type(`${typed}\r`);
    expect(await answer).toBe(meant);
  });

  test("asks again when the answer is neither", async () => {
    const { terminal, dialogue } = openTestDialogue();
    const answer = dialogue.confirm(ADDON);
    await terminal.settle();
    await terminal.type("sure\r");
    await terminal.type("n\r");
    expect(await answer).toBe("no");
    expect(terminal.screen()).toMatch(/y\/n › sure\n {2}answer y or n\n {2}y\/n › n$/);
  });

  test("is not answered by lines typed before it: they stay lines for the console", async () => {
    const { terminal, dialogue } = openTestDialogue();
    await terminal.type("y\rhello\ryes\r");
    const answers = [dialogue.confirm(ADDON), dialogue.confirm(ADDON)];
    await terminal.settle();
    expect(terminal.screen()).toMatch(/y\/n ›$/);
    await terminal.type("n\r");
    await terminal.type("n\r");
    expect(await Promise.all(answers)).toEqual(["no", "no"]);
    expect([await dialogue.nextLine(leave), await dialogue.nextLine(leave)]).toEqual(["y", "hello"]);
  });

  test("the twin: the next line of the console would have been an answer typed for something else", async () => {
    const { terminal, dialogue } = openTestDialogue();
    await terminal.type("y\rhello\ryes\r");
    for (const line of ADDON) dialogue.line(line);
    expect(await dialogue.nextLine(leave)).toBe("y");
  });

  test("keys behind the answer, in one go with it, do not answer the next question", async () => {
    const { terminal, dialogue } = openTestDialogue();
    const answers = [dialogue.confirm(ADDON), dialogue.confirm(ADDON)];
    await terminal.settle();
    await terminal.type("y\ry\r");
    await terminal.type("n\r");
    expect(await Promise.all(answers)).toEqual(["yes", "no"]);
  });

  test("waits for an open permission question", async () => {
    const { terminal, dialogue } = openTestDialogue();
    const first = dialogue.ask(QUESTION, never);
    const second = dialogue.confirm(ADDON);
    await terminal.settle();
    await terminal.type("y\r");
    await terminal.type("n\r");
    expect([await first, await second]).toEqual([{ kind: "once" }, "no"]);
  });

  test("has no answer when nobody gives one: Ctrl+C, Ctrl+D, a pipe", async () => {
    for (const key of ["\x03", "\x04"]) {
      const { terminal, dialogue } = openTestDialogue();
      const answer = dialogue.confirm(ADDON);
      await terminal.settle();
      await terminal.type(key);
      expect(await answer).toBeUndefined();
    }
    expect(await onPipe("y\n").dialogue.confirm(ADDON)).toBeUndefined();
  });
});

describe("a permission question to a pipe", () => {
  test("is a no, whatever the next line says: piped text grants nothing", async () => {
    const { dialogue } = onPipe("do it\ny\n");
    expect(await dialogue.nextLine(leave)).toBe("do it");
    const refused = { kind: "no", reason: "nobody is at a terminal to answer" };
    expect(await dialogue.ask(QUESTION, never)).toEqual(refused);
    expect(await dialogue.nextLine(leave)).toBe("y"); // the line is still the next task
  });
});

describe("the terminal", () => {
  test("is in raw mode with bracketed paste until the dialogue closes", () => {
    const { terminal, dialogue } = openTestDialogue();
    expect(terminal.raw()).toBe("\x1b[?2004h");
    expect(terminal.input.rawModes).toEqual([true]);
    dialogue.close();
    dialogue.close();
    expect(terminal.raw()).toBe("\x1b[?2004h\x1b[?2004l");
    expect(terminal.input.rawModes).toEqual([true, false]);
  });

  test("is given back when the process ends by an exception that nobody catches", async () => {
    const program = `
      const { createDialogue } = await import(${JSON.stringify(new URL("./dialogue.ts", import.meta.url).href)});
      createDialogue({ input: process.stdin, output: process.stdout, isTerminal: true, colour: false });
      setTimeout(() => { throw new Error("a bug"); }, 1);
    `;
    const child = spawn(process.execPath, [
      "--conditions=indus-source",
      "--input-type=module",
      "-e",
      program,
    ]);
    let written = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      written += text;
    });
    const [code] = await once(child, "close");
    expect({ code, written }).toEqual({ code: 1, written: "\x1b[?2004h\x1b[?2004l" });
  });

  test("that goes away is the end of the input, not an exception", async () => {
    const { terminal, dialogue } = openTestDialogue();
    const gone = Object.assign(new Error("setRawMode EIO"), { code: "EIO" });
    const next = dialogue.nextLine(leave);
    const setRawMode = (): boolean => terminal.input.emit("error", gone); // as node:tty does
    Object.assign(terminal.input, { setRawMode });
    terminal.input.emit("error", gone);
    expect(await next).toBeUndefined();
    expect(() => dialogue.close()).not.toThrow();
  });

  test("a pipe is sent no control sequence at all", async () => {
    const { output, written } = createTestOutput();
    const dialogue = createDialogue({
      input: new PassThrough().end("a\n"),
      output,
      isTerminal: false,
      colour: false,
    });
    expect(await dialogue.nextLine(leave)).toBe("a");
    dialogue.line("said");
    dialogue.close();
    expect(written()).toBe("said\n");
  });
});

test("a pipe of many lines is read as they are needed, in order", async () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i} ${"x".repeat(100)}`);
  let taken = 0;
  const { input, dialogue } = onPipe("", true);
  const feed = async (): Promise<void> => {
    for (const line of lines) {
      if (!input.write(`${line}\n`)) await once(input, "drain");
      taken += 1;
    }
    input.end();
  };
  const fed = feed();
  await goesOnHolding(() => expect(taken).toBeLessThan(5000));
  const read: string[] = [];
  for (let line = await dialogue.nextLine(leave); line !== undefined; line = await dialogue.nextLine(leave))
    read.push(String(line));
  await fed;
  expect(read).toEqual(lines);
});

test("while a question is open, output beyond 256 KiB is printed and the question stays", async () => {
  const { terminal, dialogue } = openTestDialogue();
  const answer = dialogue.ask(QUESTION, never);
  await terminal.settle();
  dialogue.line("x".repeat(300 * 1024));
  await terminal.settle();
  expect(terminal.screen()).toMatch(/\nx+[x\n]+\n {2}y\/s\/n ›$/);
  await terminal.type("y\r");
  expect(await answer).toEqual({ kind: "once" });
});

test("output that waits for a typed line is bounded: beyond 256 KiB it is printed and the line comes back", async () => {
  const { terminal, dialogue } = openTestDialogue();
  const finish = Promise.withResolvers<void>();
  const task = dialogue.during(finish.promise, { onLine: () => undefined, onInterrupt: leave });
  await terminal.type("half");
  dialogue.line("x".repeat(200 * 1024));
  expect(terminal.screen()).toBe("› half");
  dialogue.line("y".repeat(100 * 1024));
  await terminal.settle();
  expect(terminal.screen()).toMatch(/^x+[x\n]+\ny+[y\n]+\n› half$/);
  finish.resolve();
  await task;
});
