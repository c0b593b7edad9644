// What both wires need to know about the server they talk to.

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
  readonly apiKey?: string;
  /** True: the key goes into the header `authorization`, on a wire that has another for keys. */
  readonly isBearer?: boolean;
  /** Where the key comes from, named in faults: an environment variable. */
  readonly apiKeyName?: string;
  /** Sent with every request. Their values never appear in a fault. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where each request must be signed. */
  readonly sign?: Signer;
  /** Stands in the place of the network. */
  readonly transport?: Transport | undefined;
  /** With what the person shows a server who they are. */
  readonly certificate?: ClientCertificate | undefined;
  readonly limits?: Partial<HttpLimits>;
  /** Where what its refusals teach is kept; default: in the process. */
  readonly lessons?: LessonBook | undefined;
  /** Whether a model may still be asked on another wire of the server, where a refusal names that one. */
  readonly mayGoElsewhere?: (model: string) => boolean;
}

const USER_AGENT = "indusagi";

/** The correspondent behind `endpoint` when it is asked at `path`. Throws a TypeError for a base URL that is none. */
export function correspondent(endpoint: Endpoint, path: string): Correspondent {
  const url = new URL(endpoint.baseUrl);
  if (!/^https?:$/.test(url.protocol))
    throw new TypeError(`A provider is reached over http or https, not ${url.protocol}`);
  url.pathname = url.pathname.replace(/\/+$/, "") + path;
  const { id, apiKey, apiKeyName, sign, certificate, transport, headers = {} } = endpoint;
  const secrets = [apiKey, ...Object.values(headers)].filter((value) => value !== undefined);
  const keyName = apiKeyName === undefined ? {} : { keyName: apiKeyName };
  return { id, url, secrets, ...keyName, ...(sign === undefined ? {} : { sign }), certificate, transport };
}

/** The header that holds the key of `endpoint`; `own` is the wire's for keys. */
export function keyHeader({ apiKey, isBearer }: Endpoint, own: string): Readonly<Record<string, string>> {
  if (apiKey === undefined) return {};
  return isBearer ? { authorization: `Bearer ${apiKey}` } : { [own]: apiKey };
}

/** The limits of a call to `endpoint`. */
export function limitsOf(endpoint: Endpoint): HttpLimits {
  return { ...HTTP_LIMITS, ...endpoint.limits };
}

/** The headers that both wires send, the endpoint's own ones last. Throws a TypeError for one that HTTP cannot carry. */
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
    nodeHttp().validateHeaderValue(name, value); // names the header, not its value
  }
  return headers;
}
