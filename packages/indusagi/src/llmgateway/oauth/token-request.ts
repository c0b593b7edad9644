// One request to a token server (RFC 6749, section 5): a form is sent, an access token or a named refusal comes back. The address
// comes from the person's own files; anything that leaves the machine does so over https.

import type { ModelFaultKind } from "../contract.ts";
import { postStream } from "../http-stream.ts";
import { asText, type Loose, parseObject } from "../loose-json.ts";

export interface TokenRequest {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Some servers take JSON instead of a form. */
  readonly as?: "form" | "json";
  readonly signal: AbortSignal;
}

export type TokenAnswer =
  | { readonly ok: true; readonly answer: Loose }
  /** `code`: the refusal's name (`invalid_grant`); `why`: completes a sentence, without what was sent. */
  | { readonly ok: false; readonly kind: ModelFaultKind; readonly code: string; readonly why: string };

const LIMITS = { firstByteMs: 30_000, idleMs: 30_000, maxBytes: 256 * 1024, maxErrorBytes: 256 * 1024 };
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;
const MAX_SAID_CHARS = 8192;
const MAX_QUOTE_CHARS = 300;

/** Why no secret may be sent to an address; undefined if it may. */
function tokenAddressProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url) return "is not a URL";
  if (url.username || url.password) return "contains a user name or a password";
  if (url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.test(url.hostname)))
    return undefined;
  return "is not an https URL";
}

/** Never rejects; quotes nothing that was sent. */
export async function requestToken({ url, fields, as = "form", signal }: TokenRequest): Promise<TokenAnswer> {
  const problem = tokenAddressProblem(url);
  if (problem !== undefined) return { ok: false, kind: "auth", code: "", why: `its token URL ${problem}` };
  const address = new URL(url);
  const chunks: Buffer[] = [];
  const end = await postStream({
    url: address,
    headers: {
      "content-type": as === "form" ? "application/x-www-form-urlencoded" : "application/json",
      accept: "application/json",
      "user-agent": "indusagi",
    },
    body: [as === "form" ? new URLSearchParams(fields).toString() : JSON.stringify(fields)],
    signal,
    limits: LIMITS,
    onChunk: (chunk) => chunks.push(chunk) > 0,
  });
  if (end.kind === "failed") {
    const reasons = {
      aborted: ["aborted", "the request was cancelled"],
      silent: ["timeout", `${address.host} did not answer within ${LIMITS.firstByteMs / 1000} seconds`],
      endless: ["timeout", `${address.host} did not finish its answer`],
      too_large: ["protocol", `${address.host} answered with more than ${LIMITS.maxBytes} bytes`],
      cut: ["transport", `the connection to ${address.host} was lost`],
      connect: ["transport", `${address.host} could not be reached`],
    } as const;
    const [kind, why] = reasons[end.reason];
    return { ok: false, kind, code: "", why };
  }
  return end.kind === "answered"
    ? readTokenAnswer(end.status, end.body, { host: address.host, fields })
    : readTokenAnswer(200, Buffer.concat(chunks).toString("utf8"), { host: address.host, fields });
}

/** What a token server's answer says; none of the `fields` sent to it is quoted. */
export function readTokenAnswer(
  status: number,
  body: string,
  { host, fields }: { readonly host: string; readonly fields: TokenRequest["fields"] },
): TokenAnswer {
  const answer = parseObject(body) ?? {};
  const code = nameOf(answer.error);
  if (status >= 200 && status < 300 && code === "") return { ok: true, answer };
  const sent = Object.values(fields).filter((value) => value.length >= 6);
  const said = asText(answer.error_description) ?? asText((answer.error as Loose | undefined)?.message) ?? "";
  const plain = said.slice(0, MAX_SAID_CHARS).replace(/[^\x20-\x7e]+/g, " ");
  const quoted = sent
    .reduce((text, value) => text.replaceAll(value, "…"), plain)
    .slice(0, MAX_QUOTE_CHARS)
    .trim();
  const kind = status === 429 ? "rate_limit" : status >= 500 ? "server" : "auth";
  const words = [code, quoted].filter((part) => part !== "").join(": ");
  return {
    ok: false,
    kind,
    code,
    why: `${host} answered ${status}${words === "" ? "" : ` (${words})`}`,
  };
}

// RFC 6749 has a string; some servers send an object with a code.
function nameOf(error: unknown): string {
  if (typeof error === "object" && error !== null) {
    const { code, status, type } = error as Loose;
    return asText(code) ?? asText(status) ?? asText(type) ?? "error";
  }
  return (asText(error) ?? "").replace(/[^\w.-]/g, "").slice(0, 64);
}

/** When a token expires, as stated in an answer; undefined if it is not stated. */
export function endOfToken(answer: Loose, nowMs: number): number | undefined {
  const seconds = Number(answer.expires_in);
  return Number.isFinite(seconds) && seconds > 0 ? nowMs + Math.min(seconds, 31_536_000) * 1000 : undefined;
}
