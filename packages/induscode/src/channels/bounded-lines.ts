// The lines of a stream, none longer than a limit. They end at a line feed alone: other characters that some readers take for the end of a
// line may stand in JSON.

const NEWLINE = 10;

/** A line that is longer than the limit. It is told of when it becomes too long, not when it ends: it may never end. */
export class LongLine {
  readonly #maxBytes: number;
  /** Its first bytes, as many as the limit; the rest is left out. */
  readonly beginning: Buffer;

  constructor(beginning: Buffer, maxBytes: number) {
    this.beginning = beginning;
    this.#maxBytes = maxBytes;
  }

  /** For the other end. */
  get message(): string {
    return `a line of more than ${this.#maxBytes} bytes, which was not read`;
  }
}

/** The lines one by one, without their breaks; the last one may lack its break. Reads on only when the next one is wanted. */
export async function* eachLine(
  input: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Buffer | LongLine, void, undefined> {
  const lines = new Lines(maxBytes);
  for await (const chunk of input) yield* lines.in(chunk);
  const rest = lines.rest();
  if (rest.length > 0) yield rest;
}

/**
 * The same as bytes, for a reader that splits them itself. A short line, a text in JSON, stands for one that is longer than `maxBytes`
 * without its break: the reader answers that as any other line that is no message, and the connection stays.
 */
export async function* boundedLines(
  input: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  const lines = new Lines(maxBytes);
  for await (const chunk of input)
    for (const line of lines.in(chunk))
      yield line instanceof LongLine
        ? Buffer.from(`${JSON.stringify(line.message)}\n`)
        : Buffer.concat([line, Buffer.of(NEWLINE)]);
}

class Lines {
  readonly #maxBytes: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  /** What comes belongs to a line that was told of already. */
  #isSkipping = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *in(chunk: Uint8Array): Generator<Buffer | LongLine, void, undefined> {
    for (let from = 0; from < chunk.length; ) {
      const found = chunk.indexOf(NEWLINE, from);
      const end = found < 0 ? chunk.length : found;
      if (!this.#isSkipping) yield* this.#keep(chunk.subarray(from, end), found >= 0);
      if (found >= 0) this.#isSkipping = false;
      from = end + 1;
    }
  }

  /** What came since the last break, unless it was told of. */
  rest(): Buffer {
    const line = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    return line;
  }

  *#keep(piece: Uint8Array, isLast: boolean): Generator<Buffer | LongLine, void, undefined> {
    this.#pieces.push(piece.subarray(0, this.#maxBytes - this.#bytes));
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) {
      yield new LongLine(this.rest(), this.#maxBytes);
      this.#isSkipping = true;
    } else if (isLast) yield this.rest();
  }
}
