// What is known of the shell at one point of a line: the values of variables, the functions, the folder. Only what is certain is kept:
// anything changed by a branch, a loop or a command that may not run is forgotten.

import type { ReadingPlace } from "./contract.ts";

/** Characters at which the shell splits expanded text, unless changed. */
const BLANKS = " \t\n";

/** A suffix that no program or variable name has. */
const FUNCTION = "()";
/** Another one. */
const LIST = "[]";

/** The maximum number of folders tracked. */
const MAX_FOLDERS = 8;

/** A longer value is not kept: doubling it repeatedly would never end. */
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

  /** What a function's body can rely on: nothing, because it runs later, and elsewhere. */
  static unknown(): Scope {
    return new Scope([], undefined);
  }

  /** For a subshell, a part of a pipe, a branch. */
  copy(): Scope {
    return new Scope(this.#known, this.#folders);
  }

  value(name: string): string | undefined {
    return this.#known.get(name);
  }

  /** Where the next command may run; undefined if unknown. */
  get folders(): readonly string[] | undefined {
    return this.#folders;
  }

  /** The elements of an array of bash. */
  list(name: string): readonly string[] | undefined {
    const known = this.#known.get(name + LIST);
    return known === undefined ? undefined : (JSON.parse(known) as string[]);
  }

  setList(name: string, items: readonly string[] | undefined): void {
    this.set(name, items?.[0]);
    const known = JSON.stringify(items ?? []);
    if (items !== undefined && known.length <= MAX_VALUE_CHARS) this.#known.set(name + LIST, known);
  }

  set(name: string, value: string | undefined): void {
    this.#known.delete(name + LIST);
    if (value === undefined || value.length > MAX_VALUE_CHARS) this.#known.delete(name);
    else this.#known.set(name, value);
  }

  hasFunction(name: string): boolean {
    return this.#known.has(name + FUNCTION);
  }

  addFunction(name: string): void {
    this.#known.set(name + FUNCTION, "");
  }

  /** Whether expanded text is split at blanks, the shell's default. */
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

  /** The change of folder may not have happened. */
  mayStayIn(folders: readonly string[] | undefined): void {
    if (folders === this.#folders) return;
    const both = new Set([...(folders ?? []), ...(this.#folders ?? [])]);
    const isKnown = folders !== undefined && this.#folders !== undefined && both.size <= MAX_FOLDERS;
    this.#folders = isKnown ? [...both] : undefined;
  }

  /** Keeps what is true on every one of these paths through the line. */
  meet(others: readonly Scope[]): void {
    for (const other of others) {
      for (const [name, value] of this.#known) if (other.#known.get(name) !== value) this.#known.delete(name);
      this.mayStayIn(other.#folders);
    }
  }

  /** Takes over the state of another scope. */
  become(other: Scope): void {
    this.#known = new Map(other.#known);
    this.#folders = other.#folders;
  }
}
