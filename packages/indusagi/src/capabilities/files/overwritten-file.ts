// What a file keeps when its whole text is replaced: its encoding, its byte order mark, and its line ends where all are alike. A
// model rarely writes a mark or carriage returns, and does not mean to remove them.

import { errorCode } from "../../core/faults.ts";
import type { Fs } from "../kernel/contract.ts";
import { encodingOf, type TextEncoding, UTF_8 } from "./text-encoding.ts";

const RANGE_BYTES = 4_194_304;

export interface Overwritten {
  /** UTF-8 for a new file, and for one that is not text. */
  readonly encoding: TextEncoding;
  /** Its text; "long" if the file is longer than a range; undefined if it is not text. */
  readonly before?: { readonly text: string } | "long" | undefined;
  readonly hasUtf8Mark?: boolean;
  /** What ends all of its lines, other than a line feed. */
  readonly lineEnd?: "\r\n" | "\r" | undefined;
  readonly isText?: boolean;
}

/** The file at `path` as it is before it is overwritten. */
export async function overwrittenFile(fs: Fs, path: string): Promise<Overwritten> {
  try {
    const opening = await fs.readBytes(path, { start: 0, maxBytes: RANGE_BYTES });
    const isWhole = opening.length < RANGE_BYTES;
    const verdict = encodingOf(opening, isWhole);
    if (verdict.kind !== "text") return { encoding: UTF_8, isText: false };
    const { encoding } = verdict;
    const lineEnd = await onlyLineEnd(fs, path, { encoding, opening });
    const hasUtf8Mark = opening[0] === 0xef && opening[1] === 0xbb && opening[2] === 0xbf;
    if (!isWhole) return { encoding, before: "long", lineEnd, hasUtf8Mark };
    const text = encoding.decode(opening.subarray(encoding.markBytes));
    return { encoding, before: text === undefined ? undefined : { text }, lineEnd, hasUtf8Mark };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    const isNew = errorCode(error) === "ENOENT";
    return { encoding: UTF_8, before: isNew ? { text: "" } : undefined }; // writing reports any other error better
  }
}

interface KeptContent {
  readonly text: string;
  /** What the text has besides the content, in the words of a report; empty if nothing. */
  readonly kept: string;
}

/** `content` as the file has its text. A mark or carriage returns in it are meant: then it is taken as it is. */
export function keptContent(content: string, { encoding, hasUtf8Mark, lineEnd }: Overwritten): KeptContent {
  const hasMark = content.startsWith("\ufeff");
  const kept: string[] = [];
  let text = encoding.markBytes > 0 && hasMark ? content.slice(1) : content;
  if (hasUtf8Mark && encoding === UTF_8 && !hasMark) {
    text = `\ufeff${text}`;
    kept.push("BOM");
  }
  if (lineEnd !== undefined && content.includes("\n") && !content.includes("\r")) {
    text = text.replaceAll("\n", lineEnd);
    kept.push(lineEnd === "\r" ? "CR" : "CRLF");
  }
  return { text, kept: kept.length > 0 ? ` The file kept: ${kept.join(", ")}.` : "" };
}

interface Opened {
  readonly encoding: TextEncoding;
  readonly opening: Uint8Array;
}

async function onlyLineEnd(
  fs: Fs,
  path: string,
  { encoding, opening }: Opened,
): Promise<"\r\n" | "\r" | undefined> {
  const found = new Set<"\r\n" | "\r">();
  let bytes = opening;
  let held = "";
  for (let start = 0; ; bytes = await fs.readBytes(path, { start, maxBytes: RANGE_BYTES })) {
    start += bytes.length;
    const isLast = bytes.length < RANGE_BYTES;
    const text = held + unitsOf(bytes, encoding);
    held = !isLast && text.endsWith("\r") ? "\r" : "";
    const units = held === "" ? text : text.slice(0, -1);
    if (/(?:^|[^\r])\n/.test(units)) return undefined;
    if (units.includes("\r\n")) found.add("\r\n");
    if (/\r(?!\n)/.test(units)) found.add("\r");
    const [only, other] = found;
    if (isLast || other !== undefined) return other === undefined ? only : undefined;
  }
}

/** One character for each unit that line ends are written in. */
function unitsOf(bytes: Uint8Array, { name }: TextEncoding): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (name === "UTF-16LE") return buffer.toString("utf16le");
  const even = buffer.subarray(0, buffer.length - (buffer.length % 2));
  return name === "UTF-16BE" ? Buffer.from(even).swap16().toString("utf16le") : buffer.toString("latin1");
}
