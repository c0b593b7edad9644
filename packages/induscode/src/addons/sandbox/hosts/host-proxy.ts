// The proxy that is the only network of a confined command when hosts are named: HTTP and CONNECT, to names that rules and settings
// allow, at public addresses, on HTTP's ports. It listens on a socket in the session's own folder.

import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect, isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { addressProblem } from "indusagi/capabilities";
import { describeError } from "indusagi/core";

export interface HostProxyFacts {
  /** Where it listens. */
  readonly socket: string;
  /** Why a host is out of reach; undefined when it is not. */
  readonly refusal: (host: string) => string | undefined;
  /** Called for each refused connection. */
  readonly onRefused: (line: string) => void;
  /** Default: the system's resolver. */
  readonly lookup?: (host: string) => Promise<readonly string[]>;
  /** Default: a TCP connection. For tests, whose servers are not public. */
  readonly dial?: (address: string, port: number) => Socket;
}

/** The ports of HTTP; another port would be another service of an allowed host. */
const PORTS: readonly number[] = [80, 443];
const CONNECT_MS = 10_000;
const IDLE_MS = 300_000;
const MAX_CONNECTIONS = 256;
/** The maximum length of a name, RFC 1035. */
const MAX_NAME = 253;
const MAX_HEAD_BYTES = 16 * 1024;
/** These apply to one connection only (RFC 9110, 7.6.1). */
const HOP_HEADERS = /^(?:connection|keep-alive|proxy-.*|te|trailer|upgrade)$/i;

interface Target {
  readonly host: string;
  readonly port: number;
  /** Host and port, as shown to a person. */
  readonly name: string;
}

class Refused extends Error {}

/** The host and port that a request names; `port` is the default when it names none. */
export function proxyTarget(
  url: string,
  port?: number,
): Target | { readonly name: string; readonly problem: string } {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== "http:")
    return { name: url.slice(0, MAX_NAME), problem: "only http:// URLs and CONNECT are supported" };
  const host = parsed.hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  const found = parsed.port === "" ? port : Number(parsed.port);
  const name = `${host.slice(0, MAX_NAME)}:${found ?? "?"}`;
  if (found === undefined || !PORTS.includes(found))
    return { name, problem: `only the ports ${PORTS.join(" and ")} are allowed` };
  if (host.length > MAX_NAME) return { name, problem: "the name is too long" };
  if (isIP(host) !== 0) return { name, problem: "it is an IP address, and only names can be allowed" };
  return { host, port: found, name };
}

/** Listens before it returns. Returns a function that closes it with every connection. */
export function startHostProxy(facts: HostProxyFacts): () => void {
  const { socket, refusal, onRefused, lookup = systemLookup } = facts;
  const dial = facts.dial ?? ((address, port) => connect({ host: address, port }));
  const open = new Set<Duplex>();
  const server = createServer({ maxHeaderSize: MAX_HEAD_BYTES }, (incoming, outgoing) => {
    forward(incoming, outgoing).catch((error: unknown) => {
      const { status, line } = answerTo(error);
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(status, { "content-type": "text/plain", connection: "close" }).end(line);
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

  function track<Stream extends Duplex & { unref?: () => unknown }>(stream: Stream): Stream {
    open.add(stream);
    stream.once("close", () => open.delete(stream));
    stream.unref?.();
    return stream;
  }

  function answerTo(error: unknown): { readonly status: number; readonly line: string } {
    const line = `indus: ${describeError(error)}\n`;
    return { status: error instanceof Refused ? 403 : 502, line };
  }

  async function tunnel(where: string, near: Duplex, head: Buffer): Promise<void> {
    const far = await reach(targetOf(`http://${where}`, where.endsWith(":80") ? 80 : undefined));
    if (near.destroyed) return void far.destroy();
    near.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    far.write(head);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    near.pipe(far).pipe(near);
  }

  async function forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const target = targetOf(incoming.url ?? "", 80);
    const far = await reach(target);
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

  function targetOf(url: string, port?: number): Target {
    const target = proxyTarget(url, port);
    const problem = "problem" in target ? target.problem : refusal(target.host);
    if ("problem" in target || problem !== undefined) return refuse(target.name, problem ?? "");
    return target;
  }

  function refuse(what: string, why: string): never {
    const line = `${what} is refused: ${why}`;
    onRefused(line);
    throw new Refused(line);
  }

  /** Resolves the name once, checks each of its addresses, and dials one of those. */
  async function reach({ host, port, name }: Target): Promise<Socket> {
    const addresses = /(?:^|\.)localhost$/.test(host) ? ["127.0.0.1"] : await lookup(host);
    for (const address of addresses) {
      const problem = addressProblem(address);
      if (problem !== undefined)
        refuse(name, `it has the address ${address}, which is not public (${problem})`);
    }
    const [address] = addresses;
    if (address === undefined) throw new Error(`${host} has no address`);
    const far = track(dial(address, port));
    far.setTimeout(IDLE_MS, () => far.destroy());
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => far.destroy(new Error(`${host} did not accept a connection within 10 s`)),
        CONNECT_MS,
      );
      timer.unref();
      far.once("connect", resolve).once("error", reject);
      far.once("close", () => {
        clearTimeout(timer);
        reject(new Error(`${host} closed the connection`));
      });
      far.once("connect", () => clearTimeout(timer));
    });
    far.on("error", () => far.destroy());
    return far;
  }
}

async function systemLookup(host: string): Promise<readonly string[]> {
  const found = await process.getBuiltinModule("node:dns/promises").lookup(host, { all: true });
  return found.map(({ address }) => address);
}
