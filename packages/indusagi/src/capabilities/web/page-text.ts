// Decodes bytes with a content type to text: the kind of document, and its character encoding.

import { attribute } from "./plain-html-text.ts";

/** `charset` is the WHATWG name; `note` says if it had to be guessed. */
type PageText =
  | { readonly kind: "html" | "text"; readonly text: string; readonly note?: string | undefined }
  | { readonly kind: "binary" };

const HTML_TYPES: ReadonlySet<string> = new Set(["text/html", "application/xhtml+xml"]);

// Recognised by name; any other type is text only if it declares nothing and looks like text.
const TEXT_TYPES =
  /^text\/|[/+](json|xml|yaml|toml)$|^application\/(x-)?(ecmascript|javascript|typescript|json5?|jsonl|ndjson|yaml|toml|sh|sql|graphql|x-www-form-urlencoded)$/;

const UNTOLD_TYPES: ReadonlySet<string> = new Set(["", "application/octet-stream"]);

/** Decodes a body. An uninformative type is judged by the bytes. Never throws. */
export function pageText(body: Uint8Array, contentType: string): PageText {
  const type = mediaType(contentType);
  const isUntold = UNTOLD_TYPES.has(type);
  if (!isUntold && !HTML_TYPES.has(type) && !TEXT_TYPES.test(type)) return { kind: "binary" };
  const { label, note } = charsetOf(body, contentType);
  const isWide = label.startsWith("utf-16");
  if (!isWide && body.subarray(0, SNIFF_BYTES).includes(0)) return { kind: "binary" };
  const text = new TextDecoder(label).decode(body);
  const isHtml =
    HTML_TYPES.has(type) || (isUntold && /^\s*<(!doctype html|html)\b/i.test(text.slice(0, SNIFF_BYTES)));
  return { kind: isHtml ? "html" : "text", text, note };
}

/** `text/html` from `Text/HTML; charset=utf-8`. */
export function mediaType(contentType: string): string {
  return (contentType.split(";", 1)[0] ?? "").trim().toLowerCase();
}

const SNIFF_BYTES = 8_192;
const META_BYTES = 1_024; // HTML: an encoding is declared within the first 1024 bytes

/** Byte order mark, then header, then the page's own declaration, then UTF-8 (the order of the HTML standard). */
function charsetOf(
  body: Uint8Array,
  contentType: string,
): { readonly label: string; readonly note?: string } {
  if (body[0] === 0xfe && body[1] === 0xff) return { label: "utf-16be" };
  if (body[0] === 0xff && body[1] === 0xfe) return { label: "utf-16le" };
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return { label: "utf-8" };
  const declared = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? metaCharset(body);
  if (declared === undefined) return { label: "utf-8" };
  const label = knownLabel(declared);
  if (label !== undefined) return { label };
  return {
    label: "utf-8",
    note: `read as UTF-8, because its encoding "${declared.slice(0, 40)}" is unknown`,
  };
}

function metaCharset(body: Uint8Array): string | undefined {
  const opening = Buffer.from(body.subarray(0, META_BYTES)).toString("latin1");
  for (const [tag] of opening.matchAll(/<meta\b[^>]*>/gi)) {
    const charset =
      attribute(tag, "charset") ?? /charset\s*=\s*([^\s";]+)/i.exec(attribute(tag, "content") ?? "")?.[1];
    // A page readable as bytes up to here is not UTF-16, whatever it declares (HTML standard).
    if (charset !== undefined) return /^utf-16/i.test(charset) ? "utf-8" : charset;
  }
  return undefined;
}

function knownLabel(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
