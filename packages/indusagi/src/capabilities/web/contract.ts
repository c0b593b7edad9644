// The shapes of the web tools. No I/O.

/** Every address of `host`, which is a name, not an address. Rejects as node:dns does where there is none. */
export type HostLookup = (host: string) => Promise<readonly string[]>;

/** Which hosts may be dialled. */
export interface AddressPolicy {
  /** Default: the system's resolver. */
  readonly lookup?: HostLookup;
  /** True lets an address pass that is not public. Default: none does. */
  readonly allowAddress?: (address: string) => boolean;
}

/** Times in milliseconds, sizes in bytes. */
export interface FetchLimits {
  /** Until a connection is made, TLS included; for each hop. */
  readonly connectMs: number;
  /** From there until the answer's head is here; for each hop. */
  readonly firstByteMs: number;
  /** For everything: names, redirects, body. */
  readonly totalMs: number;
  /** Of the body, counted after decompression; what is beyond is not read. */
  readonly maxBytes: number;
  /** Of one answer's head. */
  readonly maxHeaderBytes: number;
  readonly maxRedirects: number;
}

export interface WebRequest {
  readonly url: string;
  readonly method?: "GET" | "POST";
  /** Of these, another origin than the first one gets only what says how to answer (see `guarded-fetch.ts`). */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Refuses a redirect to another host, because only this one was allowed. */
  readonly staysOnHost?: boolean;
  readonly signal: AbortSignal;
  readonly limits?: Partial<FetchLimits>;
}

/**
 * answered: any status that is not a redirect · refused: the guard said no, nothing more was sent ·
 * failed: no whole answer came. A `message` says what was asked, what came back and what to do.
 */
export type WebAnswer =
  | WebPage
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "failed"; readonly message: string };

export interface WebPage {
  readonly kind: "answered";
  /** Where the answer came from, after redirects. */
  readonly url: string;
  readonly redirects: number;
  readonly status: number;
  /** The header as it came; empty when there was none. */
  readonly contentType: string;
  /** Seconds or a date; undefined for anything else. */
  readonly retryAfter: string | undefined;
  readonly body: Uint8Array;
  /** True when the body goes on behind `maxBytes`. */
  readonly isClipped: boolean;
}

export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

export type SearchOutcome =
  | { readonly kind: "found"; readonly hits: readonly SearchHit[] }
  /** `message` holds no key. */
  | { readonly kind: "failed"; readonly message: string };

/** What a provider may ask of the network; address policy and deadline are the tool's. */
export type ProviderFetch = (request: Omit<WebRequest, "signal">) => Promise<WebAnswer>;

export interface SearchOptions {
  /** At most this many hits are wanted. */
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly fetch: ProviderFetch;
}

/** One way to search the web. `search` rejects only with `Aborted`. */
export interface SearchProvider {
  readonly id: SearchProviderId;
  /** The host that is asked, for a permission check. */
  readonly host: string;
  /** True where the person configured the host, which may then be private. */
  readonly isConfigured?: boolean;
  readonly search: (query: string, options: SearchOptions) => Promise<SearchOutcome>;
}

export type SearchProviderId = "duckduckgo" | "brave" | "tavily" | "exa" | "searxng";

/** Base URLs in place of the providers' own. */
export type SearchEndpoints = Readonly<Partial<Record<SearchProviderId, string>>>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** For hosts and tests. */
export interface WebToolOptions extends AddressPolicy {
  /** Read at each call; default: the process's own. */
  readonly env?: Environment;
  readonly endpoints?: SearchEndpoints;
}
