/** What is wrong with a text, and where: line and column count from 1. */
export class TextError extends Error {
  override readonly name = "TextError";
  readonly line: number;
  readonly column: number;
  /** The message without the place it begins with. */
  readonly words: string;

  constructor(words: string, { line, column }: TextPlace, options?: ErrorOptions) {
    super(`line ${line}, column ${column}: ${words}`, options);
    this.line = line;
    this.column = column;
    this.words = words;
  }
}

export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** The place of the character at `offset`. */
export function placeAt(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
