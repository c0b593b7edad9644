// Cutting, cleaning and matching of texts that someone else wrote.

import { expect } from "vitest";
import { matchesWildcard } from "../../packages/indusagi/src/capabilities/search/wildcard.ts";
import { htmlToText } from "../../packages/indusagi/src/capabilities/web/html-to-text.ts";
import {
  attribute,
  decodeEntities,
  plainHtmlText,
} from "../../packages/indusagi/src/capabilities/web/plain-html-text.ts";
import { type ClipEnd, clamp } from "../../packages/indusagi/src/core/clamp.ts";
import { createPrintable, printable } from "../../packages/indusagi/src/core/printable.ts";
import { matchPathGlob, matchWildcard } from "../../packages/indusagi/src/core/wildcard.ts";
import * as fc from "../support/fast-check.ts";
import { anyText, textOf } from "./inputs.ts";
import { property, watchPrototypes } from "./property.ts";

watchPrototypes();

const mark = "\u0000CUT\u0000";
const budget = fc.tuple(fc.constantFrom<ClipEnd>("head", "tail", "middle"), fc.nat(300));

property(
  "what clamp keeps is bounded, well formed and accounted for to the byte",
  fc.tuple(anyText, budget),
  ([value, [kind, maxBytes]]) => {
    const out = clamp(value, { kind, maxBytes, notice: (omitted) => `${mark}${omitted}${mark}` });
    const total = Buffer.byteLength(value);
    if (total <= maxBytes) return expect(out).toBe(value);
    const [head = "", omitted = "", tail = ""] = out.split(mark);
    const kept = Buffer.byteLength(head) + Buffer.byteLength(tail);
    expect(kept).toBeLessThanOrEqual(maxBytes);
    expect(kept).toBeGreaterThan(maxBytes - 7); // snapping to characters loses at most three bytes at each end
    expect(kept + Number(omitted)).toBe(total);
    expect(value.startsWith(head) && value.endsWith(tail)).toBe(true);
    if (value.isWellFormed()) expect(out.isWellFormed()).toBe(true);
  },
);

// Made of the pieces that matter, so that sequences, borders and halves of characters meet often.
const escapes = [
  "\x1b",
  "[",
  "]",
  "P",
  "\\",
  "\x07",
  "\x9b",
  "\x9d",
  "\x90",
  "\x9c",
  "\n",
  "\r",
  "\t",
  "\x18",
  "(",
  "0;",
  "m",
];
const hostile = textOf([
  ...escapes,
  "\u202e",
  "\u{e0041}",
  "\udb40",
  "\udc41",
  "\u200d",
  "😀",
  "x".repeat(4090),
]);
const unsafe = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}\p{Cs}]/u;

property("printable leaves no control character but LF and TAB, no bidi control, no tag", hostile, (text) => {
  expect(printable(text)).not.toMatch(unsafe);
  expect(printable(printable(text))).toBe(printable(text));
});

property(
  "printable cut at any place gives the same as whole",
  fc.tuple(hostile, fc.integer({ min: 1, max: 5 })),
  ([text, size]) => {
    const stream = createPrintable();
    let shown = "";
    for (let at = 0; at < text.length; at += size) shown += stream.write(text.slice(at, at + size));
    expect(shown + stream.end()).toBe(printable(text));
  },
);

const named = textOf(["a", "b", "A", ".", "/", "é", "😀", "ß"], 12).filter((text) => text.isWellFormed());
const glob = textOf(["*", "?", "**", "a", "b", ".", "/", "é", "😀", "(", "["], 10).filter((text) =>
  text.isWellFormed(),
);

/** What a wildcard means, told by a regular expression: right, and slow on hostile patterns. */
function expressionOf(pattern: string): RegExp {
  const body = pattern.replaceAll(
    /[\\^$.*+?()[\]{}|/]/g,
    (char) => ({ "*": ".*", "?": "." })[char] ?? `\\${char}`,
  );
  return new RegExp(`^${body}$`, "su");
}

property("wildcards agree with a regular expression", fc.tuple(glob, named), ([pattern, text]) => {
  expect(matchWildcard(pattern, text)).toBe(expressionOf(pattern).test(text));
  expect(matchesWildcard(pattern, text)).toBe(expressionOf(pattern.toLowerCase()).test(text.toLowerCase()));
});

/** Path globs by trying every way: exponential, and plainly right. */
function matchesParts(pattern: readonly string[], parts: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return parts.length === 0;
  if (first === "**")
    return matchesParts(rest, parts) || (parts.length > 0 && matchesParts(pattern, parts.slice(1)));
  return parts.length > 0 && matchWildcard(first, parts[0] ?? "") && matchesParts(rest, parts.slice(1));
}

property("path globs agree with trying every way", fc.tuple(glob, named), ([pattern, path]) => {
  expect(matchPathGlob(pattern, path)).toBe(matchesParts(pattern.split("/"), path.split("/")));
});

const repeats = fc.integer({ min: 0, max: 2_000 });
property(
  "no pattern of many stars is slow",
  fc.tuple(glob, repeats, named, repeats),
  ([part, times, text, length]) => {
    const pattern = part.slice(0, 6).repeat(Math.min(times, 300));
    const long = text.slice(0, 4).repeat(length);
    matchWildcard(pattern, long);
    matchesWildcard(pattern, long);
    matchPathGlob(pattern, long);
  },
  { cost: 20 },
);

const tags = [
  ...[
    "<",
    ">",
    "</",
    "/>",
    "<!--",
    "-->",
    "<![CDATA[",
    "<!",
    "<?",
    "=",
    '"',
    "'",
    " ",
    "\n",
    "&",
    ";",
    "&#",
    "&#x",
    "&amp;",
  ],
  ...[
    "p",
    "a",
    "div",
    "script",
    "style",
    "title",
    "li",
    "pre",
    "td",
    "br",
    "svg",
    "href",
    "x-y:z",
    "1114112",
    "110000",
  ],
  ...[
    "<a href=",
    "<script>",
    "</script>",
    "<li>",
    "</a>",
    "http://a.example/",
    "javascript:",
    "__proto__",
    "\0",
  ],
];
const html = textOf(tags, 40);

property("any page becomes text", html, (page) => {
  const text = plainHtmlText(page, "http://base.example/");
  expect(text).not.toMatch(/\n{3}/);
  expect(typeof decodeEntities(page)).toBe("string");
  for (const name of ["href", "__proto__"])
    expect(["string", "undefined"]).toContain(typeof attribute(page, name));
});

property(
  "any page becomes Markdown, or plain text and a note",
  html,
  async (page) => {
    const signal = new AbortController().signal;
    const { text, title } = await htmlToText(page, { pageUrl: "http://base.example/", signal });
    expect([typeof text, typeof title]).toEqual(["string", "string"]);
  },
  { cost: 100 }, // each starts a thread
);

property(
  "a page that repeats anything 100,000 times is simplified in linear time",
  fc.tuple(html, html),
  ([opening, part]) => {
    const unit = part.slice(0, 24) || "<";
    plainHtmlText(opening + unit.repeat(Math.ceil(300_000 / unit.length)));
  },
  { cost: 30 },
);
