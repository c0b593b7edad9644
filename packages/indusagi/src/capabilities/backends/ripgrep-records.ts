// Parses ripgrep's output from the pipe: `path NUL line : column : text NEWLINE`; the column is the first match's, in bytes from 1.

import { isUtf8 } from "node:buffer";
import { StringDecoder } from "node:string_decoder";
import type { GrepHit } from "../kernel/contract.ts";
import { type LineHit, SHOWN_CHARS, shownLine, shownPart } from "../search/line-match.ts";

const NUL = 0;
const COLON = 58;
const NEWLINE = 10;

/** How much of an unfinished text is held as bytes; beyond that it is read as it arrives and only its beginning is kept. */
const MAX_HELD_BYTES = 8_192;

// Follows the hits of a file in which ripgrep found a NUL.
const STOPPED = ": WARNING: stopped searching binary file after match (found ";

/** Parses records; a name can contain a newline, a text can contain a NUL and can have any length. */
export class RecordParser {
  readonly hits: GrepHit[] = [];
  /** Names that are not UTF-8, which cannot cross the seam: their hits are left out. */
  readonly undecoded = new Set<string>();
  readonly #limit: number;
  readonly #only: string | undefined;
  #rest: Buffer = Buffer.alloc(0);
  #name: Buffer = Buffer.alloc(0);
  #path: string | undefined = "";
  #longLine: LongLine | undefined;

  /** `only` is the path of the single searched file, when ripgrep does not know its path. */
  constructor(limit: number, only?: string) {
    this.#limit = limit;
    this.#only = only;
  }

  get isFull(): boolean {
    return this.hits.length >= this.#limit;
  }

  write(chunk: Buffer): void {
    let bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    if (this.#longLine) {
      const end = bytes.indexOf(NEWLINE);
      this.#longLine.write(end < 0 ? bytes : bytes.subarray(0, end));
      if (end < 0) return;
      this.#push(this.#longLine.end());
      this.#longLine = undefined;
      bytes = bytes.subarray(end + 1);
    }
    let at = 0;
    while (!this.isFull) {
      at = this.#skipWarning(bytes, at);
      const pathEnd = bytes.indexOf(NUL, at);
      const numberEnd = pathEnd < 0 ? -1 : bytes.indexOf(COLON, pathEnd);
      const columnEnd = numberEnd < 0 ? -1 : bytes.indexOf(COLON, numberEnd + 1);
      if (columnEnd < 0) break;
      const textEnd = bytes.indexOf(NEWLINE, columnEnd);
      if (textEnd < 0 && bytes.length - columnEnd < MAX_HELD_BYTES) break;
      this.#enter(bytes.subarray(at, pathEnd));
      const line = Number(bytes.toString("latin1", pathEnd + 1, numberEnd));
      const matchByte = Number(bytes.toString("latin1", numberEnd + 1, columnEnd)) - 1;
      const textStart = columnEnd + 1;
      if (textEnd < 0) {
        this.#longLine = new LongLine(line, matchByte);
        this.#longLine.write(bytes.subarray(textStart));
        at = bytes.length;
        break;
      }
      const matchAt = bytes.toString("utf8", textStart, textStart + matchByte).length;
      const text = shownLine(bytes.toString("utf8", textStart, textEnd), matchAt);
      this.#push({ line, at: matchAt, text });
      at = textEnd + 1;
    }
    this.#rest = bytes.subarray(at);
  }

  #skipWarning(bytes: Buffer, at: number): number {
    const text = Buffer.concat([this.#name, Buffer.from(STOPPED)]);
    const end = bytes.subarray(at, at + text.length).equals(text)
      ? bytes.indexOf(NEWLINE, at + text.length)
      : -1;
    return end < 0 ? at : end + 1;
  }

  #enter(name: Buffer): void {
    if (name.equals(this.#name)) return;
    this.#name = Buffer.from(name);
    this.#path = this.#only ?? (isUtf8(name) ? name.toString("utf8") : undefined);
    if (this.#path === undefined) this.undecoded.add(name.toString("latin1"));
  }

  #push(hit: LineHit): void {
    if (this.#path !== undefined) this.hits.push({ path: this.#path, ...hit });
  }
}

/** A line too long to hold: its length, and what is around its first match. */
class LongLine {
  readonly #line: number;
  readonly #decoder = new StringDecoder("utf8");
  /** The bytes that are still to come before the match. */
  #bytesBefore: number;
  #around = "";
  #start = 0;
  /** Where the match begins; up to it, the part moves along. */
  #at: number | undefined;
  #length = 0;
  #endsInReturn = false;

  constructor(line: number, matchByte: number) {
    this.#line = line;
    this.#bytesBefore = matchByte;
  }

  write(bytes: Buffer): void {
    if (this.#at === undefined) {
      const before = bytes.subarray(0, this.#bytesBefore);
      this.#take(this.#decoder.write(before));
      this.#bytesBefore -= before.length;
      const surplus = this.#around.length - 2 * SHOWN_CHARS;
      if (surplus > 0) {
        this.#around = this.#around.slice(surplus);
        this.#start += surplus;
      }
      if (this.#bytesBefore > 0) return;
      this.#at = this.#length;
      this.write(bytes.subarray(before.length));
    } else {
      this.#take(this.#decoder.write(bytes));
    }
  }

  end(): LineHit {
    this.#take(this.#decoder.end());
    const at = this.#at ?? this.#length;
    const length = this.#length - (this.#endsInReturn ? 1 : 0);
    return { line: this.#line, at, text: shownPart({ text: this.#around, start: this.#start }, length, at) };
  }

  #take(text: string): void {
    if (text === "") return;
    const isNeeded = this.#at === undefined || this.#length < this.#at + SHOWN_CHARS;
    if (isNeeded) this.#around += this.#at === undefined ? text : text.slice(0, SHOWN_CHARS);
    this.#length += text.length;
    this.#endsInReturn = text.endsWith("\r");
  }
}
