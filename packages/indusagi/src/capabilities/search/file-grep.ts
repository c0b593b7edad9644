// Content search in a single named file of any size, without a native program, in blocks of whole lines.

import { Aborted } from "../../core/abort.ts";
import { monotonicMs } from "../../core/clock.ts";
import type { Fs, GrepHit, GrepQuery, GrepResult } from "../kernel/contract.ts";
import { utf16Of } from "./line-match.ts";
import { createMatcher } from "./matchers.ts";
import { addOmissions, createOmissions, presentOmissions } from "./omissions.ts";

const BLOCK_BYTES = 1_048_576;

// How much of a line is held while searching for its end.
const MAX_LINE_BYTES = 16_777_216;

/** Searches the file at `query.root`. */
export async function grepFile(fs: Fs, query: GrepQuery, signal: AbortSignal): Promise<GrepResult> {
  const { root, maxHits } = query;
  const wanted = maxHits + 1; // one extra shows whether there are more
  const endMs = monotonicMs() + (query.maxMs ?? Number.POSITIVE_INFINITY);
  const matcher = await createMatcher(fs, query, { signal, isSmall: true });
  const blocks = new LineBlocks();
  const omissions = createOmissions();
  const hits: GrepHit[] = [];
  let line = 1;
  const search = async (block: Buffer): Promise<void> => {
    if (block.length === 0) return;
    const matches = await matcher.match([block], wanted - hits.length);
    for (const hit of matches.hits)
      hits.push({ path: root, line: line + hit.line - 1, text: hit.text, at: hit.at });
    addOmissions(omissions, matches.omissions);
    for (let at = block.indexOf(NEWLINE); at >= 0; at = block.indexOf(NEWLINE, at + 1)) line++;
  };
  try {
    for (let start = 0; hits.length < wanted; start += BLOCK_BYTES) {
      if (signal.aborted) throw new Aborted();
      if (monotonicMs() > endMs) return { hits, truncated: false, timedOut: true };
      const bytes = await fs.readBytes(root, { start, maxBytes: BLOCK_BYTES });
      await search(blocks.add(bytes));
      if (bytes.length < BLOCK_BYTES) {
        await search(blocks.end());
        break;
      }
    }
  } finally {
    await matcher.close();
  }
  omissions.cutLines += blocks.cutLines;
  if (hits.length >= wanted) return { hits: hits.slice(0, maxHits), truncated: true };
  return { hits, truncated: false, ...presentOmissions(omissions) };
}

const NEWLINE = 10;

/** Splits a stream of bytes into blocks of whole lines, in UTF-8. */
class LineBlocks {
  cutLines = 0;
  #decoder: TextDecoder | undefined;
  #isBegun = false;
  #rest: Buffer[] = [];
  #restBytes = 0;
  /** The current line exceeds what is held: the rest of it is skipped. */
  #isCut = false;

  add(bytes: Uint8Array): Buffer {
    if (!this.#isBegun) {
      const utf16 = utf16Of(bytes);
      if (utf16 !== undefined) this.#decoder = new TextDecoder(utf16);
    }
    let text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (this.#decoder) text = Buffer.from(this.#decoder.decode(bytes, { stream: true }));
    else if (!this.#isBegun && text.subarray(0, 3).equals(MARK)) text = text.subarray(3);
    this.#isBegun = true;
    const end = text.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      this.#hold(text);
      return EMPTY;
    }
    const opening = this.#isCut ? text.indexOf(NEWLINE) : 0;
    const block = Buffer.concat([...this.#rest, text.subarray(opening, end)]);
    this.#rest = [];
    this.#restBytes = 0;
    this.#isCut = false;
    this.#hold(text.subarray(end));
    return block;
  }

  end(): Buffer {
    if (this.#decoder) this.#hold(Buffer.from(this.#decoder.decode()));
    return Buffer.concat(this.#rest);
  }

  #hold(part: Buffer): void {
    if (this.#isCut || part.length === 0) return;
    if (this.#restBytes + part.length > MAX_LINE_BYTES) {
      this.#isCut = true;
      this.cutLines++;
    } else {
      this.#rest.push(part);
      this.#restBytes += part.length;
    }
  }
}

const MARK = Buffer.of(0xef, 0xbb, 0xbf);
const EMPTY = Buffer.alloc(0);
