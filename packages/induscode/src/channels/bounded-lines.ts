// The lines of a stream, none longer than a limit. They end at a line feed alone: other characters that some readers take for the end of a
// line may stand in JSON.

const NEWLINE = 10;

/** A line that was longer than the limit, and was left out. */
export class LongLine {
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
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
  if (rest instanceof LongLine || rest.length > 0) yield rest;
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

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *in(chunk: Uint8Array): Generator<Buffer | LongLine, void, undefined> {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, end));
      yield this.rest();
      from = end + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
  }

  /** What came since the last break. */
  rest(): Buffer | LongLine {
    const line = this.#bytes > this.#maxBytes ? new LongLine(this.#maxBytes) : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    return line;
  }

  #keep(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#bytes <= this.#maxBytes) this.#pieces.push(piece);
    else this.#pieces = [];
  }
}
