// What an address answers that is no MCP server, or none that works, in words: the library's errors name neither the address nor the answer.

/** What a request met: no answer, or one that is no message. */
type Met =
  | { readonly error: unknown }
  | { readonly status: number; readonly headers: Headers; readonly words: string };

/** Of an answer that is no message, in characters. */
const MAX_READ = 16 * 1024;
const MAX_SHOWN = 160;
/** What the library says where the proxy of the host itself makes no connection for https. */
const TUNNEL = /^Proxy response \((\d{3})\)/;
const PROXY_PREFIX = /^indus: /;
const HINTS: Readonly<Record<number, string>> = {
  400: "It may want a header (in a manifest.toml, [run.headers]), or be no MCP server",
  403: "It refuses: it may want a token (in a manifest.toml, [run.headers]) or another host name",
  404: "Check the path: it often is /mcp",
  405: "It may be a server of the old SSE transport, which indus does not support; check the path, too",
};

/** One sentence: which address, what it answered, and what to do. */
export function httpFailure(address: string, met: Met): string {
  if ("error" in met) {
    const reason = reasonOf(met.error);
    const [, refused] = TUNNEL.exec(reason) ?? [];
    if (refused === "403") return `${address} was not asked: indus refused the connection`;
    return nobody(address, refused === undefined ? reason : "no connection");
  }
  const { status, headers, words } = met;
  // Only the proxy of the host itself says this: it takes such headers away from what others answer.
  if (headers.has("proxy-status")) {
    const line = words.replace(PROXY_PREFIX, "");
    return status === 403 ? `${address} was not asked: ${line}` : nobody(address, line);
  }
  const said = plainText(words);
  const quoted = said === "" ? " without a word" : `: "${said}"`;
  if (status < 400) {
    const type = (headers.get("content-type") ?? "no type").split(";", 1).join("");
    return `${address} answered with ${type}, not as an MCP server${quoted}. Check the address: its path often is /mcp`;
  }
  const hint =
    HINTS[status] ?? (status >= 500 ? "The fault is the server's: look into its log" : "Check the address");
  return `${address} answered HTTP ${status}${quoted}. ${hint}`;
}

/** Whether an answer is a message, or a stream of them. */
export function isMessageType(headers: Headers): boolean {
  return /^(?:application\/json|text\/event-stream)\b/i.test(headers.get("content-type") ?? "");
}

/** The beginning of what it says; the rest is not read. */
export async function firstWords(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let words = "";
  try {
    while (words.length < MAX_READ) {
      const { done, value } = await reader.read();
      if (done) break;
      words += decoder.decode(value, { stream: true });
    }
  } catch {
    // What was read until then is enough.
  }
  reader.cancel().catch(() => undefined);
  return words.slice(0, MAX_READ);
}

function nobody(address: string, reason: string): string {
  return `nobody answered at ${address} (${reason.trim()}): is the server running there?`;
}

/** Of a page, what is to be read. */
function plainText(words: string): string {
  const text = words
    .replace(/<(?:style|script)\b[^<]{0,8192}<\/(?:style|script)>/gi, " ")
    .replace(/<[^<>]{0,4096}>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** What is below "fetch failed". */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]); // one for each address
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}
