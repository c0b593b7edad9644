// Runs the real command in a pseudo-terminal, with what a person would see on it: the bytes go to a headless xterm,
// and are kept unchanged.

import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { type IPty, spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { onTestFinished } from "vitest";
import { builtCommand } from "./built.ts";
import { ifThere } from "./if-there.ts";
import { modelEnvironment, type Workplace } from "./indus.ts";
import { PATIENCE_MS } from "./until.ts";

export interface TerminalOptions {
  /** Which console it opens: the plain one, the rich one (the default on a terminal), or none, as with `-p` and most subcommands. */
  readonly console: "plain" | "rich" | "none";
  readonly place: Pick<Workplace, "home" | "cwd">;
  /** Where both wires answer. */
  readonly url: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
  /**
   * Starts it from a shell, as a person does, and prints the terminal's modes before and after it (`modes: …`, one line in the
   * format of `stty -g`) and its exit code (`left: 0`).
   */
  readonly underShell?: boolean;
}

export interface TestedTerminal {
  /** The rows as shown, including those that scrolled away, without trailing blanks. */
  readonly screen: () => string;
  /** The cursor's position: the row is one of {@link screen}'s. */
  readonly cursor: () => { readonly row: number; readonly column: number };
  /** Moves so far that would have left the window, which stops the cursor at its edge. */
  readonly strayMoves: () => readonly string[];
  /** Every byte so far, as text: a byte that is not UTF-8 is U+FFFD. */
  readonly raw: () => string;
  /** The title set by the last title sequence; empty if there was none. */
  readonly title: () => string;
  /** Resolves as soon as the screen shows it; after a long time, rejects with the current screen. */
  readonly waitFor: (shown: string | RegExp) => Promise<void>;
  /** Sends keyboard input. */
  readonly type: (keys: string) => void;
  /** Sends it as somebody does who has read what stands there: a question takes no key that is pressed sooner. */
  readonly answer: (keys: string) => Promise<void>;
  /** Resizes the window. */
  readonly resize: (columns: number, rows: number) => void;
  /** Closes the terminal, like a closed window or a broken connection. Returns the command's process id. */
  readonly hangUp: () => number;
  /** Sends a signal to the command itself. */
  readonly signal: (name: NodeJS.Signals) => void;
  /** The exit code once it has ended and all its output is on the screen; 128 + n for signal n. */
  readonly left: Promise<number>;
}

/** Starts `indus`, and ends it with the test that started it. */
export function openTerminal(options: TerminalOptions): TestedTerminal {
  const { place, url, env = {}, columns = 100, rows = ROWS, underShell = false } = options;
  const args = [...(options.args ?? []), ...(options.console === "plain" ? ["--plain"] : [])];
  const screen = createScreen(columns, rows);
  const command = underShell ? ["sh", "-c", UNDER_SHELL, builtCommand(), ...args] : [builtCommand(), ...args];
  const child = spawn(command[0] ?? "", command.slice(1), {
    name: env.TERM ?? "xterm-256color",
    cols: columns,
    rows,
    cwd: place.cwd,
    encoding: null,
    env: {
      PATH: process.env.PATH,
      HOME: place.home,
      INDUS_HOME: place.home,
      TMPDIR: tmpdir(),
      CI: "1", // nobody is asked which colours they want
      ...modelEnvironment(url),
      ...env,
    },
  });
  // Without an encoding the pty delivers bytes, whatever its type says.
  child.onData((chunk: unknown) => screen.feed(chunk as Buffer));
  let ended = false;
  const left = new Promise<number>((resolve) => {
    child.onExit(({ exitCode, signal }) => {
      ended = true;
      void screen.settled().then(() => resolve(signal ? 128 + signal : exitCode));
    });
  });
  const commandPid = (): number => (underShell ? childOf(child.pid) : child.pid);
  onTestFinished(async () => {
    if (ended) return;
    const pids = underShell ? [commandPid(), child.pid] : [child.pid];
    for (const pid of pids) if (pid > 0) ifThere(() => process.kill(pid, "SIGKILL"));
    await left;
  });
  return {
    screen: screen.text,
    cursor: screen.cursor,
    strayMoves: screen.strayMoves,
    raw: screen.raw,
    title: screen.title,
    waitFor: (shown) => screen.waitFor(shown),
    type: (keys) => child.write(keys),
    answer: async (keys) => {
      await pause(READ_MS);
      child.write(keys);
    },
    resize: (columns, rows) => {
      screen.resize(columns, rows);
      child.resize(columns, rows);
    },
    hangUp: () => {
      const pid = commandPid();
      ended = true;
      (child as IPty & { readonly destroy: () => void }).destroy();
      return pid;
    },
    signal: (name) => void process.kill(commandPid(), name),
    left,
  };
}

const ROWS = 30;
/** Longer than a question stands before it takes keys. */
const READ_MS = 700;
const UNDER_SHELL = 'echo "modes: $(stty -g)"; "$0" "$@"; echo "left: $?"; echo "modes: $(stty -g)"';

/** The only child of a process (Linux); 0 when it has none. */
function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")[0]);
}

