// The server: its connections and its sessions, until somebody stops it or nobody needs it any more.

import type { Writable } from "node:stream";
import { deferred, monotonicMs } from "indusagi/core";
import type { Flags } from "../../cli/flags.ts";
import type { Invocation } from "../../cli/invocation.ts";
import { noticeLine } from "../../cli/notice-line.ts";
import { JsonRpc } from "./json-rpc.ts";
import { createAnswers } from "./methods.ts";
import { ServedSessions } from "./served-sessions.ts";
import type { Client } from "./watchers.ts";

export interface Ends {
  readonly input: ReadableStream<Uint8Array>;
  readonly output: Writable;
  /** Ends the connection. */
  readonly destroy: () => void;
}

export interface Server {
  /** Resolves when the other end has left. */
  readonly connect: (ends: Ends) => Promise<void>;
  /** Resolves to why the server is to end. */
  readonly stopped: Promise<string>;
  readonly stop: (why: string) => void;
  /** Ends all. Returns what went wrong, one line each. */
  readonly close: (why: string) => Promise<readonly string[]>;
  /** Stops once there was neither a connection nor work for this long. */
  readonly stopWhenIdle: (ms: number, why: string) => void;
}

const LOOKS_EVERY_MS = 30_000;

export function createServer(line: Invocation<Flags>): Server {
  const sessions = new ServedSessions(line);
  const stopping = deferred<string>();
  const open = new Map<Client, () => void>();
  const answers = createAnswers({ sessions, line, clients: () => open.size, stop: stopping.resolve });
  let idle: NodeJS.Timeout | undefined;
  return {
    stopped: stopping.promise,
    stop: stopping.resolve,
    async connect({ input, output, destroy }) {
      const gone = new AbortController();
      const leave = (): void => {
        gone.abort();
        destroy();
      };
      const connection = new JsonRpc({
        ...{ input, output, onStuck: leave },
        onProblem: (problem) => void process.stderr.write(noticeLine(problem)),
        answer: (method, params) => answers(method, params, client),
      });
      const client: Client = {
        notify: (method, params) => connection.notify(method, params),
        room: () => connection.room(),
        isGone: () => gone.signal.aborted,
        gone: gone.signal,
        leave,
      };
      open.set(client, leave);
      try {
        await connection.read();
      } finally {
        gone.abort();
        open.delete(client);
        for (const session of sessions.all()) session.unsubscribe(client);
      }
    },
    async close(why) {
      clearInterval(idle);
      const problems = await sessions.closeAll(why);
      await new Promise(setImmediate); // what they were told, and the last answers, are on their way
      for (const leave of open.values()) leave();
      return problems;
    },
    stopWhenIdle(ms, why) {
      let activeMs = monotonicMs();
      idle = setInterval(
        () => {
          if (open.size > 0 || sessions.all().some((session) => session.isAtWork())) activeMs = monotonicMs();
          else if (monotonicMs() - activeMs >= ms) stopping.resolve(why);
        },
        Math.min(LOOKS_EVERY_MS, ms / 2),
      );
    },
  };
}
