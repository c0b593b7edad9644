// The only HTTP client of the web tools: a host is looked up once, checked to be public and dialled; redirects are followed
// manually and checked again; every wait has a deadline and every size a limit. Not `fetch`, which looks a name up again after
// any check, and not a shared agent, which would reuse a connection that another policy allowed. A proxy from the environment
// is not used, because the proxy would then choose the address.

import type { ClientRequest, IncomingMessage } from "node:http";
import type { RequestOptions } from "node:https";
import type { LookupFunction } from "node:net";
import { Aborted } from "../../core/abort.ts";
import { describeError, errorCode } from "../../core/faults.ts";
import { addressProblem } from "./address-rules.ts";
import type { AddressPolicy, FetchLimits, HostLookup, WebAnswer, WebPage, WebRequest } from "./contract.ts";
import { acceptedEncodings, decodeBody } from "./decode-body.ts";
import { dialledHost, parseWebUrl } from "./web-url.ts";

const FETCH_LIMITS: FetchLimits = {
  connectMs: 10_000,
  firstByteMs: 20_000,
  totalMs: 30_000,
  maxBytes: 1024 * 1024,
  maxHeaderBytes: 16 * 1024,
  maxRedirects: 5,
};

/**
 * Requests `request.url` and reads the response. Rejects only with `Aborted`, when the request's signal fires. A redirect from
 * https to http is refused: what started authenticated must not end up forgeable.
 */
export async function guardedFetch(request: WebRequest, policy: AddressPolicy = {}): Promise<WebAnswer> {
  const limits = { ...FETCH_LIMITS, ...request.limits };
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(new Aborted());
  const onLate = (): void =>
    stop.abort(
      new FetchProblem(
        "failed",
        `${request.url} did not answer completely within ${seconds(limits.totalMs)}.`,
      ),
    );
  const timer = setTimeout(onLate, limits.totalMs);
  request.signal.addEventListener("abort", onAbort, { once: true });
  if (request.signal.aborted) onAbort();
  try {
    return await follow(request, { policy, limits, signal: stop.signal });
  } catch (error) {
    if (error instanceof FetchProblem) return { kind: error.kind, message: error.message };
    if (error instanceof Aborted) throw error;
    return { kind: "failed", message: `Fetching ${request.url} failed: ${describeError(error)}` };
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener("abort", onAbort);
  }
}

/** Ends a fetch from within; never leaves this file. */
class FetchProblem extends Error {
  override readonly name = "FetchProblem";
  readonly kind: "refused" | "failed";

  constructor(kind: "refused" | "failed", message: string) {
    super(message);
    this.kind = kind;
  }
}

interface Run {
  readonly policy: AddressPolicy;
  readonly limits: FetchLimits;
  /** Aborted with the error that ends the run. */
  readonly signal: AbortSignal;
}

