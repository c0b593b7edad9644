// One running process of an addon with the connection to it: started in a group of its own, spoken to over its standard
// input and output, and ended as a group. It is started again by whoever owns it, never by itself.

import type { ChildProcess } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { signalGroup, startGroup } from "indusagi/capabilities";
import { deferred, describeError } from "indusagi/core";
import { LOG_BYTES_A_SECOND } from "./addon-log.ts";
import { createLastLines } from "./last-lines.ts";
import { readPaced } from "./paced-reader.ts";
import { type IncomingHandler, type Peer, ProtocolBreach, type ProtocolLimits } from "./protocol/contract.ts";
import { createPeer } from "./protocol/peer.ts";

interface ProcessOptions {
  /** Confined already. argv[0] is absolute. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: ProtocolLimits;
  /** Answers what the addon asks of the host. */
  readonly handle: IncomingHandler;
  /** Hears what it writes to its standard error, in pieces. */
  readonly onLog: (text: string) => void;
  /** Called once, when it is gone and the host did not end it; every pending request has rejected by then. */
  readonly onGone: (why: ProtocolBreach) => void;
}

export interface AddonProcess {
  readonly request: Peer["request"];
  /** How many callers wait for an answer. One that was just rejected counts until it has noticed. */
  readonly pending: () => number;
  /** What it wrote last to its standard error, as a sentence to be put after another one; empty where it wrote nothing. */
  readonly lastWords: () => string;
  readonly pid: number | undefined;
  /** Asks it to end, waits no longer than `graceMs`, and ends what is left of its group. Never rejects. */
  readonly dispose: (graceMs: number) => Promise<void>;
  /** Ends the whole group at once. */
  readonly kill: () => void;
}

/** Starts the process. One that cannot start is gone at once, which `onGone` hears. */
export function startAddonProcess(options: ProcessOptions): AddonProcess {
  const { argv, cwd, env, limits, handle, onLog, onGone } = options;
  const child = startGroup(argv, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  const { stdin, stdout, stderr } = requirePipes(child);
  let ended = false;
  const exit = deferred<void>();
  const peer = createPeer({
    limits,
    write: (line) => (stdin.destroyed ? undefined : stdin.write(line)),
    unsent: () => stdin.writableLength,
    onIgnored: (why) => onLog(`${why}\n`),
    handle,
    onBreach: end,
  });

  stdout.on("data", (chunk: Buffer) => peer.receive(chunk));
  const printed = new StringDecoder("utf8"); // a character may come in two pieces
  const lastLines = createLastLines();
  readPaced(stderr, {
    bytesPerSecond: LOG_BYTES_A_SECOND,
    onChunk(chunk) {
      const text = printed.write(chunk);
      lastLines.add(text);
      onLog(text);
    },
  });
  // A pipe breaks when the process ends; that it ended is reported once, by its exit.
  for (const stream of [stdin, stdout, stderr]) stream.on("error", () => stream.destroy());
  child.once("error", (error) => {
    exit.resolve();
    end(new ProtocolBreach("closed", `its process could not be started: ${describeError(error)}`));
  });
  let patience: NodeJS.Timeout | undefined;
  // Nothing more can come of it. Why it closed its output is said best by its exit, which mostly follows.
  stdout.once("end", () => {
    patience ??= setTimeout(
      () => end(new ProtocolBreach("closed", `it closed its output${lastLines.inWords()}`)),
      EXIT_GRACE_MS,
    );
  });
  child.once("exit", (code, signal) => {
    signalGroup(child.pid, "SIGKILL"); // what is left of its group would hold the pipes open
    const onDrained = (): void => {
      clearTimeout(patience);
      exit.resolve();
      end(new ProtocolBreach("closed", exitInWords(code, signal) + lastLines.inWords()));
    };
    // What it wrote before it ended may still be in a pipe: the answer that somebody waits for, or why it ended.
    clearTimeout(patience);
    patience = setTimeout(onDrained, EXIT_GRACE_MS);
    child.once("close", onDrained);
  });
  // A process that nobody waits for does not keep the product running; one that somebody waits for does. The process and not
  // its pipes: they may close long before it has ended, and that it ended is the last that comes.
  for (const stream of [stdin, stdout, stderr]) unref(stream);
  child.unref();
  let holders = 0;
  const hold = (): void => {
    if (++holders === 1) child.ref();
  };
  const release = (): void => {
    if (--holders === 0) child.unref();
  };
  let waiting = 0;

  return {
    async request(method, params, options) {
      waiting++;
      hold();
      try {
        return await peer.request(method, params, options);
      } finally {
        waiting--;
        release();
      }
    },
    pending: () => waiting,
    lastWords: lastLines.inWords,
    pid: child.pid,
    async dispose(graceMs) {
      if (ended) return;
      ended = true;
      hold();
      const signal = AbortSignal.timeout(graceMs);
      const goodbye = peer.request("dispose", {}, { signal }).catch(() => undefined); // it ends either way
      await Promise.race([goodbye, exit.promise]);
      stdin.end();
      const patience = setTimeout(exit.resolve, EXIT_GRACE_MS);
      await exit.promise;
      clearTimeout(patience);
      finish(new ProtocolBreach("closed", "the host ended its process"));
      release();
    },
    kill: () => {
      ended = true;
      finish(new ProtocolBreach("closed", "the host ended its process"));
    },
  };

  function end(why: ProtocolBreach): void {
    if (ended) return;
    ended = true;
    finish(why);
    onGone(why);
  }

  /** Also when the leader has ended: members of its group may not have. */
  function finish(why: ProtocolBreach): void {
    peer.close(why);
    signalGroup(child.pid, "SIGKILL");
    stdin.destroy();
    stdout.destroy();
    stderr.destroy();
  }
}

/**
 * How long a process may take from its answer to `dispose`, or the end of its input or output, to its exit; and from its
 * exit to the end of its pipes, which one that it started and that left its group may hold.
 */
const EXIT_GRACE_MS = 250;

type Pipes = Pick<ChildProcess, "stdin" | "stdout" | "stderr">;

function requirePipes(child: ChildProcess): { readonly [P in keyof Pipes]: NonNullable<Pipes[P]> } {
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error("the process has no pipes");
  return { stdin, stdout, stderr };
}

function unref(stream: object): void {
  (stream as { readonly unref?: () => void }).unref?.(); // a socket, although its type is any stream's
}

function exitInWords(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `its process ended with exit code ${code}` : `its process was ended by ${signal}`;
}
