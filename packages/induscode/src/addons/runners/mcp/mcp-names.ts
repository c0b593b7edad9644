// What the tools and commands of an MCP server are called: as other agents call them, so that their rules fit.

import { createHash } from "node:crypto";

const MAX_NAME = 64;
const HASH_DIGITS = 8;

/** Shortened with a hash of the whole, which is the same at each start. */
export function toolName(id: string, name: string): string {
  return fitted(`mcp__${id}__${name}`, /[^A-Za-z0-9_-]/g);
}

/** The same of a command, whose name a person types. */
export function commandName(id: string, name: string): string {
  return fitted(`mcp__${id}__${name}`.toLowerCase(), /[^a-z0-9_-]/g);
}

function fitted(whole: string, unfit: RegExp): string {
  const plain = whole.replace(unfit, "_");
  if (plain === whole && whole.length <= MAX_NAME) return whole;
  const hash = createHash("sha256").update(whole).digest("hex").slice(0, HASH_DIGITS);
  return `${plain.slice(0, MAX_NAME - HASH_DIGITS - 1)}_${hash}`;
}
