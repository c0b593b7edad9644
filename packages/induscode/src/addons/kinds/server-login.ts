// The login of an MCP server that is reached over HTTP. The host has it and renews it; the server's process gets the access token alone.

import { isIP } from "node:net";
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { addressProblem } from "indusagi/capabilities";
import { describeError, nowMs } from "indusagi/core";
import { isThisMachine } from "../../feature/capabilities.ts";
import { type LoginPlace, readLogin, type ServerLogin, storeLogin } from "../../store/server-logins.ts";

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
  const login = readLogin(place);
  if (login?.tokens === undefined) return undefined;
  const isEnding = login.expiresMs !== undefined && login.expiresMs - nowMs() < LEAST_LEFT_MS;
  try {
    if (isEnding) {
      const { auth } = await import("@modelcontextprotocol/client");
      await auth(loginProvider(place), { serverUrl: place.url, fetchFn: guardedFetch(place.url) });
    }
    const tokens = readLogin(place)?.tokens as OAuthTokens | undefined;
    for (const secret of [tokens?.access_token, tokens?.refresh_token])
      if (secret !== undefined) hide(secret);
    return tokens?.access_token;
  } catch (error) {
    const now = readLogin(place);
    // Another session may have renewed it meanwhile: the refresh token is good for one of them.
    if (now?.expiresMs !== login.expiresMs) return (now?.tokens as OAuthTokens | undefined)?.access_token;
    tell(`its login could not be renewed: ${describeError(error)}\n`);
    return undefined;
  }
}

/** What the library keeps and asks, over the stored login. */
export function loginProvider(place: LoginPlace, redirecting?: Redirecting): OAuthClientProvider {
  let verifier = "";
  const change = (part: ServerLogin): Promise<void> => storeLogin(place, { ...readLogin(place), ...part });
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
    clientInformation: () => readLogin(place)?.client as never,
    saveClientInformation: (client) => change({ client }),
    discoveryState: () => readLogin(place)?.discovery as OAuthDiscoveryState | undefined,
    saveDiscoveryState: (discovery) => change({ discovery }),
    tokens: () => readLogin(place)?.tokens as StoredOAuthTokens | undefined,
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
        `${origin} is refused: a login asks HTTPS addresses, and this machine or its network only for a server there`,
      );
    return fetch(url, { ...init, redirect: "error", signal: init.signal ?? AbortSignal.timeout(ASK_MS) });
  };
}

/** Whether a URL's host is, as it is written, none of the public internet. */
function isInner(hostname: string): boolean {
  if (/(?:^|\.)localhost\.?$/.test(hostname)) return true;
  const address = hostname.replace(/^\[|\]$/g, "");
  return isIP(address) !== 0 && addressProblem(address) !== undefined;
}
