// One running process of an addon with the connection to it: started in its own process group, spoken to over its standard
// input and output, and ended as a group. Restarting it is up to its owner.

import type { ChildProcess } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { signalGroup, startGroup } from "indusagi/capabilities";
import { deferred, describeError } from "indusagi/core";
import { LOG_BYTES_A_SECOND } from "./addon-log.ts";
import { createLastLines } from "./last-lines.ts";
import { readPaced } from "./paced-reader.ts";
import { EXIT_GRACE_MS, exitInWords, onProcessEnd, serverEndInWords } from "./process-end.ts";
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
  let hasAnswered = false;
  onProcessEnd(child, stdout, (how) => {
    exit.resolve();
    const words = isServer
      ? serverEndInWords(how, hasAnswered, lastLines.text(!hasAnswered))
      : exitInWords(how) + lastLines.inWords();
    end(new ProtocolBreach("closed", words));
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

type Pipes = Pick<ChildProcess, "stdin" | "stdout" | "stderr">;

function requirePipes(child: ChildProcess): { readonly [P in keyof Pipes]: NonNullable<Pipes[P]> } {
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error("the process has no pipes");
  return { stdin, stdout, stderr };
}

function unref(stream: object): void {
  (stream as { readonly unref?: () => void }).unref?.(); // a socket, although it is typed as a plain stream
}
