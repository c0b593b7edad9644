// AWS Signature Version 4 for one request, following AWS's documentation ("Create a signed AWS API request").

import { createHash, createHmac } from "node:crypto";
import { isoNow } from "../../core/clock.ts";
import type { Pieces } from "../wire-json.ts";

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface ToSign {
  readonly method: string;
  readonly url: URL;
  /** What is signed besides the host, the time and the session token. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Pieces;
  readonly service: string;
  readonly region: string;
  readonly nowMs: number;
}

/** The headers that sign the request. */
export function signAws(request: ToSign, credentials: AwsCredentials): Record<string, string> {
  const { method, url, body, service, region } = request;
  const time = isoNow(request.nowMs).replace(/[-:]|\.\d{3}/g, "");
  const day = time.slice(0, 8);
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const added = {
    "x-amz-date": time,
    ...(sessionToken === undefined ? {} : { "x-amz-security-token": sessionToken }),
  };
  const signed = Object.entries({ ...request.headers, host: url.host, ...added })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/ {2,}/g, " ")] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(";");
  const canonical = [
    method,
    canonicalPath(url.pathname),
    canonicalQuery(url.searchParams),
    ...signed.map(([name, value]) => `${name}:${value}`),
    "",
    names,
    sha256(body),
  ].join("\n");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", time, scope, sha256([canonical])].join("\n");
  const key = [day, region, service, "aws4_request"].reduce<Buffer>(
    hmac,
    Buffer.from(`AWS4${secretAccessKey}`, "utf8"),
  );
  const signature = hmac(key, toSign).toString("hex");
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...added, authorization };
}

function sha256(pieces: Pieces): string {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece); // strings are hashed as UTF-8
  return hash.digest("hex");
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text, "utf8").digest();
}

/** Every segment is encoded once more than it is sent, as every service except S3 requires. */
function canonicalPath(path: string): string {
  return path.split("/").map(encoded).join("/") || "/";
}

function canonicalQuery(query: URLSearchParams): string {
  return [...query]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join("&");
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