interface Screen extends Pick<TestedTerminal, "raw" | "title" | "waitFor" | "cursor" | "strayMoves"> {
  readonly text: () => string;
  readonly resize: (columns: number, rows: number) => void;
  readonly feed: (chunk: Buffer) => void;
  /** Resolves when everything fed is shown. */
  readonly settled: () => Promise<void>;
}

/** A terminal without a window: shows what bytes look like on it. */
export function createScreen(columns: number, rows: number = ROWS): Screen {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 10_000,
    allowProposedApi: true,
  });
  const chunks: Buffer[] = [];
  const watchers = new Set<() => void>();
  let title = "";
  terminal.onTitleChange((changed) => {
    title = changed;
  });

  const strayMoves: string[] = [];
  const active = (): xterm.Terminal["buffer"]["active"] => terminal.buffer.active;
  const ROOM: Readonly<Record<string, () => number>> = {
    A: () => active().cursorY,
    B: () => terminal.rows - 1 - active().cursorY,
    C: () => terminal.cols - 1 - active().cursorX,
    D: () => active().cursorX,
  };
  for (const [final, room] of Object.entries(ROOM))
    terminal.parser.registerCsiHandler({ final }, ([given]) => {
      const by = Math.max(1, Number(given));
      if (by > room()) strayMoves.push(`${by}${final} of ${room()}`);
      return false; // the terminal still moves it
    });

  function text(): string {
    const { active } = terminal.buffer;
    const rows = Array.from(
      { length: active.length },
      (_, row) => active.getLine(row)?.translateToString(true) ?? "",
    );
    return rows.join("\n").trimEnd();
  }

  return {
    text,
    strayMoves: () => strayMoves,
    cursor: () => ({ row: active().baseY + active().cursorY, column: active().cursorX }),
    resize: (width, height) => terminal.resize(width, height),
    raw: () => Buffer.concat(chunks).toString("utf8"),
    title: () => title,
    feed: (chunk) => {
      chunks.push(chunk);
      terminal.write(chunk, () => {
        for (const watch of watchers) watch();
      });
    },
    settled: () => new Promise((resolve) => terminal.write("", resolve)),
    waitFor: (shown) =>
      new Promise((resolve, reject) => {
        const watch = (): void => {
          const found = typeof shown === "string" ? text().includes(shown) : shown.test(text());
          if (found) settle(resolve);
        };
        const timer = setTimeout(
          () => settle(() => reject(new Error(`waited for ${shown}; the screen shows:\n${text()}`))),
          PATIENCE_MS,
        );
        const settle = (outcome: () => void): void => {
          clearTimeout(timer);
          watchers.delete(watch);
          outcome();
        };
        watchers.add(watch);
        watch();
      }),
  };
}
