// The JSON channel: everything that happens, as it happens, one JSON object per line. Entries are the log's own.

import type { Writable } from "node:stream";
import { describeError, printable } from "indusagi/core";
import type { Conductor, ConductorEvent, DelegateEvent, Entry, UserContent } from "../conductor/contract.ts";
import { exitCodeOf } from "./exit-code.ts";
import { createSink } from "./sink.ts";

interface JsonOptions {
  readonly conductor: Conductor;
  readonly content: UserContent;
  /** Events reported before anyone listened; written after the `session` line. */
  readonly told?: readonly ConductorEvent[];
  /** The permission mode in force; undefined while it is not certain. */
  readonly mode?: string | undefined;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

// A reader this far behind is stuck. The model cannot be made to wait, so the task is stopped instead of filling memory.
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/**
 * Runs one task and writes its events: first a `session` object (id, logPath, model, the permission mode if it is certain by then), then entries as they are in the log
 * (except the model's own words where a feature changed them), and objects with `type` `delta`, `tool_start`, `tool_end`,
 * `alert`, `fault` or `delegate` (its `event` is a `delegate_start`, one of the four before it, an `assistant` entry of the
 * delegate's log, a `delta` that reports a retry, or a `delegate_end`). Text deltas a slow reader has not taken yet are joined.
 * Returns the exit code: 0 complete, 4 truncated or refused by the model, 1 faulted or not written, 130 aborted. A reader that leaves (EPIPE) stops the task and is
 * not an error: 0.
 */
export async function runJson({
  conductor,
  content,
  told = [],
  mode,
  stdout,
  stderr,
}: JsonOptions): Promise<number> {
  let behind = false;
  let joined: { readonly kind: "text" | "thinking"; text: string } | undefined;
  let isStuck = false;
  let faultWritten: string | undefined;

  const errors = createSink(stderr);
  const sink = createSink(stdout, {
    onDrain: () => {
      behind = false;
      writeJoined();
    },
    onFailure: conductor.abort,
  });

  function writeLine(value: object): void {
    behind = !sink.write(jsonLine(value));
    if (isStuck || stdout.writableLength <= MAX_WAITING_BYTES) return;
    isStuck = true;
    conductor.abort();
  }

  function writeJoined(): void {
    if (!joined) return;
    const delta = joined;
    joined = undefined;
    writeLine({ type: "delta", ...delta });
  }

  function onEvent(event: ConductorEvent): void {
    const delta = event.kind === "delta" ? event.delta : undefined;
    if (delta?.kind === "connected") return; // readers join the deltas' texts, and this one has none
    if (isForScreens(event)) return;
    if (behind && (delta?.kind === "text" || delta?.kind === "thinking")) {
      if (joined?.kind !== delta.kind) writeJoined();
      if (joined) joined.text += delta.text;
      else joined = { kind: delta.kind, text: delta.text };
      return;
    }
    writeJoined();
    if (event.kind === "fault") faultWritten = event.fault.message;
    writeLine(toObject(event));
  }

  const { sessionId, logPath, model } = conductor.status();
  writeLine({ type: "session", id: sessionId, logPath, model, mode }); // what a program needs to resume it
  told.forEach(onEvent);
  faultWritten = undefined; // the end's own fault is a separate one, whatever it says
  const unsubscribe = conductor.subscribe(onEvent);
  try {
    return await written();
  } finally {
    unsubscribe(); // not earlier: what features say while the output is written is said, too
  }

  async function written(): Promise<number> {
    const end = await conductor.submit({ content });
    writeJoined();
    if (end.kind === "faulted") {
      if (end.fault.message !== faultWritten) writeLine(toObject({ kind: "fault", fault: end.fault }));
      errors.write(`indus: ${oneLine(end.fault.message)}\n`);
    }
    if (isStuck) {
      errors.write("indus: stopped: the reader of the output is more than 64 MiB behind\n");
      await errors.flushed();
      return 1;
    }
    await sink.flushed();
    const failure = sink.failure();
    if (failure instanceof Error)
      errors.write(`indus: cannot write the output: ${oneLine(describeError(failure))}\n`);
    await errors.flushed();
    if (failure === "left") return 0;
    return failure ? 1 : exitCodeOf(end);
  }
}

/** Whether it only says how a call's row looks until its `tool_end` comes. */
function isForScreens(event: ConductorEvent): boolean {
  return (event.kind === "delegate" ? event.event : event).kind === "tool_done";
}

/** An event as this channel writes it. `kind` becomes `type`, as in the log; a fault's cause can be anything, so it is omitted. */
export function toObject(event: ConductorEvent | DelegateEvent): object {
  if (event.kind === "entry") return toLineOfEntry(event.entry);
  if (event.kind === "delta") return { type: "delta", ...event.delta };
  if (event.kind === "fault") {
    const { kind, message, owner } = event.fault;
    return { type: "fault", kind, message, owner };
  }
  if (event.kind === "delegate") {
    const { agent, sessionId } = event;
    return { type: "delegate", agent, sessionId, event: toObject(event.event) };
  }
  const { kind, ...rest } = event;
  return { type: kind, ...rest };
}

/** The events whose fields stand beside their type; every one that is not here has a case of its own. */
const PLAIN: Readonly<
  Record<Exclude<(ConductorEvent | DelegateEvent)["kind"], "entry" | "delta" | "fault" | "delegate">, true>
> = {
  tool_start: true,
  tool_progress: true,
  tool_done: true,
  tool_end: true,
  alert: true,
  diagnostic: true,
  delegate_start: true,
  delegate_end: true,
};

/** The event that {@link toObject} made this of. */
export function fromObject(object: { readonly type: string }): ConductorEvent {
  const { type, ...rest } = object;
  switch (type) {
    case "delta":
      return { kind: "delta", delta: rest } as ConductorEvent;
    case "fault":
      return { kind: "fault", fault: rest } as ConductorEvent;
    case "delegate": {
      const { event, ...more } = rest as { readonly event?: { readonly type: string } };
      return { kind: "delegate", ...more, event: event && fromObject(event) } as ConductorEvent;
    }
    default:
      return Object.hasOwn(PLAIN, type)
        ? ({ kind: type, ...rest } as unknown as ConductorEvent)
        : { kind: "entry", entry: object as Entry };
  }
}

// Model text that a feature replaced stays in the log and is not shown.
function toLineOfEntry(entry: Entry): object {
  if (entry.type !== "assistant" || entry.original === undefined) return entry;
  const { original: _, ...shown } = entry;
  return shown;
}

// Some readers treat these as line ends (NEL, U+2028, U+2029), and terminals as commands (DEL, C1, bidi). They are legal in
// JSON but escaped anyway, so that one line is one object everywhere.
const ESCAPED = /[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g;

/** One object as one line of the channel, whatever its texts contain. */
export function jsonLine(value: object): string {
  const text = JSON.stringify(value).replace(
    ESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${text}\n`;
}

function oneLine(text: string): string {
  return printable(text).replaceAll("\n", " ");
}
