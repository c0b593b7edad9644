// MCP servers that people use, each by the command line in its documentation: one `indus add`, one answer, and its tools are there. A key
// in such a line is kept for the person. What a server's service would answer, nobody asks: there is none.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createWorkplace } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { startMcpHttpServer } from "../support/mcp-http-server.ts";
import { registryEnvironment, unreachableRegistry } from "../support/npm-registry.ts";

/** With a registry that is far away. */
const INSTALL_MS = 300_000;

interface Server {
  readonly line: string;
  readonly flags?: readonly string[];
  readonly name: string;
  /** Among others. */
  readonly tool?: string;
  /** Instead, for one that asks a service before it says what it offers: the host that it was not granted. */
  readonly refused?: string;
}

const named = (place: string): string => `\${${place}}`;
const key = (prefix: string): string => `${prefix}0123456789abcdef0123456789abcdef`;
const OWN = "@modelcontextprotocol/server-";

const SERVERS: readonly Server[] = [
  { line: `npx -y ${OWN}everything@2026.8.31`, name: "everything", tool: "echo" },
  {
    line: `npx -y ${OWN}filesystem@2026.8.31 ${named("workspaceFolder")}`,
    flags: ["--files", "read"],
    name: "filesystem",
    tool: "read_text_file",
  },
  { line: `npx -y ${OWN}memory@2026.8.31`, name: "memory", tool: "create_entities" },
  {
    line: `npx -y ${OWN}sequential-thinking@2026.8.31`,
    name: "sequential-thinking",
    tool: "sequentialthinking",
  },
  {
    line: `GITHUB_PERSONAL_ACCESS_TOKEN=${key("ghp_")} npx -y ${OWN}github@2025.4.8`,
    flags: ["--host", "api.github.com"],
    name: "github",
    tool: "create_issue",
  },
  {
    line: `npx -y figma-developer-mcp@0.13.2 --figma-api-key=${key("figd_")} --stdio`,
    flags: ["--host", "api.figma.com"],
    name: "figma-developer",
    tool: "get_figma_data",
  },
  {
    line: `EXA_API_KEY=${key("")} npx -y exa-mcp-server@3.4.1`,
    flags: ["--host", "api.exa.ai"],
    name: "exa",
    tool: "web_search_exa",
  },
  { line: "npx @playwright/mcp@0.0.83", name: "playwright", tool: "browser_navigate" },
  { line: "npx -y chrome-devtools-mcp@1.11.0", name: "chrome-devtools", tool: "list_pages" },
  {
    line: "npx -y @upstash/context7-mcp@4.1.1",
    flags: ["--host", "context7.com"],
    name: "context7",
    tool: "resolve-library-id",
  },
  {
    line: `NOTION_TOKEN=${key("ntn_")} npx -y @notionhq/notion-mcp-server@2.5.2`,
    flags: ["--host", "api.notion.com"],
    name: "notion",
    tool: "API-post-search",
  },
  {
    line: `TAVILY_API_KEY=${key("tvly-")} npx -y tavily-mcp@0.2.22`,
    flags: ["--host", "api.tavily.com"],
    name: "tavily",
    tool: "tavily_search",
  },
  {
    line: `npx @sentry/mcp-server@0.39.0 --access-token=${key("sntryu_")}`,
    flags: ["--host", "sentry.io"],
    name: "sentry",
    tool: "search_issues",
  },
  { line: "npx mcp-server-kubernetes@4.1.7", name: "kubernetes", tool: "kubectl_get" },
  {
    line: `FIRECRAWL_API_KEY=${key("fc-")} npx -y firecrawl-mcp@3.26.0`,
    flags: ["--host", "api.firecrawl.dev"],
    name: "firecrawl",
    tool: "firecrawl_scrape",
  },
  { line: "npx -y @azure/mcp@2.0.5 server start", name: "azure", tool: "subscription_list" },
  {
    line: `SUPABASE_ACCESS_TOKEN=${key("sbp_")} npx -y @supabase/mcp-server-supabase@0.13.0 --read-only --project-ref=abcdefghijklmnopqrst`,
    flags: ["--host", "api.supabase.com"],
    name: "supabase",
    refused: "supabase.com",
  },
  // It works for a server at an address: here, one of this machine.
  {
    line: "npx -y mcp-remote@0.15.1 http://ADDRESS/mcp",
    flags: ["--host", "ADDRESS"],
    name: "remote",
    tool: "where",
  },
];

describe("an MCP server of npm's registry", LONG_ONLY, () => {
  const cache = mkdtempSync(join(tmpdir(), "indus-npm-cache-"));
  afterAll(() => rmSync(cache, { recursive: true, force: true }));

  it.for(SERVERS)(
    "$name",
    { timeout: INSTALL_MS },
    async ({ line, flags = [], name, tool, refused }, context) => {
      const place = createWorkplace();
      const { port } = await startMcpHttpServer();
      const placed = (text: string): string => text.replace("ADDRESS", `127.0.0.1:${port}`);
      const added = await place.runAlone(["add", placed(`mcp:${line}`), ...flags.map(placed), "--yes"], {
        env: { ...registryEnvironment(), npm_config_cache: cache },
        deadlineMs: INSTALL_MS,
      });
      const problem = unreachableRegistry(added);
      if (problem !== undefined) context.skip(problem);
      expect(added.stdout).not.toMatch(/0123456789abcdef/);
      if (refused !== undefined) {
        expect(added.stdout).toContain(
          `it asked for what it was not granted: remove it, and add it with --host ${refused}`,
        );
        return;
      }
      expect(added).toMatchObject({ code: 0, stderr: "" });
      expect(added.stdout).toMatch(new RegExp(`^ {2}gives +│ .*tool mcp__${name}__${tool}\\b`, "m"));
      expect(added.stdout).toContain(`Added ${name} for every session, `);
    },
  );
});
