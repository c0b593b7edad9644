// What every wire needs to know about the server it talks to.

import type { ClientCertificate } from "../client-certificate.ts";
import { HTTP_LIMITS, type HttpLimits, type Transport } from "../http-stream.ts";
import type { LessonBook } from "../lessons.ts";
import type { Correspondent, Signer } from "../model-faults.ts";
import { nodeHttp } from "../node-http.ts";

/** Where a provider is and how it is addressed. */
export interface Endpoint {
  /** The first half of `provider/model`. */
  readonly id: string;
  /** With or without the version segment at its end. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** True: the key goes into the `authorization` header, on a wire that has another header for keys. */
  readonly isBearer?: boolean | undefined;
  /** Where the key comes from, named in faults: an environment variable. */
  readonly apiKeyName?: string | undefined;
  /** Sent with every request. Their values never appear in a fault. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Set if each request must be signed. */
  readonly sign?: Signer;
  /** Replaces the network. */
  readonly transport?: Transport | undefined;
  /** The certificate that identifies the person to a server. */
  readonly certificate?: ClientCertificate | undefined;
  readonly limits?: Partial<HttpLimits>;
  /** Where lessons from its refusals are kept; default: in the process. */
  readonly lessons?: LessonBook | undefined;
  /** Whether a model may still be switched to another wire of the server if a refusal names that wire. */
  readonly mayGoElsewhere?: (model: string) => boolean;
}

const USER_AGENT = "indusagi";

/** The correspondent at `endpoint` for requests to `path`. Throws a TypeError for an invalid base URL. */
export function correspondent(endpoint: Endpoint, path: string): Correspondent {
  const url = new URL(endpoint.baseUrl);
  if (!/^https?:$/.test(url.protocol))
    throw new TypeError(`Expected a provider at an http or https address, found ${url.protocol}`);
  url.pathname = url.pathname.replace(/\/+$/, "") + path;
  const { id, apiKey, apiKeyName, sign, certificate, transport, headers = {} } = endpoint;
  const secrets = [apiKey, ...Object.values(headers)].filter((value) => value !== undefined);
  const keyName = apiKeyName === undefined ? {} : { keyName: apiKeyName };
  return { id, url, secrets, ...keyName, sign, certificate, transport };
}

/** The header that holds the key of `endpoint`; `own` is the wire's header for keys. */
export function keyHeader({ apiKey, isBearer }: Endpoint, own: string): Readonly<Record<string, string>> {
  if (apiKey === undefined) return {};
  return isBearer ? { authorization: `Bearer ${apiKey}` } : { [own]: apiKey };
}

/** The limits of a call to `endpoint`. */
export function limitsOf(endpoint: Endpoint): HttpLimits {
  return { ...HTTP_LIMITS, ...endpoint.limits };
}

/** The headers that every wire sends, the endpoint's own last. Throws a TypeError for one that HTTP cannot carry. */
export function headersOf(endpoint: Endpoint, own: Readonly<Record<string, string>>): Record<string, string> {
  const headers = {
    "content-type": "application/json",
    accept: "text/event-stream",
    "user-agent": USER_AGENT,
    ...own,
    ...endpoint.headers,
  };
  for (const [name, value] of Object.entries(headers)) {
    nodeHttp().validateHeaderName(name);
    nodeHttp().validateHeaderValue(name, value); // its error names the header, not its value
  }
  return headers;
}
