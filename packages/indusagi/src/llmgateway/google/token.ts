// An access token for Google Cloud from the person's own credentials: a service account's key signs an assertion (RFC 7523), the
// login of `gcloud auth application-default login` has a refresh token.

import { createSign } from "node:crypto";
import { describeError } from "../../core/faults.ts";
import type { ModelFaultKind } from "../contract.ts";
import { asText } from "../loose-json.ts";
import { endOfToken, requestToken } from "../oauth/token-request.ts";

/** The contents of a Google credentials file. */
export type GoogleCredentials =
  | {
      readonly type: "service_account";
      readonly email: string;
      /** PEM. */
      readonly privateKey: string;
      readonly keyId?: string | undefined;
      readonly tokenUrl: string;
    }
  | {
      readonly type: "authorized_user";
      readonly clientId: string;
      readonly clientSecret: string;
      readonly refreshToken: string;
      readonly tokenUrl: string;
      /** The project whose quota requests count against. */
      readonly quotaProject?: string | undefined;
    };

export type GoogleToken =
  | { readonly ok: true; readonly token: string; readonly untilMs?: number | undefined }
  /** `why` completes a sentence. */
  | { readonly ok: false; readonly kind: ModelFaultKind; readonly why: string };

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const ASSERTION_S = 3600;

/** Asks for a token. Never rejects. */
export async function fetchGoogleToken(
  credentials: GoogleCredentials,
  { nowMs, signal }: { readonly nowMs: number; readonly signal: AbortSignal },
): Promise<GoogleToken> {
  let fields: Readonly<Record<string, string>>;
  try {
    fields = fieldsFor(credentials, nowMs);
  } catch (error) {
    // Only the kind of error: the signer's message may quote the key.
    const why = `the private key of ${JSON.stringify(credentials.type)} cannot sign (${(error as { code?: string }).code ?? describeError(error).slice(0, 60)}): download the file again`;
    return { ok: false, kind: "auth", why };
  }
  const found = await requestToken({ url: credentials.tokenUrl, fields, signal });
  if (!found.ok) {
    const again = credentials.type === "authorized_user" && found.code === "invalid_grant";
    const advice = again ? "; run gcloud auth application-default login" : "";
    return { ok: false, kind: found.kind, why: found.why + advice };
  }
  const token = asText(found.answer.access_token) ?? "";
  if (!/^[\x21-\x7e]{1,16384}$/.test(token))
    return { ok: false, kind: "protocol", why: "the token server answered without an access_token" };
  const untilMs = endOfToken(found.answer, nowMs);
  return { ok: true, token, untilMs };
}

function fieldsFor(credentials: GoogleCredentials, nowMs: number): Readonly<Record<string, string>> {
  if (credentials.type === "authorized_user") {
    const { clientId, clientSecret, refreshToken } = credentials;
    return {
      grant_type: "refresh_token",
      client_id: clientId,
      client_secret: clientSecret,
      refresh_token: refreshToken,
    };
  }
  const { email, keyId, tokenUrl, privateKey } = credentials;
  const iat = Math.floor(nowMs / 1000);
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const header = part({ alg: "RS256", typ: "JWT", kid: keyId });
  const claims = part({ iss: email, scope: SCOPE, aud: tokenUrl, iat, exp: iat + ASSERTION_S });
  const signature = createSign("RSA-SHA256").update(`${header}.${claims}`).sign(privateKey, "base64url");
  return {
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion: `${header}.${claims}.${signature}`,
  };
}
