// Signs the requests of one provider with the person's AWS credentials.

import { nowMs } from "../../core/clock.ts";
import { holdCredentials } from "../held-credentials.ts";
import type { Signer } from "../model-faults.ts";
import { type AwsCredentials, signAws } from "./sign.ts";

export type FoundAwsCredentials =
  /** `untilMs`: when they expire, in epoch milliseconds. */
  | { readonly ok: true; readonly credentials: AwsCredentials; readonly untilMs?: number | undefined }
  /** Why there are none; completes a sentence. */
  | { readonly ok: false; readonly why: string };

export interface AwsSigning {
  readonly id: string;
  readonly service: string;
  readonly region: string;
  readonly find: (signal: AbortSignal) => Promise<FoundAwsCredentials>;
  readonly onSecret: (name: string, value: string) => void;
}

export function createAwsSigner({ id, service, region, find, onSecret }: AwsSigning): Signer {
  const credentials = holdCredentials(async (signal) => {
    const found = await find(signal);
    if (!found.ok)
      return { ok: false, fault: { kind: "auth", message: `No credentials for ${id}: ${found.why}.` } };
    const { credentials: value, untilMs } = found;
    onSecret(`AWS secret of ${id}`, value.secretAccessKey);
    if (value.sessionToken) onSecret(`AWS token of ${id}`, value.sessionToken);
    return { ok: true, value, untilMs };
  });
  return async ({ url, headers, body }, signal) => {
    const found = await credentials(signal);
    if (!found.ok) return found;
    const { value, ...rest } = found;
    const { "content-type": type = "application/json" } = headers;
    const signed = signAws(
      { method: "POST", url, headers: { "content-type": type }, body, service, region, nowMs: nowMs() },
      value,
    );
    return { ...rest, headers: { ...headers, ...signed } };
  };
}
