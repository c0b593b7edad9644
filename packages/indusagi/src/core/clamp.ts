// Output budgeting: a model's context is finite, so no tool may return an unbounded text. All sizes are in UTF-8
// bytes and every cut is on a character boundary.

/** Which part of an over-long text is kept. */
export type ClipEnd = "head" | "tail" | "middle";

/** A size limit for a text. `notice` is given the number of bytes dropped and returns the marker to insert. */
export interface OutputBudget {
  readonly kind: ClipEnd;
  readonly maxBytes: number;
  readonly notice?: (omittedBytes: number) => string;
}

/** The marker used when a budget has no `notice`. Its words stay as they are, byte for byte. */
export function defaultNotice(omitted: number): string {
  return `\n… trimmed ${omitted} byte${omitted === 1 ? "" : "s"} to fit the window …\n`;
}

/**
 * `text` cut to at most `budget.maxBytes` of its own UTF-8 bytes, plus the notice (not counted) if anything was dropped. A text
 * within the budget is returned unchanged.
 */
export function clamp(text: string, budget: OutputBudget): string {
  const maxBytes = Math.max(0, Math.floor(budget.maxBytes));
  if (text.length * 3 <= maxBytes) return text; // no UTF-16 unit takes more than three bytes
  const totalBytes = Buffer.byteLength(text);
  if (totalBytes <= maxBytes) return text;

  const headBytes = { head: maxBytes, tail: 0, middle: Math.floor(maxBytes / 2) }[budget.kind];
  const head = prefixWithin(text, headBytes);
  const tail = suffixWithin(text, maxBytes - headBytes);
  const omitted = totalBytes - Buffer.byteLength(head) - Buffer.byteLength(tail);
  if (omitted <= 0) return text;
  return head + (budget.notice ?? defaultNotice)(omitted) + tail;
}

/** {@link clamp} by the bytes that a request costs: JSON writes a control character as six, a quote or a line break as two. */
export function clampEncoded(text: string, budget: OutputBudget): string {
  const maxBytes = Math.max(0, Math.floor(budget.maxBytes));
  if (text.length * MAX_ENCODED_UNIT <= maxBytes || encodedBytes(text) <= maxBytes) return text;
  const headBytes = { head: maxBytes, tail: 0, middle: Math.floor(maxBytes / 2) }[budget.kind];
  const head = encodedPrefix(text, headBytes);
  const tail = encodedSuffix(text, maxBytes - headBytes);
  const omitted = Buffer.byteLength(text) - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return head + (budget.notice ?? defaultNotice)(omitted) + tail;
}

/** The beginning of `text` that takes at most this many bytes in JSON. */
export function encodedPrefix(text: string, maxBytes: number): string {
  let end = 0;
  for (let left = maxBytes; end < text.length; ) {
    const units = (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
    left -= encodedBytes(text.slice(end, end + units));
    if (left < 0) break;
    end += units;
  }
  return text.slice(0, end);
}

/** The end of it. */
export function encodedSuffix(text: string, maxBytes: number): string {
  let start = text.length;
  for (let left = maxBytes; start > 0; ) {
    const units = start > 1 && (text.codePointAt(start - 2) ?? 0) > 0xffff ? 2 : 1;
    left -= encodedBytes(text.slice(start - units, start));
    if (left < 0) break;
    start -= units;
  }
  return text.slice(start);
}

/** What a text takes in JSON, without its quotes. */
function encodedBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** `\u001b` */
const MAX_ENCODED_UNIT = 6;

/** {@link clamp} for a list: each line is kept whole or dropped, because part of one would read as another entry. */
export function clampLines(text: string, budget: OutputBudget): string {
  const maxBytes = Math.max(0, Math.floor(budget.maxBytes));
  const totalBytes = Buffer.byteLength(text);
  if (totalBytes <= maxBytes) return text;
  const headBytes = { head: maxBytes, tail: 0, middle: Math.floor(maxBytes / 2) }[budget.kind];
  // One more unit at each side: a line that ends exactly there is complete.
  const head = prefixWithin(text, headBytes);
  const headEnd = text[head.length] === "\n" ? head.length : Math.max(0, head.lastIndexOf("\n"));
  const tailAt = text.length - suffixWithin(text, maxBytes - headBytes).length;
  const newline = text[tailAt - 1] === "\n" ? tailAt - 1 : text.indexOf("\n", tailAt);
  const tailStart = newline < 0 ? text.length : newline + 1;
  const omitted =
    totalBytes - Buffer.byteLength(text.slice(0, headEnd)) - Buffer.byteLength(text.slice(tailStart));
  return text.slice(0, headEnd) + (budget.notice ?? defaultNotice)(omitted) + text.slice(tailStart);
}

// A text of `maxBytes` bytes has at most that many UTF-16 units, so both ends encode a slice, never the whole text. If the
// slice splits a surrogate pair, the half becomes a 3-byte replacement character, for which the other units leave no room.

function prefixWithin(text: string, maxBytes: number): string {
  if (maxBytes === 0) return "";
  const { read } = new TextEncoder().encodeInto(text.slice(0, maxBytes), new Uint8Array(maxBytes));
  return text.slice(0, read);
}

function suffixWithin(text: string, maxBytes: number): string {
  if (maxBytes === 0) return "";
  const bytes = Buffer.from(text.slice(-maxBytes));
  let start = Math.max(0, bytes.length - maxBytes);
  while (start < bytes.length && isContinuation(bytes[start])) start++;
  const units = bytes.toString("utf8", start).length;
  return text.slice(text.length - units);
}

/** True for the second and later bytes of a UTF-8 character: never a valid place to cut. */
export function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
