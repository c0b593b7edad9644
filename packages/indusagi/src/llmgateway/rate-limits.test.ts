import { expect, onTestFinished, test } from "vitest";
import { nowMs, useWallClock } from "../core/clock.ts";
import { askedWait, limitsIn } from "./rate-limits.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");

test.each<[string, Record<string, string>, string, number | undefined, readonly string[]]>([
  ["seconds", { "retry-after": "7" }, "", 7_000, []],
  ["a fraction", { "retry-after": "0.5" }, "", 500, []],
  ["a date", { "retry-after": "Sun, 22 Nov 2026 12:00:30 GMT" }, "", 30_000, []],
  ["a date that is over", { "retry-after": "Sun, 22 Nov 2026 11:00:00 GMT" }, "", 0, []],
  ["milliseconds, which count first", { "retry-after-ms": "1500", "retry-after": "9" }, "", 1_500, []],
  ["Azure's", { "x-ms-retry-after-ms": "250" }, "", 250, []],
  ["a negative one", { "retry-after": "-4" }, "", 0, []],
  ["nothing that can be read", { "retry-after": "soon" }, "", undefined, []],
  [
    "Anthropic's limits: the one that is used up",
    {
      "anthropic-ratelimit-requests-remaining": "10",
      "anthropic-ratelimit-requests-reset": "2026-11-22T13:00:00Z",
      "anthropic-ratelimit-input-tokens-remaining": "0",
      "anthropic-ratelimit-input-tokens-reset": "2026-11-22T12:00:42Z",
    },
    "",
    42_000,
    ["input tokens"],
  ],
  [
    "a wait that is stated counts before limits, which are named",
    {
      "retry-after": "3",
      "anthropic-ratelimit-tokens-remaining": "0",
      "anthropic-ratelimit-tokens-reset": "2026-11-22T13:00:00Z",
    },
    "",
    3_000,
    ["tokens"],
  ],
  [
    "OpenAI's durations, the longest of those used up",
    {
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "20ms",
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": "6m1.5s",
    },
    "",
    361_500,
    ["requests", "tokens"],
  ],
  [
    "limits that are not used up",
    { "x-ratelimit-remaining-tokens": "5", "x-ratelimit-reset-tokens": "1h" },
    "",
    undefined,
    [],
  ],
  [
    "OpenRouter's moment",
    { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(NOW + 9_000) },
    "",
    9_000,
    ["requests"],
  ],
  [
    "a moment in seconds",
    { "ratelimit-remaining": "0", "ratelimit-reset": String(NOW / 1_000 + 8) },
    "",
    8_000,
    ["requests"],
  ],
  [
    "Google's RetryInfo",
    {},
    '{"error":{"details":[{"@type":"x/RetryInfo","retryDelay": "34.07s"}]}}',
    34_070,
    [],
  ],
  [
    "OpenAI's sentence",
    {},
    '{"error":{"message":"Rate limit reached. Please try again in 1m2s. Visit"}}',
    62_000,
    [],
  ],
])("%s", (_, headers, body, ms, usedUp) => {
  const back = useWallClock(() => NOW);
  try {
    expect(nowMs()).toBe(NOW);
    const asked = askedWait(headers, body);
    expect(asked.ms === undefined ? undefined : Math.round(asked.ms)).toBe(ms);
    expect(asked.usedUp).toEqual(usedUp);
  } finally {
    back();
  }
});

