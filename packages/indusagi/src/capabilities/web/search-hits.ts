// What all search providers share: normalising hits, and refusals that name an alternative.

import type { SearchHit, WebPage } from "./contract.ts";

/** Added when a search has failed. */
export const OTHER_WAYS =
  "Alternatives: webfetch a known page, or the person can set BRAVE_API_KEY, TAVILY_API_KEY, EXA_API_KEY or " +
  "SEARXNG_URL.";

const TITLE_CHARS = 200;
const SNIPPET_CHARS = 500;
const URL_CHARS = 2_048;

/** At most `limit` hits with an http(s) address, each address once, titles and snippets on one line. */
export function tidyHits(hits: Iterable<SearchHit>, limit: number): readonly SearchHit[] {
  const kept = new Map<string, SearchHit>();
  for (const { title, url, snippet } of hits) {
    if (kept.size === limit) break;
    if (url.length > URL_CHARS || !URL.canParse(url)) continue;
    const { href, protocol } = new URL(url);
    if (kept.has(href) || (protocol !== "http:" && protocol !== "https:")) continue;
    kept.set(href, {
      title: oneLine(title, TITLE_CHARS) || href,
      url: href,
      snippet: oneLine(snippet, SNIPPET_CHARS),
    });
  }
  return [...kept.values()];
}

function oneLine(text: string, maxChars: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > maxChars ? `${line.slice(0, maxChars - 1).trimEnd()}…` : line;
}

/** A status that is not a success, in one sentence. */
export function describeStatus(who: string, { status, retryAfter }: WebPage): string {
  const wait = retryAfter === undefined ? "" : ` (Retry-After: ${retryAfter})`;
  return `${who} returned status ${status}${wait}.`;
}
