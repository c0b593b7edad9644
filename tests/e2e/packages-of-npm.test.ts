// MCP servers that people use, each by the command line in its documentation: one `indus add`, one answer, and its tools are there. Of
// each shape of package one: a command that is called like its scope, a single command, several, and one with a path in its name.

import { describe, expect, it } from "vitest";
import { createWorkplace } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";

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

/** Why the registry cannot be had from here, in the words of npm's library. */
const UNREACHABLE =
  /(?:ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|E40[137]|E5\d\d|CERT)/;

describe("an MCP server of npm's registry", LONG_ONLY, () => {
  it.for(SERVERS)("$name", { timeout: INSTALL_MS }, async ({ line, flags = [], name, tool }, context) => {
    const place = createWorkplace();
    const { npm_config_registry, npm_config_cache, NODE_EXTRA_CA_CERTS } = process.env;
    const env = {
      npm_config_registry,
      npm_config_cache,
      NODE_EXTRA_CA_CERTS,
      npm_config_userconfig: userConfig(),
    };
    const added = await place.runAlone(["add", `mcp:${line}`, ...flags, "--yes"], {
      env: {
        TAVILY_API_KEY: "tvly-0123456789abcdef",
        npm_config_fetch_retries: "1",
        ...Object.fromEntries(
          Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
        ),
      },
      deadlineMs: INSTALL_MS,
    });
    const [problem] = UNREACHABLE.exec(added.stderr) ?? [];
    if (problem !== undefined) context.skip(`the registry cannot be reached (${problem})`);
    expect(added).toMatchObject({ code: 0, stderr: "" });
    expect(added.stdout).toMatch(new RegExp(`^ {2}gives +│ .*tool mcp__${name}__${tool}\\b`, "m"));
    expect(added.stdout).toContain(`Added ${name} for every session, `);
  });
});

/** The settings of whoever runs the tests: where their registry is. */
function userConfig(): string | undefined {
  const { npm_config_userconfig, HOME } = process.env;
  return npm_config_userconfig ?? (HOME === undefined ? undefined : `${HOME}/.npmrc`);
}
