// The login of an MCP server that is reached over HTTP. The host has it and renews it; the server's process gets the access token alone.

import { isIP } from "node:net";
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { addressProblem } from "indusagi/capabilities";
import { describeError, isTable, nowMs } from "indusagi/core";
import { isThisMachine } from "../../feature/capabilities.ts";
import {
  type LoginPlace,
  readLogin,
  type ServerLogin,
  secretsIn,
  secretsOf,
  storeLogin,
} from "../../store/server-logins.ts";

/** A token that ends sooner is renewed first. */
const LEAST_LEFT_MS = 60_000;
const ASK_MS = 30_000;

/** How the person is sent to the authorization server; absent where nobody logs in. */
export interface Redirecting {
  readonly redirectUrl: string;
  readonly state: string;
  readonly redirect: (url: URL) => void;
}

/** The access token; undefined without a login. `tell` hears why one could not be renewed, `hide` what nobody may see. */
export async function accessToken(
  place: LoginPlace,
  tell: (text: string) => void,
  hide: (secret: string) => void,
): Promise<string | undefined> {
  const learned = (): ServerLogin | undefined => {
    const login = readLogin(place);
    for (const secret of secretsOf(login ?? {})) hide(secret);
    return login;
  };
  const tokenOf = (login: ServerLogin | undefined): string | undefined =>
    (login?.tokens as OAuthTokens | undefined)?.access_token;
  const login = learned();
  if (login?.tokens === undefined) return undefined;
  const isEnding = login.expiresMs !== undefined && login.expiresMs - nowMs() < LEAST_LEFT_MS;
  if (!isEnding) return tokenOf(login);
  try {
    const { auth } = await import("@modelcontextprotocol/client");
    await auth(loginProvider(storedLogin(place)), {
      serverUrl: place.url,
      fetchFn: loginFetch(place.url, hide),
    });
    return tokenOf(learned());
  } catch (error) {
    const now = learned();
    // Another session may have renewed it meanwhile: the refresh token is good for one of them.
    if (now?.expiresMs !== login.expiresMs) return tokenOf(now);
    tell(`its login could not be renewed: ${describeError(error)}\n`);
    return undefined;
  }
}

/** Where a login is while it is used, or made. */
export interface LoginStore {
  readonly read: () => ServerLogin | undefined;
  readonly change: (part: ServerLogin) => Promise<void> | void;
}

/** The one that the person has. */
function storedLogin(place: LoginPlace): LoginStore {
  return {
    read: () => readLogin(place),
    change: (part) => storeLogin(place, { ...readLogin(place), ...part }),
  };
}

/** A new one, in memory until it is whole: one that fails, or is broken off, leaves the one before as it is. */
export function newLogin(): LoginStore {
  let login: ServerLogin | undefined;
  return {
    read: () => login,
    change(part) {
      login = { ...login, ...part };
    },
  };
}

/** What the library keeps and asks, over a login. */
export function loginProvider({ read, change }: LoginStore, redirecting?: Redirecting): OAuthClientProvider {
  let verifier = "";
  return {
    redirectUrl: redirecting?.redirectUrl ?? "http://127.0.0.1/callback",
    clientMetadata: {
      client_name: "indus",
      redirect_uris: redirecting === undefined ? [] : [redirecting.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    state: () => redirecting?.state ?? "",
    // Registered for one redirect address, which differs at each login.
    clientInformation: () => read()?.client as never,
    saveClientInformation: (client) => change({ client }),
    discoveryState: () => read()?.discovery as OAuthDiscoveryState | undefined,
    saveDiscoveryState: (discovery) => change({ discovery }),
    tokens: () => read()?.tokens as StoredOAuthTokens | undefined,
    saveTokens: (tokens) =>
      change({
        tokens,
        expiresMs: tokens.expires_in === undefined ? undefined : nowMs() + tokens.expires_in * 1_000,
      }),
    redirectToAuthorization(url) {
      if (redirecting === undefined) throw new Error("it has expired: log in again with indus mcp login");
      redirecting.redirect(url);
    },
    saveCodeVerifier: (code) => {
      verifier = code;
    },
    codeVerifier: () => verifier,
  };
}

/**
 * By HTTPS, to this machine only if the server itself is on it, and to a network of its own only if the server is in one: what a server
 * names as its authorization server is anybody's word.
 */
export function guardedFetch(
  serverUrl: string,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  const server = new URL(serverUrl).hostname;
  return async (url, init = {}) => {
    const { protocol, hostname, origin } = new URL(url);
    const isAllowed = isThisMachine(hostname)
      ? isThisMachine(server)
      : protocol === "https:" && (!isInner(hostname) || isInner(server));
    if (!isAllowed)
      throw new Error(
        `${origin} is refused: a login may contact only HTTPS addresses, and addresses on this machine or in its network only if the server is there too`,
      );
    return fetch(url, { ...init, redirect: "error", signal: init.signal ?? AbortSignal.timeout(ASK_MS) });
  };
}

/** Of an answer about a login. */
const MAX_ANSWER_BYTES: number = 1024 * 1024;

/**
 * The same for what is asked about a login: `hide` hears each secret that is sent or comes, whatever becomes of the request, before anybody reads it. An
 * answer that is no JSON has no text: an error would quote it.
 */
export function loginFetch(
  serverUrl: string,
  hide: (secret: string) => void,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  const ask = guardedFetch(serverUrl);
  return async (url, init) => {
    for (const secret of sentIn(init?.body)) hide(secret);
    const answer = await ask(url, init);
    const { status, headers } = answer;
    const text = await boundedText(answer, url);
    const content = tableOf(text);
    if (content === undefined) return new Response("", { status: status === 204 ? 200 : status });
    for (const secret of secretsIn(content)) hide(secret);
    return new Response(text, { status, headers });
  };
}

const SENT_SECRETS: readonly string[] = ["code", "code_verifier", "refresh_token", "client_secret"];

function sentIn(body: unknown): readonly string[] {
  return body instanceof URLSearchParams ? SENT_SECRETS.flatMap((name) => body.getAll(name)) : [];
}

async function boundedText({ body }: Response, url: string | URL): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES)
      throw new Error(`${new URL(url).origin} answered with more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function tableOf(text: string): object | undefined {
  try {
    const content: unknown = JSON.parse(text);
    return isTable(content) ? content : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a URL's host is, as it is written, none of the public internet. */
function isInner(hostname: string): boolean {
  if (/(?:^|\.)localhost\.?$/.test(hostname)) return true;
  const address = hostname.replace(/^\[|\]$/g, "");
  return isIP(address) !== 0 && addressProblem(address) !== undefined;
}
