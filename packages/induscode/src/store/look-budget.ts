// How much of a repository a start looks at before anybody trusts it. Whoever wrote the repository chose how much there is, so
// everything that reads from it takes from one budget. It counts work and not time: the same repository gives the same session on
// every machine.

import { grouped } from "indusagi/core";

const MEBIBYTE = 1024 * 1024;

/** What there is in total. */
export interface LookLimits {
  /** Of the folders that are listed. */
  readonly names: number;
  /** That are opened. */
  readonly files: number;
  /** Of text that is searched; what is only hashed has a limit of its own (`addons/source/within-look`). */
  readonly textBytes: number;
  /** Of YAML: characters that it gives a meaning, because those are what its library takes its time for. */
  readonly yamlSigns: number;
}

export const REPOSITORY_LOOK: LookLimits = {
  names: 20_000,
  files: 12_000,
  textBytes: 16 * MEBIBYTE,
  yamlSigns: 20_000,
};
export const NO_LIMITS: LookLimits = {
  names: Infinity,
  files: Infinity,
  textBytes: Infinity,
  yamlSigns: Infinity,
};

const YAML_SIGNS = /[\n,:[\]{}"'?&*!-]/g;

export class LookBudget {
  readonly #limits: LookLimits;
  #names = 0;
  #files = 0;
  #textBytes = 0;
  #yamlSigns = 0;

  constructor(limits: LookLimits = REPOSITORY_LOOK) {
    this.#limits = limits;
  }

  /** For the person's own files. */
  static unlimited(): LookBudget {
    return new LookBudget(NO_LIMITS);
  }

  get namesLeft(): number {
    return Math.max(0, this.#limits.names - this.#names);
  }

  get filesLeft(): number {
    return Math.max(0, this.#limits.files - this.#files);
  }

  /** Whether another text may be opened. The last one may exceed the limit. */
  get hasText(): boolean {
    return this.filesLeft > 0 && this.#textBytes < this.#limits.textBytes;
  }

  takeNames(count: number): void {
    this.#names += count;
  }

  takeFiles(count: number, textBytes = 0): void {
    this.#files += count;
    this.#textBytes += textBytes;
  }

  /** Whether this text may be read as YAML; if it may, it is paid for. */
  takeYaml(text: string): boolean {
    const signs = text.match(YAML_SIGNS)?.length ?? 0;
    if (this.#yamlSigns + signs > this.#limits.yamlSigns) return false;
    this.#yamlSigns += signs;
    return true;
  }

  leftOut(count: number, what: string): string {
    return `${count === 1 ? `1 ${what} is` : `${grouped(count)} ${what}s are`} not used: ${this.words}`;
  }

  /** Why something is left out. */
  get words(): string {
    const { names, files, textBytes } = this.#limits;
    const [most, more] = [names, files].map(grouped);
    return `a start looks at no more than ${most} names, ${more} files and ${textBytes / MEBIBYTE} MB of text of a repository`;
  }
}
