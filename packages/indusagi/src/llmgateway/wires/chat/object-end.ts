// Whether the pieces of text so far form a whole JSON object. This may be asked with every piece, so each is examined once: the
// text is parsed when its brackets are closed, and never again.

import { parseObject } from "../../loose-json.ts";

/** Follows one append-only list of pieces. */
export class ObjectEnd {
  #read = 0;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #isBlank = true;
  /** Its brackets are closed: if it is not an object now, more text will not make it one. */
  #isClosed = false;
  #isWhole: boolean | undefined;

  /** Whether only blanks have arrived. */
  isBlank(parts: readonly string[]): boolean {
    this.#follow(parts);
    return this.#isBlank;
  }

  /** Whether the pieces so far are an object. */
  isReached(parts: readonly string[]): boolean {
    this.#follow(parts);
    if (!this.#isClosed) return false;
    this.#isWhole ??= parseObject(parts.join("")) !== undefined;
    return this.#isWhole;
  }

  #follow(parts: readonly string[]): void {
    for (; this.#read < parts.length; this.#read++) {
      const part = parts[this.#read] ?? "";
      if (part.trim() === "") continue;
      this.#isBlank = false;
      if (this.#isClosed) this.#isWhole = false;
      else this.#count(part);
    }
  }

  #count(part: string): void {
    for (let at = 0; at < part.length; at++) {
      const character = part[at];
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#isInText && character === "\\") this.#isEscaped = true;
      else if (character === '"') this.#isInText = !this.#isInText;
      else if (this.#isInText) continue;
      else if (character === "{" || character === "[") this.#depth++;
      else if ((character === "}" || character === "]") && --this.#depth <= 0) {
        this.#isClosed = true;
        return;
      }
    }
  }
}
