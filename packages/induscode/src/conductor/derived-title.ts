// A short title for a session that nobody named: made of the first line that the person sent, without a model.

import { trimEndOf } from "indusagi/core";

const MAX_CHARS = 50;
/** More of a first line is not looked at. */
const MAX_LOOKED_AT = 1_000;

/** At most 50 characters, cut at the end of a word; empty if nothing in the text can be read. */
export function derivedTitle(text: string): string {
  for (const line of text.slice(0, MAX_LOOKED_AT).split("\n")) {
    const words = withoutMarkdown(line).split(/\s+/).filter(Boolean).map(shortPath);
    const title = cutAtWord(words.join(" "));
    if (/[\p{L}\p{N}]/u.test(title)) return title;
  }
  return "";
}

/** Without what only gives a line its look: signs of headings, quotes, list items, emphasis, code, and the address of a link. */
function withoutMarkdown(line: string): string {
  return line
    .replace(/^[\s>]*(?:#{1,6}\s|[-*+]\s|\d{1,3}[.)]\s)?(?:\[[ xX]\]\s)?/, "")
    .replace(/!?\[([^[\]]{1,200})\]\([^()\s]{1,500}\)/g, "$1")
    .replace(/^`{3}.*$/, "")
    .replace(/(^|[^\w*])(\*\*|\*|~~|`)(?=\S)([^*~`]{0,200}[^*~`\s])\2(?!\w)/g, "$1$3"); // not `_`: of `__init__.py` it is part
}

/** The file of a long path: `/home/me/shop/src/money.js` is `money.js`. What was mentioned with `@` is a path too. */
function shortPath(word: string): string {
  const around = /^["'(]?@?/.exec(word)?.[0] ?? "";
  const path = word.slice(around.length);
  const parts = path.split("/").filter(Boolean);
  const isShort = parts.length < (/^(?:\/|~\/|[a-z]+:\/\/)./.test(path) ? 2 : 3); // `/review` is a command
  const sign = around.replace("@", "");
  if (isShort) return sign + path;
  const scheme = /^[a-z]+:\/\/(?=.)/.exec(path)?.[0];
  // An address is known by its host.
  if (scheme !== undefined)
    return `${sign}${parts[1]}${parts.length > 3 ? "/…" : ""}${parts.length > 2 ? `/${parts.at(-1)}` : ""}`;
  return sign + (parts.at(-1) ?? path);
}

function cutAtWord(text: string): string {
  const characters = [...text];
  if (characters.length <= MAX_CHARS) return text;
  const room = characters.slice(0, MAX_CHARS - 1).join("");
  const end = characters[MAX_CHARS - 1] === " " ? room.length : room.lastIndexOf(" ");
  // A text without spaces, as in Chinese, or one long word, is cut where it must be.
  const cut = end < MAX_CHARS / 2 ? room : room.slice(0, end);
  return `${trimEndOf(cut, isLoose)}…`;
}

const isLoose = (character: string): boolean => " ,;:.–-(".includes(character);
