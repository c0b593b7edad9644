// One task, from its prompt to its result: events as they happen, the result last.

import { ReadableStream, type ReadableStreamDefaultController } from "node:stream/web";
import { Aborted, abortable, deferred } from "indusagi/core";
import { EXIT_USAGE, Problem } from "../../cli/problem.ts";
import type { FromSchema, SchemaLiteral } from "./from-schema.ts";
import { openSession } from "./open-session.ts";
import { optionsOfQuery, type QueryOptions, type SessionOptions } from "./sdk-options.ts";
import type { SdkSession } from "./sdk-session.ts";
import { NO_USAGE, type TaskEvent, type TaskResult } from "./task-events.ts";

/** A task that begins when somebody iterates over it or asks for its result. */
export interface Query<Output = undefined> extends AsyncIterable<TaskEvent | TaskResult<Output>> {
  /**
   * Runs the task, unless somebody iterates over it already, and resolves to its result, also if the loop was left. Rejects as the loop
   * does.
   */
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
  const ended = deferred<Result>();
  ended.promise.catch(() => undefined); // who iterates is told by the loop
  let isBegun = false;
  async function* run(): AsyncGenerator<TaskEvent | Result, void> {
    try {
      yield* eventsOfQuery(options, ended.resolve);
    } catch (error) {
      ended.reject(error);
      throw error;
    } finally {
      ended.resolve(NOTHING_DONE); // unless there is a result
    }
  }
  const begin = (): AsyncGenerator<TaskEvent | Result, void> => {
    if (isBegun) throw new Problem("a query runs once: create a new query for another task", EXIT_USAGE);
    isBegun = true;
    return run();
  };
  return {
    [Symbol.asyncIterator]: begin,
    async result() {
      if (!isBegun) for await (const _event of begin());
      return ended.promise;
    },
  };
}

/** `ended` gets the result as soon as there is one, whether or not somebody still iterates. */
async function* eventsOfQuery<S extends SchemaLiteral | undefined>(
  options: QueryOptions<S>,
  ended: (result: TaskResult<FromSchema<S>>) => void,
): AsyncGenerator<TaskEvent | TaskResult<FromSchema<S>>, void> {
  const session = await openUnlessAborted(optionsOfQuery(options));
  if (session === undefined) {
    ended(NOTHING_DONE); // in the loop itself as well
    return yield NOTHING_DONE;
  }
  let closing: Promise<readonly string[]> | undefined;
  const close = (): Promise<readonly string[]> => {
    closing ??= session.close();
    return closing;
  };
  let task: Promise<void> | undefined;
  try {
    yield* session.notices.map(warning);
    const events = eventsOf(session);
    task = session.submit(options.prompt).then((result) => {
      ended(result);
      events.end(result);
    });
    for await (const event of events.stream) {
      // What goes wrong in closing is told before the result; who interrupts does not wait for it.
      if (event.type === "result" && event.kind !== "aborted") yield* (await close()).map(warning);
      yield event;
    }
  } finally {
    session.interrupt();
    await task;
    await close();
  }
}

function warning(text: string): TaskEvent {
  return { type: "notice", level: "warning", text };
}

/** Undefined if the signal fires first; what is opened then is closed again. */
async function openUnlessAborted<S extends SchemaLiteral | undefined>(
  options: SessionOptions<S>,
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

/** What a session says from now on, until its task's result ends it. */
function eventsOf<Output>(session: SdkSession<Output>): {
  readonly stream: ReadableStream<TaskEvent | TaskResult<Output>>;
  readonly end: (result: TaskResult<Output>) => void;
} {
  let controller: ReadableStreamDefaultController<TaskEvent | TaskResult<Output>> | undefined;
  const stream = new ReadableStream<TaskEvent | TaskResult<Output>>({
    start(given) {
      controller = given;
    },
    cancel() {
      controller = undefined;
      leave();
    },
  });
  const leave = session.subscribe((event) => controller?.enqueue(event));
  return {
    stream,
    end(result) {
      leave();
      controller?.enqueue(result);
      controller?.close();
    },
  };
}

const NOTHING_DONE = { type: "result", kind: "aborted", sessionId: "", cost: 0, usage: NO_USAGE } as const;
