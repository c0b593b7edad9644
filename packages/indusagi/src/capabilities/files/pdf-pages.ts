// How many pages a PDF has, as far as that can be seen without reading it whole: each page is an object that says so, in the
// open or in a compressed stream of objects. What is encrypted or damaged shows none; the provider then is the judge.

import { inflateSync } from "node:zlib";

const MAX_STREAM_BYTES = 1024 * 1024;
/** Of all that is unpacked. */
const MAX_BYTES = 64 * MAX_STREAM_BYTES;

/** The pages that are seen; 0 where none is. */
export function pagesOf(bytes: Uint8Array): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  let pages = pagesIn(text);
  let room = MAX_BYTES;
  for (let at = text.indexOf("/ObjStm"); at >= 0 && room > 0; at = text.indexOf("/ObjStm", at)) {
    const opens = text.indexOf("stream", at);
    const closes = text.indexOf("endstream", opens + 1);
    if (opens < 0 || closes < 0) break;
    const begins = text.indexOf("\n", opens) + 1; // `stream` stands at the end of its line
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

/** Undefined for what is encrypted, packed otherwise or too large. */
function unpack(packed: Uint8Array): string | undefined {
  try {
    return inflateSync(packed, { maxOutputLength: MAX_STREAM_BYTES }).toString("latin1");
  } catch {
    return undefined;
  }
}
