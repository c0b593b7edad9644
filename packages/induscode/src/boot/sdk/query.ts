// One task, from its prompt to its result: events as they happen, the result last.

import { ReadableStream } from "node:stream/web";
import { Aborted, abortable } from "indusagi/core";
import { EXIT_USAGE, Problem } from "../../cli/problem.ts";
import type { FromSchema, SchemaLiteral } from "./from-schema.ts";
import { openSession } from "./open-session.ts";
import type { QueryOptions } from "./sdk-options.ts";
import type { SdkSession } from "./sdk-session.ts";
import { NO_USAGE, type TaskEvent, type TaskResult } from "./task-events.ts";

/** A task that begins when somebody iterates over it or asks for its result. */
export interface Query<Output = undefined> extends AsyncIterable<TaskEvent | TaskResult<Output>> {
  /** Runs the task, unless somebody iterates over it already, and resolves to its result. */
  readonly result: () => Promise<TaskResult<Output>>;
}

/**
 * Runs one task in a session of its own: `for await (const event of query({ prompt }))`, the result last. To leave the loop is to interrupt
 * the task; the session is closed before the loop ends. Rejects with a `Problem` if the session cannot be opened; whatever goes wrong later
 * is a result.
 */
export function query<const S extends SchemaLiteral | undefined = undefined>(
  options: QueryOptions<S>,
): Query<FromSchema<S>> {
  type Result = TaskResult<FromSchema<S>>;
  let running: AsyncGenerator<TaskEvent | Result, void> | undefined;
  let last: Result = NOTHING_DONE;
  let settle = (): void => undefined;
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  async function* remembered(): AsyncGenerator<TaskEvent | Result, void> {
    try {
      for await (const event of run(options)) {
        if (event.type === "result") {
          last = event;
          settle(); // in the loop itself as well
        }
        yield event;
      }
    } finally {
      settle();
    }
  }
  const begin = (): AsyncGenerator<TaskEvent | Result, void> => {
    if (running) throw new Problem("a query runs once: for another task, make another one", EXIT_USAGE);
    running = remembered();
    return running;
  };
  return {
    [Symbol.asyncIterator]: begin,
    async result() {
      if (running) await settled;
      else for await (const _event of begin());
      return last;
    },
  };
}

async function* run<S extends SchemaLiteral | undefined>(
  options: QueryOptions<S>,
): AsyncGenerator<TaskEvent | TaskResult<FromSchema<S>>, void> {
  const session = await openUnlessAborted(options);
  if (session === undefined) return yield NOTHING_DONE;
  let closing: Promise<readonly string[]> | undefined;
  const close = (): Promise<readonly string[]> => {
    closing ??= session.close();
    return closing;
  };
  try {
    yield* session.notices.map(warning);
    for await (const event of eventsOf(session, options.prompt)) {
      // What goes wrong in closing is told before the result; who interrupts does not wait for it.
      if (event.type === "result" && event.kind !== "aborted") yield* (await close()).map(warning);
      yield event;
    }
  } finally {
    session.interrupt();
    await close();
  }
}

function warning(text: string): TaskEvent {
  return { type: "notice", level: "warning", text };
}

/** Undefined if the signal fires first; what is opened then is closed again. */
async function openUnlessAborted<S extends SchemaLiteral | undefined>(
  options: QueryOptions<S>,
): Promise<SdkSession<FromSchema<S>> | undefined> {
  const { signal } = options;
  if (signal === undefined) return openSession(options);
  if (signal.aborted) return undefined;
  const opening = openSession(options);
  try {
    return await abortable(opening, signal);
  } catch (error) {
    if (!(error instanceof Aborted)) throw error;
    opening.then(
      (session) => session.close(),
      () => undefined, // nobody wants it any more
    );
    return undefined;
  }
}

function eventsOf<Output>(
  session: SdkSession<Output>,
  prompt: QueryOptions["prompt"],
): ReadableStream<TaskEvent | TaskResult<Output>> {
  let leave = (): void => undefined;
  let isLeft = false;
  return new ReadableStream({
    start(controller) {
      leave = session.subscribe((event) => controller.enqueue(event));
      void session.submit(prompt).then((result) => {
        if (isLeft) return;
        leave();
        controller.enqueue(result);
        controller.close();
      });
    },
    cancel() {
      isLeft = true;
      leave();
    },
  });
}

const NOTHING_DONE = { type: "result", kind: "aborted", sessionId: "", cost: 0, usage: NO_USAGE } as const;
