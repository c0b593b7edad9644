// Keys of an MCP server in other agents' files that the manifest has nothing for: each is named, with what to do instead.

import type { Table } from "./imported-shapes.ts";

/** Values that change nothing here. */
const IDLE: Readonly<Record<string, readonly unknown[]>> = {
  disabled: [false],
  enabled: [true],
  type: ["stdio", "local", "http", "remote", "streamable-http", "streamableHttp", "streamable_http"],
  transport: ["stdio", "http", "streamable-http", "streamableHttp", "streamable_http"],
};
const TOOLS = "permission rules decide about its tools (mcp__NAME__*)";
const MORE: Readonly<Record<string, string>> = {
  disabled: "an addon runs once you trust it, and not before",
  enabled: "an addon runs once you trust it, and not before",
  envFile: "its variables are not imported. Put them into [run.env], and request the secret ones",
  cwd: "it runs in the addon's folder",
  oauth: "indus does not log in to it: put a token in a header",
  auth: "indus does not log in to it: put a token in a header",
  headersHelper: "indus runs no program to produce a header: put a token in a header",
  dev: "indus does not restart the server when you change its files",
  autoApprove: TOOLS,
  alwaysAllow: TOOLS,
  trust: TOOLS,
  includeTools: TOOLS,
  excludeTools: TOOLS,
  enabled_tools: TOOLS,
  disabled_tools: TOOLS,
};

/** One line for each key that is not among `taken`. */
export function keyNotes(server: Table, taken: readonly string[]): readonly string[] {
  return Object.entries(server).flatMap(([key, value]) => {
    if (taken.includes(key) || IDLE[key]?.includes(value) === true) return [];
    if (/timeout/i.test(key)) return [timeoutNote(key, value)];
    const name = JSON.stringify(key.slice(0, 100));
    const more = Object.hasOwn(MORE, key) ? MORE[key] : "indus has no equivalent";
    return [`${name} is not imported: ${more}`];
  });
}

/** Agents count it in seconds or in milliseconds. */
function timeoutNote(key: string, value: unknown): string {
  const how =
    "in [run], call-seconds limits a call (default and maximum: 300) and start-seconds a start (default: 60, maximum: 300)";
  return `${JSON.stringify(key)} = ${JSON.stringify(value)?.slice(0, 100)} is not imported: ${how}`;
}
