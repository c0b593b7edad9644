// Splits a pipe's bytes into messages: one JSON value per line. Everything harmful is refused before it costs anything.

import { isUtf8 } from "node:buffer";
import type { JsonValue } from "indusagi/core";
import { ProtocolBreach, type ProtocolLimits } from "./contract.ts";

/** Bounds of one message's shape. */
type ShapeLimits = Pick<ProtocolLimits, "maxDepth" | "maxValues">;

interface FrameReaderOptions {
  readonly limits: ShapeLimits & Pick<ProtocolLimits, "maxFrameBytes">;
  /** Called once per message, in order, with its length in bytes. A throw ends the reader. */
  readonly onMessage: (message: JsonValue, bytes: number) => void;
  /** Called for each empty line: it is not a message, but it is not free either. */
  readonly onEmptyLine?: () => void;
}

/** Cuts a stream into messages. */
interface FrameReader {
  /** Feeds bytes as they arrive. Throws a {@link ProtocolBreach} `frame`, `depth` or `json`; after a throw it reads no more. */
  readonly receive: (chunk: Uint8Array) => void;
  /** Drops what it holds and reads no more. */
  readonly end: () => void;
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
// Small pieces of a line are gathered in blocks of this size, so that data arriving byte by byte does not cost a buffer per
// byte. Larger ones are kept as they are: a line refused for its length must not have been copied first.
const BLOCK_BYTES = 64 * 1024;
const LARGE_PIECE_BYTES: number = BLOCK_BYTES / 2;
const EXCERPT_BYTES = 80;

/** A reader of one side of one pipe. A line ends with LF; a CR before it is not part of the line. */
export function createFrameReader(options: FrameReaderOptions): FrameReader {
  const { limits } = options;
  const { maxFrameBytes } = limits;
  const maxHeldBytes = maxFrameBytes + 1; // room for a CR
  let pieces: Buffer[] = []; // the line so far, except for its end in `block`
  let block = Buffer.alloc(0);
  let blockUsed = 0;
  let used = 0;
  let isOver = false;

  function hold(bytes: Buffer): void {
    used += bytes.length;
    if (used > maxHeldBytes) throw tooLong(used, maxFrameBytes);
    if (bytes.length >= LARGE_PIECE_BYTES) {
      closeBlock();
      pieces.push(bytes);
      return;
    }
    if (blockUsed + bytes.length > block.length) {
      closeBlock();
      if (block.length < bytes.length) block = Buffer.allocUnsafe(BLOCK_BYTES);
    }
    bytes.copy(block, blockUsed);
    blockUsed += bytes.length;
  }

  /** Turns the used part of the block into a piece; the rest stays for later data. */
  function closeBlock(): void {
    if (blockUsed === 0) return;
    pieces.push(block.subarray(0, blockUsed));
    block = block.subarray(blockUsed);
    blockUsed = 0;
  }

  function takeLine(line: Buffer): void {
    const length = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
    if (length > maxFrameBytes) throw tooLong(length, maxFrameBytes);
    if (length === 0) options.onEmptyLine?.();
    else options.onMessage(parseFrame(line.subarray(0, length), limits), length);
  }

  function takeHeld(rest: Buffer): void {
    hold(rest);
    const line =
      pieces.length === 0
        ? block.subarray(0, blockUsed)
        : Buffer.concat([...pieces, block.subarray(0, blockUsed)], used);
    pieces = [];
    blockUsed = 0;
    used = 0;
    takeLine(line);
  }

  function read(bytes: Buffer): void {
    let start = 0;
    while (!isOver) {
      const end = bytes.indexOf(NEWLINE, start);
      if (end < 0) break;
      const part = bytes.subarray(start, end);
      start = end + 1;
      if (used === 0) takeLine(part);
      else takeHeld(part);
    }
    if (!isOver && start < bytes.length) hold(bytes.subarray(start));
  }

  function end(): void {
    isOver = true;
    pieces = [];
    block = Buffer.alloc(0);
  }

  return {
    receive: (chunk) => {
      if (isOver) return;
      try {
        read(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      } catch (error) {
        end();
        throw error;
      }
    },
    end,
  };
}

/**
 * Parses the message of one line. Checks strict UTF-8, depth and number of values before parsing, and drops `__proto__`
 * keys everywhere. Throws a {@link ProtocolBreach}.
 */
export function parseFrame(line: Buffer, limits: ShapeLimits): JsonValue {
  if (!isUtf8(line)) throw new ProtocolBreach("frame", `expected UTF-8, found ${excerpt(line)}`);
  const excess = excessOf(line, limits);
  if (excess !== undefined)
    throw new ProtocolBreach("depth", `a message may ${excess}, found ${excerpt(line)}`);
  const text = line.toString("utf8");
  let message: JsonValue;
  try {
    message = JSON.parse(text) as JsonValue;
  } catch (error) {
    const found = `expected one JSON message per line, found ${excerpt(line)}`;
    throw new ProtocolBreach("json", `${found} (write output for people to standard error)`, {
      cause: error,
    });
  }
  // A backslash-u escape could spell any letter of the key, so only a text with neither is known to be free of it.
  if (text.includes("__proto__") || text.includes("\\u00")) dropPrototypeKeys(message);
  return message;
}

/**
 * Which limit the JSON text exceeds, in words; undefined if none. Linear, runs before parsing, and also accepts text that
 * is not JSON. Each value costs a parser far more than its two or three bytes.
 */
export function excessOf(json: Uint8Array, { maxDepth, maxValues }: ShapeLimits): string | undefined {
  if (json.length <= maxDepth && json.length <= maxValues) return undefined; // each level and each value needs a byte
  let depth = 0;
  let values = 1;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfText(json, at + 1);
    else if (byte === COMMA) values++;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values++;
      if (++depth > maxDepth) return `be nested at most ${maxDepth} deep`;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
    if (values > maxValues) return `contain at most ${maxValues} values`;
  }
  return undefined;
}

// Most texts are short, and calling a native search costs more than scanning them; for a long one it pays off.
const SHORT_TEXT_BYTES = 64;

/** Where the text that begins at `start` ends: the index of its closing quote, or the end of the bytes. */
function endOfText(json: Uint8Array, start: number): number {
  let at = start; // never within an escape
  while (at < json.length) {
    for (const stop = at + SHORT_TEXT_BYTES; at < stop && at < json.length; at++) {
      if (json[at] === QUOTE) return at;
      if (json[at] === BACKSLASH) at++;
    }
    const quote = json.indexOf(QUOTE, at);
    if (quote < 0) break;
    let before = quote - 1;
    while (before >= at && json[before] === BACKSLASH) before--;
    if ((quote - before) % 2 === 1) return quote;
    at = quote + 1;
  }
  return json.length;
}

// `JSON.parse` creates `__proto__` as an own key, harmless until someone assigns it to another object. Nothing in the
// protocol has such a key, so removing it means nobody has to remember that.
function dropPrototypeKeys(value: JsonValue): void {
  if (typeof value !== "object" || value === null) return;
  if (Object.hasOwn(value, "__proto__")) Reflect.deleteProperty(value, "__proto__");
  for (const item of Object.values(value)) dropPrototypeKeys(item);
}

function tooLong(found: number, allowed: number): ProtocolBreach {
  return new ProtocolBreach("frame", `a line may have at most ${allowed} bytes, found at least ${found}`);
}

/** The first bytes, quoted, with everything that is not plain ASCII escaped: it may be shown on a terminal. */
function excerpt(line: Buffer): string {
  const text = JSON.stringify(line.toString("latin1", 0, EXCERPT_BYTES));
  const plain = text.replace(/[^ -~]/g, (unit) => `\\x${unit.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return line.length > EXCERPT_BYTES ? `${plain} …` : plain;
}
