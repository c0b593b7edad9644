// Adds a Google Cloud token to each request of one provider.

import { nowMs } from "../../core/clock.ts";
import { holdCredentials } from "../held-credentials.ts";
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

export function createGoogleSigner({ id, find, onSecret }: GoogleSigning): Signer {
  const token = holdCredentials(async (signal) => {
    const found = await find(signal);
    if (!found.ok)
      return { ok: false, fault: { kind: "auth", message: `No credentials for ${id}: ${found.why}.` } };
    const { credentials } = found;
    if (credentials.type === "authorized_user") {
      onSecret(`refresh token of ${id}`, credentials.refreshToken);
      onSecret(`client secret of ${id}`, credentials.clientSecret);
    } else onSecret(`private key of ${id}`, credentials.privateKey);
    const fetched = await fetchGoogleToken(credentials, { nowMs: nowMs(), signal });
    if (!fetched.ok)
      return { ok: false, fault: { kind: fetched.kind, message: `No token for ${id}: ${fetched.why}.` } };
    onSecret(`token of ${id}`, fetched.token);
    const quota = credentials.type === "authorized_user" ? credentials.quotaProject : undefined;
    const value: Readonly<Record<string, string>> = {
      authorization: `Bearer ${fetched.token}`,
      ...(quota === undefined ? {} : { "x-goog-user-project": quota }),
    };
    return { ok: true, value, untilMs: fetched.untilMs };
  });
  return async ({ headers }, signal) => {
    const found = await token(signal);
    if (!found.ok) return found;
    const { value, ...rest } = found;
    return { ...rest, headers: { ...headers, ...value } };
  };
}
