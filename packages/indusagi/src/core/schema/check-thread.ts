// Holds values against schemas on a thread of its own: a pattern, a circle or a list held against itself can take forever, and
// nothing here waits for it longer than a few seconds.

import { Worker } from "node:worker_threads";
import { deferred } from "../deferred.ts";
import { describeError, errorCode } from "../faults.ts";
import type { JsonObject } from "../json-value.ts";
import { schemaInterpreter, uncheckable } from "./schema-interpreter.ts";

/** Of the check alone; far more than an honest schema needs. */
const CHECK_DEADLINE_MS = 2_000;
const CHECK_HEAP_MB = 256;

// The thread's whole program. It is given the interpreter's URL, which no bundler can then miss or rename.
const PROGRAM = `const { parentPort, workerData } = require("node:worker_threads");
import(workerData).then(({ schemaInterpreter }) => {
  parentPort.on("message", ({ schema, value }) => {
    parentPort.postMessage({ kind: "begun" });
    parentPort.postMessage({ kind: "checked", problem: schemaInterpreter.problemOf(schema, value) });
  });
});`;

interface Message {
  readonly kind: "begun" | "checked";
  readonly problem?: string;
}

/** One that waits for the next check. It keeps no process alive. */
let idle: Worker | undefined;

/** Never rejects. */
export async function problemOnThread(schema: JsonObject, value: unknown): Promise<string | undefined> {
  const worker = idle ?? startWorker();
  idle = undefined;
  worker.ref();
  const { promise, resolve } = deferred<{ readonly problem?: string | undefined; readonly isReady?: true }>();
  const fail = (why: string): void => resolve({ problem: uncheckable(why) });
  let timer: NodeJS.Timeout | undefined;
  const onMessage = ({ kind, problem }: Message): void => {
    if (kind === "checked") resolve({ problem, isReady: true });
    else timer = setTimeout(() => fail(`it takes over ${CHECK_DEADLINE_MS / 1_000} s`), CHECK_DEADLINE_MS);
  };
  const onError = (error: unknown): void => fail(failureOf(error));
  const onExit = (): void => fail("its thread ended");
  worker.on("message", onMessage).on("error", onError).on("exit", onExit);
  try {
    worker.postMessage({ schema, value });
  } catch (error) {
    fail(describeError(error)); // a value that cannot be copied, such as one nested too deep
  }
  const { problem, isReady } = await promise;
  clearTimeout(timer);
  worker.off("message", onMessage).off("exit", onExit).unref();
  if (isReady && idle === undefined) idle = worker.off("error", onError);
  else void worker.terminate(); // not awaited: it may be at work
  return problem;
}

function startWorker(): Worker {
  return new Worker(PROGRAM, {
    eval: true,
    workerData: schemaInterpreter.moduleUrl,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: CHECK_HEAP_MB },
  });
}

function failureOf(error: unknown): string {
  return errorCode(error) === "ERR_WORKER_OUT_OF_MEMORY"
    ? `it needs more than ${CHECK_HEAP_MB} MB`
    : describeError(error);
}
