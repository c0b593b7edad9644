// HTML to text without a parser: one pass, linear in the page's length, for any input. Pages go
// through it when the real converter gives up, and titles and snippets always do.

const DROPPED_REGIONS: ReadonlySet<string> = new Set([
  "head",
  "iframe",
  "noscript",
  "object",
  "script",
  "style",
  "svg",
  "template",
  "textarea",
]);

const LINE_BREAKS: ReadonlySet<string> = new Set(["br", "tr", "dt", "dd", "option", "hr"]);

const BLOCKS: ReadonlySet<string> = new Set(
  "address article aside blockquote body details div dl fieldset figure footer form header main nav ol p pre section table ul".split(
    " ",
  ),
);

const CELLS: ReadonlySet<string> = new Set(["td", "th"]);

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  bull: "•",
  copy: "©",
  euro: "€",
  gt: ">",
  hellip: "…",
  laquo: "«",
  ldquo: "“",
  lsquo: "‘",
  lt: "<",
  mdash: "—",
  middot: "·",
  nbsp: " ",
  ndash: "–",
  quot: '"',
  raquo: "»",
  rdquo: "”",
  reg: "®",
  rsquo: "’",
  times: "×",
  trade: "™",
};

/**
 * The readable text of `html`: anchors as `text (url)`, headings as ATX lines, list items as `- `, entities decoded, whitespace
 * tidied; scripts, styles, the head and drawings are left out. `baseUrl` makes links absolute. Never throws.
 */
export function plainHtmlText(html: string, baseUrl?: string): string {
  const pieces: string[] = [];
  let link: string | undefined;
  let preDepth = 0;
  const write = (text: string): void => {
    const decoded = decodeEntities(text);
    pieces.push(preDepth > 0 ? decoded : decoded.replace(/\s+/g, " "));
  };
  for (const token of tokens(html)) {
    if (token.kind === "text") {
      write(token.text);
      continue;
    }
    const { name, isClosing } = token;
    const level = /^h[1-6]$/.test(name) ? Number(name[1]) : 0;
    if (level > 0) pieces.push(isClosing ? "\n\n" : `\n\n${"#".repeat(level)} `);
    else if (name === "li") pieces.push(isClosing ? "\n" : "\n- ");
    else if (CELLS.has(name)) pieces.push(isClosing ? " " : "");
    else if (LINE_BREAKS.has(name)) pieces.push("\n");
    else if (name === "pre") {
      preDepth = Math.max(0, preDepth + (isClosing ? -1 : 1));
      pieces.push("\n\n");
    } else if (BLOCKS.has(name)) pieces.push("\n\n");
    else if (name === "a") {
      if (link !== undefined) pieces.push(` (${link})`);
      link = isClosing ? undefined : absoluteLink(attribute(token.tag, "href"), baseUrl);
    }
  }
  return tidy(pieces.join(""));
}

/** The value of an attribute in the text of one tag, entities decoded; undefined if it has none. */
export function attribute(tag: string, name: string): string | undefined {
  for (const [, found = "", quoted, single, bare] of tag.slice(0, MAX_TAG_CHARS).matchAll(ATTRIBUTES)) {
    if (found.toLowerCase() === name) return decodeEntities(quoted ?? single ?? bare ?? "");
  }
  return undefined;
}

// Only the beginning of a tag is read; a longer one is an embedded image or an attack.
const MAX_TAG_CHARS = 16_384;
// The look-behind keeps one long word from being tried at each of its letters.
const ATTRIBUTES = /(?<![\w:.-])([a-zA-Z][\w:.-]*)=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g;

type Token =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "tag"; readonly name: string; readonly isClosing: boolean; readonly tag: string };

/** Text and tags in order, without comments and dropped regions. Anything never closed extends to the end of the page. */
export function* tokens(html: string): Generator<Token> {
  const tagStart = /<(?:(\/?)([a-zA-Z][a-zA-Z0-9:-]*)|!--|[!?])/g;
  let at = 0;
  for (;;) {
    tagStart.lastIndex = at;
    const found = tagStart.exec(html);
    if (found === null) break;
    if (found.index > at) yield { kind: "text", text: html.slice(at, found.index) };
    const [opening, slash, spelling] = found;
    const end = opening === "<!--" ? endOf(html, "-->", found.index) : endOf(html, ">", found.index);
    if (end < 0) return;
    at = end;
    if (spelling === undefined) continue;
    const name = spelling.toLowerCase();
    const isClosing = slash === "/";
    if (!isClosing && DROPPED_REGIONS.has(name)) {
      const closing = new RegExp(`</${name}\\b`, "gi");
      closing.lastIndex = at;
      if (closing.exec(html) === null) return;
      at = endOf(html, ">", closing.lastIndex);
      if (at < 0) return;
      continue;
    }
    yield { kind: "tag", name, isClosing, tag: html.slice(found.index, end) };
  }
  if (at < html.length) yield { kind: "text", text: html.slice(at) };
}

function endOf(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  return at < 0 ? -1 : at + mark.length;
}

/** Decodes character references: numeric ones and a small named set; others are left unchanged. */
export function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,6}));/g,
    (whole, decimal, hex, name) => {
      if (name !== undefined) return Object.hasOwn(ENTITIES, name) ? (ENTITIES[name] ?? whole) : whole;
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
      return isCharacter ? String.fromCodePoint(code) : "\ufffd";
    },
  );
}

function absoluteLink(href: string | undefined, baseUrl: string | undefined): string | undefined {
  if (href === undefined || !URL.canParse(href, baseUrl)) return undefined;
  const url = new URL(href, baseUrl);
  return url.protocol === "http:" || url.protocol === "https:" ? url.href : undefined;
}

// Line by line, because a pattern for "blanks before a line's end" rescans a long run of blanks again and again.
function tidy(text: string): string {
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const trimmed = line.trimEnd();
    if (trimmed !== "" || lines.at(-1) !== "") lines.push(trimmed);
  }
  return lines.join("\n").trim();
}
