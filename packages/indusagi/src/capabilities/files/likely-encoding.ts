// Which encoding bytes that are neither UTF-8 nor marked are probably in: for a hint only, text is never decoded by a guess. An
// encoding is likely if the platform's strict decoder takes the bytes, and most of what is not ASCII is usual in it.

/** Enough to tell. */
const SAMPLE_BYTES = 65_536;

/** The likely encoding of text that is not UTF-8, by a name that iconv knows; undefined for Windows-1252, or if none is likely. */
export function likelyEncoding(bytes: Uint8Array): string | undefined {
  const sample = foreignLines(bytes);
  let best: { readonly name?: string; readonly share: number } = { share: latinShare(sample) };
  for (const { name, share } of OTHERS) {
    if (best.share === 1 || decoded(sample, name) === undefined) continue;
    const own = share(sample);
    if (own > best.share && own >= LEAST_SHARE) best = { name, share: own };
  }
  return best.name;
}

/** The byte order of what is probably UTF-16 text without a mark, given whether it is also valid UTF-8. */
export function likelyUtf16(bytes: Uint8Array, isUtf8: boolean): "UTF-16LE" | "UTF-16BE" | undefined {
  if (bytes.length < 4 || bytes.length % 2 !== 0) return undefined;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const orders = (["UTF-16LE", "UTF-16BE"] as const).map((name) => ({
    name,
    text: decoded(sample, name) ?? "",
  }));
  const inAlphabet = orders.find(({ text }) => shareOf(text, ALPHABETIC) >= LEAST_SHARE);
  // Two letters in ASCII are an ideograph; text of ideographs is never valid UTF-8.
  const found = isUtf8
    ? inAlphabet
    : (inAlphabet ?? orders.find(({ text }) => shareOf(text, WIDE) >= LEAST_SHARE));
  return found?.name;
}

const LEAST_SHARE = 0.9;

const ALPHABETIC = /[\t\n\f\r -~\u00a0-\u058f\u0590-\u07ff\u2010-\u2027\u20ac]/g;
const WIDE = new RegExp(
  `${ALPHABETIC.source}|[\\u3000-\\u30ff\\u4e00-\\u9fff\\uac00-\\ud7a3\\uff01-\\uff9f]`,
  "g",
);

function shareOf(text: string, usual: RegExp): number {
  return text === "" ? 0 : (text.match(usual)?.length ?? 0) / text.length;
}

interface Candidate {
  readonly name: string;
  /** The part of the characters beyond ASCII that are usual. */
  readonly share: (bytes: Buffer) => number;
}

type Range = readonly [first: number, last: number];

// Of two with the same share, the one with fewer usual characters comes first.
const OTHERS: readonly Candidate[] = [
  { name: "WINDOWS-1251", share: (bytes) => cyrillicShare(bytes, "windows-1251") },
  { name: "KOI8-R", share: (bytes) => cyrillicShare(bytes, "koi8-r") },
  // By the first of two bytes: punctuation, then kana and the more frequent half of the ideographs, or the syllables.
  {
    name: "SHIFT_JIS",
    share: (bytes) =>
      pairShare(bytes, [
        [0x81, 0x83],
        [0x88, 0x97],
      ]),
  },
  {
    name: "EUC-KR",
    share: (bytes) =>
      pairShare(bytes, [
        [0xa1, 0xa1],
        [0xa3, 0xa3],
        [0xb0, 0xc8],
      ]),
  },
  // Ideographs without kana are more likely Chinese.
  {
    name: "EUC-JP",
    share: (bytes) =>
      pairShare(bytes, [[0xa4, 0xa5]]) > 0
        ? pairShare(bytes, [
            [0xa1, 0xa1],
            [0xa3, 0xa5],
            [0xb0, 0xcf],
          ])
        : 0,
  },
  {
    name: "GB18030",
    share: (bytes) =>
      pairShare(bytes, [
        [0xa1, 0xa1],
        [0xa3, 0xa3],
        [0xb0, 0xd7],
      ]),
  },
  {
    name: "BIG5",
    share: (bytes) =>
      pairShare(bytes, [
        [0xa1, 0xa1],
        [0xa4, 0xc6],
      ]),
  },
];

function pairShare(bytes: Buffer, usual: readonly Range[]): number {
  let pairs = 0;
  let found = 0;
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) continue;
    pairs++;
    at++;
    if (usual.some(([first, last]) => lead >= first && lead <= last)) found++;
  }
  return found / pairs;
}

/** Capitals are usual at the beginning of a word: in another Cyrillic encoding, small letters are capitals. */
function cyrillicShare(bytes: Buffer, name: string): number {
  const text = decoded(bytes, name) ?? "";
  return countOf(text, /[а-яё]|(?<!\p{L})[А-ЯЁ]|[«»–—“”„…№\u00a0]/gu) / foreignCount(text);
}

/** A word has fewer letters beyond ASCII than within it, or is but one letter. */
function latinShare(bytes: Buffer): number {
  const text = decoded(bytes, "windows-1252") ?? "";
  let usual = countOf(text, /[\u00a0-\u00bf×÷€‚„…†‡‰‹›‘’“”•–—™]/gu);
  for (const [word] of text.matchAll(/[\p{L}]+/gu)) {
    const letters = countOf(word, /[À-ÖØ-öø-ÿŒœŠšŸŽž]/gu);
    if (letters === 1 || 2 * letters <= word.length) usual += letters;
  }
  return usual / foreignCount(text);
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function foreignCount(text: string): number {
  return countOf(text, /[^\x00-\x7f]/gu);
}

/** The first lines that are not ASCII. */
function foreignLines(bytes: Uint8Array): Buffer {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const lines: Buffer[] = [];
  let room = SAMPLE_BYTES;
  for (let start = 0; start < buffer.length && room > 0; ) {
    const feed = buffer.indexOf(10, start);
    const line = buffer.subarray(start, feed < 0 ? buffer.length : feed + 1);
    start += line.length;
    if (line.every((byte) => byte < 0x80)) continue;
    lines.push(line.subarray(0, room));
    room -= line.length;
  }
  return Buffer.concat(lines);
}

/** Undefined if the bytes are not valid. The last character may be cut. */
function decoded(bytes: Uint8Array, name: string): string | undefined {
  try {
    return new TextDecoder(name, { fatal: true }).decode(bytes, { stream: true });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
