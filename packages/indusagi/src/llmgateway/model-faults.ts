// Turns a provider's failure into a ModelFault: one line for a person, in the provider's own words, never with a key.

import type { IncomingHttpHeaders } from "node:http";
import { describeError, errorCode } from "../core/faults.ts";
import { trimEndOf } from "../core/trim-ends.ts";
import { CLIENT_CERT_VARIABLE, CLIENT_KEY_VARIABLE, type ClientCertificate } from "./client-certificate.ts";
import type { ModelFault, ModelFaultKind } from "./contract.ts";
import { HTTP_LIMITS, type HttpEnd, type Transport } from "./http-stream.ts";
import {
  asArray,
  asObject,
  asText,
  depthOf,
  type Loose,
  MAX_EVENT_DEPTH,
  parseObject,
} from "./loose-json.ts";
import { proxyNameFor, UnusableProxy } from "./proxy.ts";
import { askedWait } from "./rate-limits.ts";
import type { Pieces } from "./wire-json.ts";

/** Signs a request's headers. Never rejects. */
export type Signer = (
  request: { readonly url: URL; readonly headers: Readonly<Record<string, string>>; readonly body: Pieces },
  signal: AbortSignal,
) => Promise<SignedHeaders | { readonly ok: false; readonly fault: ModelFault }>;

export interface SignedHeaders {
  readonly ok: true;
  readonly headers: Readonly<Record<string, string>>;
  /** Discards what it was signed with. Absent where that was fetched for this very request: a new one would be refused as well. */
  readonly forget?: () => void;
}

/** Who was asked, and what must not be repeated. */
export interface Correspondent {
  /** The provider's id. */
  readonly id: string;
  readonly url: URL;
  /** Values removed wherever they appear in a message. */
  readonly secrets: readonly string[];
  /** Where the key comes from, for the advice: the name of an environment variable. */
  readonly keyName?: string;
  /** Set if each request must be signed. */
  readonly sign?: Signer | undefined;
  /** Replaces the network. */
  readonly transport?: Transport | undefined;
  /** The certificate that identifies the person to a server. */
  readonly certificate?: ClientCertificate | undefined;
}

const MAX_QUOTE_CHARS = 500;
const MIN_SECRET_CHARS = 6; // a shorter "secret" would blank out ordinary words

const KIND_BY_STATUS: Readonly<Record<number, ModelFaultKind>> = {
  401: "auth",
  402: "spent",
  403: "auth",
  404: "not_found",
  408: "timeout",
  413: "overflow", // a gateway's limit in bytes too: a shorter request passes it
  429: "rate_limit",
  503: "overloaded",
  529: "overloaded",
};

/** The kind of fault for an HTTP status. */
export function kindOfStatus(status: number): ModelFaultKind {
  return KIND_BY_STATUS[status] ?? (status >= 500 ? "server" : "request");
}

// The error types of all wires. A spent quota comes as 429, but waiting does not help, so it is not a rate limit.
const KIND_BY_TYPE: Readonly<Record<string, ModelFaultKind>> = {
  authentication_error: "auth",
  permission_error: "auth",
  invalid_api_key: "auth",
  API_KEY_INVALID: "auth", // Google
  not_found_error: "not_found",
  model_not_found: "not_found",
  rate_limit_error: "rate_limit",
  rate_limit_exceeded: "rate_limit",
  overloaded_error: "overloaded",
  timeout_error: "timeout",
  api_error: "server",
  server_error: "server",
  internal_server_error: "server",
  invalid_request_error: "request",
  request_too_large: "overflow", // Anthropic
  billing_error: "spent",
  insufficient_quota: "spent",
  context_length_exceeded: "overflow",
  model_max_prompt_tokens_exceeded: "overflow", // GitHub
  exceed_context_size_error: "overflow", // llama.cpp
  tool_use_failed: "server", // Groq: the model wrote an unreadable call; asked again, it writes another
};

/**
 * What servers say when a request does not fit the model's window, whatever status
 * and type they use: most answer 400, Azure 429, Cerebras and Groq 413.
 */
