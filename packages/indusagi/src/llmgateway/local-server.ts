// Finds a model server on this machine (Ollama, llama.cpp, LM Studio, …) by asking for its list of models.

import { asArray, asCount, asObject, asText, type Loose, parseObject } from "./loose-json.ts";
import { nodeHttp } from "./node-http.ts";

/** A server on this machine that answered with a list of models. */
export interface LocalServer {
  readonly baseUrl: string;
  readonly models: readonly string[];
}

/** Known servers, and where each listens by default. */
export const LOCAL_SERVERS: readonly { readonly name: string; readonly baseUrl: string }[] = [
  { name: "Ollama", baseUrl: "http://127.0.0.1:11434/v1" },
  { name: "llama.cpp", baseUrl: "http://127.0.0.1:8080/v1" },
  { name: "LM Studio", baseUrl: "http://127.0.0.1:1234/v1" },
  { name: "vLLM", baseUrl: "http://127.0.0.1:8000/v1" },
];

const knownAddresses = (): readonly string[] => LOCAL_SERVERS.map(({ baseUrl }) => baseUrl);

/** An address that was asked, with the models it listed; undefined if no model server answered. */
export interface AskedServer {
  readonly baseUrl: string;
  readonly models: readonly string[] | undefined;
}

export interface LocalSearch {
  /** The first that has a model. */
  readonly server?: LocalServer;
  /** In order, up to and including that one. */
  readonly asked: readonly AskedServer[];
}

const MAX_LIST_BYTES = 1024 * 1024;
const TIMEOUT_MS = 300;
/** A server that is known to serve models may be busy with one of them. */
const KNOWN_SERVER_MS = 5_000;
/** Once it has listed its models, the other addresses get this much longer: most servers know only one of them. */
const OTHERS_MS = 1_000;

/**
 * Each of `baseUrls`, in order, with its answer to `GET {base}/models` within `timeoutMs` (default 300; all are asked at once).
 * Throws a TypeError for an address that is not on this machine: the search must not be visible to any other host.
 */
function askServers(
  baseUrls: readonly string[],
  { timeoutMs = TIMEOUT_MS }: { readonly timeoutMs?: number },
): readonly Promise<AskedServer>[] {
  const places = baseUrls.map((baseUrl) => ({ baseUrl, url: under(loopbackUrl(baseUrl), "/models") }));
  return places.map(async ({ baseUrl, url }) => ({
    baseUrl,
    models: namesIn(await askJson(url, timeoutMs)),
  }));
}

/** All of `baseUrls` that answer with a list of models. */
export async function listLocalServers(
  baseUrls: readonly string[] = knownAddresses(),
  options: { readonly timeoutMs?: number } = {},
): Promise<readonly AskedServer[]> {
  return Promise.all(askServers(baseUrls, options));
}

/**
 * The first of `baseUrls`, in order, that answers with a list of at least one model, and who was asked. Throws as
 * {@link listLocalServers} does.
 */
export async function lookForLocalServer(
  baseUrls: readonly string[] = knownAddresses(),
  options: { readonly timeoutMs?: number } = {},
): Promise<LocalSearch> {
  const asked: AskedServer[] = [];
  for (const answer of askServers(baseUrls, options)) {
    const { baseUrl, models } = await answer;
    asked.push({ baseUrl, models });
    if (models && models.length > 0) return { server: { baseUrl, models }, asked };
  }
  return { asked };
}

/** The server that {@link lookForLocalServer} finds, otherwise the first that answered with an empty list. */
export async function findLocalServer(
  baseUrls?: readonly string[],
  options?: { readonly timeoutMs?: number },
): Promise<LocalServer | undefined> {
  const { server, asked } = await lookForLocalServer(baseUrls, options);
  if (server) return server;
  const empty = asked.find(({ models }) => models !== undefined);
  return empty && { baseUrl: empty.baseUrl, models: [] };
}

// 127.0.0.0/8 and ::1 (RFC 6890); URL has already turned 127.1 and 0x7f000001
// into dotted form. No names: what `localhost` means is up to the resolver.
function loopbackUrl(baseUrl: string): URL {
  const url = new URL(baseUrl);
  const isLoopback = /^127\.\d+\.\d+\.\d+$/.test(url.hostname) || url.hostname === "[::1]";
  if (!isLoopback || url.protocol !== "http:") {
    throw new TypeError(`Expected a local server at http://127.… or http://[::1], found ${url.origin}.`);
  }
  return url;
}

function under(base: URL, path: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}${path}`;
  return url;
}

/**
 * The windows that the server at `baseUrl` actually gives its models, by name, as far as it says within `timeoutMs` (default
 * 5,000), and within `othersMs` (default 1,000) after it listed its models. Not the models' maximum: a server cuts a window to the
 * available memory. Throws as {@link listLocalServers} does.
 */
export async function windowsOfLocalServer(
  { baseUrl, models }: LocalServer,
  {
    timeoutMs = KNOWN_SERVER_MS,
    othersMs = OTHERS_MS,
  }: { readonly timeoutMs?: number; readonly othersMs?: number } = {},
): Promise<Readonly<Record<string, number>>> {
  const base = loopbackUrl(baseUrl);
  const stop = new AbortController();
  const others = ["/api/v0/models", "/api/ps", "/props"].map((path) =>
    askJson(new URL(path, base), timeoutMs, stop.signal),
  );
  const list = await askJson(under(base, "/models"), timeoutMs);
  const timer = setTimeout(() => stop.abort(), othersMs);
  const [loaded, running, props] = await Promise.all(others);
  clearTimeout(timer);
  const one = asObject(props?.default_generation_settings)?.n_ctx; // llama.cpp: for everything it serves
  const stated: (readonly [unknown, unknown])[] = [
    ...models.map((model) => [model, one] as const),
    ...rowsIn(list?.data).map((row) => [row.id, row.max_model_len] as const), // vLLM
    ...rowsIn(loaded?.data).map((row) => [row.id, row.loaded_context_length] as const), // LM Studio
    ...rowsIn(running?.models).map((row) => [row.name, row.context_length] as const), // Ollama, for what is in its memory
  ];
  return Object.fromEntries(
    stated.flatMap(([model, window]) =>
      typeof model === "string" && models.includes(model) && asCount(window) > 0
        ? [[model, asCount(window)] as const]
        : [],
    ),
  );
}

function rowsIn(list: unknown): readonly Loose[] {
  return asArray(list).flatMap((row): readonly Loose[] => [asObject(row) ?? {}]);
}

/** The object answered at `url`; undefined for any other answer. Never rejects. */
function askJson(url: URL, timeoutMs: number, stop?: AbortSignal): Promise<Loose | undefined> {
  const request = nodeHttp().request(url, { headers: { accept: "application/json" }, agent: false });
  return new Promise((resolve) => {
    const settle = (answer: Loose | undefined): void => {
      clearTimeout(timer);
      request.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => settle(undefined), timeoutMs);
    stop?.addEventListener("abort", () => settle(undefined), { once: true });
    request.on("error", () => settle(undefined)); // an unreachable server is an answer, too
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
        settle(response.statusCode === 200 ? parseObject(Buffer.concat(chunks).toString("utf8")) : undefined);
      });
    });
    request.end();
  });
}

function namesIn(answer: Loose | undefined): readonly string[] | undefined {
  const list = answer?.data;
  if (!Array.isArray(list)) return undefined;
  return asArray(list).flatMap((entry) => asText(asObject(entry)?.id) ?? []);
}
