// The files as the editor has them: what is typed there and not saved is what the model reads and edits.

import { type AgentContext, type FileSystemCapabilities, methods } from "@agentclientprotocol/sdk/unstable";
import { type Fs, localFs, type PlaceCheck, sharesLocksWith } from "indusagi/capabilities";
import { describeError } from "indusagi/core";

export interface EditorFiles {
  /** The text that the editor has of a file; undefined if it has none, offers no files, or does not know the session yet. */
  readonly read: (path: string) => Promise<string | undefined>;
  /** What the session's tools read and write; undefined if the editor offers no files. */
  readonly fs: Fs | undefined;
}

type Written = (path: string, text: string) => Promise<void>;

/** An editor that does not answer must not hold a call forever: then the file on the disk counts. */
const PATIENCE_MS = 5_000;
const LOOKED_AT_BYTES = 8 * 1024;

export function createEditorFiles(
  editor: AgentContext,
  { readTextFile = false, writeTextFile = false }: FileSystemCapabilities,
  session: () => string | undefined,
): EditorFiles {
  const options = () => ({ cancellationSignal: AbortSignal.timeout(PATIENCE_MS), stopWaitingOnCancel: true });
  const read = async (path: string): Promise<string | undefined> => {
    const sessionId = session();
    if (!readTextFile || sessionId === undefined) return undefined;
    try {
      const { fs } = methods.client;
      const { content } = await editor.request(fs.readTextFile, { sessionId, path }, options());
      return content;
    } catch {
      return undefined; // it has no such file, or the wrong kind of one
    }
  };
  const written: Written = async (path, content) => {
    const sessionId = session();
    if (!writeTextFile || sessionId === undefined) return;
    const { fs } = methods.client;
    try {
      await editor.request(fs.writeTextFile, { sessionId, path, content }, options());
    } catch (error) {
      throw new Error(
        `${path} was written to disk, but the editor did not accept the new text (${describeError(error)}): the editor, and the next read, still have the editor's version`,
      );
    }
  };
  return { read, fs: readTextFile || writeTextFile ? overlay(localFs(), read, written) : undefined };
}

/**
 * `inner`, with the editor's text in place of the disk's. The disk is read first, within its checks, so the editor is asked for nothing
 * that may not be read; and it is written first, so what is refused there reaches no buffer. Sizes and times are the disk's, and so are
 * searches and pieces of large files.
 */
function overlay(inner: Fs, read: EditorFiles["read"], written: Written): Fs {
  const { checked } = inner;
  const fs: Fs = {
    ...inner,
    async readText(path) {
      const saved = await inner.readText(path);
      return (await read(path)) ?? saved;
    },
    async readBytes(path, range) {
      const saved = await inner.readBytes(path, range);
      if (range !== undefined || saved.subarray(0, LOOKED_AT_BYTES).includes(0)) return saved;
      const text = await read(path);
      return text === undefined ? saved : Buffer.from(text);
    },
    async writeFile(path, data) {
      await inner.writeFile(path, data);
      const text = typeof data === "string" ? data : textIn(data);
      if (text !== undefined) await written(path, text);
    },
    checked: checked && ((check: PlaceCheck) => overlay(checked(check), read, written)),
  };
  return sharesLocksWith(fs, inner);
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // in another encoding, which the editor reads from the disk
  }
}
