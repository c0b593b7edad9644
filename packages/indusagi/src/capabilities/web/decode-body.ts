// Decodes content encodings as the bytes arrive: once the reader has enough and stops, nothing more is read or inflated. So a
// small body that expands to gigabytes costs only what the reader consumed.

import type { Readable, Transform } from "node:stream";

/** More have no honest use, and each multiplies the effect of a bomb (CVE-2026-22036). */
const MAX_ENCODINGS = 2;

// RFC 9659 limits the window of a zstd body to 8 MiB.
const ZSTD_WINDOW_LOG = 23;

type Zlib = typeof import("node:zlib");

const DECODERS: Readonly<Record<string, (zlib: Zlib) => Transform>> = {
  gzip: (zlib) => zlib.createGunzip(),
  "x-gzip": (zlib) => zlib.createGunzip(),
  deflate: (zlib) => zlib.createInflate(),
  br: (zlib) => zlib.createBrotliDecompress(),
  zstd: (zlib) =>
    zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } }),
};

/** The value of Accept-Encoding. Node before 22.15 has no zstd. */
export function acceptedEncodings(): string {
  return "createZstdDecompress" in zlib() ? "gzip, deflate, br, zstd" : "gzip, deflate, br";
}

/** `body` without its content encodings, to be read once; or why not. Leaving the loop early destroys all streams. */
export function decodeBody(body: Readable, contentEncoding: string): AsyncIterable<Buffer> | string {
  const names = contentEncoding
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length > MAX_ENCODINGS)
    return `The response has ${names.length} content encodings; at most ${MAX_ENCODINGS} are supported.`;
  const decoders: Transform[] = [];
  for (const name of names.reverse()) {
    const create = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
    if (create === undefined)
      return `The response has the content encoding "${name}", which was not requested.`;
    decoders.push(create(zlib()));
  }
  if (decoders.length === 0) return body;
  let last: Readable = body;
  for (const decoder of decoders) last = joined(last, decoder);
  return unlessEmpty(body, last);
}

// Some servers declare an encoding but send no body, which the decoders would report as a truncated one.
async function* unlessEmpty(body: Readable, decoded: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isEmpty = true;
  body.once("data", () => {
    isEmpty = false;
  });
  try {
    yield* decoded;
  } catch (error) {
    if (!isEmpty || body.errored !== null) throw error;
  }
}

// An error on either side reaches the reader, and a reader that stops ends both.
function joined(source: Readable, decoder: Transform): Readable {
  return process.getBuiltinModule("node:stream").pipeline(source, decoder, (error) => {
    if (error) decoder.destroy(error);
  });
}

function zlib(): Zlib {
  return process.getBuiltinModule("node:zlib");
}
