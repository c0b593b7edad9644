// One run of the program under test. Unlike the host's end it goes on after what breaks the protocol, and notes it.

import type { ChildProcess } from "node:child_process";
import { signalGroup, startGroup } from "indusagi/capabilities";
import { deferred, describeError, type JsonObject, type JsonValue, printable } from "indusagi/core";
import {
  checkParams,
  kindOfMethod,
} from "../../packages/induscode/src/addons/process/protocol/check-message.ts";
import {
  DEFAULT_LIMITS,
  ProtocolBreach,
} from "../../packages/induscode/src/addons/process/protocol/contract.ts";
import { parseFrame } from "../../packages/induscode/src/addons/process/protocol/frames.ts";
import { ERROR_CODES } from "../../packages/induscode/src/addons/process/protocol/messages.ts";
import {
  type RequestId,
  readMessage,
} from "../../packages/induscode/src/addons/process/protocol/read-message.ts";
import type {
  Answer,
  ConformanceOptions,
  Observations,
  OpenOptions,
  ProgramUnderTest,
  Session,
} from "./contract.ts";
import { hostAnswer } from "./host-answers.ts";

interface Open {
  readonly settle: (answer: Answer) => void;
  readonly silence: NodeJS.Timeout;
}

const KEPT_ERROR_CHARACTERS = 2_000;
const NEWLINE = 0x0a;
/** A line of nothing else is an empty one. */
const CARRIAGE_RETURN: Buffer = Buffer.from("\r");

