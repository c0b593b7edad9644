// What a summary removed from the model's view but the work still needs: its checklist, what parts add, the files in use. The
// conductor knows how much of it there is room for.

import { statSync } from "node:fs";
import { checklistText, type TodoStore } from "indusagi/capabilities";
import { readFileOpening, trimEndOf } from "indusagi/core";
import type { Conductor } from "../conductor/contract.ts";
import type { Conversation } from "./conversation.ts";
import type { JoinedParts } from "./joined-parts.ts";

const ORIGIN = "host";
const MAX_FILES = 5;
const MAX_FILE_BYTES: number = 8 * 1024;

export interface AfterSummaryDeps {
  readonly conversation: Pick<Conversation, "contextId" | "seen">;
  readonly todos: Pick<TodoStore, "get">;
  readonly parts: Pick<JoinedParts, "afterSummary">;
  readonly conductor: Pick<Conductor, "subscribe" | "notify">;
}

/**
 * Gives the model its checklist, what parts add and the files in use again after each summary; `documents` subscribes in between, because
 * documents matter more than files.
 */
export function restoreAfterSummary(deps: AfterSummaryDeps, documents: () => void): void {
  const { conductor, conversation, todos, parts } = deps;
  const afterSummary = (texts: () => readonly string[]): void => {
    conductor.subscribe(
      (event) => {
        if (event.kind !== "entry" || event.entry.type !== "summary") return;
        for (const text of texts())
          conductor.notify(ORIGIN, text, { maxBytes: 2 * MAX_FILE_BYTES, isAgain: true });
      },
      { pieces: false },
    );
  };
  afterSummary(() => {
    const items = todos.get(conversation.contextId);
    const list = items.length > 0 ? [`The checklist:\n${checklistText(items)}`] : [];
    return [...list, ...parts.afterSummary()];
  });
  documents();
  afterSummary(() => {
    const latest = [...conversation.seen()].sort(([, a], [, b]) => b.readAt - a.readAt);
    return latest.slice(0, MAX_FILES).flatMap(([path, { mtimeMs, size }]) => fileText(path, mtimeMs, size));
  });
}

/** The file's text if it is still as the model saw it; a file that is gone was no longer in use. */
function fileText(path: string, mtimeMs: number, size: number): readonly string[] {
  const now = statSync(path, { throwIfNoEntry: false });
  if (!now?.isFile()) return [];
  if (Math.floor(now.mtimeMs) !== mtimeMs || now.size !== size)
    return [`${path} has changed since you saw it: read it again before you change it.`];
  let bytes: Buffer;
  try {
    bytes = readFileOpening(path, MAX_FILE_BYTES, { followsLinks: true });
  } catch {
    return []; // the model sees why when it reads it
  }
  if (bytes.includes(0)) return [];
  const isWhole = size <= MAX_FILE_BYTES;
  const text = trimEndOf(bytes.toString("utf8"), (character) => character === "\uFFFD"); // an incomplete character
  const what = isWhole ? "" : `, begins (${size} bytes)`;
  return [`The file ${path}, unchanged since you saw it${what}:\n${text}`];
}
