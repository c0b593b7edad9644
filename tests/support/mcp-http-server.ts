// An MCP server over HTTP for tests, on this machine: it has one tool, which says where it was reached.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

interface HttpServer {
  readonly port: number;
  readonly url: string;
  /** Where each request went. */
  readonly asked: readonly string[];
}

/**
 * Closed with the test. What comes to `/elsewhere` is sent on to `elsewhere`. A request with an id is answered once `ready` resolves;
 * `gone` does when whoever asked no longer waits.
 */
export async function startMcpHttpServer(
  elsewhere?: string,
  ready: (path: string, gone: Promise<unknown>) => Promise<unknown> = () => Promise.resolve(),
): Promise<HttpServer> {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (request.url === "/elsewhere") return void response.writeHead(307, { location: elsewhere }).end();
    await answer(request, response, () => ready(request.url ?? "", once(response, "close")));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, asked };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  ready: () => Promise<unknown>,
): Promise<void> {
  if (request.method !== "POST") return void response.writeHead(405).end();
  const text = (await request.setEncoding("utf8").toArray()).join("");
  const { id, method, params } = JSON.parse(text) as {
    readonly id?: number;
    readonly method: string;
    readonly params?: { readonly protocolVersion?: string };
  };
  if (id === undefined) return void response.writeHead(202).end();
  await ready();
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "near", version: "1" },
    },
    "tools/list": { tools: [{ name: "where", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: `reached at ${request.headers.host}` }] },
  };
  const result = results[method];
  const said = result === undefined ? { error: { code: -32601, message: "unknown method" } } : { result };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, ...said }));
}
