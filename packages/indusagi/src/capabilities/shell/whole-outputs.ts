// The whole of what a result shows only the ends of, in files that the result names: next to the output of background jobs, masked, until
// the session ends or later ones need the room.

import { type FileHandle, open } from "node:fs/promises";
import { join, relative } from "node:path";
import { describeError } from "../../core/faults.ts";
import type { MaskedStream } from "../../core/secret-mask.ts";
import { type SessionKey, sessionKey } from "../../core/session-scope.ts";
import { createCommandMark } from "../backends/command-mark.ts";
import type { ShellStream } from "../kernel/contract.ts";
import { createJobFolder, removeJobFolder, sweepJobs } from "./job-scratch.ts";

/** Kept of one stream: its beginning. Its end is in the result. */
const MAX_FILE_BYTES = 16_777_216;
/** Commands whose output is kept. */
const MAX_KEPT = 8;

/** The kept outputs of a session. */
export const WHOLE_OUTPUTS: SessionKey<WholeOutputs> = sessionKey("whole-outputs");

export interface WholeOutputs {
  /** Listens to one command. A stream is written to a file of `cwd` once it has more than `heldBytes`. */
  readonly listen: (cwd: string, heldBytes: number) => WholeOutput;
  /** Removes them. */
  readonly dispose: () => Promise<void>;
}

/** What one command shows. */
export interface WholeOutput {
  readonly write: (stream: ShellStream, text: string) => void;
  /** A line about each stream of which `isCut`, given its text unless that is long: where it is. Never rejects. */
  readonly keep: (
    isCut: (stream: ShellStream, text: string | undefined) => boolean,
  ) => Promise<readonly string[]>;
  /** Lets go of what is not kept. */
  readonly forget: () => Promise<void>;
}

export interface WholeOutputsOptions {
  /** Hides secrets. */
  readonly maskStream?: () => MaskedStream;
}

export function createWholeOutputs({ maskStream }: WholeOutputsOptions = {}): WholeOutputs {
  const folders: string[] = [];
  let isSwept = false;

  async function createFolder(cwd: string): Promise<string> {
    if (!isSwept) await sweepJobs(cwd);
    isSwept = true;
    const folder = await createJobFolder(cwd, createCommandMark());
    folders.push(folder);
    for (const old of folders.splice(0, folders.length - MAX_KEPT)) await removeJobFolder(old);
    return folder;
  }

  return {
    listen(cwd, heldBytes) {
      let folder: Promise<string> | undefined;
      const openFile = async (stream: ShellStream): Promise<FileHandle> => {
        folder ??= createFolder(cwd);
        return open(join(await folder, stream), "wx", 0o600);
      };
      const streams = STREAMS.map((name) => ({
        name,
        kept: new KeptStream(() => openFile(name), heldBytes, maskStream?.()),
      }));
      return {
        write: (stream, text) => streams.find(({ name }) => name === stream)?.kept.write(text),
        async keep(isCut) {
          const lines: string[] = [];
          for (const { name, kept } of streams) {
            const end = isCut(name, kept.text) ? await kept.keep() : undefined;
            if (end === undefined || folder === undefined) continue;
            const path = relative(cwd, join(await folder.catch(() => ""), name));
            lines.push(describe(name, path, end));
          }
          return lines;
        },
        async forget() {
          for (const { kept } of streams) await kept.close();
        },
      };
    },
    async dispose() {
      for (const folder of folders.splice(0)) await removeJobFolder(folder);
    },
  };
}

const STREAMS: readonly ShellStream[] = ["stdout", "stderr"];

interface Kept {
  readonly bytes: number;
  readonly isWhole: boolean;
  readonly problem: string | undefined;
}

function describe(stream: ShellStream, path: string, { bytes, isWhole, problem }: Kept): string {
  if (problem !== undefined) return `whole ${stream}: not kept (${problem})`;
  return isWhole
    ? `whole ${stream}: ${path} (${bytes} bytes), until the session ends`
    : `${stream}, first ${bytes} bytes: ${path}, until the session ends`;
}

/** One stream: in memory while it is short, else in a file up to its limit. */
class KeptStream {
  readonly #open: () => Promise<FileHandle>;
  readonly #heldBytes: number;
  readonly #mask: MaskedStream | undefined;
  /** Everything so far; undefined once it is in the file. */
  text: string | undefined = "";
  /** In memory, then in the file. */
  #bytes = 0;
  #isWhole = true;
  #file: FileHandle | undefined;
  #problem: string | undefined;
  #turn: Promise<void> = Promise.resolve();
  /** Not written yet. */
  #waiting: Buffer[] = [];

  constructor(openFile: () => Promise<FileHandle>, heldBytes: number, mask: MaskedStream | undefined) {
    this.#open = openFile;
    this.#heldBytes = heldBytes;
    this.#mask = mask;
  }

  write(text: string): void {
    if (this.text === undefined) this.#append(text);
    else {
      this.text += text;
      this.#bytes += Buffer.byteLength(text);
      if (this.#bytes > this.#heldBytes) this.#toFile();
    }
  }

  /** Undefined if there is nothing to keep. */
  async keep(): Promise<Kept | undefined> {
    if (this.text === "") return undefined;
    if (this.text !== undefined) this.#toFile();
    this.#store(this.#mask?.end() ?? "");
    await this.close();
    return { bytes: this.#bytes, isWhole: this.#isWhole, problem: this.#problem };
  }

  async close(): Promise<void> {
    await this.#turn;
    await this.#file?.close();
    this.#file = undefined;
  }

  #toFile(): void {
    const { text = "" } = this;
    this.text = undefined;
    this.#bytes = 0;
    this.#append(text);
  }

  #append(text: string): void {
    if (this.#isWhole) this.#store(this.#mask?.write(text) ?? text);
  }

  // Writes wait for each other, not the command for them: at most what is kept is waiting.
  #store(text: string): void {
    const room = MAX_FILE_BYTES - this.#bytes;
    const bytes = Buffer.from(text);
    if (bytes.length > room) this.#isWhole = false;
    const kept = bytes.subarray(0, room);
    if (kept.length === 0) return;
    this.#bytes += kept.length;
    if (this.#waiting.push(kept) === 1) this.#turn = this.#turn.then(() => this.#flush());
  }

  async #flush(): Promise<void> {
    const buffers = this.#waiting;
    this.#waiting = [];
    if (this.#problem !== undefined) return;
    try {
      this.#file ??= await this.#open();
      await this.#file.appendFile(buffers.length === 1 ? (buffers[0] as Buffer) : Buffer.concat(buffers));
    } catch (error) {
      this.#problem = describeError(error);
    }
  }
}
