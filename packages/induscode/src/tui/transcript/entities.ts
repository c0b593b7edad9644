// Character references in Markdown: `&lt;`, `&#39;`, `&#x27;`.

import { printable } from "indusagi/core";

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  copy: "©",
  gt: ">",
  hellip: "…",
  larr: "←",
  lt: "<",
  mdash: "—",
  nbsp: "\u00a0",
  ndash: "–",
  quot: '"',
  rarr: "→",
  times: "×",
};
const REFERENCE = new RegExp(
  `&(?:#(\\d{1,7})|#[xX]([\\da-fA-F]{1,6})|(${Object.keys(NAMED).join("|")}));`,
  "y",
);

/** The character that the reference at `at` names, made printable, and where the reference ends. */
export function characterAt(
  text: string,
  at: number,
): { readonly plain: string; readonly end: number } | undefined {
  REFERENCE.lastIndex = at;
  const found = REFERENCE.exec(text);
  if (!found) return undefined;
  const [whole, decimal, hex, name] = found;
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  // Each on its own: an escape must not swallow the text after it.
  return {
    plain: printable(name === undefined ? characterOf(code) : (NAMED[name] ?? "")),
    end: at + whole.length,
  };
}

/** `text` with its references replaced. */
export function decodeCharacters(text: string): string {
  return text.replace(/&[#\w]{1,9};/g, (reference) => characterAt(reference, 0)?.plain ?? reference);
}

function characterOf(code: number): string {
  const isOne = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isOne ? String.fromCodePoint(code) : "\ufffd";
}
