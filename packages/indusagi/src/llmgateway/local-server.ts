// Finds a model server on this machine (Ollama, llama.cpp, LM Studio, …) by its list of models.

import type { ClientRequest } from "node:http";
import { asArray, asObject, asText, parseObject } from "./loose-json.ts";
import { nodeHttp } from "./node-http.ts";

/** A server on this machine that answered with a list of models. */
export interface LocalServer {
  readonly baseUrl: string;
  readonly models: readonly string[];
}

/** Such servers, and where each listens by default. */
export const LOCAL_SERVERS: readonly { readonly name: string; readonly baseUrl: string }[] = [
  { name: "Ollama", baseUrl: "http://127.0.0.1:11434/v1" },
  { name: "llama.cpp", baseUrl: "http://127.0.0.1:8080/v1" },
  { name: "LM Studio", baseUrl: "http://127.0.0.1:1234/v1" },
  { name: "vLLM", baseUrl: "http://127.0.0.1:8000/v1" },
];

/** The addresses of {@link LOCAL_SERVERS}. */
export const LOCAL_BASE_URLS: readonly string[] = LOCAL_SERVERS.map(({ baseUrl }) => baseUrl);

/** An address that was asked, with the models it answered; undefined where no model server answered. */
export interface AskedServer {
  readonly baseUrl: string;
  readonly models: readonly string[] | undefined;
}

export interface LocalSearch {
  /** The first that has a model. */
  readonly server?: LocalServer;
  /** In order, up to that one. */
  readonly asked: readonly AskedServer[];
}

const MAX_LIST_BYTES = 1024 * 1024;

/**
 * The first of `baseUrls`, in their order, that answers `GET {base}/models` with a list of at least one model within
 * `timeoutMs` (default 300; all are asked at once), and who was asked. Throws a TypeError for an address that is not
 * this machine's: looking around must not tell any other host that somebody is looking.
 */
export async function lookForLocalServer(
  baseUrls: readonly string[] = LOCAL_BASE_URLS,
  { timeoutMs = 300 }: { readonly timeoutMs?: number } = {},
): Promise<LocalSearch> {
  const places = baseUrls.map((baseUrl) => ({ baseUrl, url: loopbackUrl(baseUrl) }));
  const answers = places.map(async ({ baseUrl, url }) => {
    const asked = nodeHttp().request(url, { headers: { accept: "application/json" }, agent: false });
    return { baseUrl, models: await listModels(asked, timeoutMs) };
  });
  const asked: AskedServer[] = [];
  for (const answer of answers) {
    const { baseUrl, models } = await answer;
    asked.push({ baseUrl, models });
    if (models && models.length > 0) return { server: { baseUrl, models }, asked };
  }
  return { asked };
}

/** The server that {@link lookForLocalServer} finds, else the first that answered with a list of none. */
export async function findLocalServer(
  baseUrls?: readonly string[],
  options?: { readonly timeoutMs?: number },
): Promise<LocalServer | undefined> {
  const { server, asked } = await lookForLocalServer(baseUrls, options);
  if (server) return server;
  const empty = asked.find(({ models }) => models !== undefined);
  return empty && { baseUrl: empty.baseUrl, models: [] };
}

// 127.0.0.0/8 and ::1 (RFC 6890); URL has already turned 127.1 and 0x7f000001 into dotted form. No names: what
// `localhost` means is the resolver's business.
function loopbackUrl(baseUrl: string): URL {
  const url = new URL(baseUrl);
  const isLoopback = /^127\.\d+\.\d+\.\d+$/.test(url.hostname) || url.hostname === "[::1]";
  if (!isLoopback || url.protocol !== "http:") {
    throw new TypeError(
      `A local server is looked for at http://127.… or http://[::1] only, got ${url.origin}.`,
    );
  }
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/models`;
  return url;
}

/** The names in the model list that answers `request`; undefined for any other answer. Never rejects. */
function listModels(request: ClientRequest, timeoutMs: number): Promise<readonly string[] | undefined> {
  return new Promise((resolve) => {
    const settle = (models: readonly string[] | undefined): void => {
      clearTimeout(timer);
      request.destroy();
      resolve(models);
    };
    const timer = setTimeout(() => settle(undefined), timeoutMs);
    request.on("error", () => settle(undefined)); // nobody there is an answer, too
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("error", () => settle(undefined));
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > MAX_LIST_BYTES) settle(undefined);
      });
      response.on("end", () => {
        settle(response.statusCode === 200 ? namesIn(Buffer.concat(chunks).toString("utf8")) : undefined);
      });
    });
    request.end();
  });
}

function namesIn(body: string): readonly string[] | undefined {
  const list = parseObject(body)?.data;
  if (!Array.isArray(list)) return undefined;
  return asArray(list).flatMap((entry) => asText(asObject(entry)?.id) ?? []);
}
