// Adds a Google Cloud token to each request of one provider; it is
// fetched by the first request, and again a minute before it expires, or when it is refused.

import { nowMs } from "../../core/clock.ts";
import type { Signer } from "../model-faults.ts";
import { fetchGoogleToken, type GoogleCredentials } from "./token.ts";

export type FoundGoogleCredentials =
  | { readonly ok: true; readonly credentials: GoogleCredentials }
  /** Why there are none; completes a sentence. */
  | { readonly ok: false; readonly why: string };

export interface GoogleSigning {
  readonly id: string;
  /** Never rejects. */
  readonly find: (signal: AbortSignal) => Promise<FoundGoogleCredentials>;
  readonly onSecret: (name: string, value: string) => void;
}

const EARLY_MS = 60_000;

export function createGoogleSigner({ id, find, onSecret }: GoogleSigning): Signer {
  let held:
    | { readonly headers: Readonly<Record<string, string>>; readonly untilMs: number | undefined }
    | undefined;
  return async ({ headers }, signal) => {
    const before = held;
    if (!held || nowMs() > (held.untilMs ?? Number.POSITIVE_INFINITY) - EARLY_MS) {
      const found = await find(signal);
      if (!found.ok)
        return { ok: false, fault: { kind: "auth", message: `No credentials for ${id}: ${found.why}.` } };
      const { credentials } = found;
      if (credentials.type === "authorized_user") {
        onSecret(`refresh token of ${id}`, credentials.refreshToken);
        onSecret(`client secret of ${id}`, credentials.clientSecret);
      } else onSecret(`private key of ${id}`, credentials.privateKey);
      const token = await fetchGoogleToken(credentials, { nowMs: nowMs(), signal });
      if (!token.ok)
        return { ok: false, fault: { kind: token.kind, message: `No token for ${id}: ${token.why}.` } };
      onSecret(`token of ${id}`, token.token);
      const quota = credentials.type === "authorized_user" ? credentials.quotaProject : undefined;
      held = {
        headers: {
          authorization: `Bearer ${token.token}`,
          ...(quota === undefined ? {} : { "x-goog-user-project": quota }),
        },
        untilMs: token.untilMs,
      };
    }
    const used = held;
    const forget = (): void => {
      if (held === used) held = undefined;
    };
    return { ok: true, headers: { ...headers, ...used.headers }, ...(used === before ? { forget } : {}) };
  };
}
