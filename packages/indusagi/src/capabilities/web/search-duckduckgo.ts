// The default search: DuckDuckGo's HTML page, which needs no key. Its markup and its bot check are
// not under our control: layout changes and refusals both end in a message that names the other ways to search.

import type { SearchHit, SearchOptions, SearchOutcome, SearchProvider, WebPage } from "./contract.ts";
import { pageText } from "./page-text.ts";
import { attribute, plainHtmlText, tokens } from "./plain-html-text.ts";
import { describeStatus, OTHER_WAYS, tidyHits } from "./search-hits.ts";

export const DUCKDUCKGO_URL = "https://html.duckduckgo.com/html/";

// What a browser sends with this form; a request without these gets the caller's address blocked.
const HEADERS = {
  "user-agent":
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
  accept: "text/html,application/xhtml+xml",
  "accept-language": "en-US,en;q=0.9",
  "content-type": "application/x-www-form-urlencoded",
  "sec-fetch-dest": "document",
  "sec-fetch-mode": "navigate",
  "sec-fetch-site": "same-origin",
};

// 202 is the bot check's own status; the words are from its page, which has also come with 200.
const BOT_CHECK_STATUS = 202;
const BOT_CHECK = /anomaly-modal|challenge-form|\banomaly\.js\b/;
const NO_RESULTS = /class="[^"]*\bno-results\b|No\s+results\s+found/i;

/** Searches by posting the form at `url`. */
export function duckduckgoProvider(url: string = DUCKDUCKGO_URL): SearchProvider {
  return { id: "duckduckgo", host: new URL(url).hostname, search };

  async function search(query: string, { limit, fetch }: SearchOptions): Promise<SearchOutcome> {
    const body = new URLSearchParams({ q: query }).toString();
    const answer = await fetch({ url, method: "POST", headers: HEADERS, body });
    if (answer.kind !== "answered")
      return { kind: "failed", message: `Cannot search with DuckDuckGo. ${answer.message} ${OTHER_WAYS}` };
    return readAnswer(answer, limit);
  }
}

function readAnswer(answer: WebPage, limit: number): SearchOutcome {
  const page = pageText(answer.body, answer.contentType);
  const html = page.kind === "html" ? page.text : "";
  if (answer.status === BOT_CHECK_STATUS || BOT_CHECK.test(html)) {
    const message = `DuckDuckGo returned its bot check (status ${answer.status}) instead of results. Searching again soon will not help. ${OTHER_WAYS}`;
    return { kind: "failed", message };
  }
  if (answer.status !== 200)
    return { kind: "failed", message: `${describeStatus("DuckDuckGo", answer)} ${OTHER_WAYS}` };
  const hits = tidyHits(readDuckDuckGoHits(html), limit);
  if (hits.length > 0 || NO_RESULTS.test(html)) return { kind: "found", hits };
  const message = `DuckDuckGo returned a page without recognisable results (${answer.body.length} bytes); its layout may have changed. ${OTHER_WAYS}`;
  return { kind: "failed", message };
}

/** The hits of a result page, in order, without advertisements. Linear in the page's length; never throws. */
export function readDuckDuckGoHits(html: string): readonly SearchHit[] {
  const hits: { title: string; url: string; snippet: string }[] = [];
  let field: { readonly name: "title" | "snippet"; readonly closes: string } | undefined;
  for (const token of tokens(html)) {
    const hit = hits.at(-1);
    if (token.kind === "text") {
      if (field !== undefined && hit !== undefined) hit[field.name] += token.text;
    } else if (token.isClosing) {
      if (token.name === field?.closes) field = undefined;
    } else {
      const classes = attribute(token.tag, "class")?.split(/\s+/) ?? [];
      if (token.name === "a" && classes.includes("result__a")) {
        hits.push({ title: "", url: unwrapLink(attribute(token.tag, "href") ?? ""), snippet: "" });
        field = { name: "title", closes: "a" };
      } else if (classes.includes("result__snippet")) field = { name: "snippet", closes: token.name };
    }
  }
  return hits
    .filter(({ url }) => !isOwnLink(url))
    .map(({ title, url, snippet }) => ({
      title: plainHtmlText(title),
      url,
      snippet: plainHtmlText(snippet),
    }));
}

/** The address inside a redirect link (`//duckduckgo.com/l/?uddg=https%3A%2F%2F…`); other links unchanged. */
export function unwrapLink(href: string): string {
  const url = URL.canParse(href, DUCKDUCKGO_URL) ? new URL(href, DUCKDUCKGO_URL) : undefined;
  return url?.searchParams.get("uddg") ?? url?.href ?? "";
}

// A link that still points at DuckDuckGo after unwrapping is an advertisement or one of its own pages.
function isOwnLink(url: string): boolean {
  return !URL.canParse(url) || /(^|\.)duckduckgo\.com$/.test(new URL(url).hostname);
}
