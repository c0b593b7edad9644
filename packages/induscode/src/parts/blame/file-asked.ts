// The file and the lines that a person asks about: `FILE`, `FILE:LINE` or `FILE:FROM-TO`.

import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { describeError, isInside, readBoundedFile, resolvePath } from "indusagi/core";
import { EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { HOME_FILES } from "../../store/home-files.ts";

export interface AskedFile {
  /** Its real path. */
  readonly path: string;
  readonly text: string;
  /** From 1, both included. */
  readonly lines: { readonly from: number; readonly to: number } | undefined;
}

const { maxBytes: MAX_BYTES } = HOME_FILES.checkpoint;

/** Throws a {@link Problem}. A file whose own name ends like a line number is that file. */
export function askedFile(word: string, cwd: string, personHome: string): AskedFile {
  const [, name = word, from, to = from] = existsSync(resolvePath(cwd, word, personHome))
    ? []
    : (/^(.+):(\d{1,9})(?:-(\d{1,9}))?$/.exec(word) ?? []);
  const given = resolvePath(cwd, name, personHome);
  const text = textAt(given);
  const lines = from === undefined ? undefined : { from: Number(from), to: Number(to) };
  const count = text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
  if (lines && (lines.from < 1 || lines.to < lines.from || lines.from > count))
    throw new Problem(
      `${name} has ${count} ${count === 1 ? "line" : "lines"}; expected a number from 1 to ${count}, or FROM-TO, found ${word.slice(name.length + 1)}`,
      EXIT_USAGE,
    );
  return { path: join(realpathSync(dirname(given)), basename(given)), text, lines };
}

function textAt(path: string): string {
  let bytes: Buffer;
  try {
    if (statSync(path).isDirectory()) throw new Problem(`${path} is a folder; expected a file`, EXIT_USAGE);
    bytes = readBoundedFile(path, MAX_BYTES);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(`${path} cannot be read: ${describeError(error)}`);
  }
  if (bytes.includes(0)) throw new Problem(`${path} is not text: it has no lines to trace`);
  return bytes.toString("utf8");
}

/** The repository around a file, or the working directory, or the file's folder: where sessions can have written it. */
export function rootAround(path: string, cwd: string): string {
  for (let at = dirname(path); isAbsolute(at) && at !== dirname(at); at = dirname(at))
    if (existsSync(join(at, ".git"))) return at;
  return isInside(cwd, path) ? cwd : dirname(path);
}
