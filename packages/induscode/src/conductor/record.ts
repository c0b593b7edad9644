// A session's memory: the log, its fold, and the listeners. One `append`
// does all of it, in this order: mask, write durably, fold, announce.

import { createDisposer, describeError, Listeners } from "indusagi/core";
import type { ConductorEvent, Entry, EntryBody, Subscribe } from "./contract.ts";
import { ContextFold } from "./fold.ts";
import { LogError, type SessionLog } from "./log.ts";
import { readEntries } from "./log-reader.ts";
import { createMaskedEvents, maskedBody, NO_MASK } from "./masked.ts";
import { readFolded } from "./read-folded.ts";

export interface SessionRecord {
  readonly log: () => SessionLog;
  readonly fold: () => ContextFold;
  /** Throws a `LogError` when the log cannot take the entry: nothing that follows from it may happen. */
  readonly append: <Body extends EntryBody>(body: Body) => Extract<Entry, { type: Body["type"] }>;
  /** The folder that the session works in, as its log says. */
  readonly folder: () => string | undefined;
  /** Logs the format if the next entry needs a higher one than the log so far, so that an earlier version refuses the log. */
  readonly needFormat: (v: 2 | 3) => void;
  /** Sends listeners something that is not logged. */
  readonly emit: (event: ConductorEvent) => void;
  readonly subscribe: Subscribe;
  /** Whether anyone listens to partial answers. */
  readonly hearsPieces: () => boolean;
  /** Everything logged, on any branch. Throws a `LogError`. */
  readonly entries: () => readonly Entry[];
  /** Continues with another log and its contents. */
  readonly restart: (log: SessionLog, fold?: ContextFold) => void;
}

export function createRecord(
  first: SessionLog,
  fold: ContextFold,
  mask: typeof NO_MASK = NO_MASK,
): SessionRecord {
  let log = first;
  let hearing = 0;
  let reporting = false; // a listener that fails while its own failure is reported is not reported again
  const listeners = new Listeners<ConductorEvent>((error) => {
    if (reporting) return;
    reporting = true;
    const message = `A listener of the session failed: ${describeError(error)}`;
    listeners.emit({ kind: "fault", fault: { kind: "listener", message } });
    reporting = false;
  });
  const events = createMaskedEvents(mask, (event) => listeners.emit(event));
  const hear = (from: SessionLog): void => from.hear((text) => listeners.emit({ kind: "alert", text }));
  hear(log);
  function append<Body extends EntryBody>(body: Body): Extract<Entry, { type: Body["type"] }> {
    events.flush();
    const jumpTo = body.type === "jump" ? body.to : undefined;
    const back = jumpTo === undefined ? undefined : readBack((path) => readFolded(path, { jumpTo }));
    const entry = write(maskedBody(mask, body));
    back?.add(entry);
    if (back) fold = back.fold;
    else fold.add(entry);
    listeners.emit({ kind: "entry", entry });
    return entry as Extract<Entry, { type: Body["type"] }>; // masking changes texts, never an entry's type
  }
  function write(body: EntryBody): Entry {
    try {
      return log.append(body);
    } catch (error) {
      if (error instanceof LogError) error.unwritten = body;
      throw error;
    }
  }
  return {
    log: () => log,
    fold: () => fold,
    append,
    folder: () => fold.session?.cwd ?? log.begins?.cwd,
    needFormat(v) {
      const { v: named = 0, cwd = "", version = "" } = { ...log.begins, ...fold.session };
      if (named < v) append({ type: "session", v, id: log.id, cwd, version });
    },
    emit: events.emit,
    subscribe(listener, { pieces = true } = {}) {
      const stop = listeners.add(listener);
      if (!pieces) return stop;
      hearing++;
      return createDisposer(() => {
        hearing--;
        stop();
      });
    },
    hearsPieces: () => hearing > 0,
    restart(next, of = new ContextFold()) {
      log.close();
      log = next;
      hear(log);
      fold = of;
    },
    entries: () => readBack(readEntries).entries,
  };

  /** Nothing of a session is kept twice: earlier contents are read from its file. */
  function readBack<Read>(read: (path: string) => Read): Read {
    try {
      return read(log.path);
    } catch (error) {
      throw new LogError(`The session log ${log.path} cannot be read: ${describeError(error)}`);
    }
  }
}
