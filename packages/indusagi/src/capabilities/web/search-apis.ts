// Search through APIs that answer in JSON: each service is one row of data, and one function queries them all.

import { describeError } from "../../core/faults.ts";
import type { JsonValue } from "../../core/schema/json-schema.ts";
import type {
  SearchHit,
  SearchOptions,
  SearchOutcome,
  SearchProvider,
  SearchProviderId,
  WebPage,
  WebRequest,
} from "./contract.ts";
import { plainHtmlText } from "./plain-html-text.ts";
import { describeStatus, OTHER_WAYS, tidyHits } from "./search-hits.ts";

/** One search service. `key` is the variable's value: a key, or for SearXNG its address. */
export interface SearchApi {
  readonly id: SearchProviderId;
  readonly name: string;
  /** The environment variable that enables it. */
  readonly variable: string;
  readonly endpoint: (key: string) => string;
  /** True if the variable holds an address, which is not secret and can be private: the person chose it. */
  readonly isAddress?: boolean;
  readonly request: (query: string, limit: number, key: string) => ApiRequest;
  /** Where the hits are in the response, and their field names. */
  readonly hits: readonly string[];
  readonly snippet: readonly string[];
  /** True if titles and snippets are HTML; otherwise they are plain text, in which `List<String>` is not a tag. */
  readonly isHtml?: boolean;
  readonly advice?: Readonly<Record<number, string>>;
}

interface ApiRequest {
  readonly search?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: JsonValue;
}

const BRAVE_MOST = 20;
const TAVILY_MOST = 20;
const SNIPPET_CHARS = 500;

/** In order of preference among those configured. */
export const SEARCH_APIS: readonly SearchApi[] = [
  {
    id: "brave",
    name: "Brave Search",
    variable: "BRAVE_API_KEY",
    endpoint: () => "https://api.search.brave.com/res/v1/web/search",
    request: (query, limit, key) => ({
      search: { q: query, count: String(Math.min(limit, BRAVE_MOST)) },
      headers: { "x-subscription-token": key },
    }),
    hits: ["web", "results"],
    snippet: ["description"],
    isHtml: true,
  },
  {
    id: "tavily",
    name: "Tavily",
    variable: "TAVILY_API_KEY",
    endpoint: () => "https://api.tavily.com/search",
    request: (query, limit, key) => ({
      headers: { authorization: `Bearer ${key}` },
      json: { query, max_results: Math.min(limit, TAVILY_MOST) },
    }),
    hits: ["results"],
    snippet: ["content"],
  },
  {
    id: "exa",
    name: "Exa",
    variable: "EXA_API_KEY",
    endpoint: () => "https://api.exa.ai/search",
    request: (query, limit, key) => ({
      headers: { "x-api-key": key },
      json: { query, numResults: limit, contents: { text: { maxCharacters: SNIPPET_CHARS } } },
    }),
    hits: ["results"],
    snippet: ["text", "summary"],
  },
  {
    id: "searxng",
    name: "SearXNG",
    variable: "SEARXNG_URL",
    isAddress: true,
    endpoint: (url) => `${url.replace(/\/+$/, "")}/search`,
    request: (query) => ({ search: { q: query, format: "json" } }),
    hits: ["results"],
    snippet: ["content"],
    advice: { 403: 'Its settings must list "json" under search.formats.' },
  },
];

/** A provider that queries `api`; `endpoint` replaces the service's own. Throws if the endpoint is not a URL. */
export function apiProvider(api: SearchApi, key: string, endpoint = api.endpoint(key)): SearchProvider {
  const { host, hostname } = new URL(endpoint);
  return { id: api.id, host: hostname, isConfigured: api.isAddress === true, search };

  async function search(query: string, { limit, fetch }: SearchOptions): Promise<SearchOutcome> {
    const answer = await fetch(webRequest(endpoint, api.request(query, limit, key)));
    if (answer.kind !== "answered")
      return failed(`Cannot search with ${api.name}. ${answer.message} ${OTHER_WAYS}`);
    if (answer.status !== 200) {
      const advice = api.advice?.[answer.status] ?? statusAdvice(answer.status);
      return failed(`${describeStatus(`${api.name} (${host})`, answer)} ${advice}`);
    }
    return readHits(answer, limit);
  }

  function statusAdvice(status: number): string {
    return status === 401 || status === 403 ? `Check ${api.variable}. ${OTHER_WAYS}` : OTHER_WAYS;
  }

  function readHits(answer: WebPage, limit: number): SearchOutcome {
    const text = withoutKey(new TextDecoder().decode(answer.body));
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      return failed(`${api.name} (${host}) returned invalid JSON: ${shortened(error)}. ${OTHER_WAYS}`);
    }
    const list = api.hits.reduce(field, value);
    if (!Array.isArray(list))
      return failed(`${api.name} (${host}) returned no list "${api.hits.join(".")}". ${OTHER_WAYS}`);
    return { kind: "found", hits: tidyHits(list.map(hitOf), limit) };
  }

  // The service can repeat the key anywhere: in a body, in the address of a redirect.
  function withoutKey(text: string): string {
    return api.isAddress ? text : text.replaceAll(key, `[${api.variable}]`);
  }

  function failed(message: string): SearchOutcome {
    return { kind: "failed", message: withoutKey(message) };
  }

  function hitOf(item: unknown): SearchHit {
    const shown = api.isHtml ? plainHtmlText : (text: string): string => text;
    const snippet = api.snippet.map((name) => textField(item, name)).find((text) => text !== "") ?? "";
    return { title: shown(textField(item, "title")), url: textField(item, "url"), snippet: shown(snippet) };
  }
}

function webRequest(
  endpoint: string,
  { search = {}, headers = {}, json }: ApiRequest,
): Omit<WebRequest, "signal"> {
  const url = new URL(endpoint);
  for (const [name, value] of Object.entries(search)) url.searchParams.set(name, value);
  const common = { ...headers, accept: "application/json", "user-agent": "indusagi websearch" };
  // No redirect is followed: a key reaches only the host it belongs to.
  const limits = { maxRedirects: 0 };
  if (json === undefined) return { url: url.href, headers: common, limits };
  const body = JSON.stringify(json);
  return {
    url: url.href,
    method: "POST",
    headers: { ...common, "content-type": "application/json" },
    body,
    limits,
  };
}

function field(value: unknown, name: string): unknown {
  const isRecord = typeof value === "object" && value !== null && Object.hasOwn(value, name);
  return isRecord ? (value as Record<string, unknown>)[name] : undefined;
}

function textField(value: unknown, name: string): string {
  const text = field(value, name);
  return typeof text === "string" ? text : "";
}

const SHOWN_CHARS = 100;

function shortened(error: unknown): string {
  return describeError(error).slice(0, SHOWN_CHARS);
}
