// Obtains a key by a login in the person's browser, as OpenRouter documents it: PKCE (RFC 7636, S256) without a registered client.
// The browser returns to a loopback port of this machine with a code, which is exchanged for a key. Any page or program can send
// requests to that port: only an answer to this login counts.

import { createHash, randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { asText } from "../loose-json.ts";
import { nodeHttp } from "../node-http.ts";
import { requestToken } from "./token-request.ts";

/** `why` is a sentence without its end. */
export type LoginAnswer =
  | { readonly ok: true; readonly key: string }
  | { readonly ok: false; readonly why: string };

/** A login waiting for the person's browser. */
export interface BrowserLogin {
  /** The address that the person opens. */
  readonly url: string;
  /** The result; settles with the first answer to this login, and never rejects. */
  readonly answer: Promise<LoginAnswer>;
  /** Takes the address at which a browser on another machine ended up. False: it does not belong to this login. */
  readonly take: (address: string) => boolean;
  /** Stops listening and makes no further requests. */
  readonly close: () => void;
}

export interface BrowserLoginOptions {
  /** The provider's base URL: the login is at `/auth` of its server, the key at `auth/keys` below it. */
  readonly baseUrl: string;
  /** Called with what arrived at the port but was not an answer to this login. */
  readonly onRefused?: (what: string) => void;
}

const KEY = /^[\x21-\x7e]{8,4096}$/;
const CODE = /^[\x21-\x7e]{1,2048}$/;
const MAX_QUOTE_CHARS = 300;
const random = (): string => randomBytes(32).toString("base64url");

/** The implementation of `startBrowserLogin`, which the folder exports. */
export async function listenForBrowser({ baseUrl, onRefused }: BrowserLoginOptions): Promise<BrowserLogin> {
  const state = random();
  const verifier = random();
  const stop = new AbortController();
  const { host } = new URL(baseUrl);
  let begin: (made: () => LoginAnswer | Promise<LoginAnswer>) => void = () => undefined;
  const answer = new Promise<LoginAnswer>((resolve) => {
    begin = (made) => {
      begin = () => undefined; // a code is good for one key
      resolve(made());
    };
  });

  async function fetchKey(code: string): Promise<LoginAnswer> {
    const fields = { code, code_verifier: verifier, code_challenge_method: "S256" };
    const url = `${baseUrl.replace(/\/$/, "")}/auth/keys`;
    const token = await requestToken({ url, fields, as: "json", signal: stop.signal });
    if (!token.ok) return { ok: false, why: token.why };
    const key = asText(token.answer.key) ?? "";
    return KEY.test(key) ? { ok: true, key } : { ok: false, why: `${host} answered without a key` };
  }

  /** The answer to this login in an address; undefined if it contains none. */
  function read(path: string): (() => LoginAnswer | Promise<LoginAnswer>) | undefined {
    const url = URL.parse(path, "http://localhost");
    if (url?.pathname !== `/callback/${state}`) return undefined;
    const error = url.searchParams.get("error");
    const code = url.searchParams.get("code") ?? "";
    if (error === null && CODE.test(code)) return () => fetchKey(code);
    const why = error === null ? "sent the browser back without a code" : `refused it (${plain(error)})`;
    return () => ({ ok: false, why: `${host} ${why}` });
  }

  const server = nodeHttp().createServer((request, response) => {
    const { headers, method, url = "" } = request;
    const { port } = server.address() as AddressInfo;
    // Someone else's page would reach this address under another name.
    const isHere = [`localhost:${port}`, `127.0.0.1:${port}`].includes(headers.host ?? "");
    const made = isHere && method === "GET" ? read(url) : undefined;
    if (made) response.once("close", () => begin(made));
    else if (!isHere) onRefused?.("a request for another host");
    else if (url.startsWith("/callback")) onRefused?.("an answer to another login");
    response.writeHead(made ? 200 : 404, {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      connection: "close",
    });
    response.end(
      made
        ? "indus has received the answer and shows the result in its terminal. You can close this page.\n"
        : "This is not an answer to the login that indus started.\n",
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });

  const { port } = server.address() as AddressInfo;
  const url = new URL("/auth", baseUrl);
  url.search = new URLSearchParams({
    callback_url: `http://localhost:${port}/callback/${state}`,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  }).toString();
  return {
    url: url.href,
    answer,
    take: (address) => {
      const made = read(address);
      if (made) begin(made);
      return made !== undefined;
    },
    close: () => {
      stop.abort();
      server.close();
      server.closeAllConnections();
    },
  };
}

const plain = (text: string): string => text.replace(/[^\x20-\x7e]+/g, " ").slice(0, MAX_QUOTE_CHARS);
