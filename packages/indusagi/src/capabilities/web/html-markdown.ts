// HTML to Markdown with a real parser. Runs on its own thread (html-to-text.ts) and imports only libraries: the thread loads
// this very file, in the source tree and in a bundle alike.

import type { Readability } from "@mozilla/readability";

/**
 * The converter and its location: this file, or in a bundle the chunk it ended up in. A single object, because a bundler drops
 * exports that only the thread uses.
 */
export const htmlConverter: {
  readonly moduleUrl: string;
  /** Real pages stay far below this; the libraries are recursive. */
  readonly maxDepth: number;
  readonly pageToMarkdown: typeof pageToMarkdown;
} = {
  moduleUrl: import.meta.url,
  maxDepth: 400,
  pageToMarkdown,
};

export interface MarkdownPage {
  readonly title: string;
  readonly markdown: string;
  /** Which part of the page this is; the final result is never `interim`. */
  readonly part: "article" | "whole" | "interim";
}

/** Readability's own threshold: less text than this is a teaser or a cookie notice, not the page. */
const ARTICLE_CHARS = 500;

// Never readable as text, or known to be noise on any page.
const REMOVED = "script, style, noscript, svg, iframe, object, template, canvas, link, meta[http-equiv]";

/**
 * The page's article, else the whole page. The whole page is passed to `onInterim` before the article is searched for, which
 * can take very long (24 s for 2 MiB of links). Rejects if the page is nested deeper than `maxDepth`.
 */
async function pageToMarkdown(
  { html, pageUrl }: { readonly html: string; readonly pageUrl: string },
  onInterim: (page: MarkdownPage) => void,
): Promise<MarkdownPage> {
  // The build of linkedom without the optional native module.
  const { parseHTML } = (await import("linkedom/worker")) as unknown as {
    parseHTML: (html: string) => { document: PageDocument };
  };
  const { Readability } = await import("@mozilla/readability");
  const { htmlToMarkdown } = await import("@mdream/js");

  const { document } = parseHTML(/<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`);
  const { maxDepth } = htmlConverter;
  if (depthOf(document) > maxDepth) throw new Error(`it nests deeper than ${maxDepth} elements`);
  for (const element of document.querySelectorAll(REMOVED)) element.remove();
  const title = takeTitle(document);
  makeAbsolute(document, pageUrl);
  // Before Readability, which modifies the document.
  const whole = { title, markdown: htmlToMarkdown(document.toString(), { clean: CLEAN }).trim() };
  onInterim({ ...whole, part: "interim" });

  const options = { keepClasses: true }; // they name the language of code
  const article = new Readability(document as unknown as ReadabilityDocument, options).parse();
  if ((article?.textContent?.trim().length ?? 0) < ARTICLE_CHARS) return { ...whole, part: "whole" };
  const markdown = htmlToMarkdown(article?.content ?? "", { clean: CLEAN }).trim();
  return { title, markdown, part: "article" };
}

const TITLE_CHARS = 300;
const CLEAN = {
  emptyLinks: true,
  emptyLinkText: true,
  emptyImages: true,
  blankLines: true,
  redundantLinks: true,
};

type ReadabilityDocument = ConstructorParameters<typeof Readability>[0];

/** The part of linkedom that is used; its own types need a browser's. */
interface PageDocument extends PageNode {
  readonly querySelectorAll: (selector: string) => readonly PageElement[];
}

interface PageNode {
  readonly firstChild: PageNode | null;
  readonly nextSibling: PageNode | null;
  readonly parentNode: PageNode | null;
  readonly toString: () => string;
}

interface PageElement extends PageNode {
  readonly textContent: string;
  readonly remove: () => void;
  readonly getAttribute: (name: string) => string | null;
  readonly setAttribute: (name: string, value: string) => void;
  readonly removeAttribute: (name: string) => void;
}

/** The text of the first title; all titles are removed, or the converter would print them as text. */
function takeTitle(document: PageDocument): string {
  const titles = document.querySelectorAll("title");
  const title = titles[0]?.textContent ?? "";
  for (const element of titles) element.remove();
  return title.replace(/\s+/g, " ").trim().slice(0, TITLE_CHARS);
}

// Without recursion, because it runs before anything that recurses.
function depthOf(root: PageNode): number {
  let deepest = 0;
  let depth = 0;
  let node: PageNode | null = root;
  while (node !== null) {
    if (node.firstChild !== null) {
      node = node.firstChild;
      deepest = Math.max(deepest, ++depth);
      continue;
    }
    while (node !== null && node !== root && node.nextSibling === null) {
      node = node.parentNode;
      depth--;
    }
    node = node === null || node === root ? null : node.nextSibling;
  }
  return deepest;
}

/** Makes links and pictures absolute; anything that is not a web address (data:, javascript:) is removed. */
function makeAbsolute(document: PageDocument, pageUrl: string): void {
  const declared = document.querySelectorAll("base[href]")[0]?.getAttribute("href") ?? "";
  const base = URL.canParse(declared, pageUrl) ? new URL(declared, pageUrl).href : pageUrl;
  for (const [selector, name] of [
    ["a[href]", "href"],
    ["img[src]", "src"],
  ] as const) {
    for (const element of document.querySelectorAll(selector)) {
      const value = element.getAttribute(name) ?? "";
      const url = URL.canParse(value, base) ? new URL(value, base) : undefined;
      if (url?.protocol === "http:" || url?.protocol === "https:") element.setAttribute(name, url.href);
      else element.removeAttribute(name);
    }
  }
  for (const element of document.querySelectorAll("base")) element.remove();
}
