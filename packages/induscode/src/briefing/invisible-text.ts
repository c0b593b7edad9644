// Finds text that a person cannot see but a model reads, a way to hide instructions in a reviewed file (CVE-2021-42574;
// "rules file backdoor"). Every kind the console escapes counts, wherever it is, after removing what scripts and emoji need.
// It only inspects; the text is unchanged.

/** `12 tag characters, 1 bidirectional control`, or undefined for a clean text. A leading byte order mark is clean. */
export function describeInvisible(text: string): string | undefined {
  if (!HIDDEN.test(text)) return undefined;
  const rest = withoutLegalUses(text.replace(/^\ufeff/, ""));
  const counts = KINDS.map(({ pattern }) => rest.match(pattern)?.length ?? 0);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const isSuspicious = total > MAX_STRAYS || KINDS.some(({ strays }, at) => (counts[at] ?? 0) > strays);
  if (!isSuspicious) return undefined;
  return KINDS.flatMap(({ name }, at) => {
    const count = counts[at] ?? 0;
    return count === 0 ? [] : [`${count} ${name}${count === 1 ? "" : "s"}`];
  }).join(", ");
}

// What `console/printable-line.ts` escapes, and the joiners and selectors it lets through; line ends and tabs do not count.
const HIDDEN = /[[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]--[\t\n\f\r]]/v;

/** How many strays of mixed kinds copying from elsewhere may leave; hiding a word takes more. */
const MAX_STRAYS = 3;

/** `strays`: how many of one kind may be an accident. The kinds are disjoint, and together they cover everything hidden. */
const KINDS: readonly { readonly name: string; readonly pattern: RegExp; readonly strays: number }[] = [
  { name: "tag character", pattern: /[\u{e0000}-\u{e007f}]/gu, strays: 0 },
  { name: "bidirectional control", pattern: /[\u202a-\u202e\u2066-\u2069]/gu, strays: 0 },
  {
    name: "variation selector",
    pattern: /[\u180b-\u180d\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu,
    strays: 1,
  },
  {
    name: "zero-width character",
    pattern: /[\u034f\u061c\u180e\u200b-\u200f\u2060-\u2065\u206a-\u206f\ufeff]/gu,
    strays: 2,
  },
  { name: "number-splitting soft hyphen", pattern: /(?<=\d)\u00ad(?=\d)/gu, strays: 0 },
  { name: "soft hyphen", pattern: /(?<!\d)\u00ad|\u00ad(?!\d)/gu, strays: 2 },
  { name: "filler", pattern: /[\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]/gu, strays: 1 },
  { name: "control character", pattern: /[[\p{Cc}]--[\t\n\f\r\x1b\b\x7f\x9b]]/gv, strays: 2 },
  { name: "terminal control", pattern: /[\x1b\b\x7f\x9b]/gu, strays: 0 },
  {
    name: "invisible character",
    pattern:
      /[\u2028\u2029\ufff0-\ufff8\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0080}-\u{e00ff}\u{e01f0}-\u{e0fff}]/gu,
    strays: 2,
  },
];

// ---- what writing needs -----------------------------------------------------------------------------------------

/** Scripts with letters that take joiners, and scripts that separate words by a zero-width space. */
const JOINING =
  "\\p{scx=Arab}\\p{scx=Syrc}\\p{scx=Hebr}\\p{scx=Nkoo}\\p{scx=Adlm}\\p{scx=Mand}\\p{scx=Rohg}\\p{scx=Phag}\\p{scx=Mong}" +
  "\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Guru}\\p{scx=Gujr}\\p{scx=Orya}\\p{scx=Taml}\\p{scx=Telu}\\p{scx=Knda}\\p{scx=Mlym}" +
  "\\p{scx=Sinh}\\p{scx=Khmr}\\p{scx=Mymr}\\p{scx=Tibt}\\p{scx=Java}\\p{scx=Bali}";
const UNSPACED =
  "\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}\\p{scx=Tibt}\\p{scx=Lana}\\p{scx=Java}\\p{scx=Bali}" +
  "\\p{scx=Hani}\\p{scx=Hira}\\p{scx=Kana}";
