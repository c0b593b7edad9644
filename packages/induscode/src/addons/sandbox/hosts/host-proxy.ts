// The proxy that is the only network of a confined command when hosts are named: HTTP and CONNECT, to what
// `host-reach` lets through. It listens on a socket in the session's own folder.

import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { describeError } from "indusagi/core";
import { HostReach, type HostReachFacts, Refused } from "./host-reach.ts";

export interface HostProxyFacts extends HostReachFacts {
  /** Where it listens. */
  readonly socket: string;
}

const MAX_CONNECTIONS = 256;
const MAX_HEAD_BYTES = 16 * 1024;
/** By which whoever asks tells it from what a host answers (RFC 9209): such a header of a host is not handed on. */
const OWN_ANSWER = { "content-type": "text/plain", "proxy-status": "indus" };
/** These apply to one connection only (RFC 9110, 7.6.1). */
const HOP_HEADERS = /^(?:connection|keep-alive|proxy-.*|te|trailer|upgrade)$/i;

/** Listens before it returns. Returns a function that closes it with every connection. */
export function startHostProxy(facts: HostProxyFacts): () => void {
  const { socket, onRefused } = facts;
  const hosts = new HostReach(facts);
  const open = new Set<Duplex>();
  const server = createServer({ maxHeaderSize: MAX_HEAD_BYTES }, (incoming, outgoing) => {
    forward(incoming, outgoing).catch((error: unknown) => {
      const { status, line } = answerTo(error);
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(status, { ...OWN_ANSWER, connection: "close" }).end(line);
    });
  });
  server.on("connect", (incoming: IncomingMessage, near: Duplex, head: Buffer) => {
    near.on("error", () => near.destroy());
    tunnel(incoming.url ?? "", near, head).catch((error: unknown) => {
      const { status, line } = answerTo(error);
      near.end(
        `HTTP/1.1 ${status} ${status === 403 ? "Forbidden" : "Bad Gateway"}\r\nconnection: close\r\n\r\n${line}`,
      );
    });
  });
  server.on("connection", (near) => track(near));
  server.on("clientError", (_error, near) => near.destroy());
  server.maxConnections = MAX_CONNECTIONS;
  server.on("error", (error) =>
    onRefused(`no host is reachable: the proxy cannot listen (${describeError(error)})`),
  );
  server.listen(socket);
  server.unref();
  return () => {
    server.close();
    for (const each of open) each.destroy();
  };

  function track(stream: Duplex & { unref?: () => unknown }): void {
    open.add(stream);
    stream.once("close", () => open.delete(stream));
    stream.unref?.();
  }

  function answerTo(error: unknown): { readonly status: number; readonly line: string } {
    const line = `indus: ${describeError(error)}\n`;
    return { status: error instanceof Refused ? 403 : 502, line };
  }

  async function tunnel(where: string, near: Duplex, head: Buffer): Promise<void> {
    const target = hosts.target(`http://${where}`, where.endsWith(":80") ? 80 : undefined);
    const far = await hosts.open(target, track);
    if (near.destroyed) return void far.destroy();
    near.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    far.write(head);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    near.pipe(far).pipe(near);
  }

  async function forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const far = await hosts.open(hosts.target(incoming.url ?? "", 80), track);
    const { pathname, search, host } = new URL(incoming.url ?? "");
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).filter(([name]) => !HOP_HEADERS.test(name)),
    );
    const asked = request({
      createConnection: () => far,
      method: incoming.method ?? "GET",
      path: pathname + search,
      // The address that was checked, whatever the client says: one server may serve many names.
      headers: { ...headers, host, connection: "close" },
    });
    outgoing.on("close", () => far.destroy());
    await new Promise<void>((resolve, reject) => {
      asked.on("error", reject);
      asked.on("response", (answer) => {
        const kept = Object.entries(answer.headers).filter(([name]) => !HOP_HEADERS.test(name));
        outgoing.writeHead(answer.statusCode ?? 502, Object.fromEntries(kept));
        answer.pipe(outgoing).on("finish", resolve);
        answer.on("error", reject);
      });
      incoming.pipe(asked);
    });
  }
}
