import { expect, onTestFinished, test } from "vitest";
import { useWallClock } from "../core/clock.ts";
import {
  type Correspondent,
  faultOfAnswer,
  faultOfErrorObject,
  faultOfFailure,
  kindOfStatus,
  refusalIn,
} from "./model-faults.ts";

const KEY = "sk-canary-0123456789";
const whom: Correspondent = {
  id: "acme",
  url: new URL("https://api.acme.example/v1/messages?key=in-the-query"),
  secrets: [KEY],
  keyName: "ACME_API_KEY",
};

const answer = (status: number, body = "", headers = {}) => faultOfAnswer(whom, { status, headers, body });
const error = (message: string, more = {}): string => JSON.stringify({ error: { message, ...more } });

test.each([
  [400, "request"],
  [401, "auth"],
  [403, "auth"],
  [404, "not_found"],
  [408, "timeout"],
  [413, "overflow"],
  [429, "rate_limit"],
  [500, "server"],
  [502, "server"],
  [503, "overloaded"],
  [529, "overloaded"],
] as const)("status %i is a fault of kind %s", (status, kind) => {
  expect(kindOfStatus(status)).toBe(kind);
  expect(answer(status)).toMatchObject({ kind, status });
});

test("the message says what was asked, what came back and what to do", () => {
  expect(answer(401, error("invalid x-api-key")).message).toBe(
    "acme refused the key (401): invalid x-api-key. Check ACME_API_KEY.",
  );
  expect(answer(404, error("model: gpt-0")).message).toBe(
    "acme does not know this model or address (404): model: gpt-0. Check the model's name and api.acme.example:443/v1/messages.",
  );
  expect(answer(429, error("slow down."), { "retry-after": "3" })).toEqual({
    kind: "rate_limit",
    status: 429,
    retryAfterMs: 3_000,
    message: "acme rate-limited the request (429): slow down. It asks to wait 3 s.",
  });
});

