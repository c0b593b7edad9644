import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import {
  complete,
  createScriptedConductor,
  faulted,
  reply,
  retry,
  type Script,
  type ScriptedConductor,
  text,
  toolEnd,
} from "../../../../tests/support/scripted-conductor.ts";
import {
  createTestOutput,
  createTestTerminal,
  type TestTerminal,
} from "../../../../tests/support/test-terminal.ts";
import type { ConductorEvent, DelegateEvent } from "../conductor/contract.ts";
import type { InstalledCommand } from "../feature/command.ts";
import { createDialogue, type Dialogue } from "./dialogue.ts";
import { runPlainConsole } from "./plain-console.ts";

const ANSWER: Script = {
  steps: [text("All "), text("done."), reply("All done.")],
  end: complete("All done."),
};

function command(name: string, run: InstalledCommand["run"]): InstalledCommand {
  return { feature: "builtin:test", name, summary: "", run };
}

interface Session {
  readonly dialogue: Dialogue;
  readonly conductor: ScriptedConductor;
  readonly exitCode: Promise<number>;
  readonly clock: { ms: number };
}

function startConsole(
  dialogue: Dialogue,
  scripts: readonly Script[],
  commands: readonly InstalledCommand[] = [],
): Session {
  const conductor = createScriptedConductor(scripts);
  const clock = { ms: 0 };
  const exitCode = runPlainConsole({
    handles: {},
    dialogue,
    conductor,
    commands: [...commands, command("quit", () => dialogue.leave())],
    cwd: "/p",
    greeting: ["indus"],
    now: () => clock.ms,
  });
  return { dialogue, conductor, exitCode, clock };
}

function onTerminal(
  scripts: readonly Script[],
  commands: readonly InstalledCommand[] = [],
): Session & { readonly terminal: TestTerminal } {
  const terminal = createTestTerminal();
  const dialogue = createDialogue({ ...terminal, isTerminal: true, colour: false });
  return { terminal, ...startConsole(dialogue, scripts, commands) };
}

/** Runs a console over piped lines to its end. */
async function piped(
  lines: string,
  scripts: readonly Script[],
  commands: readonly InstalledCommand[] = [],
  listener: (event: ConductorEvent) => void = () => undefined,
): Promise<{ readonly shown: string; readonly calls: readonly string[]; readonly exitCode: number }> {
  const { output, written } = createTestOutput();
  const input = new PassThrough().end(lines);
  const dialogue = createDialogue({ input, output, isTerminal: false, colour: false });
  const { conductor, exitCode } = startConsole(dialogue, scripts, commands);
  conductor.subscribe(listener);
  const code = await exitCode;
  return { shown: written(), calls: conductor.calls, exitCode: code };
}

