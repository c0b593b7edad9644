// The way to an MCP server that is a program: it is started, and each line of its standard output is a message. The library's own
// transport hides how a program ended, and leaves an answer that it cannot read unanswered.

import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { lineOf } from "../../process/protocol/message-lines.ts";
import { createLineSplitter } from "../pipe-lines.ts";
import { createStandIns } from "./mcp-stand-ins.ts";

interface ProgramOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** From its exit to the end of its pipes, which a process that it started may hold open. */
const DRAIN_MS = 250;
/** Of a line that is not a message. */
const MAX_NOISE = 1_000;
/** What a shell adds to the number of the signal that ended a program. */
const SIGNAL_CODES = 128;

export class ServerProgram implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** By these two the library knows a transport of this kind. */
  readonly stderr: undefined;
  pid: number | undefined;
  /** Once it is gone: its exit code, or the one that a shell gives for its signal. */
  exitCode: number | undefined;
  hasAnswered = false;
  readonly #options: ProgramOptions;
  readonly #standIns = createStandIns();
  #child: ChildProcess | undefined;

  constructor(options: ProgramOptions) {
    this.#options = options;
  }

  start(): Promise<void> {
    const { command, cwd, env } = this.#options;
    const [program = "", ...args] = command;
    return new Promise((resolve, reject) => {
      const child = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
      this.#child = child;
      this.pid = child.pid;
      child.once("spawn", resolve);
      child.once("error", (error) => reject(new Error(`the server could not be started: ${error.message}`)));
      child.once("exit", (code, signal) => {
        const end = (): void => this.#end(code ?? SIGNAL_CODES + (signal ? constants.signals[signal] : 0));
        child.once("close", end);
        setTimeout(end, DRAIN_MS);
      });
      child.stdout.on(
        "data",
        createLineSplitter((line) => this.#receive(line)),
      );
      // Its end says more.
      child.stdin.on("error", () => child.stdin.destroy());
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#standIns.sent(message);
    this.#child?.stdin?.write(lineOf(JSON.stringify(message)));
  }

  async close(): Promise<void> {
    this.#child?.kill("SIGKILL");
  }

  #receive(line: string): void {
    const found = messagesIn(line);
    // It explains itself there, if it is not the program that somebody took it for.
    if (found.length === 0) process.stderr.write(`${line.slice(0, MAX_NOISE)}\n`);
    for (const message of found) {
      this.hasAnswered = true;
      try {
        this.onmessage?.(this.#standIns.received(message));
      } catch (error) {
        this.onerror?.(error as Error); // what the library cannot read costs that message
      }
    }
  }

  #end(exitCode: number): void {
    if (this.exitCode !== undefined) return;
    this.exitCode = exitCode;
    this.onclose?.();
  }
}

/** A line is a message, or a list of them, as one version of the protocol has it. */
function messagesIn(line: string): readonly JSONRPCMessage[] {
  try {
    const value: unknown = JSON.parse(line);
    return (Array.isArray(value) ? value : [value]).filter(isMessage);
  } catch {
    return []; // what a program prints for people
  }
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === "object" && value !== null && ("id" in value || "method" in value);
}
