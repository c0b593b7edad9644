// Types of the web tools. No I/O.

/** Every address of `host`, which is a name, not an address. Rejects like node:dns if there is none. */
export type HostLookup = (host: string) => Promise<readonly string[]>;

/** Which hosts can be dialled. */
export interface AddressPolicy {
  /** Default: the system's resolver. */
  readonly lookup?: HostLookup;
  /** Returns true to allow an address that is not public. Default: none is allowed. */
  readonly allowAddress?: (address: string) => boolean;
}

/** Times in milliseconds, sizes in bytes. */
export interface FetchLimits {
  /** Until a connection is established, including TLS; per hop. */
  readonly connectMs: number;
  /** From then until the response headers arrive; per hop. */
  readonly firstByteMs: number;
  /** For everything: name lookups, redirects, body. */
  readonly totalMs: number;
  /** For the body, counted after decompression; the rest is not read. */
  readonly maxBytes: number;
  /** For the headers of one response. */
  readonly maxHeaderBytes: number;
  readonly maxRedirects: number;
}

export interface WebRequest {
  readonly url: string;
  readonly method?: "GET" | "POST" | undefined;
  /** After a redirect to another origin, only headers that say how to answer are kept (see `guarded-fetch.ts`). */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  /** Refuses a redirect to another host, because only this one was allowed. */
  readonly staysOnHost?: boolean;
  readonly signal: AbortSignal;
  readonly limits?: Partial<FetchLimits>;
}

/**
 * answered: any status that is not a redirect · refused: the guard refused, nothing more was sent · failed: no complete
 * response. A `message` says what was requested, what came back and what to do.
 */
export type WebAnswer =
  | WebPage
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "failed"; readonly message: string };

export interface WebPage {
  readonly kind: "answered";
  /** Where the response came from, after redirects. */
  readonly url: string;
  readonly redirects: number;
  readonly status: number;
  /** The header unchanged; empty if there was none. */
  readonly contentType: string;
  /** Seconds or a date; undefined for anything else. */
  readonly retryAfter: string | undefined;
  readonly body: Uint8Array;
  /** True if the body continues beyond `maxBytes`. */
  readonly isClipped: boolean;
}

export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

export type SearchOutcome =
  | { readonly kind: "found"; readonly hits: readonly SearchHit[] }
  /** `message` contains no key. */
  | { readonly kind: "failed"; readonly message: string };

/** What a provider can ask of the network; the tool sets the address policy and the deadline. */
export type ProviderFetch = (request: Omit<WebRequest, "signal">) => Promise<WebAnswer>;

export interface SearchOptions {
  /** The maximum number of hits wanted. */
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly fetch: ProviderFetch;
}

/** One way to search the web. `search` rejects only with `Aborted`. */
export interface SearchProvider {
  readonly id: SearchProviderId;
  /** The host that is contacted, for a permission check. */
  readonly host: string;
  /** True if the person configured the host, which can then be private. */
  readonly isConfigured?: boolean;
  readonly search: (query: string, options: SearchOptions) => Promise<SearchOutcome>;
}

export type SearchProviderId = "duckduckgo" | "brave" | "tavily" | "exa" | "searxng";

/** Base URLs that replace the providers' own. */
export type SearchEndpoints = Readonly<Partial<Record<SearchProviderId, string>>>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** For hosts and tests. */
export interface WebToolOptions extends AddressPolicy {
  /** Read at each call; default: the process's environment. */
  readonly env?: Environment;
  readonly endpoints?: SearchEndpoints;
}
