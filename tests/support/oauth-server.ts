// An MCP server over HTTP with an authorization server, on this machine, for tests: it registers clients, wants PKCE, gives tokens that end,
// and renews them. Its person says yes at once.

import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

interface Refusal {
  readonly status: number;
  readonly text: string;
}

export interface OAuthServer {
  readonly url: string;
  readonly port: number;
  /** What each request asked for, in order: `register`, `authorize`, `token authorization_code`, `token refresh_token`, `tools/call`. */
  readonly asked: readonly string[];
  /** Every access and refresh token that it gave. */
  readonly given: readonly string[];
  /** From now on its tokens end after so many seconds, or the ones given so far are worth nothing. */
  readonly set: (how: {
    readonly seconds?: number;
    readonly forgets?: boolean;
    /** What its token endpoint says instead, of what it was asked and of the tokens that it would give. */
    readonly says?: (asked: URLSearchParams, would: object | undefined) => Refusal;
  }) => void;
}

/** Closed with the test. `metadata` replaces parts of what it says of itself. */
export async function startOAuthServer(
  metadata: Readonly<Record<string, unknown>> = {},
): Promise<OAuthServer> {
  const asked: string[] = [];
  const given: string[] = [];
  const codes = new Map<string, { readonly challenge: string; readonly redirect: string }>();
  let valid = new Set<string>();
  let renewable = new Set<string>();
  let seconds = 3_600;
  let says: ((asked: URLSearchParams, would: object | undefined) => Refusal) | undefined;
  let url = "";

  function tokens(): object {
    const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    given.push(access, refresh);
    valid.add(access);
    renewable.add(refresh);
    return { access_token: access, token_type: "Bearer", expires_in: seconds, refresh_token: refresh };
  }

  function token(form: URLSearchParams): object | undefined {
    const grant = form.get("grant_type") ?? "";
    asked.push(`token ${grant}`);
    if (grant === "refresh_token")
      return renewable.has(form.get("refresh_token") ?? "") ? tokens() : undefined;
    const code = codes.get(form.get("code") ?? "");
    const proof = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    return code?.challenge === proof && code.redirect === form.get("redirect_uri") ? tokens() : undefined;
  }

  const json = (response: ServerResponse, status: number, value: object): void =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", url);
    const text = (await request.setEncoding("utf8").toArray()).join("");
    if (pathname === "/.well-known/oauth-protected-resource/mcp")
      return json(response, 200, { resource: `${url}/mcp`, authorization_servers: [url], ...metadata });
    if (pathname === "/.well-known/oauth-authorization-server")
      return json(response, 200, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        registration_endpoint: `${url}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
      });
    if (pathname === "/register") {
      asked.push("register");
      return json(response, 201, { ...JSON.parse(text), client_id: "client-1" });
    }
    if (pathname === "/authorize") {
      asked.push("authorize");
      const redirect = searchParams.get("redirect_uri") ?? "";
      const code = randomUUID();
      codes.set(code, { challenge: searchParams.get("code_challenge") ?? "", redirect });
      const back = `${redirect}?${new URLSearchParams({ code, state: searchParams.get("state") ?? "" })}`;
      return void response.writeHead(302, { location: back }).end();
    }
    if (pathname === "/token") {
      const form = new URLSearchParams(text);
      const found = token(form);
      if (says !== undefined) {
        const refusal = says(form, found);
        const type = { "content-type": "application/json" };
        return void response.writeHead(refusal.status, type).end(refusal.text);
      }
      return found ? json(response, 200, found) : json(response, 400, { error: "invalid_grant" });
    }
    if (pathname !== "/mcp") return void response.writeHead(404).end();
    if (!valid.has((request.headers.authorization ?? "").replace("Bearer ", ""))) {
      const where = `Bearer resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`;
      return void response.writeHead(401, { "www-authenticate": where }).end();
    }
    return serve(request, response, text);
  }

  function serve(request: IncomingMessage, response: ServerResponse, text: string): void {
    if (request.method !== "POST") {
      response.writeHead(405).end();
      return;
    }
    const { id, method, params } = JSON.parse(text);
    asked.push(method);
    if (id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const results: Readonly<Record<string, object>> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "x", version: "1" },
      },
      "tools/list": { tools: [{ name: "whoami", inputSchema: { type: "object" } }] },
      "tools/call": { content: [{ type: "text", text: `in as ${request.headers.authorization}` }] },
    };
    const result = results[method];
    const said = result === undefined ? { error: { code: -32601, message: "unknown method" } } : { result };
    json(response, 200, { jsonrpc: "2.0", id, ...said });
  }

  const server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
  return {
    ...{ url, port, asked, given },
    set(how) {
      seconds = how.seconds ?? seconds;
      says = how.says ?? says;
      if (how.forgets) [valid, renewable] = [new Set(), new Set()];
    },
  };
}
