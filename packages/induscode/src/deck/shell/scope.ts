// What is known of the shell at one place of a line: the values of variables, the functions, the folder. Only what is certain
// stays: what a branch, a loop or a command that may not run has changed is forgotten.

import type { ReadingPlace } from "./contract.ts";

/** Characters at which the shell splits what it expanded, unless somebody sets others. */
const BLANKS = " \t\n";

/** Neither a program nor a variable is called so. */
const FUNCTION = "()";

/** More are not followed. */
const MAX_FOLDERS = 8;

/** A longer value is not kept: twice itself, again and again, is without end. */
const MAX_VALUE_CHARS = 4_096;

export class Scope {
  #known: Map<string, string>;
  #folders: readonly string[] | undefined;

  constructor(known: Iterable<readonly [string, string]>, folders: readonly string[] | undefined) {
    this.#known = new Map(known);
    this.#folders = folders;
  }

  static at({ cwd, home }: ReadingPlace): Scope {
    return new Scope(
      [
        ["IFS", BLANKS],
        ["HOME", home],
        ["PWD", cwd],
      ],
      [cwd],
    );
  }

  /** What a function's body may rely on: nothing, because it runs later, and elsewhere. */
  static unknown(): Scope {
    return new Scope([], undefined);
  }

  /** For a subshell, a pipe's part, a branch. */
  copy(): Scope {
    return new Scope(this.#known, this.#folders);
  }

  value(name: string): string | undefined {
    return this.#known.get(name);
  }

  /** Where the next command may run; undefined where that is not known. */
  get folders(): readonly string[] | undefined {
    return this.#folders;
  }

  set(name: string, value: string | undefined): void {
    if (value === undefined || value.length > MAX_VALUE_CHARS) this.#known.delete(name);
    else this.#known.set(name, value);
  }

  hasFunction(name: string): boolean {
    return this.#known.has(name + FUNCTION);
  }

  addFunction(name: string): void {
    this.#known.set(name + FUNCTION, "");
  }

  /** Whether what is expanded is split at blanks, as the shell begins. */
  get splitsAtBlanks(): boolean {
    return this.#known.get("IFS") === BLANKS;
  }

  /** Something ran that may have set anything. */
  forgetAll(): void {
    this.#known.clear();
  }

  moveTo(folders: readonly string[] | undefined): void {
    this.#folders = folders === undefined || folders.length > MAX_FOLDERS ? undefined : folders;
    this.#known.delete("PWD");
    this.#known.delete("OLDPWD");
  }

  /** The move may not have taken place. */
  mayStayIn(folders: readonly string[] | undefined): void {
    if (folders === this.#folders) return;
    const both = new Set([...(folders ?? []), ...(this.#folders ?? [])]);
    const isKnown = folders !== undefined && this.#folders !== undefined && both.size <= MAX_FOLDERS;
    this.#folders = isKnown ? [...both] : undefined;
  }

  /** Keeps what holds whichever of these ways the line took. */
  meet(others: readonly Scope[]): void {
    for (const other of others) {
      for (const [name, value] of this.#known) if (other.#known.get(name) !== value) this.#known.delete(name);
      this.mayStayIn(other.#folders);
    }
  }

  /** Goes on as this one. */
  become(other: Scope): void {
    this.#known = new Map(other.#known);
    this.#folders = other.#folders;
  }
}
