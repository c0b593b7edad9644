// Where ripgrep writes its messages: an unnamed file, read when ripgrep has ended. With --debug it prints a hundred short
// messages even for a small tree, each in several writes: through a pipe every one of them would wake this process.

import { closeSync, constants, openSync, readSync } from "node:fs";
import { tmpdir } from "node:os";
import { setImmediate } from "node:timers/promises";
import type { MessageReader } from "./ripgrep-messages.ts";

/** An unnamed file that disappears when it is closed. */
interface MessageStore {
  readonly file: number;
  /** Reads what was written, unless the file is already closed, and closes it. */
  readonly readInto: (reader: MessageReader) => Promise<void>;
  readonly close: () => void;
}

const O_TMPFILE = 0o20000000; // linux/fcntl.h; Node does not export it
const CHUNK_BYTES = 65_536;

/** Undefined where unnamed files are not supported: only Linux has them, and not in every folder. */
export function openMessageStore(): MessageStore | undefined {
  if (process.platform !== "linux") return undefined;
  let file: number | undefined;
  try {
    file = openSync(tmpdir(), O_TMPFILE | constants.O_DIRECTORY | constants.O_RDWR, 0o600);
  } catch {
    return undefined;
  }
  const opened = file;
  const close = (): void => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  const readInto = async (reader: MessageReader): Promise<void> => {
    try {
      if (file !== undefined) await readAll(file, reader);
    } finally {
      close();
    }
  };
  return { file: opened, readInto, close };
}

async function readAll(file: number, reader: MessageReader): Promise<void> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let at = 0; ; ) {
    const found = readSync(file, chunk, 0, CHUNK_BYTES, at);
    if (found === 0) return;
    reader.write(chunk.subarray(0, found));
    at += found;
    await setImmediate();
  }
}