const OVERFLOW_WORDS: readonly RegExp[] = [
  /prompt is too long/i, // Anthropic, Fireworks, Bedrock
  /prompt too long/i, // Ollama
  /exceed(s|ed|ing)? (the |this |your )?(model'?s? )?(available |maximum )?(context|prompt) (window|size|limit|length)/i, // OpenAI, llama.cpp, MiniMax
  /context window exceeds/i,
  /input tokens exceed the configured limit/i, // Azure, under 429
  /(maximum|max) (context|prompt|input) (length|size|tokens?)/i, // vLLM, OpenRouter, DeepSeek, xAI, Together
  /input length and `?max_tokens`? exceed/i, // Anthropic
  /input token count .{0,80}exceeds/i, // Google
  /exceeds the maximum number of tokens/i,
  /prompt token count of .{0,40}exceeds/i, // Copilot
  /reduce the length of (the|your) (messages|prompt|input)/i, // Groq, OpenAI
  /input is too long/i, // Bedrock
  /prompt contains .{0,40}tokens.{0,80}(too large|maximum)/i, // Mistral
  /exceeded model token limit/i, // Moonshot
  /prompt exceeds max length/i, // Z.ai
  /longer than the (model'?s )?(maximum )?context length/i, // Together, SGLang
  /greater than the context length/i, // LM Studio
  /when (the )?context (the )?overflows/i, // LM Studio, in its own order
  /`inputs` (tokens \+ `max_new_tokens` )?must (be <=|have less than) \d/i, // Text Generation Inference
  /request too large for .{0,120}tokens per min/i, // Groq: more than a minute's tokens in one request
];

// A limit on the answer, or on how much may be sent per minute, is a different matter.
const NO_OVERFLOW =
  /completion tokens|max_(completion_|output_)?tokens.{0,20}(is )?too large|too many (tokens|requests), please wait/i;

/** Whether a refusal of this kind, in these words, means that the request does not fit the model's window. */
function isOverflow(kind: ModelFaultKind, text: string): boolean {
  if (kind !== "request" && kind !== "rate_limit" && kind !== "server") return false;
  return !NO_OVERFLOW.test(text) && OVERFLOW_WORDS.some((words) => words.test(text));
}

// These are more specific than the status they come with.
const WHATEVER_STATUS: ReadonlySet<string> = new Set([
  "API_KEY_INVALID",
  "billing_error",
  "insufficient_quota",
  "context_length_exceeded",
  "model_max_prompt_tokens_exceeded",
  "exceed_context_size_error",
  "tool_use_failed",
]);

/** A fault for an error answer: an HTTP status, its headers and its body as far as it was read. */
export function faultOfAnswer(
  whom: Correspondent,
  answer: { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string },
): ModelFault {
  const { status, headers } = answer;
  if (status >= 300 && status < 400) return redirectFault(whom, status, headers.location);
  const { text, code } = errorText(answer.body);
  if (status < 300) {
    if (parseObject(answer.body)?.error !== undefined) return faultOfErrorObject(whom, answer.body);
    const type = headers["content-encoding"] ?? headers["content-type"] ?? "an unknown content type";
    const start = quote(whom, answer.body) || "an empty answer";
    return {
      kind: "protocol",
      status,
      message: line(whom, `${whom.id} answered with ${type} where an event stream was expected: ${start}`),
    };
  }
  const kind = WHATEVER_STATUS.has(code ?? "")
    ? (KIND_BY_TYPE[code ?? ""] ?? "request")
    : kindOfStatus(status);
  const { ms, usedUp } = askedWait(headers, answer.body);
  return compose(whom, kind, { text, status, usedUp, retryAfterMs: ms });
}

/** A fault for an error that arrived as JSON inside a stream (`{"error": …}`, on any wire). */
export function faultOfErrorObject(whom: Correspondent, json: string): ModelFault {
  const { text, code, status } = errorText(json);
  const kind = KIND_BY_TYPE[code ?? ""] ?? (status === undefined ? "server" : kindOfStatus(status));
  return compose(whom, kind, { text, status });
}

/** A fault for a generation that the server abandoned; `reason` is its own word for that. */
export function failedGeneration(whom: Correspondent, kind: ModelFaultKind, reason: string): ModelFault {
  return compose(whom, kind, { text: `the generation ended with "${reason}"` });
}

/** A fault for an event that violates the wire format; `problem` says how. */
export function protocolFault(whom: Correspondent, problem: string): ModelFault {
  return { kind: "protocol", message: line(whom, `${whom.id} violated the wire format: ${problem}`) };
}

/** A fault for an event that cannot be read as an object. */
export function unreadableEvent(whom: Correspondent, data: string): ModelFault {
  const isDeep = depthOf(data) > MAX_EVENT_DEPTH;
  const what = isDeep ? `that is nested deeper than ${MAX_EVENT_DEPTH} levels` : "that is not a JSON object";
  return protocolFault(whom, `an event ${what}: ${data.slice(0, 200)}`);
}

/** The caller's own signal fired. */
export const ABORTED: ModelFault = { kind: "aborted", message: "Cancelled." };

/** A fault for a call without a complete answer. */
export function faultOfFailure(
  whom: Correspondent,
  reason: Extract<HttpEnd, { readonly kind: "failed" }>["reason"],
  error?: unknown,
): ModelFault {
  const place = placeOf(whom.url);
  switch (reason) {
    case "aborted":
      return ABORTED;
    case "silent":
      return { kind: "timeout", message: `${whom.id} at ${place} stopped responding. Try again.` };
    case "endless": {
      const minutes = HTTP_LIMITS.totalMs / 60_000;
      return { kind: "timeout", message: `${whom.id} was still answering after ${minutes} minutes.` };
    }
    case "too_large":
      return {
        kind: "protocol",
        message: `The answer of ${whom.id} exceeds the size limit and was cut off.`,
      };
    case "cut":
      return { kind: "transport", message: `The answer of ${whom.id} at ${place} was cut off. Try again.` };
    case "connect": {
      const passes = PASSING_CODES.has(errorCode(error) ?? "");
      return {
        kind: passes ? "transport" : "unreachable",
        message: line(whom, connectText(whom, place, error)),
      };
    }
  }
}

// Worth another try. A refused connection, an unknown host or a bad certificate is for the person to fix, and reported at once.
const PASSING_CODES: ReadonlySet<string> = new Set([
  "EAI_AGAIN",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENETUNREACH",
  "EHOSTUNREACH",
]);

const CONNECT_ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused. Is the server running there?",
  ENOTFOUND: "no such host. Check the address and the network.",
  EAI_AGAIN: "the host name could not be resolved. Check the network.",
  ECONNRESET: "the connection was reset. Try again.",
  EPIPE: "the connection was closed. Try again.",
  ETIMEDOUT: "connection timed out. Check the address and the network.",
  ENETUNREACH: "the network is unreachable.",
  EHOSTUNREACH: "the host is unreachable.",
};

function connectText(whom: Correspondent, place: string, error: unknown): string {
  const code = errorCode(error) ?? "";
  if (error instanceof UnusableProxy) return `Cannot reach ${whom.id} at ${place}: ${error.message}.`;
  const proxy = proxyNameFor(whom.url, process.env);
  const way = proxy === undefined ? "" : ` through the proxy in ${proxy}`;
  const start = `Cannot reach ${whom.id} at ${place}${way}: `;
  const advice = CONNECT_ADVICE[code];
  const shown =
    code === "ECONNRESET" && whom.certificate !== undefined
      ? ` The server was sent the certificate in ${CLIENT_CERT_VARIABLE} and may have rejected it.`
      : "";
  if (advice) return start + advice + shown;
  if (
    /ALERT_(CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_UNKNOWN)/.test(code)
  ) {
    const given =
      whom.certificate === undefined
        ? "requires a client certificate, or a different one"
        : "rejected the client certificate";
    return `${start}the server ${given} (${code}). Set ${CLIENT_CERT_VARIABLE} and ${CLIENT_KEY_VARIABLE} to its PEM files.`;
  }
  if (/CERT|SSL|TLS|SIGNATURE/i.test(code)) {
    return `${start}its certificate was rejected (${code}). Check the clock, any proxy in between, or NODE_EXTRA_CA_CERTS (a PEM file) and NODE_USE_SYSTEM_CA=1.`;
  }
  return `${start}${quote(whom, describeError(error))}`;
}

function redirectFault(whom: Correspondent, status: number, location: string | undefined): ModelFault {
  const to = location === undefined ? "an unknown location" : quote(whom, location.split(/[?#]/, 1).join(""));
  const advice =
    "Redirects are not followed, so that the key reaches no other host; set the base URL to the final address.";
  return {
    kind: "request",
    status,
    message: line(whom, `${whom.id} at ${placeOf(whom.url)} redirects (${status}) to ${to}. ${advice}`),
  };
}

interface ErrorFacts {
  readonly text: string;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  /** Limits that the server says are used up. */
  readonly usedUp?: readonly string[];
}

function compose(whom: Correspondent, stated: ModelFaultKind, facts: ErrorFacts): ModelFault {
  const kind = isOverflow(stated, facts.text) ? "overflow" : stated;
  const said = trimEndOf(quote(whom, facts.text), (character) => /[.\s]/.test(character));
  const status = facts.status === undefined ? "" : ` (${facts.status})`;
  const wait =
    facts.retryAfterMs === undefined ? "" : ` It asks to wait ${Math.ceil(facts.retryAfterMs / 1000)} s.`;
  const { usedUp = [] } = facts;
  const limits = usedUp.length === 0 ? "" : ` Used up: ${usedUp.join(", ")}.`;
  const message = `${VERDICT[kind](whom)}${status}${said ? `: ${said}` : ""}.${limits}${wait}${ADVICE[kind]?.(whom) ?? ""}`;
  return {
    kind,
    message: line(whom, message),
    status: facts.status,
    retryAfterMs: facts.retryAfterMs,
    usedUp: usedUp.length === 0 ? undefined : usedUp,
  };
}

/** The provider's own words in its refusal of a request; empty if there are none. Its id, and where it redirects to, could say anything. */
export function refusalIn({ kind, message }: ModelFault): string {
  return kind === "request" ? (/ refused the request(?: \(\d+\))?: ([\s\S]*)/.exec(message)?.[1] ?? "") : "";
}

const VERDICT: Readonly<Record<ModelFaultKind, (whom: Correspondent) => string>> = {
  auth: ({ id }) => `${id} refused the key`,
  spent: ({ id }) => `${id} refused the request`,
  rate_limit: ({ id }) => `${id} rate-limited the request`,
  overloaded: ({ id }) => `${id} is overloaded`,
  server: ({ id }) => `${id} failed`,
  request: ({ id }) => `${id} refused the request`,
  overflow: ({ id }) => `${id} says that the request does not fit the model's window`,
  not_found: ({ id }) => `${id} does not know this model or address`,
  unreachable: ({ id }) => `${id} cannot be reached`,
  transport: ({ id }) => `${id} could not be reached`,
  timeout: ({ id }) => `${id} took too long`,
  protocol: ({ id }) => `${id} violated the wire format`,
  exhausted: ({ id }) => `${id} has no more turns`,
  aborted: () => "Cancelled",
};

const ADVICE: Readonly<Partial<Record<ModelFaultKind, (whom: Correspondent) => string>>> = {
  auth: ({ keyName }) => ` Check ${keyName ?? "the key"}.`,
  not_found: ({ url }) => ` Check the model's name and ${placeOf(url)}${url.pathname}.`,
};

/** The provider's own words, and the machine-readable type or code that comes with them. */
function errorText(body: string): {
  readonly text: string;
  readonly code?: string | undefined;
  readonly status?: number | undefined;
} {
  const plain = body.replace(/^\ufeff/, "");
  const parsed = parseObject(plain);
  if (!parsed) return { text: withoutTags(plain) };
  const error = asObject(parsed.error);
  const said =
    asText(error?.message) ?? asText(parsed.error) ?? asText(parsed.message) ?? asText(parsed.detail) ?? body;
  const cause = causeOf(error);
  const text = cause === undefined || said.includes(cause) ? said : `${said}: ${cause}`;
  const reasons = asArray(error?.details).map((each) => asObject(each)?.reason); // Google's
  const codes = [error?.code, error?.type, ...reasons];
  const code = codes.find(
    (each): each is string => typeof each === "string" && Object.hasOwn(KIND_BY_TYPE, each),
  );
  const status = codes.find((each): each is number => typeof each === "number" && each >= 400 && each < 600);
  return { text, code, status };
}

/** The words of an error page. In linear time: an unclosed element is searched for only once. */
function withoutTags(page: string): string {
  const words: string[] = [];
  const lower = page.toLowerCase();
  let at = 0;
  while (at < page.length) {
    const start = page.indexOf("<", at);
    const end = start < 0 ? -1 : page.indexOf(">", start);
    if (end < 0) break;
    words.push(page.slice(at, start));
    const [, unread] = /^<(style|script)/.exec(lower.slice(start, start + 8)) ?? [];
    const close = unread === undefined ? start : lower.indexOf(`</${unread}`, end);
    if (close < 0) return words.join(" ");
    at = page.indexOf(">", close) + 1 || page.length;
  }
  return [...words, page.slice(at)].join(" ");
}

/** What a reseller received from the server behind it (OpenRouter's `metadata.raw`, an error or a text). */
function causeOf(error: Loose | undefined): string | undefined {
  const metadata = asObject(error?.metadata);
  const raw = asObject(metadata?.raw) ? JSON.stringify(metadata?.raw) : asText(metadata?.raw);
  if (!raw) return undefined;
  const inner = parseObject(raw);
  return inner === undefined ? raw : errorText(raw).text;
}

/** `host:port`, even if the port is the scheme's default: what a firewall or a person needs to know. */
export function placeOf(url: URL): string {
  return `${url.hostname}:${url.port || (url.protocol === "https:" ? "443" : "80")}`;
}

// Order matters: secrets are removed after cleaning and before cutting the text, or the first half of one could survive.
function quote(whom: Correspondent, text: string): string {
  const clean = line(whom, text);
  return clean.length > MAX_QUOTE_CHARS ? `${clean.slice(0, MAX_QUOTE_CHARS).toWellFormed()}…` : clean;
}

/** `text` on one line, without control, bidirectional or invisible characters, and without secrets. */
function line(whom: Correspondent, text: string): string {
  let clean = text
    .replace(/[\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu, "")
    .replace(/[\p{Cc}\p{Z}]+/gu, " ")
    .trim();
  for (const secret of whom.secrets) {
    if (secret.length >= MIN_SECRET_CHARS) clean = clean.replaceAll(secret, "[key]");
  }
  return clean;
}
