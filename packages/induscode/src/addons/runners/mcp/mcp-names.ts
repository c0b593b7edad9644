// What the tools and commands of an MCP server are called: as other agents call them, so that their rules fit.

import { createHash } from "node:crypto";

const MAX_NAME = 64;
const HASH_DIGITS = 8;

/** Shortened with a hash of the whole, which is the same at each start. */
export function toolName(id: string, name: string): string {
  return fitted(id, name, /[^A-Za-z0-9_-]/g);
}

/** The same of a command, whose name a person types. */
export function commandName(id: string, name: string): string {
  return fitted(id.toLowerCase(), name.toLowerCase(), /[^a-z0-9_-]/g);
}

function fitted(id: string, name: string, unfit: RegExp): string {
  const whole = `mcp__${id}__${name}`;
  const fitting = name.replace(unfit, "_");
  const plain = `mcp__${serverPart(id, unfit)}__${fitting}`;
  return fitting === name && plain.length <= MAX_NAME
    ? plain
    : `${plain.slice(0, MAX_NAME - HASH_DIGITS - 1)}_${hashOf(whole)}`;
}

/** An id can have dots: a rule about all tools of `a` or `a_b`, such as `mcp__a_b__*`, must not be about those of `a._b` or `a.b`. */
function serverPart(id: string, unfit: RegExp): string {
  const plain = id.replace(unfit, "_").replace(/_{2,}/g, "_");
  return plain === id ? id : `${plain}-${hashOf(id)}`;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, HASH_DIGITS);
}
