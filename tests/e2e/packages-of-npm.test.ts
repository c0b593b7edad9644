// MCP servers that people use, each by the command line in its documentation: one `indus add`, one answer, and its tools are there. Of
// each shape of package one: a command that is called like its scope, a single command, several, and one with a path in its name.

import { describe, expect, it } from "vitest";
import { createWorkplace } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { registryEnvironment, unreachableRegistry } from "../support/npm-registry.ts";

/** With a registry that is far away. */
const INSTALL_MS = 200_000;

interface Server {
  readonly line: string;
  readonly flags?: readonly string[];
  readonly name: string;
  /** Among others. */
  readonly tool: string;
}

const named = (place: string): string => `\${${place}}`;

const SERVERS: readonly Server[] = [
  { line: "npx @playwright/mcp@0.0.83", name: "playwright", tool: "browser_navigate" },
  { line: "npx -y chrome-devtools-mcp@1.11.0", name: "chrome-devtools", tool: "list_pages" },
  {
    line: "npx -y tavily-mcp@0.2.22",
    flags: ["--host", "api.tavily.com", "--secret", "TAVILY_API_KEY"],
    name: "tavily",
    tool: "tavily_search",
  },
  {
    line: `npx -y @modelcontextprotocol/server-filesystem@2026.8.31 ${named("workspaceFolder")}`,
    flags: ["--files", "read"],
    name: "filesystem",
    tool: "read_text_file",
  },
];

describe("an MCP server of npm's registry", LONG_ONLY, () => {
  it.for(SERVERS)("$name", { timeout: INSTALL_MS }, async ({ line, flags = [], name, tool }, context) => {
    const place = createWorkplace();
    const added = await place.runAlone(["add", `mcp:${line}`, ...flags, "--yes"], {
      env: {
        TAVILY_API_KEY: "tvly-0123456789abcdef",
        ...registryEnvironment(),
      },
      deadlineMs: INSTALL_MS,
    });
    const problem = unreachableRegistry(added);
    if (problem !== undefined) context.skip(problem);
    expect(added).toMatchObject({ code: 0, stderr: "" });
    expect(added.stdout).toMatch(new RegExp(`^ {2}gives +│ .*tool mcp__${name}__${tool}\\b`, "m"));
    expect(added.stdout).toContain(`Added ${name} for every session, `);
  });
});
