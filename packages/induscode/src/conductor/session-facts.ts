// What a list shows about a session, read from the beginning and the end of its log: a long log costs no more than a short one.

import { readSync } from "node:fs";
import { basename } from "node:path";
import { beginningOf, describeError, withRegularFile } from "indusagi/core";
import { isLockHeld } from "../store/lock.ts";
import type { Entry } from "./contract.ts";
import { derivedTitle } from "./derived-title.ts";
import { isEntry } from "./entry-shape.ts";
import { LOG_FORMAT, newerFormatReason } from "./log-reader.ts";
import { lastStep } from "./turns/cut-off.ts";

export interface SessionFacts {
  readonly id: string;
  readonly path: string;
  /** The working directory; empty if the log does not say. */
  readonly folder: string;
  /** The name that it was given, or a short one made of the first line that the person said. */
  readonly title: string;
  /** The beginning of its last answer; absent if the end of the log holds none. */
  readonly last?: string | undefined;
  /** When its last entry was written, in milliseconds since 1970. */
  readonly lastAt: number;
  /** Lines that the person sent; absent if the log is of an earlier version without this count. */
  readonly turns?: number | undefined;
  /** Dollars; absent if no price is known. */
  readonly cost?: number | undefined;
  readonly state: "running" | "complete" | "stopped" | "faulted" | "broken off" | "unreadable";
  /** The session it was forked from. */
  readonly parent?: string | undefined;
}

const PIECE_BYTES = 64 * 1024;
const MAX_TITLE = 200;
const STATES = {
  complete: "complete",
  truncated: "stopped",
  refused: "stopped",
  aborted: "stopped",
  turn_budget: "stopped",
  faulted: "faulted",
} as const;

/** Never throws: an unreadable session is listed with that state, with the reason as its title. */
export function readSessionFacts(path: string): SessionFacts {
  const id = basename(path, ".jsonl");
  try {
    return factsOf(id, path, readEnds(path));
  } catch (error) {
    return { id, path, folder: "", title: describeError(error), lastAt: 0, state: "unreadable" };
  }
}

interface Ends {
  readonly head: readonly Entry[];
  readonly tail: readonly Entry[];
  /** Head and tail together are the whole log. */
  readonly isWhole: boolean;
}

function readEnds(path: string): Ends {
  return withRegularFile(path, { followsLinks: true }, (file, size) => {
    const piece = (from: number, to: number): string => {
      const bytes = Buffer.alloc(Math.max(0, to - from));
      return bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, from));
    };
    const isWhole = size <= 2 * PIECE_BYTES;
    const head = piece(0, isWhole ? size : PIECE_BYTES).split("\n");
    const tail = isWhole ? [] : piece(size - PIECE_BYTES, size).split("\n");
    return { head: head.flatMap(entryOf), tail: tail.flatMap(entryOf), isWhole };
  });
}

function entryOf(line: string): readonly Entry[] {
  if (!line.startsWith("{")) return []; // the end of a line that began before this piece
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return []; // a line cut by the piece; damage is reported when the session is opened
  }
  const { type, v } = value as { readonly type?: unknown; readonly v?: unknown };
  if (type === "session" && typeof v === "number" && v > LOG_FORMAT) throw new Error(newerFormatReason(v));
  return isEntry(value) ? [value] : [];
}

function factsOf(id: string, path: string, { head, tail, isWhole }: Ends): SessionFacts {
  const all = [...head, ...tail];
  if (all.length === 0) throw new Error("it contains no readable entry");
  const first = head.find((entry) => entry.type === "session");
  const said = head.find(beginsSession);
  const name = all.findLast((entry) => entry.type === "title");
  const end = all.findLast((entry) => entry.type === "end");
  const last = all.findLast(({ type }) => type !== "title");
  const turns = isWhole
    ? all.filter((entry) => entry.type === "user" && entry.via === "submit").length
    : end?.turns;
  const answer = all.findLast((entry) => entry.type === "assistant");
  const block =
    answer?.type === "assistant" ? answer.message.content.find(({ kind }) => kind === "text") : undefined;
  const step = lastStep(isWhole ? all : tail);
  const isUnbegun = isWhole && step === undefined;
  const ended = step?.type === "end" ? STATES[step.how] : isUnbegun ? "complete" : "broken off";
  return {
    id,
    path,
    folder: first?.cwd ?? "",
    title: beginningOf(name?.text ?? (said ? titleOf(said) : ""), MAX_TITLE),
    last: block?.kind === "text" ? beginningOf(block.text.trim(), MAX_TITLE) : undefined,
    lastAt: last?.at ?? 0,
    turns,
    cost: end?.cost,
    state: isLockHeld(`${path}.lock`) ? "running" : ended,
    parent: first?.parent ? first.parent.session : undefined,
  };
}

type Beginning = Extract<Entry, { readonly type: "user" | "tool" }>;

/** A line, or a call of another program: a model's own come after a line. */
function beginsSession(entry: Entry): entry is Beginning {
  return entry.type === "user" || (entry.type === "tool" && entry.by !== undefined);
}

function titleOf(entry: Beginning): string {
  if (entry.type === "tool") return `calls of ${entry.by}`;
  const { typed, content } = entry;
  const blocks = typed ?? content;
  const text = blocks.find((block) => block.kind === "text");
  return (text?.kind === "text" && derivedTitle(text.text)) || (text ? "" : "[a picture]");
}
