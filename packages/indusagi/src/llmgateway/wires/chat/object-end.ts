// Whether the pieces of a text so far are a whole JSON object. A server may ask that with every piece, so each is looked at
// once: the text is parsed when its brackets are closed, and never again.

import { parseObject } from "../../loose-json.ts";

/** Follows one list of pieces, which only grows. */
export class ObjectEnd {
  #read = 0;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #isBlank = true;
  /** Its brackets are closed: more text makes no object of what is none now. */
  #isClosed = false;
  #isWhole: boolean | undefined;

  /** Whether nothing but blanks came. */
  isBlank(parts: readonly string[]): boolean {
    this.#follow(parts);
    return this.#isBlank;
  }

  /** Whether the pieces are an object as they stand. */
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