describe("over a pipe", () => {
  test("lines are submitted one after another, each waiting for the one before", async () => {
    const slow: Script = {
      steps: [
        text("Let me look…"),
        reply("Let me look…"),
        toolEnd("read", "src/a.ts", "ok", 3),
        ...ANSWER.steps,
      ],
      end: complete("All done."),
    };
    expect(await piped("first\n\n  \nsecond", [slow, ANSWER])).toEqual({
      shown: [
        "indus",
        "› first",
        "Let me look…",
        "✓ read src/a.ts  3 ms",
        "All done.",
        "— 2 turns, 0 ms, 2.0k tokens in, 400 out",
        "› second",
        "All done.",
        "— 1 turn, 0 ms, 1.0k tokens in, 200 out",
        "",
      ].join("\n"),
      calls: ["submit: first", "submit: second"],
      exitCode: 0,
    });
  });

  test("a backslash continues a line, and the end of the input ends it", async () => {
    const { calls } = await piped("one\\\ntwo\nthree\\", [ANSWER, ANSWER]);
    expect(calls).toEqual(["submit: one\ntwo", "submit: three"]);
  });

  test("a fault is one line, is said once, and the last task's fate is the exit code", async () => {
    const fault = { kind: "model", message: "no key: set ONE\nor TWO" } as const;
    const script: Script = { steps: [{ kind: "fault", fault }], end: { kind: "faulted", fault } };
    const both = await piped("a\nb\n", [script, { steps: [], end: faulted("log", "disk full") }]);
    expect(both.shown).toBe("indus\n› a\nindus: no key: set ONE⏎or TWO\n› b\nindus: disk full\n");
    expect(both.exitCode).toBe(1);
    expect((await piped("a\nb\n", [script, ANSWER])).exitCode).toBe(0);
    expect((await piped("a\n", [{ steps: [], end: { kind: "aborted" } }])).exitCode).toBe(130);
  });

  test("an answer that was cut or refused says so", async () => {
    const { shown } = await piped("a\nb\n", [
      { steps: [text("half")], end: { kind: "complete", text: "half", stop: "max_output" } },
      { steps: [], end: { kind: "complete", text: "", stop: "refusal" } },
    ]);
    expect(shown).toBe(
      "indus\n› a\nhalf\n[the answer was truncated: the model reached its output limit]\n› b\n[the model refused to answer]\n",
    );
  });

  test("a retry voids the half-shown answer", async () => {
    const script = {
      steps: [retry(), text("half an an"), retry(), ...ANSWER.steps],
      end: complete("All done."),
    };
    expect((await piped("a\n", [script])).shown).toBe(
      [
        "indus",
        "› a",
        "[connection lost: retrying in 2 s]",
        "half an an",
        "[connection lost: retrying in 2 s — the text above is discarded]",
        "All done.",
        "— 1 turn, 0 ms, 1.0k tokens in, 200 out",
        "",
      ].join("\n"),
    );
  });

  test("what a delegate does is shown behind its name, and its replies count", async () => {
    const of = (event: ConductorEvent): ConductorEvent => ({
      ...{ kind: "delegate", agent: "sc\u001b[2Jout", sessionId: "s" },
      event: event as DelegateEvent,
    });
    const script: Script = {
      steps: [
        of({ kind: "delegate_start", objective: "look\u001b[2J\nhere" } as never),
        of(reply("its words")),
        of(toolEnd("read", "a.ts", "ok", 3)),
        of({ kind: "delegate_end", state: "failed", durationMs: 4 } as never),
        reply("done"),
      ],
      end: complete("done"),
    };
    expect((await piped("x\n", [script])).shown).toBe(
      "indus\n› x\n  sc\\u{1b}[2Jout begins look\\u{1b}[2J⏎here\n  sc\\u{1b}[2Jout ✓ read a.ts  3 ms\n  sc\\u{1b}[2Jout ✗ failed  4 ms\ndone\n— 2 turns, 0 ms, 2.0k tokens in, 400 out\n",
    );
  });

  test("thinking is one mark for each model call, an unstreamed answer is shown from its entry", async () => {
    const thinking = { kind: "delta", delta: { kind: "thinking", text: "hm" } } as const;
    const script: Script = {
      steps: [thinking, thinking, text("a"), reply("a"), thinking, reply("whole")],
      end: complete("whole"),
    };
    expect((await piped("x\n", [script])).shown).toBe(
      "indus\n› x\nthinking…\na\nthinking…\nwhole\n— 2 turns, 0 ms, 2.0k tokens in, 400 out\n",
    );
  });

  test("what the model, tools and commands say cannot command the terminal, cut as it may be", async () => {
    const hostile: Script = {
      steps: [
        text("a\x1b]52;c;"),
        text("AAAA\x07b\x9b2"),
        text("Jc"),
        toolEnd("read\x1b[2J", "x\x1b]0;t\x07", "ok", 1),
        { kind: "alert", text: "wake\x07 up" },
        { kind: "fault", fault: { kind: "listener", message: "\x1bc oops" } },
      ],
      end: complete("abc"),
    };
    const say = command("say", ({ say: tell }) => tell("said\x1b[31m"));
    const { shown } = await piped("x\x1b[2J\n/say\n", [hostile], [say]);
    expect(shown).toBe(
      [
        "indus",
        "› x",
        "abc",
        "✓ read\\u{1b}[2J x\\u{1b}]0;t\\u{7}  1 ms",
        "! wake up",
        "indus: \\u{1b}c oops",
        "› /say",
        "said",
        "",
      ].join("\n"),
    );
  });

  test("a command is found by its exact name in any case, and gets its arguments", async () => {
    const seen: string[] = [];
    const note = command("note", async ({ args, cwd, say }) => {
      seen.push(`${cwd} ${args}`);
      say("noted\n");
    });
    const { shown, calls } = await piped("/NOTE a b\n/not x\n/usr/bin is broken\n", [ANSWER], [note]);
    expect(seen).toEqual(["/p a b"]);
    expect(calls).toEqual(["submit: /usr/bin is broken"]);
    expect(shown).toBe(
      [
        "indus",
        "› /NOTE a b",
        "noted",
        "› /not x",
        "Unknown command /not. Did you mean /note? Type /help.",
        "› /usr/bin is broken",
        "All done.",
        "— 1 turn, 0 ms, 1.0k tokens in, 200 out",
        "",
      ].join("\n"),
    );
  });

  test("a command that throws or rejects is one fault line, and the console goes on", async () => {
    const commands = [
      command("throw", () => {
        throw new Error("broken\nbadly");
      }),
      command("reject", () => Promise.reject(new Error("late"))),
    ];
    const { shown } = await piped("/throw\n/reject\nx\n", [ANSWER], commands);
    expect(shown).toBe(
      [
        "indus",
        "› /throw",
        "indus: /throw of builtin:test failed: broken⏎badly",
        "› /reject",
        "indus: /reject of builtin:test failed: late",
        "› x",
        "All done.",
        "— 1 turn, 0 ms, 1.0k tokens in, 200 out",
        "",
      ].join("\n"),
    );
  });

  test("a command that throws is a fault of its feature, for every listener", async () => {
    const heard: ConductorEvent[] = [];
    const boom = new Error("boom");
    const failing = command("throw", () => {
      throw boom;
    });
    await piped("/throw\n", [], [failing], (event) => heard.push(event));
    expect(heard).toEqual([
      {
        kind: "fault",
        fault: {
          kind: "command",
          owner: "builtin:test",
          message: "/throw of builtin:test failed: boom",
          cause: boom,
        },
      },
    ]);
  });

  test("/quit leaves; what follows is not submitted", async () => {
    expect(await piped("/quit\nx\n", [ANSWER])).toEqual({
      shown: "indus\n› /quit\n",
      calls: [],
      exitCode: 0,
    });
  });

  test("a reader that leaves ends the console without an error", async () => {
    const output = new PassThrough();
    const dialogue = createDialogue({ input: new PassThrough(), output, isTerminal: false, colour: false });
    const { exitCode } = startConsole(dialogue, []);
    output.destroy(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    expect(await exitCode).toBe(0);
  });
});

describe("on a terminal", () => {
  test("greets, prompts, shows the answer and prompts again", async () => {
    const { terminal, conductor } = onTerminal([ANSWER]);
    await terminal.settle();
    expect(terminal.screen()).toBe("indus\n›");
    await terminal.type("hello\r");
    expect(terminal.screen()).toBe("indus\n› hello\nAll done.\n— 1 turn, 0 ms, 1.0k tokens in, 200 out\n›");
    expect(conductor.calls).toEqual(["submit: hello"]);
  });

  test("a line typed during a task steers it; the answer waits while it is typed", async () => {
    const script: Script = {
      steps: [text("All "), "pause", text("done."), "pause"],
      end: complete("All done."),
    };
    const { terminal, conductor } = onTerminal([script]);
    await terminal.type("go\r");
    await terminal.type("wai");
    conductor.resume();
    await terminal.settle();
    expect(terminal.screen()).toBe("indus\n› go\nAll\n› wai");
    await terminal.type("t\r");
    expect(conductor.calls).toEqual(["submit: go", "steer: wait"]);
    expect(terminal.screen()).toBe("indus\n› go\nAll\n› wait\n(joins at the next step)\ndone.");
  });

  test("a line half typed when the task ends stays in the prompt", async () => {
    const { terminal, conductor } = onTerminal([
      { steps: ["pause", ...ANSWER.steps], end: ANSWER.end },
      ANSWER,
    ]);
    await terminal.type("go\r");
    await terminal.type("nex");
    conductor.resume();
    await terminal.settle();
    expect(terminal.screen()).toBe("indus\n› go\nAll done.\n— 1 turn, 0 ms, 1.0k tokens in, 200 out\n› nex");
    await terminal.type("t\r");
    expect(conductor.calls).toEqual(["submit: go", "submit: next"]);
  });

  test("a command typed during a task runs at once, Enter and Backspace alone do nothing", async () => {
    const note = command("note", ({ say }) => say("noted"));
    const { terminal, conductor } = onTerminal(
      [{ steps: [text("working"), "pause"], end: complete("") }],
      [note],
    );
    await terminal.type("go\r");
    await terminal.type("\r");
    await terminal.type("\x7f");
    await terminal.type("/note\r");
    expect(terminal.screen()).toBe("indus\n› go\nworking\n› /note\nnoted");
    expect(conductor.calls).toEqual(["submit: go"]);
  });

  test("Ctrl+C stops the task; at the prompt after it, two leave", async () => {
    const { terminal, conductor, exitCode } = onTerminal([
      { steps: [text("working"), "pause"], end: complete("") },
    ]);
    await terminal.type("go\r");
    await terminal.type("\x03");
    expect(terminal.screen()).toBe("indus\n› go\nworking\nstopped\n›");
    await terminal.type("\x03");
    expect(terminal.screen()).toBe("indus\n› go\nworking\nstopped\npress Ctrl+C again to quit\n›");
    await terminal.type("\x03");
    expect(await exitCode).toBe(0);
    expect(conductor.calls).toEqual(["submit: go", "abort"]);
    expect(terminal.raw().endsWith("\x1b[?2004l")).toBe(true);
    expect(terminal.input.rawModes.at(-1)).toBe(false);
  });

  test("a second Ctrl+C leaves a task that does not stop, however late", async () => {
    const stuck = (): Promise<void> => new Promise(() => undefined);
    const { terminal, clock, exitCode } = onTerminal([{ steps: [stuck], end: complete("") }]);
    await terminal.type("go\r");
    await terminal.type("\x03");
    clock.ms = 60_000;
    await terminal.type("\x03");
    expect(await exitCode).toBe(0);
  });

  test("idle, Ctrl+C asks to be repeated; only within 2 s that leaves", async () => {
    const { terminal, clock, exitCode } = onTerminal([]);
    await terminal.type("\x03");
    expect(terminal.screen()).toBe("indus\npress Ctrl+C again to quit\n›");
    clock.ms = 2000;
    await terminal.type("\x03");
    expect(terminal.screen()).toBe("indus\npress Ctrl+C again to quit\npress Ctrl+C again to quit\n›");
    clock.ms = 3999;
    await terminal.type("\x03");
    expect(await exitCode).toBe(0);
  });

  test("Ctrl+C clears a typed line first", async () => {
    const { terminal, conductor } = onTerminal([ANSWER]);
    await terminal.type("one\\\r");
    await terminal.type("wrong");
    await terminal.type("\x03");
    await terminal.type("right\r");
    expect(conductor.calls).toEqual(["submit: right"]);
  });

  test("Ctrl+D leaves at once when idle, and after the task during one", async () => {
    const idle = onTerminal([]);
    await idle.terminal.type("\x04");
    expect(await idle.exitCode).toBe(0);

    const busy = onTerminal([{ steps: ["pause", ...ANSWER.steps], end: ANSWER.end }]);
    await busy.terminal.type("go\r");
    await busy.terminal.type("\x04");
    busy.conductor.resume();
    expect(await busy.exitCode).toBe(0);
    expect(busy.terminal.screen()).toBe("indus\n› go\nAll done.\n— 1 turn, 0 ms, 1.0k tokens in, 200 out");
    expect(busy.conductor.calls).toEqual(["submit: go"]);
  });

  test("a pasted text of several lines is one task; without the marks it would be several", async () => {
    const marked = onTerminal([ANSWER, ANSWER]);
    await marked.terminal.type("\x1b[200~one\rtwo\x1b[201~");
    expect(marked.terminal.screen()).toBe("indus\n› one␊two");
    await marked.terminal.type("\r");
    expect(marked.conductor.calls).toEqual(["submit: one\ntwo"]);

    const unmarked = onTerminal([ANSWER, ANSWER]);
    await unmarked.terminal.type("one\rtwo\r");
    expect(unmarked.conductor.calls).toEqual(["submit: one", "submit: two"]);
  });

  test("a backslash continues a line behind its own prompt", async () => {
    const { terminal, conductor } = onTerminal([ANSWER]);
    await terminal.type("one\\\r");
    expect(terminal.screen()).toBe("indus\n› one\\\n…");
    await terminal.type("two\r");
    expect(conductor.calls).toEqual(["submit: one\ntwo"]);
  });

  test("an alert while idle stands above the prompt, and waits for a line that is being typed", async () => {
    const { terminal, conductor } = onTerminal([ANSWER]);
    await terminal.settle();
    conductor.emit({ kind: "alert", text: "first" });
    await terminal.type("ab");
    conductor.emit({ kind: "alert", text: "second" });
    await terminal.settle();
    expect(terminal.screen()).toBe("indus\n! first\n› ab");
    await terminal.type("c\r");
    expect(terminal.screen()).toBe(
      "indus\n! first\n› abc\n! second\nAll done.\n— 1 turn, 0 ms, 1.0k tokens in, 200 out\n›",
    );
  });

  test("Ctrl+C at a question stops the task", async () => {
    const terminal = createTestTerminal();
    const dialogue = createDialogue({ ...terminal, isTerminal: true, colour: false });
    const question = { tool: "bash", folder: "/p", accesses: [], reason: "why not", sessionRule: "bash" };
    const ask = async (signal: AbortSignal): Promise<void> => {
      await expect(dialogue.ask(question, signal)).rejects.toThrow("Cancelled.");
    };
    const { conductor } = startConsole(dialogue, [{ steps: [ask], end: complete("") }]);
    await terminal.type("go\r");
    await terminal.type("\x03");
    expect(conductor.calls).toEqual(["submit: go", "abort"]);
    expect(terminal.screen()).toBe(
      "indus\n› go\n? bash asks for permission: why not\n  [y] once  [s] this session (bash)  [n] no\nstopped\n›",
    );
  });
});
