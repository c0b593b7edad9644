// Counts the pages of a PDF as far as possible without parsing all of it: each page is an object that says so, in plain text or
// in a compressed object stream. Encrypted or damaged files show none; then the provider decides.

import { inflateSync } from "node:zlib";

const MAX_STREAM_BYTES = 1024 * 1024;
/** The limit for everything that is decompressed. */
const MAX_BYTES = 64 * MAX_STREAM_BYTES;

/** The number of pages found; 0 if none. */
export function pagesOf(bytes: Uint8Array): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  let pages = pagesIn(text);
  let room = MAX_BYTES;
  for (let at = text.indexOf("/ObjStm"); at >= 0 && room > 0; at = text.indexOf("/ObjStm", at)) {
    const opens = text.indexOf("stream", at);
    const closes = text.indexOf("endstream", opens + 1);
    if (opens < 0 || closes < 0) break;
    const begins = text.indexOf("\n", opens) + 1; // the line with `stream` ends here
    const packed = bytes.subarray(begins, Math.max(begins, closes));
    const unpacked = unpack(packed);
    room -= unpacked?.length ?? MAX_STREAM_BYTES;
    pages += pagesIn(unpacked ?? "");
    at = closes;
  }
  return pages;
}

function pagesIn(text: string): number {
  return text.match(/\/Type\s{0,8}\/Page(?![A-Za-z])/g)?.length ?? 0;
}

/** Undefined for data that is encrypted, compressed another way or too large. */
function unpack(packed: Uint8Array): string | undefined {
  try {
    return inflateSync(packed, { maxOutputLength: MAX_STREAM_BYTES }).toString("latin1");
  } catch {
    return undefined;
  }
}
