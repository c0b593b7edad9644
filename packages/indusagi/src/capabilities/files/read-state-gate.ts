// The read-before-edit gate: a file can be changed only in the state it was last read in. It applies only if the
// host put a handle on the context; otherwise everything here does nothing.

import { hash } from "node:crypto";
import { nowMs } from "../../core/clock.ts";
import {
  type FsEntryInfo,
  READ_STATE_HANDLE_KEY,
  type ReadStateHandle,
  type ReadStateRecord,
  type ToolContext,
} from "../kernel/contract.ts";
import { describeUnreadable, type GatedAction } from "./unreadable.ts";

export const READ_BEFORE_EDIT_MESSAGE = "File has not been read yet. Read it first before writing to it.";

export const MODIFIED_SINCE_READ_MESSAGE =
  "File has been modified since read, either by the user or by a linter. Read it again before attempting to write it.";

export type GateOutcome = { readonly kind: "ok" } | { readonly kind: "refused"; readonly message: string };

const OK: GateOutcome = { kind: "ok" };

/** The handle that the host put on the context, if any. */
export function getReadStateHandle(context: ToolContext): ReadStateHandle | undefined {
  return context.framework[READ_STATE_HANDLE_KEY];
}

/**
 * Refuses to change a file that was never read, or that has a later modification time or another size than when it was. An
 * earlier time is no change by itself, but a copy that was put back has one, too: then the content decides, and a conversation
 * that was continued knows none. A path that cannot be examined passes, and so does a directory: new files are exempt, and
 * otherwise the tool has the better message.
 */
export async function enforceReadGate(
  context: ToolContext,
  path: string,
  handle: ReadStateHandle | undefined = getReadStateHandle(context),
): Promise<GateOutcome> {
  if (handle === undefined) return OK;
  const info = await statIfPossible(context, path);
  if (info === undefined || info.isDirectory) return OK;
  const record = handle.get(path);
  if (record === undefined) return { kind: "refused", message: READ_BEFORE_EDIT_MESSAGE };
  const laterMs = Math.floor(info.modifiedMs) - record.mtimeMs;
  const isSame =
    info.size === record.size &&
    (laterMs === 0 || (laterMs < 0 && (await hasContentOf(context, path, record))));
  return isSame ? OK : { kind: "refused", message: MODIFIED_SINCE_READ_MESSAGE };
}

/** Why the gate refuses an `action` on `path`, which was given as `asked`; undefined if it does not. */
export async function gateRefusal(
  context: ToolContext,
  path: string,
  call: { readonly action: GatedAction; readonly asked: string },
): Promise<string | undefined> {
  const gate = await enforceReadGate(context, path);
  if (gate.kind === "ok") return undefined;
  const isUnread = gate.message === READ_BEFORE_EDIT_MESSAGE;
  return (isUnread && (await describeUnreadable(context.fs, path, call))) || gate.message;
}

export interface SeenContent {
  /** From the start of the read; as the file is now, if absent. */
  readonly info?: FsEntryInfo;
  /** All of it, if it was in memory. */
  readonly bytes?: Uint8Array | undefined;
}

/** Records that the model has seen `path`. A file that cannot be examined is not recorded. */
export async function recordReadState(
  context: ToolContext,
  path: string,
  { info, bytes }: SeenContent = {},
): Promise<void> {
  const handle = getReadStateHandle(context);
  if (handle === undefined) return;
  const seen = info ?? (await statIfPossible(context, path));
  if (seen === undefined) return;
  handle.set(path, {
    mtimeMs: Math.floor(seen.modifiedMs), // some file systems and copies lose the fraction
    size: seen.size,
    contentHash: bytes ? hashOf(bytes) : undefined,
    readAt: nowMs(),
  });
}

async function hasContentOf(
  { fs }: ToolContext,
  path: string,
  { contentHash }: ReadStateRecord,
): Promise<boolean> {
  return contentHash !== undefined && hashOf(await fs.readBytes(path)) === contentHash;
}

function hashOf(bytes: Uint8Array): string {
  return hash("sha256", bytes);
}

async function statIfPossible(context: ToolContext, path: string): Promise<FsEntryInfo | undefined> {
  try {
    return await context.fs.stat(path);
  } catch {
    return undefined; // a failed stat clears the gate
  }
}
