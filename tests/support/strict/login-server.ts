// OpenRouter's documented browser login, on the loopback: what the page at `/auth` requires, and what a code can be exchanged for.

import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export const LOGIN_KEY = "sk-or-v1-0123456789abcdef";

export interface LoginServer {
  /** As in a provider's row. */
  readonly baseUrl: string;
  /** The person agrees at `url`: returns where the browser is redirected. Throws if the page would report an error. */
  readonly agree: (url: string) => string;
  /** Every body sent to `auth/keys`. */
  readonly asked: readonly string[];
}

/** Starts it for the test; `answer` replaces the answer of `auth/keys` to a correct request. */
export async function startLoginServer(
  answer: { readonly status?: number; readonly body?: string } = {},
): Promise<LoginServer> {
  const codes = new Map<string, string>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      const body = Buffer.concat(chunks as Buffer[]).toString("utf8");
      asked.push(body);
      const isPost = request.method === "POST" && request.url === "/api/v1/auth/keys";
      const isJson = request.headers["content-type"] === "application/json";
      const { code, code_verifier: verifier = "", code_challenge_method: method } = JSON.parse(body || "{}");
      const challenge = createHash("sha256").update(verifier).digest("base64url");
      const isGood = method === "S256" && codes.get(code) === challenge;
      codes.delete(code);
      const [status, text] = !isPost
        ? [405, refusal(405, "Method Not Allowed")]
        : !isJson || method !== "S256"
          ? [400, refusal(400, "Invalid code_challenge_method")]
          : !isGood
            ? [403, refusal(403, "Invalid code or code_verifier")]
            : [answer.status ?? 200, answer.body ?? JSON.stringify({ key: LOGIN_KEY, user_id: "user_1" })];
      response.writeHead(status as number, { "content-type": "application/json" }).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const agree = (address: string): string => {
    const { origin: at, pathname, searchParams } = new URL(address);
    const back = new URL(searchParams.get("callback_url") ?? "");
    const challenge = searchParams.get("code_challenge") ?? "";
    const isLocal = back.protocol === "http:" && back.hostname === "localhost" && back.port !== "";
    if (at !== origin || pathname !== "/auth" || !isLocal) throw new Error(`no login at ${address}`);
    if (searchParams.get("code_challenge_method") !== "S256" || !/^[\w-]{43}$/.test(challenge))
      throw new Error(`no challenge in ${address}`);
    const code = `code-${codes.size}-of-the-login`;
    codes.set(code, challenge);
    back.searchParams.set("code", code);
    return back.href;
  };
  return { baseUrl: `${origin}/api/v1`, agree, asked };
}

const refusal = (code: number, message: string): string => JSON.stringify({ error: { code, message } });