const RIGHT_TO_LEFT = "\\p{scx=Arab}\\p{scx=Hebr}\\p{scx=Syrc}\\p{scx=Thaa}\\p{scx=Nkoo}\\p{scx=Adlm}";
const SELECTOR = "[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]";
const MARK = "[\\u061c\\u200e\\u200f]";
const letters = (scripts: string): RegExp => new RegExp(`[[\\p{L}\\p{M}]&&[${scripts}]]`, "gv");

/**
 * A use of hidden characters that is part of writing. One after every letter can spell something, however much honest text
 * surrounds it, so the patterns require gaps between uses, and there may be at most one per `per.count` letters.
 */
interface LegalUse {
  readonly pattern: RegExp;
  readonly per?: { readonly letter: RegExp; readonly count: number };
}

// Patterns over whole scripts take milliseconds to compile, and few texts need them.
let legalUses: readonly LegalUse[] | undefined;
const createLegalUses = (): readonly LegalUse[] => [
  // 🏴 with two to six tag characters and their end: the flags of Scotland, Texas and so on.
  { pattern: /(?<=\u{1f3f4})[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{2,6}\u{e007f}/gu },
  // 👩‍👩‍👧, 🏳️‍🌈, 👩🏽‍🚀: one joiner between two pictures.
  { pattern: /(?<=\p{ExtPict}\ufe0f?\p{EMod}?)\u200d(?=\p{ExtPict})/gu },
  // ❤️ and 1️⃣: one selector after a character with two forms.
  {
    pattern: new RegExp(
      `(?<=[\\p{Emoji}--[0-9#*]])[\\ufe0e\\ufe0f](?!${SELECTOR})|(?<=[0-9#*])\\ufe0f(?=\\u20e3)`,
      "gv",
    ),
  },
  // 葛󠄀: one selector after an ideograph chooses its form, mostly in names.
  {
    pattern: new RegExp(
      `(?<=(?<!${SELECTOR})\\p{UIdeo})[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}](?!${SELECTOR})`,
      "gv",
    ),
    per: { letter: /\p{UIdeo}/gu, count: 3 },
  },
  // Standardized forms of mathematical signs, of the digit 0, and of letters in Myanmar and Phags-pa.
  { pattern: /(?<=[\p{Sm}0\u1000-\u109f\ua840-\ua87f])\ufe00/gu },
  { pattern: /(?<=\p{scx=Mong})[\u180b-\u180f]/gu },
  {
    pattern: new RegExp(
      `(?<=(?<![\\u200c\\u200d])[${JOINING}])[\\u200c\\u200d](?![\\u200b-\\u200f])|(?<![\\p{L}\\p{M}\\u200b-\\u200f])\\u200d(?=[${JOINING}])`,
      "gv",
    ),
    per: { letter: letters(JOINING), count: 2 },
  },
  {
    pattern: new RegExp(`(?<=[${UNSPACED}])\\u200b(?=[${UNSPACED}])`, "gv"),
    per: { letter: letters(UNSPACED), count: 2 },
  },
  {
    pattern: new RegExp(
      `(?<!${MARK}.?)${MARK}(?!${MARK})(?:(?<=[${RIGHT_TO_LEFT}][^\\n]{0,20})|(?=[^\\n]{0,20}[${RIGHT_TO_LEFT}]))`,
      "gv",
    ),
    per: { letter: letters(RIGHT_TO_LEFT), count: 2 },
  },
  { pattern: /(?<=\p{L}\p{L}\p{M}*)\u00ad(?=\p{L}\p{M}*\p{L})/gu, per: { letter: /\p{L}/gu, count: 3 } },
  // Fillers for a missing part of a Hangul syllable, Braille blanks, and a joiner between two marks.
  { pattern: /(?<=[\u1100-\u115f])\u1160|\u115f(?=[\u1160-\u11a7])/gu },
  { pattern: /\u2800(?:(?<=[\u2801-\u28ff]\u2800{1,40})|(?=\u2800{0,40}[\u2801-\u28ff]))/gu },
  { pattern: /(?<=\p{M})\u034f|\u034f(?=\p{M})/gu },
];

function withoutLegalUses(text: string): string {
  legalUses ??= createLegalUses();
  let rest = text;
  for (const { pattern, per } of legalUses) {
    const uses = rest.match(pattern)?.length ?? 0;
    if (uses === 0) continue;
    const most = per === undefined ? uses : (text.match(per.letter)?.length ?? 0) / per.count;
    if (uses <= most) rest = rest.replace(pattern, "");
  }
  return rest;
}
