// A client of `indus serve`: over stdio it starts the server itself, over a socket it finds one.

import type { ChildProcess } from "node:child_process";
import { connect } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { Finished, Workplace } from "./indus.ts";
import { until } from "./until.ts";

interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface ServeClient {
  /** Resolves to the result; rejects with the error as `CODE MESSAGE`. */
  readonly request: (method: string, params?: object) => Promise<Readonly<Record<string, unknown>>>;
  /** Writes these bytes as they are. */
  readonly raw: (bytes: string | Uint8Array) => void;
  /** Reads nothing from now on. */
  readonly pause: () => void;
  /** Everything that came, in order. */
  readonly messages: readonly Message[];
  /** What was notified by this method. */
  readonly told: (method: string) => readonly Readonly<Record<string, unknown>>[];
  /** The entries and other events of a session, in order. */
  readonly events: (session?: unknown) => readonly Readonly<Record<string, unknown>>[];
  /** The other end closed the connection. */
  readonly isClosed: () => boolean;
  readonly leave: () => void;
}

export function createServeClient(input: Readable, output: Writable, leave: () => void): ServeClient {
  const messages: Message[] = [];
  let rest = "";
  let made = 0;
  let isClosed = false;
  input.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) messages.push(JSON.parse(line) as Message);
  });
  input.on("close", () => {
    isClosed = true;
  });
  output.on("error", () => undefined); // the server left first, which a test sees by what it answers
  const told: ServeClient["told"] = (method) =>
    messages.flatMap((message) => (message.method === method ? [message.params ?? {}] : []));
  return {
    messages,
    told,
    leave,
    isClosed: () => isClosed,
    pause: () => void input.pause(),
    raw: (bytes) => void output.write(bytes),
    async request(method, params) {
      const id = ++made;
      output.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      const answer = () => messages.find((message) => message.id === id && message.method === undefined);
      await until(() => answer() !== undefined || isClosed);
      const { result, error } = answer() ?? {};
      if (error !== undefined) throw new Error(`${error.code} ${error.message}`);
      if (result === undefined) throw new Error(`the server left without an answer to ${method}`);
      return result;
    },
    events: (session) =>
      told("event").flatMap((params) =>
        session === undefined || params.session === session
          ? [params.event as Readonly<Record<string, unknown>>]
          : [],
      ),
  };
}

/** `indus serve` on pipes. */
export function serveOverStdio(
  place: Workplace,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): ServeClient & { readonly ended: Promise<Finished>; readonly child: () => ChildProcess } {
  let started: ChildProcess | undefined;
  const ended = place.runAlone(["serve", "--model", "anthropic/scripted", ...args], {
    env,
    holdsStdin: true,
    onStart(child) {
      started = child;
    },
  });
  const child = (): ChildProcess => {
    if (started === undefined) throw new Error("not started");
    return started;
  };
  const { stdin, stdout } = child();
  if (!stdin || !stdout) throw new Error("no pipes to indus serve");
  return { ...createServeClient(stdout, stdin, () => stdin.end()), ended, child };
}

/** `indus serve --socket`, once it listens. */
export async function serveAtSocket(
  place: Workplace,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly path: string; readonly ended: Promise<Finished>; readonly child: ChildProcess }> {
  let path = "";
  let started: ChildProcess | undefined;
  const ended = place.runAlone(["serve", "--socket", "--model", "anthropic/scripted", ...args], {
    env,
    onStart(child) {
      started = child;
      child.stdout?.on("data", (chunk: Buffer) => (path += chunk.toString()));
    },
  });
  const isOver = ended.then((end) => {
    if (!path.includes("\n")) throw new Error(`indus serve did not start: ${end.stderr}`);
  });
  await Promise.race([until(() => path.includes("\n")), isOver]);
  if (started === undefined) throw new Error("not started");
  return { path: path.trim(), ended, child: started };
}

export async function connectAt(path: string): Promise<ServeClient> {
  const socket = connect(path);
  await new Promise((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  return createServeClient(socket, socket, () => socket.destroy());
}
