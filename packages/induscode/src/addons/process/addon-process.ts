// One running process of an addon with the connection to it: started in its own process group, spoken to over its standard
// input and output, and ended as a group. Restarting it is up to its owner.

import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { StringDecoder } from "node:string_decoder";
import { signalGroup, startGroup } from "indusagi/capabilities";
import { deferred, describeError } from "indusagi/core";
import { LOG_BYTES_A_SECOND } from "./addon-log.ts";
import { createLastLines } from "./last-lines.ts";
import { readPaced } from "./paced-reader.ts";
import { type IncomingHandler, type Peer, ProtocolBreach, type ProtocolLimits } from "./protocol/contract.ts";
import { createPeer } from "./protocol/peer.ts";

interface ProcessOptions {
  /** Already confined. argv[0] is absolute. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** It is there for an MCP server, and ends as that does. */
  readonly isServer?: boolean | undefined;
  readonly limits: ProtocolLimits;
  /** Answers what the addon asks of the host. */
  readonly handle: IncomingHandler;
  /** Receives what it writes to its standard error, in pieces. */
  readonly onLog: (text: string) => void;
  /** Called once, when it is gone and the host did not end it; every pending request has been rejected by then. */
  readonly onGone: (why: ProtocolBreach) => void;
}

export interface AddonProcess {
  readonly request: Peer["request"];
  /** How many callers wait for an answer. One that was just rejected counts until it has noticed. */
  readonly pending: () => number;
  /** What it last wrote to its standard error, as a sentence to append to another one; empty if it wrote nothing. */
  readonly lastWords: () => string;
  readonly pid: number | undefined;
  /** Asks it to end, waits at most `graceMs`, and ends what is left of its group. Never rejects. */
  readonly dispose: (graceMs: number) => Promise<void>;
  /** Ends the whole group at once. */
  readonly kill: () => void;
}

/** Starts the process. If it cannot start, it counts as gone at once and `onGone` is called. */
export function startAddonProcess(options: ProcessOptions): AddonProcess {
  const { argv, cwd, env, isServer = false, limits, handle, onLog, onGone } = options;
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
  const printed = new StringDecoder("utf8"); // a character may be split across two pieces
  const lastLines = createLastLines();
  readPaced(stderr, {
    bytesPerSecond: LOG_BYTES_A_SECOND,
    onChunk(chunk) {
      const text = printed.write(chunk);
      lastLines.add(text);
      onLog(text);
    },
  });
  // A pipe breaks when the process ends; its exit already reports that once.
  for (const stream of [stdin, stdout, stderr]) stream.on("error", () => stream.destroy());
  child.once("error", (error) => {
    exit.resolve();
    end(new ProtocolBreach("closed", `its process could not be started: ${describeError(error)}`));
  });
  let patience: NodeJS.Timeout | undefined;
  let isKilled = false;
  // Nothing more can arrive. The exit, which usually follows, best explains why it closed its output: a process that is about
  // to end has its own exit code, however late that is heard of, and only one that is not ends by the signal.
  stdout.once("end", () => {
    patience ??= setTimeout(() => {
      isKilled = true;
      signalGroup(child.pid, "SIGKILL");
    }, EXIT_GRACE_MS);
  });
  let hasAnswered = false;
  child.once("exit", (code, signal) => {
    const how = (): string => {
      if (isServer) return serverEndInWords(code, signal, hasAnswered, lastLines.text());
      const closed = isKilled && signal === "SIGKILL";
      return (closed ? "it closed its output" : exitInWords(code, signal)) + lastLines.inWords();
    };
    signalGroup(child.pid, "SIGKILL"); // what is left of its group would hold the pipes open
    const onDrained = (): void => {
      clearTimeout(patience);
      exit.resolve();
      end(new ProtocolBreach("closed", how()));
    };
    // A pipe may still contain what it wrote before it ended: the answer that somebody waits for, or why it ended.
    clearTimeout(patience);
    patience = setTimeout(onDrained, EXIT_GRACE_MS);
    child.once("close", onDrained);
  });
  // The process keeps the product running only while somebody waits for it. The process is ref'd and not its pipes: they
  // may close long before it has ended, and its end is the last event.
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
        const answer = await peer.request(method, params, options);
        hasAnswered = true;
        return answer;
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

  /** Also runs when the leader has ended: members of its group may still be running. */
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
 * exit to the end of its pipes, which a child process that left its group may hold open.
 */
const EXIT_GRACE_MS = 250;

type Pipes = Pick<ChildProcess, "stdin" | "stdout" | "stderr">;

function requirePipes(child: ChildProcess): { readonly [P in keyof Pipes]: NonNullable<Pipes[P]> } {
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error("the process has no pipes");
  return { stdin, stdout, stderr };
}

function unref(stream: object): void {
  (stream as { readonly unref?: () => void }).unref?.(); // a socket, although it is typed as a plain stream
}

function exitInWords(code: number | null, signal: NodeJS.Signals | null): string {
  const by = signal ?? signalOf(code);
  return by === undefined ? `its process exited with code ${code}` : `its process was killed by ${by}`;
}

function serverEndInWords(
  code: number | null,
  signal: NodeJS.Signals | null,
  hasAnswered: boolean,
  words: string,
): string {
  const by = signal ?? signalOf(code);
  const how = by === undefined ? `ended with code ${code}` : `was ended by ${by}`;
  const when = hasAnswered ? "" : " before it answered";
  return `the server ${how}${when}${words === "" ? ", and wrote nothing to its standard error" : `: ${words}`}`;
}

/** As shells do, a sandbox and `mcp-addon` end with this code and the number of the signal that ended what they started. */
const SIGNAL_CODES = 128;

function signalOf(code: number | null): string | undefined {
  const number = (code ?? 0) - SIGNAL_CODES;
  return Object.entries(constants.signals).find(([, each]) => each === number)?.[0];
}
