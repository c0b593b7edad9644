// What the scripted model requests, turn by turn, and the work folder that this applies to. Data only: no timing, no network.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScriptedTurn } from "../tests/support/model-server.ts";

/** Tool and argument names are the built-in tools'; the floor uses the same. */
export type Operation = "bash" | "edit" | "grep" | "read";

/** A scenario; `turn` is called for turns from 0, the last of which answers with text. */
export interface Scenario {
  readonly rounds: number;
  readonly turn: (index: number) => ScriptedTurn;
  /** The work folder is a git repository with all its files committed. */
  readonly isRepository?: true;
  /** The number of edits that must be in the work folder when the program has ended. */
  readonly edits?: number;
}

const fileCount = 20;
const done: ScriptedTurn = { text: "All counted." };

// Numbered words, because some clients stop a stream that repeats itself; a hundred deltas per write, because the server
// would be the slower side if it wrote each on its own.
const stream: ScriptedTurn = { text: words(20_000), pieces: 20_000, framesPerWrite: 100 };

/** Every scenario by name, with as many rounds as its variance requires. */
export const scenarios = {
  hello: { rounds: 9, turn: () => done },
  "loop-50": { rounds: 5, turn: (index) => loopTurn(index, 50), edits: editsIn(50) },
  "git-50": { rounds: 5, turn: (index) => gitTurn(index, 50), edits: editsIn(50), isRepository: true },
  "loop-500": { rounds: 3, turn: (index) => loopTurn(index, 500), edits: editsIn(500) },
  "big-output": {
    rounds: 5,
    turn: (index) => (index === 0 ? calls(bash(`yes ${"x".repeat(99)} | head -c 50000000`)) : done),
  },
  stream: { rounds: 5, turn: () => stream },
  fanout: {
    rounds: 5,
    turn: (index) => (index === 0 ? calls(...Array.from({ length: 10 }, () => bash("sleep 0.3"))) : done),
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;

/** The tool called in the answer of turn `index` in a loop scenario. */
export function loopOperation(index: number): Operation {
  return (["read", "grep", "edit", "bash"] as const)[index % 4] ?? "read";
}

/** Twenty small modules, each with a counter that the loop's edits increment. */
export function makeWorkFolder(folder: string, isRepository = false): void {
  mkdirSync(join(folder, "src"), { recursive: true });
  for (let number = 0; number < fileCount; number += 1) {
    const body = Array.from(
      { length: 24 },
      (_, line) => `export const value${line} = "module ${number}, line ${line}";`,
    );
    writeFileSync(join(folder, fileName(number)), [counterLine(0), ...body, ""].join("\n"));
  }
  if (!isRepository) return;
  const git = (...args: string[]): unknown =>
    execFileSync("git", ["-c", "user.name=bench", "-c", "user.email=bench@example.com", ...args], {
      cwd: folder,
    });
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "modules");
}

/** The number of the loop's edits found in the files. */
export function countEdits(folder: string): number {
  const counters = Array.from({ length: fileCount }, (_, number) =>
    Number(/counter = (\d+);/.exec(readFileSync(join(folder, fileName(number)), "utf8"))?.[1]),
  );
  return counters.reduce((sum, counter) => sum + counter, 0);
}

function loopTurn(index: number, turns: number): ScriptedTurn {
  if (index >= turns) return done;
  const group = Math.floor(index / 4);
  const path = fileName(group % fileCount);
  const counter = Math.floor(group / fileCount);
  switch (loopOperation(index)) {
    case "read":
      return calls({ name: "read", input: { path } });
    case "grep":
      return calls({
        name: "grep",
        input: { pattern: `module ${group % fileCount}, line 1[0-3]`, path: "src" },
      });
    case "edit":
      return calls({
        name: "edit",
        input: { path, oldText: counterLine(counter), newText: counterLine(counter + 1) },
      });
    case "bash":
      return calls(bash(`wc -l ${path}`));
  }
}

/** The same reads and edits, and git instead of the rest. */
function gitTurn(index: number, turns: number): ScriptedTurn {
  const operation = loopOperation(index);
  if (index >= turns || operation === "read" || operation === "edit") return loopTurn(index, turns);
  return calls(bash(operation === "grep" ? "git status --short" : "git log --oneline -5"));
}

function editsIn(turns: number): number {
  return Array.from({ length: turns }, (_, index) => loopOperation(index)).filter((name) => name === "edit")
    .length;
}

interface Call {
  readonly name: Operation;
  readonly input: Readonly<Record<string, string>>;
}

function calls(...list: Call[]): ScriptedTurn {
  return { calls: list };
}

function bash(command: string): Call {
  return { name: "bash", input: { command } };
}

/** Words of equal length, so that cutting the text into as many pieces cuts it between words. */
function words(count: number): string {
  return Array.from({ length: count }, (_, number) => `word ${String(number).padStart(5, "0")} `).join("");
}

function fileName(number: number): string {
  return `src/module-${String(number).padStart(2, "0")}.ts`;
}

function counterLine(value: number): string {
  return `export const counter = ${value};`;
}
