// The lines of a stream of bytes, as whoever writes JSON a line means them: only \n ends one. (`node:readline` also cuts at U+2028, which may
// stand in a text.)

const NEWLINE = 10;

export interface CutLine {
  readonly text: string;
  /** False for the beginning of a line of more bytes than the limit; its rest is left out. */
  readonly isWhole: boolean;
}

/** What follows the last break is a line as well. One that is too long is told of when it is, not when it ends. */
export async function* cutLines(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<CutLine, void, undefined> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let isSkipped = false; // the rest of a line that is told of already
  const take = (): string => {
    const text = Buffer.concat(pieces).toString("utf8");
    pieces = [];
    bytes = 0;
    return text;
  };
  for await (const chunk of stream) {
    for (let from = 0; from < chunk.length; ) {
      const found = chunk.indexOf(NEWLINE, from);
      const end = found < 0 ? chunk.length : found;
      const room = maxBytes - bytes;
      if (!isSkipped && end > from) {
        pieces.push(chunk.subarray(from, Math.min(end, from + room)));
        bytes += end - from;
      }
      if (bytes > maxBytes) {
        yield { text: take(), isWhole: false };
        isSkipped = true;
      }
      if (found >= 0 && !isSkipped) yield { text: take(), isWhole: true };
      if (found >= 0) isSkipped = false;
      from = end + 1;
    }
  }
  if (pieces.length > 0) yield { text: take(), isWhole: true };
}
