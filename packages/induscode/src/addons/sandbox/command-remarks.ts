// What the sandbox says with the result of the next command.

/** Reported per command. */
const MAX_REFUSED = 20;

export class CommandRemarks {
  #next: string[] = [];
  readonly #said = new Set<string>();

  /** Only the first time in a session. */
  sayOnce(line: string | undefined): void {
    if (line === undefined) return;
    if (!this.#said.has(line)) this.#next.push(line);
    this.#said.add(line);
  }

  /** Only once for each command, and not more than a model reads. */
  sayRefused(line: string): void {
    if (this.#next.length < MAX_REFUSED && !this.#next.includes(line)) this.#next.push(line);
  }

  /** Each is returned once. */
  take(): readonly string[] {
    const lines = this.#next;
    this.#next = [];
    return lines;
  }
}
