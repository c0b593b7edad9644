// Signs the requests of one provider with the person's credentials, which are looked up once, and again when they expire or
// are refused.

import { nowMs } from "../../core/clock.ts";
import type { Signer } from "../model-faults.ts";
import { type AwsCredentials, signAws } from "./sign.ts";

export type FoundAwsCredentials =
  /** `untilMs`: when they expire, in epoch milliseconds. */
  | { readonly ok: true; readonly credentials: AwsCredentials; readonly untilMs?: number }
  /** Why there are none; completes a sentence. */
  | { readonly ok: false; readonly why: string };

export interface AwsSigning {
  readonly id: string;
  readonly service: string;
  readonly region: string;
  readonly find: (signal: AbortSignal) => Promise<FoundAwsCredentials>;
  readonly onSecret: (name: string, value: string) => void;
}

const EARLY_MS = 60_000;

export function createAwsSigner({ id, service, region, find, onSecret }: AwsSigning): Signer {
  let held: Extract<FoundAwsCredentials, { ok: true }> | undefined;
  return async ({ url, headers, body }, signal) => {
    const before = held;
    if (!held || nowMs() > (held.untilMs ?? Number.POSITIVE_INFINITY) - EARLY_MS) {
      const found = await find(signal);
      if (!found.ok)
        return { ok: false, fault: { kind: "auth", message: `No credentials for ${id}: ${found.why}.` } };
      held = found;
      onSecret(`AWS secret of ${id}`, found.credentials.secretAccessKey);
      if (found.credentials.sessionToken) onSecret(`AWS token of ${id}`, found.credentials.sessionToken);
    }
    const { "content-type": type = "application/json" } = headers;
    const signed = signAws(
      { method: "POST", url, headers: { "content-type": type }, body, service, region, nowMs: nowMs() },
      held.credentials,
    );
    const used = held;
    const forget = (): void => {
      if (held === used) held = undefined;
    };
    return { ok: true, headers: { ...headers, ...signed }, ...(used === before ? { forget } : {}) };
  };
}