test.each<[string, Record<string, string>, readonly unknown[]]>([
  [
    "Anthropic's",
    {
      "anthropic-ratelimit-input-tokens-limit": "2000000",
      "anthropic-ratelimit-input-tokens-remaining": "1999000",
      "anthropic-ratelimit-input-tokens-reset": "2026-11-22T12:00:42Z",
    },
    [{ what: "input tokens", remaining: 1_999_000, limit: 2_000_000, resetMs: 42_000 }],
  ],
  [
    "OpenAI's, Azure's and Groq's",
    {
      "x-ratelimit-limit-requests": "60",
      "x-ratelimit-limit-tokens": "150000",
      "x-ratelimit-remaining-requests": "59",
      "x-ratelimit-remaining-tokens": "149984",
      "x-ratelimit-reset-requests": "2m59.56s",
      "x-ratelimit-reset-tokens": "6ms",
    },
    [
      { what: "requests", remaining: 59, limit: 60, resetMs: 179_560 },
      { what: "tokens", remaining: 149_984, limit: 150_000, resetMs: 6 },
    ],
  ],
  [
    "Cerebras's, by the day",
    { "x-ratelimit-limit-requests-day": "14400", "x-ratelimit-remaining-requests-day": "14399" },
    [{ what: "requests day", remaining: 14_399, limit: 14_400 }],
  ],
  [
    "OpenRouter's",
    { "x-ratelimit-limit": "20", "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(NOW + 9_000) },
    [{ what: "requests", remaining: 0, limit: 20, resetMs: 9_000 }],
  ],
  [
    "a reset that is over",
    { "ratelimit-remaining": "3", "ratelimit-reset": "-5" },
    [{ what: "requests", remaining: 3, resetMs: 0 }],
  ],
  ["a count that cannot be read", { "x-ratelimit-remaining-tokens": "many" }, []],
  ["a limit of which nothing is said to be left", { "x-ratelimit-limit-tokens": "5" }, []],
  ["none", { "content-type": "text/event-stream" }, []],
])("the limits of a server: %s", (_, headers, limits) => {
  onTestFinished(useWallClock(() => NOW));
  expect(limitsIn(headers)).toEqual(limits);
});

test("a server with a thousand limits has twelve", () => {
  const names = Array.from(
    { length: 1_000 },
    (_, n) => "abcdefghij"[n % 10] + "k".repeat(Math.floor(n / 30)),
  );
  const headers = Object.fromEntries(names.map((name) => [`x-ratelimit-remaining-${name}`, "1"]));
  expect(limitsIn(headers)).toHaveLength(12);
});

test.each<[string, Record<string, string>, ReturnType<typeof limitsIn>]>([
  [
    "the IETF's structured fields",
    {
      ratelimit: '"burst";r=0;t=5, "daily";r=950;t=3600',
      "ratelimit-policy": '"burst";q=10;w=60,"daily";q=1000;w=86400',
    },
    [
      { what: "burst", remaining: 0, limit: 10, resetMs: 5_000 },
      { what: "daily", remaining: 950, limit: 1_000, resetMs: 3_600_000 },
    ],
  ],
  [
    "one without a policy",
    { ratelimit: '"default";r=3;t=1' },
    [{ what: "requests", remaining: 3, resetMs: 1_000 }],
  ],
  [
    "their earlier form",
    { ratelimit: "limit=100, remaining=50, reset=5", "ratelimit-policy": "100;w=60" },
    [{ what: "requests", remaining: 50, limit: 100, resetMs: 5_000 }],
  ],
  [
    "Together's",
    {
      "x-ratelimit-limit": "10",
      "x-ratelimit-remaining": "9",
      "x-ratelimit-reset": "1",
      "x-tokenlimit-limit": "2000",
      "x-tokenlimit-remaining": "1500",
    },
    [
      { what: "requests", remaining: 9, limit: 10, resetMs: 1_000 },
      { what: "tokens", remaining: 1_500, limit: 2_000 },
    ],
  ],
  [
    "Mistral's",
    {
      "ratelimitbysize-limit": "500000",
      "ratelimitbysize-remaining": "499000",
      "ratelimitbysize-reset": "12",
      "x-ratelimit-limit-req-minute": "60",
      "x-ratelimit-remaining-req-minute": "59",
    },
    [
      { what: "tokens", remaining: 499_000, limit: 500_000, resetMs: 12_000 },
      { what: "req minute", remaining: 59, limit: 60 },
    ],
  ],
  ["fields that are none", { ratelimit: ';;,=,"";r=x,"a";r', "ratelimit-policy": "x".repeat(9_000) }, []],
])("limits: %s", (_, headers, limits) => {
  expect(limitsIn(headers)).toEqual(limits);
});

test("a rate limit that is used up is named, and waited for", () => {
  expect(askedWait({ ratelimit: '"burst";r=0;t=5' }, "")).toEqual({ ms: 5_000, usedUp: ["burst"] });
});