test.each([
  [{ "retry-after": "1.5" }, 1_500],
  [{ "retry-after-ms": "250", "retry-after": "9" }, 250],
  [{ "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }, 0],
  [{ "retry-after": "soon" }, undefined],
])("retry-after %o is %s ms", (headers, wait) => {
  expect(answer(429, "", headers).retryAfterMs).toBe(wait);
});

test("a date to retry at is counted from now", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  onTestFinished(useWallClock(() => now));
  const date = new Date(now + 30_000).toUTCString();
  expect(answer(503, "", { "retry-after": date }).retryAfterMs).toBe(30_000);
});

test.each([
  ["an error object", error("what happened")],
  ["a plain error", '{"error":"what happened"}'],
  ["a message", '{"message":"what happened"}'],
  ["a detail", '{"detail":"what happened"}'],
  ["HTML", "<html><style>b{}</style><body><h1>what</h1>\n happened</body>"],
  ["text", "what happened"],
])("the provider's words are found in %s", (_, body) => {
  expect(answer(500, body).message).toBe("acme failed (500): what happened.");
});

test("a spent quota is no rate limit: waiting does not help", () => {
  expect(answer(429, error("no credit left", { code: "insufficient_quota" })).kind).toBe("spent");
});

test("an error within a stream is told by its type, or by a status in it", () => {
  const of = (code: object) => faultOfErrorObject(whom, error("x", code)).kind;
  expect(of({ type: "overloaded_error" })).toBe("overloaded");
  expect(of({ type: "rate_limit_error" })).toBe("rate_limit");
  expect(of({ type: "invalid_request_error", code: "context_length_exceeded" })).toBe("overflow");
  expect(of({ code: 429 })).toBe("rate_limit");
  expect(of({ code: 502 })).toBe("server");
  expect(of({ type: "toString" })).toBe("server");
});

test.each([
  [
    400,
    "Trying to keep the first 5000 tokens when context the overflows. The context length is only 4096 tokens.",
  ],
  [
    422,
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens.",
  ],
  [422, "Input validation error: `inputs` must have less than 4095 tokens. Given: 5000"],
])("%i, %s: the request is too long", (status, message) => {
  expect(answer(status, error(message)).kind).toBe("overflow");
  expect(answer(400, error("'max_tokens' is too large: 8192.")).kind).toBe("request"); // the twin: the answer is
});

test("the text is one bounded line without control characters", () => {
  const { message } = answer(400, error(`\u001b]52;c;evil\u0007 two\nlines \u202Egnp ${"x".repeat(5_000)}`));
  expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(message).toContain("two lines gnp xxx");
  expect(message.length).toBeLessThan(600);
});

const ECHOES: Readonly<Record<string, string>> = {
  "in the message": error(`bad key ${KEY} given`),
  "in plain text": `Incorrect API key: ${KEY}`,
  "across the cut": error(`${"x".repeat(490)}${KEY}`),
  "split by control characters": error(KEY.replace("-", "-\u200b")),
};

test.each(Object.entries(ECHOES))("a key that the provider echoes %s never reaches the fault", (_, body) => {
  for (const fault of [answer(401, body), answer(400, body), faultOfErrorObject(whom, body)]) {
    expect(JSON.stringify(fault)).not.toContain(KEY.slice(0, 10));
    expect(JSON.stringify(fault)).not.toContain("in-the-query");
  }
  // The twin: without the guard the same answer shows the key.
  const unguarded = faultOfAnswer({ ...whom, secrets: [] }, { status: 401, headers: {}, body });
  expect(unguarded.message).toContain(KEY.slice(0, 10));
});

test("a redirect names the place without its query", () => {
  const fault = answer(307, "", { location: `https://elsewhere.example/v1?key=${KEY}` });
  expect(fault.kind).toBe("request");
  expect(fault.message).toContain("redirects (307) to https://elsewhere.example/v1. ");
  expect(JSON.stringify(fault)).not.toContain(KEY);
});

test.each([
  [
    "ECONNREFUSED",
    "Cannot reach acme at api.acme.example:443: connection refused. Is the server running there?",
  ],
  [
    "ENOTFOUND",
    "Cannot reach acme at api.acme.example:443: no such host. Check the address and the network.",
  ],
  [
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "Cannot reach acme at api.acme.example:443: its certificate was rejected (DEPTH_ZERO_SELF_SIGNED_CERT). " +
      "Check the clock, any proxy in between, or NODE_EXTRA_CA_CERTS (a PEM file) and NODE_USE_SYSTEM_CA=1.",
  ],
])("%s says where and what to do", (code, message) => {
  expect(faultOfFailure(whom, "connect", Object.assign(new Error("x"), { code }))).toEqual({
    kind: "unreachable",
    message,
  });
});

test.each(["ECONNRESET", "EAI_AGAIN", "ETIMEDOUT"])("%s may pass by itself", (code) => {
  const fault = faultOfFailure(whom, "connect", Object.assign(new Error("x"), { code }));
  expect(fault.kind).toBe("transport");
});

test("an answer that goes on for too long is no silence", () => {
  const { kind, message } = faultOfFailure(whom, "endless");
  expect([kind, message]).toEqual(["timeout", "acme was still answering after 60 minutes."]);
});

test("only what the server itself says can teach something about it, not its id nor where it redirects to", () => {
  const named = { ...whom, id: "thinking-effort" };
  const said = (status: number, body: string, headers = {}): string =>
    refusalIn(faultOfAnswer(named, { status, headers, body }));
  expect(said(400, '{"error":{"message":"Unsupported: temperature"}}')).toContain("Unsupported: temperature");
  expect(said(400, "")).toBe("");
  expect(said(400, '{"error":{"message":"No."}}')).not.toContain("effort");
  expect(said(307, "", { location: "https://a.example/temperature" })).toBe("");
  expect(said(500, '{"error":{"message":"temperature"}}')).toBe("");
});
