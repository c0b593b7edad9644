// One search over one list of files, in pieces: when more files are listed it continues from where it was.

import { createBest } from "./best.ts";
import { fitLower, letterBits } from "./fuzzy.ts";
import type { ListedFiles } from "./listed-files.ts";

const MOST_SHOWN = 50;
/** How long one piece of work can delay a key, in milliseconds. */
const PIECE_MS = 4;
const CLOCK_EVERY = 128;

export class FileScan {
  readonly typed: string;
  readonly among: ListedFiles;
  /** The matches for a prefix of `typed`; undefined: all paths. */
  readonly #some: readonly number[] | undefined;
  readonly #best = createBest<string>(MOST_SHOWN);
  readonly #fitting: number[] = [];
  #at = 0;

  /** If `typed` only extends an earlier search of all paths, its matches are searched instead. */
  constructor(typed: string, among: ListedFiles, earlier: FileScan | undefined) {
    this.typed = typed;
    this.among = among;
    const isNarrower =
      earlier?.among === among &&
      earlier.typed !== "" &&
      earlier.#at === among.paths.length &&
      typed.startsWith(earlier.typed);
    this.#some = isNarrower ? earlier.#fitting : undefined;
  }

  get isOfAll(): boolean {
    return this.#some === undefined;
  }

  /** The matches so far, the best first. */
  found(): readonly string[] {
    return this.#best.all();
  }

  /** Searches for a moment. True once everything listed so far has been searched. */
  goOn(now: () => number): boolean {
    const { among } = this;
    const some = this.#some;
    const best = this.#best;
    const lower = this.typed.toLowerCase();
    const wanted = letterBits(lower);
    const end = some ? some.length : among.paths.length;
    const until = now() + PIECE_MS;
    for (; this.#at < end; this.#at++) {
      if (this.#at % CLOCK_EVERY === CLOCK_EVERY - 1 && now() >= until) return false;
      const index = some ? (some[this.#at] ?? 0) : this.#at;
      if (((among.bits[index] ?? 0) & wanted) !== wanted) continue;
      const score = fitLower(among.lower[index] ?? "", lower, best.least());
      if (score === Number.NEGATIVE_INFINITY) continue;
      this.#fitting.push(index);
      best.add(among.paths[index] ?? "", score);
    }
    return true;
  }
}
