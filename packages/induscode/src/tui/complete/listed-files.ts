// The files of a folder, and the folders that they are in, in the form in which they are searched.

import { grouped } from "indusagi/core";
import { letterBits } from "./fuzzy.ts";

/** Further files are not listed. */
const MOST_PATHS = 500_000;

export class ListedFiles {
  readonly paths: string[] = [];
  readonly lower: string[] = [];
  readonly bits: number[] = [];
  /** When it was made; once whole, when it became so. */
  atMs: number;
  isWhole = false;
  problem: unknown;
  /** Why it could not be made again. */
  againProblem: unknown;
  readonly #folders = new Set<string>();
  #isCut = false;

  constructor(atMs: number) {
    this.atMs = atMs;
  }

  /** No more of them fit. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Adds a file and its folders, which end with `/`. */
  add(path: string): void {
    if (this.paths.length >= MOST_PATHS) {
      this.#isCut = true;
      return;
    }
    this.#put(path);
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end + 1);
      if (this.#folders.has(folder)) break;
      this.#folders.add(folder);
      this.#put(folder);
    }
  }

  /** What is missing from it, in words. */
  note(): string | undefined {
    if (this.problem !== undefined) return `files cannot be listed: ${inWords(this.problem)}`;
    if (this.againProblem !== undefined)
      return `as listed before; listing again failed: ${inWords(this.againProblem)}`;
    if (this.#isCut) return `only the first ${grouped(MOST_PATHS)} files are listed`;
    return this.isWhole ? undefined : `still looking, ${grouped(this.paths.length)} files so far`;
  }

  #put(path: string): void {
    const lower = path.toLowerCase();
    this.paths.push(path);
    this.lower.push(lower);
    this.bits.push(letterBits(lower));
  }
}

function inWords(problem: unknown): string {
  return String(problem instanceof Error ? problem.message : problem);
}