interface Hop {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

async function follow(request: WebRequest, run: Run): Promise<WebPage> {
  const { method = "GET", headers = {}, body } = request;
  let hop: Hop = { url: checked(parseWebUrl(request.url)), method, headers: inSmallLetters(headers), body };
  for (let redirects = 0; ; redirects++) {
    run.signal.throwIfAborted();
    const response = await send(hop, await allowedAddresses(hop.url, run), run);
    const next = redirectFrom(response, hop.url);
    if (next === undefined) return readPage(response, { url: hop.url, redirects }, run);
    response.destroy();
    // The permission for this host does not cover another one it redirects to.
    if (request.staysOnHost && dialledHost(next) !== dialledHost(hop.url)) {
      throw new FetchProblem(
        "refused",
        `${request.url} redirects to another host: ${next.href}. Fetch that address directly.`,
      );
    }
    if (redirects === run.limits.maxRedirects) {
      const said = redirects === 0 ? "redirects" : `redirected more than ${redirects} times, last`;
      throw new FetchProblem(
        "failed",
        `${request.url} ${said} to ${next.href}. Fetch that address directly.`,
      );
    }
    hop = redirectedHop(hop, next, response.statusCode);
  }
}

function checked(url: URL | string): URL {
  if (typeof url === "string") throw new FetchProblem("refused", url);
  return url;
}

// ---- who may be dialled -------------------------------------------------------------------------------------------

/** All addresses of the URL's host; refuses if any of them is not allowed, because any of them may be dialled. */
async function allowedAddresses(url: URL, { policy, signal }: Run): Promise<readonly string[]> {
  const host = dialledHost(url);
  const addresses = await addressesOf(host, policy.lookup ?? systemLookup, signal);
  for (const address of addresses) {
    const problem = addressProblem(address);
    if (problem === undefined || policy.allowAddress?.(address)) continue;
    const subject = address === host ? host : `${host} has the address ${address}, which`;
    throw new FetchProblem(
      "refused",
      `${subject} is not public (${problem}). Only public addresses are fetched. For a server on this machine or ` +
        "network, use a command instead.",
    );
  }
  return addresses;
}

async function addressesOf(
  host: string,
  lookup: HostLookup,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (net().isIP(host) !== 0) return [host];
  // RFC 6761: these names are loopback, whatever a resolver says.
  if (/^(.*\.)?localhost$/i.test(host)) return ["127.0.0.1"];
  let addresses: readonly string[];
  try {
    addresses = await until(lookup(host), signal);
  } catch (error) {
    signal.throwIfAborted();
    const said = errorCode(error) ?? describeError(error);
    throw new FetchProblem("failed", `Cannot resolve ${host} (${said}). Check its spelling.`);
  }
  if (addresses.length === 0)
    throw new FetchProblem("failed", `The host ${host} has no address. Check its spelling.`);
  return addresses;
}

async function systemLookup(host: string): Promise<readonly string[]> {
  const found = await process.getBuiltinModule("node:dns/promises").lookup(host, { all: true });
  return found.map(({ address }) => address);
}

/** Settles like `work`, or rejects with the signal's reason; `work` itself continues. */
function until<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** A connection's lookup: always returns only the checked addresses. */
function dialOnly(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: net().isIP(address) }));
  const [first = { address: "", family: 0 }] = found;
  return (_host, { all }, done) => (all ? done(null, found) : done(null, first.address, first.family));
}

// ---- one exchange -------------------------------------------------------------------------------------------------

/** Sends one request; resolves with the response's headers. The caller reads or destroys it. */
function send(hop: Hop, addresses: readonly string[], { limits, signal }: Run): Promise<IncomingMessage> {
  const { url, method, body } = hop;
  const isSecure = url.protocol === "https:";
  const open: (url: URL, options: RequestOptions) => ClientRequest = isSecure
    ? process.getBuiltinModule("node:https").request
    : process.getBuiltinModule("node:http").request;
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const outgoing = open(url, {
      method,
      headers: { ...hop.headers, ...length, "accept-encoding": acceptedEncodings() },
      agent: false,
      lookup: dialOnly(addresses),
      maxHeaderSize: limits.maxHeaderBytes,
    });
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
    const fail = (error: unknown): void => {
      settle();
      outgoing.destroy();
      reject(error);
    };
    const onAbort = (): void => fail(signal.reason);
    const failAfter = (ms: number, what: string): NodeJS.Timeout =>
      setTimeout(() => fail(new FetchProblem("failed", `${url.host} ${what} within ${seconds(ms)}.`)), ms);
    let timer = failAfter(limits.connectMs, "did not accept a connection");
    signal.addEventListener("abort", onAbort, { once: true });
    outgoing.once("socket", (socket) => {
      socket.once(isSecure ? "secureConnect" : "connect", () => {
        clearTimeout(timer);
        timer = failAfter(limits.firstByteMs, "did not answer");
      });
    });
    outgoing.once("response", (response) => {
      settle();
      resolve(response);
    });
    outgoing.once("upgrade", (_response, socket) => {
      socket.destroy();
      fail(new FetchProblem("failed", `${url.host} switches to a protocol other than HTTP.`));
    });
    outgoing.on("error", (error) => fail(new FetchProblem("failed", describeConnection(url, error, limits))));
    outgoing.end(body);
  });
}

function describeConnection(url: URL, error: unknown, limits: FetchLimits): string {
  const code = errorCode(error);
  if (code === "HPE_HEADER_OVERFLOW")
    return `The response headers from ${url.host} are longer than ${limits.maxHeaderBytes} bytes.`;
  if (code?.startsWith("HPE_")) return `${url.host} sent an invalid HTTP response (${code}).`;
  // Several addresses were tried and none answered: the first error is enough.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return `No response from ${url.host}: ${describeError(first)}${code ? ` (${code})` : ""}.`;
}

