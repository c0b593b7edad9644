// Servers on the loopback that stand in for the web, and the policy under which the web tools can reach them. For tests only.

import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { AddressPolicy } from "../../packages/indusagi/src/capabilities/web/contract.ts";

const LOOPBACK = "127.0.0.1";

/** Every name resolves to the loopback, and only the loopback can be connected to: no test reaches an outside address. */
export const LOOPBACK_POLICY: Required<AddressPolicy> = {
  lookup: async () => [LOOPBACK],
  allowAddress: (address) => address === LOOPBACK,
};

interface WebServer {
  readonly port: number;
  /** `http://name:port/path`; the name is for the Host header. */
  readonly url: (path: string, name?: string) => string;
  readonly requests: readonly IncomingMessage[];
}

/** A server that is closed with the running test. */
export async function startWebServer(listener: RequestListener): Promise<WebServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, requests, url: (path, name = "docs.example.test") => `http://${name}:${port}${path}` };
}

/** The whole body of a request. */
export async function bodyText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
