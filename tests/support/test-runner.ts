// A runner of its own for each test, over real pipes and with raw lines: no host, and nothing between the test and the
// protocol. It is ended with its test.

import { spawn } from "node:child_process";
import { onTestFinished } from "vitest";
import type { AddonProgram } from "../../packages/induscode/src/addons/process/contract.ts";
import { keptFolder } from "./kept-folder.ts";

export type Message = Readonly<Record<string, unknown>>;

export interface TestRunner {
  /** Writes one line unchanged. */
  readonly write: (line: string) => void;
  /** Sends a request and waits for its answer; other messages stay in `messages`. */
  readonly request: (method: string, params?: unknown) => Promise<Message>;
  /** Sends a request without waiting; returns its id. */
  readonly send: (method: string, params?: unknown) => number;
  readonly notify: (method: string, params: unknown) => void;
  /** The first matching message, past or future. */
  readonly message: (fits: (message: Message) => boolean) => Promise<Message>;
  readonly answerTo: (id: number) => Promise<Message>;
  /** All received messages, in order. */
  readonly messages: readonly Message[];
  /** Closes its standard input. */
  readonly end: () => void;
  readonly kill: () => void;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  readonly stderr: () => string;
}

const WAIT_MS = 60_000;

/** What the host asks first. */
export const DESCRIBE = {
  protocol: { min: 1, max: 1 },
  id: "derived",
  cwd: "/workspace",
  grants: [],
} as const;

// The runner's sources are compiled once instead of for each start, which saves three quarters of the time.
const cache = keptFolder("runners");

/** Starts a program as the host does without another sandbox: with Node's permissions, unless specified otherwise. */
export function startProgram(
  { argv, cwd, readable }: AddonProgram,
  { permissions = true }: { readonly permissions?: boolean } = {},
): TestRunner {
  const [node = "", ...args] = argv;
  const flags = [
    "--permission",
    `--allow-fs-read=${cache}`,
    `--allow-fs-write=${cache}`,
    ...readable.map((path) => `--allow-fs-read=${path}`),
  ];
  const env = { NODE_COMPILE_CACHE: cache };
  return startCommand([node, ...(permissions ? flags : []), ...args], { cwd, env });
}

/** Starts a command line unchanged. */
export function startCommand(
  [command = "", ...args]: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): TestRunner {
  const child = spawn(command, args, { cwd, stdio: ["pipe", "pipe", "pipe"], env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const messages: Message[] = [];
  const listeners = new Set<() => void>();
  let text = "";
  let errors = "";
  let lastId = 0;
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) messages.push(JSON.parse(line) as Message);
    for (const listener of [...listeners]) listener();
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    errors += chunk;
  });
  child.stdin.on("error", () => undefined); // it may have ended: the test checks how
  const ended = new Promise<{ code: number | null; signal: string | null }>((done) => {
    child.once("close", (code, signal) => {
      done({ code, signal });
      for (const listener of [...listeners]) listener();
    });
  });

  function message(fits: (message: Message) => boolean): Promise<Message> {
    return new Promise((found, failed) => {
      const giveUp = (why: string): void => {
        stop();
        failed(new Error(`${why}; it sent ${JSON.stringify(messages)} and said ${errors}`));
      };
      const look = (): void => {
        const one = messages.find(fits);
        if (one) {
          stop();
          found(one);
        } else if (child.exitCode !== null || child.signalCode !== null) giveUp("the runner ended");
      };
      const timer = setTimeout(() => giveUp(`nothing came in ${WAIT_MS} ms`), WAIT_MS);
      const stop = (): void => {
        clearTimeout(timer);
        listeners.delete(look);
      };
      listeners.add(look);
      look();
    });
  }
  const write = (line: string): void => void child.stdin.write(`${line}\n`);
  const send = (method: string, params: unknown = {}): number => {
    const id = ++lastId;
    write(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return id;
  };
  const answerTo = (id: number): Promise<Message> =>
    message((each) => each.id === id && each.method === undefined);
  return {
    write,
    send,
    answerTo,
    message,
    messages,
    request: (method, params) => answerTo(send(method, params)),
    notify: (method, params) => write(JSON.stringify({ jsonrpc: "2.0", method, params })),
    end: () => child.stdin.end(),
    kill: () => void child.kill("SIGKILL"),
    ended,
    stderr: () => errors,
  };
}
