import {
  type CallNotes,
  noteReport,
  type ReadStateHandle,
  type ReadStateRecord,
  type ToolContext,
} from "indusagi/capabilities";
import type { SeenFile } from "../contract.ts";

/** A context for one call, and what the call has reported through it so far. */
export interface NotingContext {
  readonly context: ToolContext;
  /** The files that it saw. */
  readonly files: () => readonly SeenFile[];
  /** Its own description of how it ended, what it cost, and its pictures. */
  readonly report: () => CallNotes | undefined;
}

const NONE: readonly SeenFile[] = [];

/** Forwards the call's notes to the conversation's read state, and remembers which call they came from. */
export function noteCall(context: ToolContext, onProgress?: (tail: string) => void): NotingContext {
  const { readState } = context.framework;
  let noted: Map<string, SeenFile> | undefined;
  const noting: ReadStateHandle | undefined = readState && {
    get: (path) => readState.get(path),
    has: (path) => readState.has(path),
    set(path: string, record: ReadStateRecord) {
      readState.set(path, record);
      noted ??= new Map();
      noted.set(path, { path, mtimeMs: record.mtimeMs, size: record.size });
    },
  };
  const { report, notes } = noteReport(onProgress);
  return {
    context: {
      ...context,
      framework: { ...context.framework, report, readState: noting },
    },
    files: () => (noted ? [...noted.values()] : NONE),
    report: notes,
  };
}
