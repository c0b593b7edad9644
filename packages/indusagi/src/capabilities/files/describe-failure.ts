import { describeError, errorCode } from "../../core/faults.ts";
import { ScopeError } from "../backends/scoped.ts";
import type { Fs, FsEntryInfo } from "../kernel/contract.ts";

/** Why an operation on a path failed, in words that tell a model what to do. `path` is as the model wrote it. */
export function describeFsFailure(action: string, path: string, error: unknown): string {
  if (error instanceof ScopeError) return `Cannot ${action} ${path}: ${error.message}`; // its message says what would allow it
  return `Cannot ${action} ${path}: ${fsReason(error)}`;
}

/** A system error in words. */
export function fsReason(error: unknown): string {
  return REASONS[errorCode(error) ?? ""] ?? describeError(error);
}

/** Why an entry cannot be read or edited as a file; undefined if it can. */
export function describeNonFile(action: string, path: string, info: FsEntryInfo): string | undefined {
  if (info.isDirectory) return `Cannot ${action} ${path}: it is a directory. Use ls to list it.`;
  return info.isFile ? undefined : `Cannot ${action} ${path}: it is not a regular file.`;
}

/** Why a path cannot be searched; undefined for a folder or a regular file. Rejects with a system error. */
export async function describeUnsearchable(fs: Fs, path: string, asked: string): Promise<string | undefined> {
  if (!(await fs.exists(path))) return `Cannot search ${asked}: path not found.`;
  const info = await fs.stat(path);
  return info.isDirectory ? undefined : describeNonFile("search", asked, info);
}

/** Why a text in a call cannot be written: an encoder would replace a lone surrogate with U+FFFD. */
export function describeHalfCharacter(argument: string): string {
  return `"${argument}" contains half of a character (a lone surrogate), which cannot be encoded. Use the whole character.`;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory. Use find or ls to look for it.",
  ENOTDIR: "a part of the path is a file, not a directory.",
  EISDIR: "it is a directory.",
  EINVAL: "it is not a regular file.",
  EACCES: "permission denied.",
  EPERM: "operation not permitted.",
  EROFS: "the file system is read-only.",
  ENOSPC: "the disk is full.",
  ENOTSUP: "it is in /proc or /sys, kernel file systems where no file can be created. Use a command.",
  ELOOP: "its symbolic links form a loop.",
  ENAMETOOLONG: "the name is too long.",
  ERR_ENCODING_INVALID_ENCODED_DATA: "it is not valid UTF-8 text, and other encodings are left untouched.",
};
