// Parses ripgrep's output from the pipe: `path NUL line : text NEWLINE`.

import { isUtf8 } from "node:buffer";
import { StringDecoder } from "node:string_decoder";
import type { GrepHit } from "../kernel/contract.ts";
import { SHOWN_CHARS, shownLine, shownOpening } from "../search/line-match.ts";

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
      this.#push(this.#longLine.line, this.#longLine.end());
      this.#longLine = undefined;
      bytes = bytes.subarray(end + 1);
    }
    let at = 0;
    while (!this.isFull) {
      at = this.#skipWarning(bytes, at);
      const pathEnd = bytes.indexOf(NUL, at);
      const numberEnd = pathEnd < 0 ? -1 : bytes.indexOf(COLON, pathEnd);
      if (numberEnd < 0) break;
      const textEnd = bytes.indexOf(NEWLINE, numberEnd);
      if (textEnd < 0 && bytes.length - numberEnd < MAX_HELD_BYTES) break;
      this.#enter(bytes.subarray(at, pathEnd));
      const line = Number(bytes.toString("latin1", pathEnd + 1, numberEnd));
      if (textEnd < 0) {
        this.#longLine = new LongLine(line);
        this.#longLine.write(bytes.subarray(numberEnd + 1));
        at = bytes.length;
        break;
      }
      this.#push(line, shownLine(bytes.toString("utf8", numberEnd + 1, textEnd)));
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

  #push(line: number, text: string): void {
    if (this.#path !== undefined) this.hits.push({ path: this.#path, line, text });
  }
}

/** A text too long to hold: its beginning and its length. */
class LongLine {
  readonly line: number;
  readonly #decoder = new StringDecoder("utf8");
  #opening = "";
  #length = 0;
  #endsInReturn = false;

  constructor(line: number) {
    this.line = line;
  }

  write(bytes: Buffer): void {
    this.#take(this.#decoder.write(bytes));
  }

  end(): string {
    this.#take(this.#decoder.end());
    return shownOpening(this.#opening, this.#length - (this.#endsInReturn ? 1 : 0));
  }

  #take(text: string): void {
    if (text === "") return;
    if (this.#opening.length < SHOWN_CHARS) this.#opening += text.slice(0, SHOWN_CHARS);
    this.#length += text.length;
    this.#endsInReturn = text.endsWith("\r");
  }
}
