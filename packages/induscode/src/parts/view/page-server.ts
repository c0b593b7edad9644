// The server of the page: on loopback, to whoever has its address, which holds a random token. Another site in the same browser gets
// nothing: the Host must be this server's (a name that somebody points to this machine is not), the Origin too, and no answer may be
// read, framed or embedded from elsewhere. It changes nothing.

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { storyPage, turnsFrom } from "../export/page.ts";
import { followScript } from "./follow-script.ts";
import type { FollowedSession } from "./followed-session.ts";

export interface PageServer {
  readonly address: string;
  readonly close: () => Promise<void>;
}

const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;
/** Pages that follow at the same time. */
const MAX_PAGES = 16;

export async function servePage(session: FollowedSession): Promise<PageServer> {
  const token = randomBytes(24).toString("base64url");
  const pages = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    answer(request, response).catch(() => {
      if (!response.headersSent) response.writeHead(503, { ...HEADERS, refresh: "1" }); // the browser asks again
      response.end("The session cannot be read now. This page tries again by itself.\n");
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request, host);
    const url = new URL(request.url ?? "/", `http://${host}`);
    const [, given = "", name = ""] = url.pathname.split("/");
    if (refusal !== undefined) return end(response, 403, "text/plain", `${refusal}\n`);
    if (!isSame(given, token)) return end(response, 404, "text/plain", "This server has no such page.\n");
    if (name === "") return end(response, 200, "text/html", await storyPage(session.story(), followScript));
    if (name === "turns") {
      const from = Number(url.searchParams.get("from"));
      const turns = await turnsFrom(session.story(), Number.isSafeInteger(from) && from > 0 ? from : 0);
      return end(response, 200, "text/html", turns);
    }
    if (name === "events" && pages.size >= MAX_PAGES)
      return end(response, 503, "text/plain", "Too many pages are open.\n");
    if (name === "events") return follow(response);
    return end(response, 404, "text/plain", "This server has no such page.\n");
  }

  /** Server-sent events: the state now, and whenever it is another one. */
  function follow(response: ServerResponse): void {
    response.writeHead(200, { ...HEADERS, "content-type": "text/event-stream" });
    response.flushHeaders(); // the first state may have to wait
    pages.add(response);
    const unwatch = session.watch((state) => void response.write(`data: ${JSON.stringify(state)}\n\n`));
    response.on("close", () => {
      unwatch();
      pages.delete(response);
    });
  }

  return {
    address: `http://${host}/${token}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function end(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { ...HEADERS, "content-type": `${type}; charset=utf-8` }).end(text);
}

/** Why a request is none of the page's own, or none that only reads. */
function refusalOf({ method, headers }: IncomingMessage, host: string): string | undefined {
  if (method !== "GET") return "Only GET is answered.";
  if (headers.host !== host) return "The request's Host header is not the address of this server.";
  if (headers.origin !== undefined && headers.origin !== `http://${host}`)
    return "The request's Origin header names a different server.";
  const site = headers["sec-fetch-site"] ?? "none";
  return site === "none" || site === "same-origin" ? undefined : "The request comes from another site.";
}

/** In a time that says nothing about where they differ. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
