// Finds a model server on this machine (Ollama, llama.cpp, LM Studio, …) by its list of models.

import { asArray, asCount, asObject, asText, type Loose, parseObject } from "./loose-json.ts";
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
const TIMEOUT_MS = 300;

/**
 * Each of `baseUrls`, in their order, with what it answers to `GET {base}/models` within `timeoutMs` (default 300; all are
 * asked at once). Throws a TypeError for an address that is not this machine's: looking around must not tell any other
 * host that somebody is looking.
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
  baseUrls: readonly string[] = LOCAL_BASE_URLS,
  options: { readonly timeoutMs?: number } = {},
): Promise<readonly AskedServer[]> {
  return Promise.all(askServers(baseUrls, options));
}

/**
 * The first of `baseUrls`, in their order, that answers with a list of at least one model, and who was asked. Throws as
 * {@link listLocalServers} does.
 */
export async function lookForLocalServer(
  baseUrls: readonly string[] = LOCAL_BASE_URLS,
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
  return url;
}

function under(base: URL, path: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}${path}`;
  return url;
}

/**
 * The windows with which the server at `baseUrl` runs its models, by name, as far as it says within `timeoutMs`. Not how large
 * they might be: a server cuts a model's window to the memory that it has. Throws as {@link listLocalServers} does.
 */
export async function windowsOfLocalServer(
  { baseUrl, models }: LocalServer,
  { timeoutMs = TIMEOUT_MS }: { readonly timeoutMs?: number } = {},
): Promise<Readonly<Record<string, number>>> {
  const base = loopbackUrl(baseUrl);
  const [list, loaded, running, props] = await Promise.all([
    askJson(under(base, "/models"), timeoutMs),
    askJson(new URL("/api/v0/models", base), timeoutMs),
    askJson(new URL("/api/ps", base), timeoutMs),
    askJson(new URL("/props", base), timeoutMs),
  ]);
  const one = asObject(props?.default_generation_settings)?.n_ctx; // llama.cpp: of all that it serves
  const stated: (readonly [unknown, unknown])[] = [
    ...models.map((model) => [model, one] as const),
    ...rowsIn(list?.data).map((row) => [row.id, row.max_model_len] as const), // vLLM
    ...rowsIn(loaded?.data).map((row) => [row.id, row.loaded_context_length] as const), // LM Studio
    ...rowsIn(running?.models).map((row) => [row.name, row.context_length] as const), // Ollama, of what is in its memory
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

/** The object that is answered at `url`; undefined for any other answer. Never rejects. */
function askJson(url: URL, timeoutMs: number): Promise<Loose | undefined> {
  const request = nodeHttp().request(url, { headers: { accept: "application/json" }, agent: false });
  return new Promise((resolve) => {
    const settle = (answer: Loose | undefined): void => {
      clearTimeout(timer);
      request.destroy();
      resolve(answer);
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
