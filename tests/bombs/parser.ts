// What a corpus is of: one reader of the product with its own limits, and what is thrown at it.

import type { Bombs } from "./make.ts";

export interface Parser {
  /** As the first column of docs/reference/parsers.md calls it. */
  readonly name: string;
  readonly bombs: Bombs<string | Uint8Array>;
  /**
   * Has the product read one. Answers what it says of it, undefined where it says nothing. Whatever it throws
   * is a defect: an error that the product expects is to be made what it says.
   */
  readonly read: (bomb: string | Uint8Array) => unknown;
}

/** A parser of texts. */
export function ofTexts(name: string, bombs: Bombs, read: (bomb: string) => unknown): Parser {
  return { name, bombs, read: (bomb) => read(bomb as string) };
}
