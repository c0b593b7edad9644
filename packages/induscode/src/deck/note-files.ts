import type { ReadStateHandle, ReadStateRecord, ToolContext } from "indusagi/capabilities";
import type { SeenFile } from "./contract.ts";

/** A context for one call, and the files that the call has seen through it so far. */
export interface NotingContext {
  readonly context: ToolContext;
  readonly files: () => readonly SeenFile[];
}

/** Passes on to the conversation's read state what the call notes there, and remembers which call it was. */
export function noteFiles(context: ToolContext): NotingContext {
  const { readState } = context.framework;
  if (readState === undefined) return { context, files: () => [] };
  const noted = new Map<string, SeenFile>();
  const noting: ReadStateHandle = {
    get: (path) => readState.get(path),
    has: (path) => readState.has(path),
    set(path: string, record: ReadStateRecord) {
      readState.set(path, record);
      noted.set(path, { path, mtimeMs: record.mtimeMs, size: record.size });
    },
  };
  return {
    context: { ...context, framework: { ...context.framework, readState: noting } },
    files: () => [...noted.values()],
  };
}
