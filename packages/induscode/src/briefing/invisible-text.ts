// Finds what a person cannot see and a model reads: the way to hide instructions in a file that was reviewed
// (CVE-2021-42574; "rules file backdoor"). It only looks; the text stays as it is.

/** `12 tag characters, 1 bidirectional control`, or undefined for a clean text. A byte order mark first is clean. */
export function describeInvisible(text: string): string | undefined {
  if (!SUSPICIOUS.test(text)) return undefined;
  const plain = text.replace(/^\ufeff/, "").replaceAll(FLAG_OF_A_REGION, "");
  const found = KINDS.map(({ name, pattern }) => {
    const count = [...plain.matchAll(pattern)].reduce((sum, [run]) => sum + [...run].length, 0);
    return count === 0 ? "" : `${count} ${name}${count === 1 ? "" : "s"}`;
  }).filter((part) => part !== "");
  return found.length === 0 ? undefined : found.join(", ");
}

// 🏴 with two to six tag characters and their end: the flags of Scotland, Texas and so on.
const FLAG_OF_A_REGION = /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{2,6}\u{e007f}/gu;

// One variation selector chooses the look of the character before it, one zero-width joiner makes an emoji; it takes a
// run of them to spell something.
const KINDS: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  { name: "tag character", pattern: /[\u{e0000}-\u{e007f}]+/gu },
  { name: "bidirectional control", pattern: /[\u202a-\u202e\u2066-\u2069]/gu },
  { name: "variation selector", pattern: /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2,}/gu },
  { name: "zero-width character", pattern: /[\u200b-\u200d\u2060-\u2064\ufeff]{3,}/gu },
];

const SUSPICIOUS =
  /[\u200b-\u200d\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;