// ---- redirects ----------------------------------------------------------------------------------------------------

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

function redirectFrom({ statusCode = 0, headers }: IncomingMessage, url: URL): URL | undefined {
  if (!REDIRECTS.includes(statusCode) || headers.location === undefined) return undefined;
  refuseCredentials(headers.location, url);
  const next = parseWebUrl(headers.location, url);
  if (typeof next === "string") throw new FetchProblem("refused", `${url.href} redirects. ${next}`);
  if (url.protocol === "https:" && next.protocol === "http:") {
    throw new FetchProblem(
      "refused",
      `${url.href} redirects from https to ${next.href}, which anyone on the network path can read and change. ` +
        "Fetch that address directly if this is what you want.",
    );
  }
  return next;
}

/** No server chooses what another one is told: not even its own host gets a user name or a password from an address. */
function refuseCredentials(location: string, from: URL): void {
  const url = URL.parse(location, from.href);
  if (!url || (url.username === "" && url.password === "")) return;
  url.username = "";
  url.password = "";
  throw new FetchProblem(
    "refused",
    `${from.href} redirects to ${url.href}, but its address contains a user name or a password. They are not sent. ` +
      "Fetch the address without them if it needs none.",
  );
}

/** Header names are case-insensitive; lower case makes a lookup by name find them. */
function inSmallLetters(headers: Hop["headers"]): Hop["headers"] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

// Another origin gets no body, and no header that could contain a key.
const HEADERS_FOR_ANYONE: ReadonlySet<string> = new Set(["user-agent", "accept", "accept-language"]);

function redirectedHop(hop: Hop, url: URL, status: number | undefined): Hop {
  const isSameOrigin = url.origin === hop.url.origin;
  const keepsMethod = (status === 307 || status === 308) && isSameOrigin;
  const headers = Object.entries(hop.headers).filter(
    ([name]) => isSameOrigin || HEADERS_FOR_ANYONE.has(name),
  );
  return {
    url,
    method: keepsMethod ? hop.method : "GET",
    headers: Object.fromEntries(keepsMethod ? headers : headers.filter(([name]) => name !== "content-type")),
    body: keepsMethod ? hop.body : undefined,
  };
}

// ---- the body -----------------------------------------------------------------------------------------------------

async function readPage(
  response: IncomingMessage,
  from: { readonly url: URL; readonly redirects: number },
  { limits, signal }: Run,
): Promise<WebPage> {
  const onAbort = (): void => {
    response.destroy(signal.reason instanceof Error ? signal.reason : undefined);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  let size = 0;
  try {
    const kept: Buffer[] = [];
    for await (const chunk of bodyOf(response)) {
      kept.push(chunk);
      size += chunk.length;
      if (size > limits.maxBytes) break;
    }
    return {
      kind: "answered",
      url: from.url.href,
      redirects: from.redirects,
      status: response.statusCode ?? 0,
      contentType: response.headers["content-type"] ?? "",
      retryAfter: RETRY_AFTER.exec(response.headers["retry-after"] ?? "")?.[0],
      body: Buffer.concat(kept).subarray(0, limits.maxBytes),
      isClipped: size > limits.maxBytes,
    };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof FetchProblem) throw error;
    throw new FetchProblem(
      "failed",
      `The response from ${from.url.href} was cut off after ${size} bytes: ${describeError(error)}.`,
    );
  } finally {
    signal.removeEventListener("abort", onAbort);
    response.destroy();
  }
}

// RFC 9110, 10.2.3: seconds or a date. It is quoted in messages, so nothing else is accepted.
const RETRY_AFTER = /^(\d{1,8}|[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT)$/;

function bodyOf(response: IncomingMessage): AsyncIterable<Buffer> {
  const decoded = decodeBody(response, response.headers["content-encoding"] ?? "");
  if (typeof decoded === "string") throw new FetchProblem("refused", decoded);
  return decoded;
}

function seconds(ms: number): string {
  return `${ms / 1_000} s`;
}

function net(): typeof import("node:net") {
  return process.getBuiltinModule("node:net");
}
