// A package that is called nearly as another is often meant to be taken for it.

import { nearest } from "indusagi/core";
import type { LockedPackage } from "./package-lock.ts";

/** Servers that many people add by name. */
const WELL_KNOWN: readonly string[] = [
  ...["everything", "filesystem", "memory", "sequential-thinking", "github", "puppeteer", "postgres"].map(
    (name) => `@modelcontextprotocol/server-${name}`,
  ),
  ...["@playwright/mcp", "@upstash/context7-mcp", "@notionhq/notion-mcp-server", "@sentry/mcp-server"],
  ...["@supabase/mcp-server-supabase", "@azure/mcp", "tavily-mcp", "exa-mcp-server", "firecrawl-mcp"],
  ...["chrome-devtools-mcp", "kubernetes-mcp-server", "figma-developer-mcp", "mcp-remote"],
];

/** How many letters two such names differ in, at one place. */
const MAX_DIFFERENT = 2;
const MIN_CHARS = 5;

/** The name that another one resembles without being it; undefined for most. */
export function resembled(name: string, others: Iterable<string>): string | undefined {
  const all = [...WELL_KNOWN, ...others].filter((each) => each !== name);
  if (WELL_KNOWN.includes(name) || name.length < MIN_CHARS) return undefined;
  const alike = all.find((each) => each.length >= MIN_CHARS && skeleton(each) === skeleton(name));
  if (alike !== undefined) return alike;
  const near = nearest(name, all);
  return near !== undefined && near.length >= MIN_CHARS && difference(name, near) <= MAX_DIFFERENT
    ? near
    : undefined;
}

/** With what looks alike written alike. */
function skeleton(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const letters = Array.from(plain, (letter) => LOOKS_LIKE[letter] ?? letter).join("");
  return letters.replaceAll("rn", "m").replaceAll("vv", "w").replace(/[-_.]/g, "");
}

const LOOKS_LIKE: Readonly<Record<string, string | undefined>> = {
  ...{ "0": "o", "1": "l", i: "l", "5": "s", а: "a", е: "e", о: "o", р: "p", с: "c", х: "x", у: "y" },
  ...{ і: "l", ѕ: "s", һ: "h", ԁ: "d", ɡ: "g", ο: "o", α: "a", ν: "v", τ: "t", к: "k", м: "m", т: "t" },
};

/** The letters between what both begin with and what both end with. */
function difference(one: string, other: string): number {
  let from = 0;
  while (from < one.length && one[from] === other[from]) from++;
  let end = 0;
  const most = Math.min(one.length, other.length) - from;
  while (end < most && one.at(-1 - end) === other.at(-1 - end)) end++;
  return Math.max(one.length, other.length) - from - end;
}

/** What the report says of it, one line; none for a name that resembles nothing. */
export function resemblance(
  id: string,
  resolved: string,
  installed: Iterable<Pick<LockedPackage, "name" | "resolved">>,
): readonly string[] {
  const rows = [...installed];
  const name = publishedName(resolved) ?? id;
  const other = resembled(name, [
    ...rows.map((row) => row.name),
    ...rows.flatMap((row) => publishedName(row.resolved) ?? []),
  ]);
  return other === undefined
    ? []
    : [`its name, ${name}, is nearly the name of ${other}: make sure that you mean this package`];
}

/** `NAME@VERSION` of a registry. */
function publishedName(resolved: string): string | undefined {
  return /^((?:@[^/@]+\/)?[^/@:]+)@[^/]+$/.exec(resolved)?.[1];
}
