// The lines of a stream, none longer than a limit. A line that is longer is left out, and a short one that says so stands for it: the
// reader answers that as any other line that is no message, and the connection stays.

const NEWLINE = 10;

/** `maxBytes` without the line break. What stands for a longer line is a text in JSON. */
export function boundedLines(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  const said = JSON.stringify(`a line of more than ${maxBytes} bytes, which was not read`);
  const instead = new TextEncoder().encode(`${said}\n`);
  let line: Uint8Array[] = [];
  let bytes = 0;
  const keep = (piece: Uint8Array): void => {
    bytes += piece.length;
    if (bytes <= maxBytes) line.push(piece);
    else line = [];
  };
  return new TransformStream({
    transform(chunk, controller) {
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
        keep(chunk.subarray(from, end));
        for (const piece of bytes > maxBytes ? [instead] : [...line, chunk.subarray(end, end + 1)])
          controller.enqueue(piece);
        line = [];
        bytes = 0;
        from = end + 1;
      }
      if (from < chunk.length) keep(chunk.subarray(from));
    },
  });
}

/** The same lines one by one, without their breaks. Reads on only when the next one is wanted; bytes after the last break are no line. */
export async function* eachLine(
  input: ReadableStream<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  let pieces: Uint8Array[] = [];
  for await (const piece of input.pipeThrough(boundedLines(maxBytes))) {
    if (piece.at(-1) !== NEWLINE) {
      pieces.push(piece);
      continue;
    }
    yield Buffer.concat([...pieces, piece.subarray(0, -1)]);
    pieces = [];
  }
}
