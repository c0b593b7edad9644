// What servers say about their limits, in all the forms they use: what is left, and how long to wait.

import type { IncomingHttpHeaders } from "node:http";
import { nowMs } from "../core/clock.ts";
import type { RateLimit } from "./contract.ts";

export interface AskedWait {
  readonly ms?: number | undefined;
  /** What is used up, in the server's own words: `input tokens`. */
  readonly usedUp: readonly string[];
}

type Headers = IncomingHttpHeaders;

/** What a refusal's headers and body say. An explicit wait takes precedence over one derived from limits. */
export function askedWait(headers: Headers, body: string): AskedWait {
  const limits = limitsIn(headers).filter(({ remaining }) => remaining === 0);
  const usedUp = limits.map(({ what }) => what);
  const resets = limits.flatMap(({ resetMs }) => (resetMs === undefined ? [] : [resetMs]));
  const ms =
    numberIn(headers["retry-after-ms"]) ??
    numberIn(headers["x-ms-retry-after-ms"]) ??
    waitIn(textOf(headers["retry-after"])) ??
    retryInfo(body) ??
    (resets.length > 0 ? Math.max(...resets) : undefined);
  return { usedUp, ms: ms === undefined ? undefined : Math.max(0, ms) };
}

/** More than any provider has. */
const MAX_LIMITS = 12;

/**
 * `anthropic-ratelimit-<what>-remaining`, `x-ratelimit-remaining-<what>`, the plain `ratelimit-remaining`, Together's `x-tokenlimit-…`
 * and Mistral's `ratelimitbysize-…`, with their resets, and the structured fields of the IETF.
 */
export function limitsIn(headers: Headers): readonly RateLimit[] {
  const limits = Object.keys(headers).flatMap((name) => {
    const [, prefix = "", between = "", behind = ""] =
      /^((?:[a-z]{1,20}-)?(?:ratelimit|tokenlimit|ratelimitbysize))(-[a-z-]{1,40})?-remaining(-[a-z-]{1,40})?$/.exec(
        name,
      ) ?? [];
    const remaining = numberIn(headers[name]);
    if (prefix === "" || remaining === undefined) return [];
    const what =
      (between || behind).replaceAll("-", " ").trim() || (/token|size/.test(prefix) ? "tokens" : "requests");
    const limit = numberIn(headers[`${prefix}${between}-limit${behind}`]);
    const resetMs = waitIn(textOf(headers[`${prefix}${between}-reset${behind}`]));
    return [
      {
        what,
        remaining,
        limit,
        resetMs: resetMs === undefined ? undefined : Math.max(0, Math.round(resetMs)),
      },
    ];
  });
  return [...limits, ...structuredLimits(headers)].slice(0, MAX_LIMITS);
}

const MAX_FIELD_CHARS = 2_000;

/** The members of a structured field: `"name";r=50;t=30, "other";r=1`, or the older form `limit=100, remaining=50, reset=30`. */
function membersOf(text = ""): readonly (readonly [name: string, parameters: ReadonlyMap<string, string>])[] {
  return text
    .slice(0, MAX_FIELD_CHARS)
    .split(",")
    .map((member) => {
      const [name = "", ...parameters] = member.split(";").map((part) => part.trim());
      const pairs = parameters.map((each): [string, string] => [
        each.split("=")[0] ?? "",
        each.split("=")[1] ?? "",
      ]);
      return [name.replaceAll('"', ""), new Map(pairs)];
    });
}

/** `RateLimit` (what remains of each policy, and for how long) with `RateLimit-Policy` (what each allows). */
function structuredLimits(headers: Headers): readonly RateLimit[] {
  const members = membersOf(textOf(headers.ratelimit));
  const policies = new Map(membersOf(textOf(headers["ratelimit-policy"])));
  const before = new Map(
    members.map(([name]): [string, string] => [name.split("=")[0] ?? "", name.split("=")[1] ?? ""]),
  );
  const stated = before.has("remaining")
    ? [["requests", before.get("remaining"), before.get("limit"), before.get("reset")] as const]
    : members.map(([name, of]) => [name, of.get("r"), policies.get(name)?.get("q"), of.get("t")] as const);
  return stated.flatMap(([what, left, whole, reset]) => {
    const [remaining, limit, resetMs] = [numberIn(left), numberIn(whole), waitIn(reset)];
    if (remaining === undefined || what === "") return [];
    return [
      {
        what: what === "default" ? "requests" : what.replace(/[^ -~]/g, "").slice(0, MAX_NAME_CHARS),
        remaining,
        limit,
        resetMs: resetMs === undefined ? undefined : Math.max(0, Math.round(resetMs)),
      },
    ];
  });
}

const MAX_NAME_CHARS = 40;

function textOf(value: string | readonly string[] | undefined): string | undefined {
  const text = (typeof value === "string" ? value : value?.[0])?.trim();
  return text === "" ? undefined : text;
}

function numberIn(value: string | readonly string[] | undefined): number | undefined {
  const number = Number.parseFloat(textOf(value) ?? "");
  return Number.isFinite(number) ? number : undefined;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

// Larger numbers are times since 1970, not waits: ten years in seconds, and in milliseconds.
const A_MOMENT_S = 315_360_000;
const A_MOMENT_MS = 315_360_000_000;

/** Seconds, a date (RFC 9110 or RFC 3339), a time in epoch seconds or milliseconds, or a duration (`6m0s`, `1.5s`, `20ms`). */
function waitIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^-?\d+(\.\d+)?$/.test(text)) {
    const number = Number.parseFloat(text);
    if (number > A_MOMENT_MS) return number - nowMs();
    return number > A_MOMENT_S ? number * 1_000 - nowMs() : number * 1_000;
  }
  if (/^(\d{1,15}(\.\d{1,15})?(ms|s|m|h|d)){1,9}$/.test(text))
    return [...text.matchAll(/(\d{1,15}(?:\.\d{1,15})?)(ms|s|m|h|d)/g)].reduce(
      (sum, [, count = "", unit = ""]) => sum + Number.parseFloat(count) * (UNITS[unit] ?? 0),
      0,
    );
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : date - nowMs();
}

/** Google's `RetryInfo`, and the sentence OpenAI writes. */
function retryInfo(body: string): number | undefined {
  const [, delay, said] =
    /"retryDelay"\s{0,9}:\s{0,9}"([\d.]{1,20}s)"|[Tt]ry again in ([\d.smh]{1,20}[smh])\b/.exec(body) ?? [];
  return waitIn(delay ?? said);
}