/** Starts the program. One that cannot be started has ended at once, which `ended` tells. */
export function startSession(
  program: ProgramUnderTest,
  context: {
    readonly options: ConformanceOptions;
    readonly observations: Observations;
    readonly host: NonNullable<OpenOptions["host"]>;
  },
): Session {
  const { options, observations } = context;
  const child = startGroup(program.argv, {
    cwd: program.cwd,
    env: environment(),
    stdio: ["pipe", "pipe", "pipe"],
  });
  const { stdin, stdout, stderr } = pipesOf(child);
  const open = new Map<RequestId, Open>();
  const requested: string[] = [];
  const wrong: string[] = [];
  const slow: string[] = [];
  let lastId = 0;
  let end: { readonly how: string; readonly crashed: boolean } | undefined;
  const exit = deferred<void>();
  let errorText = "";
  let held = Buffer.alloc(0);

  stdout.on("data", (chunk: Buffer) => {
    held = Buffer.concat([held, chunk]);
    for (let at = held.indexOf(NEWLINE); at >= 0; at = held.indexOf(NEWLINE)) {
      const line = held.subarray(0, at);
      held = held.subarray(at + 1);
      if (line.length > 0 && !line.equals(CARRIAGE_RETURN)) takeLine(line);
    }
    if (held.length > DEFAULT_LIMITS.maxFrameBytes) {
      note(observations.stray, `a line without end ${shown(held)}`);
      held = Buffer.alloc(0);
    }
  });
  stderr.on("data", (chunk: Buffer) => {
    errorText = (errorText + chunk.toString("utf8")).slice(-KEPT_ERROR_CHARACTERS);
  });
  // A pipe to a program that has ended breaks; its end is reported by its exit.
  stdin.on("error", () => stdin.destroy());
  child.once("error", (error) => finish(`could not be started: ${describeError(error)}`, true));
  child.once("close", (code, signal) =>
    finish(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`, signal !== null),
  );

  function finish(how: string, crashed: boolean): void {
    if (end !== undefined) return;
    end = { how, crashed };
    if (held.length > 0) note(observations.stray, `an unfinished line ${shown(held)}`);
    for (const one of [...open.values()]) one.settle({ kind: "none", why: `the program ${how}` });
    exit.resolve();
  }

  function takeLine(line: Buffer): void {
    let value: JsonValue;
    try {
      value = parseFrame(line, DEFAULT_LIMITS);
    } catch (error) {
      if (!(error instanceof ProtocolBreach)) throw error;
      note(observations.stray, error.message);
      return;
    }
    takeMessage(value, line);
  }

  function takeMessage(value: JsonValue, line: Buffer): void {
    const message = readMessage(value);
    switch (message.kind) {
      case "broken":
      case "refused":
        note(wrong, `${message.problem}: ${shown(line)}`);
        break;
      case "result":
        answered(message.id, { kind: "result", result: message.result });
        break;
      case "error":
        answered(message.id, { kind: "error", code: message.error.code, message: message.error.message });
        break;
      case "request":
      case "notification":
        takeCall(message, line);
        break;
    }
  }

  function answered(id: RequestId, answer: Answer): void {
    const one = open.get(id);
    if (one === undefined) note(wrong, `an answer to ${JSON.stringify(id)}, which is not an open request`);
    else one.settle(answer);
  }

  function takeCall(
    call: {
      readonly kind: "request" | "notification";
      readonly id?: RequestId;
      readonly method: string;
      readonly params: JsonValue;
    },
    line: Buffer,
  ): void {
    const { method, params } = call;
    const known = kindOfMethod(method, "addonToHost");
    const problem =
      known === undefined
        ? `the host has no method ${JSON.stringify(method)}`
        : known === "notification" && call.kind === "request"
          ? `${method} is a notification: it has no id`
          : checkParams(method, params);
    if (problem !== undefined) note(wrong, `${problem}: ${shown(line)}`);
    if (call.kind === "request") {
      requested.push(method);
      send({ id: call.id ?? null, ...answerTo(method, problem) });
    } else if (method === "ack" && problem === undefined)
      acknowledged((params as JsonObject).id as RequestId);
  }

  function answerTo(method: string, problem: string | undefined): JsonObject {
    if (problem !== undefined) return { error: { code: ERROR_CODES.params, message: problem } };
    return hostAnswer(method, context.host);
  }

  function acknowledged(id: RequestId): void {
    const one = open.get(id);
    if (one !== undefined) clearTimeout(one.silence);
    else if (typeof id !== "number" || id < 1 || id > lastId)
      note(wrong, `an acknowledgement of ${JSON.stringify(id)}, which is not a request`);
  }

  function prepare(method: string, params: JsonValue) {
    const id = ++lastId;
    const line = `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
    const { promise, resolve } = deferred<Answer>();
    const silence = setTimeout(() => {
      note(slow, `${method}: neither acknowledged nor answered within ${options.acknowledgeMs} ms`);
    }, options.acknowledgeMs);
    const limit = setTimeout(() => {
      settle({ kind: "none", why: `there is no answer to ${method} after ${options.answerMs} ms` });
    }, options.answerMs);
    const settle = (answer: Answer): void => {
      clearTimeout(silence);
      clearTimeout(limit);
      open.delete(id);
      resolve(answer);
    };
    open.set(id, { settle, silence });
    if (end !== undefined) settle({ kind: "none", why: `the program ${end.how}` });
    return { id, line, answer: promise };
  }

  function write(text: string): void {
    if (!stdin.destroyed) stdin.write(text);
  }

  function send(message: JsonObject): void {
    write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  function begin(method: string, params: JsonValue) {
    const { id, line, answer } = prepare(method, params);
    write(line);
    return { id, answer };
  }

  return {
    begin,
    prepare,
    write,
    ask: (method, params) => begin(method, params).answer,
    notify: (method, params) => send({ method, params }),
    closeInput: () => stdin.end(),
    ended: () => end?.how,
    crashed: () => end?.crashed ?? false,
    async endsWithin(ms) {
      const { promise, resolve } = deferred<void>();
      const timer = setTimeout(resolve, ms);
      await Promise.race([exit.promise, promise]);
      clearTimeout(timer);
      return end !== undefined;
    },
    requested,
    wrong,
    slow,
    errorText: () => errorText,
    async stop() {
      signalGroup(child.pid, "SIGKILL");
      for (const stream of [stdin, stdout, stderr]) stream.destroy();
      await exit.promise;
    },
  };
}

/** The author's PATH, home and language, and nothing that could be a secret. The product gives less: `addonEnvironment`. */
function environment(): Readonly<Record<string, string>> {
  const names = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR"];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function pipesOf({ stdin, stdout, stderr }: ChildProcess) {
  if (!stdin || !stdout || !stderr) throw new Error("the program under test has no pipes");
  return { stdin, stdout, stderr };
}

const MAX_NOTES = 20;

/** The first few of a kind are enough to act on. */
function note(notes: string[], text: string): void {
  if (notes.length < MAX_NOTES) notes.push(text);
}

const SHOWN_BYTES = 200;

function shown(line: Buffer): string {
  const text = printable(line.toString("utf8", 0, SHOWN_BYTES));
  return line.length > SHOWN_BYTES ? `${text} …` : text;
}
