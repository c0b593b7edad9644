import { describe, expect, it } from "vitest";
import { parseManifest } from "../source/manifest.ts";
import { importServer } from "./import-server.ts";

/** `${inner}`. */
const named = (inner: string): string => `\${${inner}}`;
const LOCAL = {
  command: "node",
  args: ["server.js", "--here"],
  env: { TOKEN: named("TOKEN"), MODE: named("MODE:-fast") },
};

const manifestOf = (config: unknown, name = "tickets"): string => {
  const imported = importServer(config, name, "x.json");
  if (!imported.ok) throw new Error(imported.problem);
  return imported.manifest;
};

describe("an MCP server of another agent's configuration", () => {
  it.each([
    ["Claude's", { mcpServers: { tickets: LOCAL } }],
    ["a project's", { projects: { "/x": { mcpServers: { tickets: LOCAL } } } }],
    ["a bare list", { tickets: LOCAL }],
    ["VS Code's", { servers: { tickets: { type: "stdio", ...LOCAL } } }],
    ["Codex's", { mcp_servers: { tickets: LOCAL } }],
    [
      "OpenCode's",
      {
        mcp: { tickets: { type: "local", command: ["node", "server.js", "--here"], environment: LOCAL.env } },
      },
    ],
  ])("in %s form becomes a manifest that says what it runs and asks for", async (_form, config) => {
    const { descriptor, warnings } = await parseManifest(manifestOf(config), "manifest.toml");
    expect(warnings).toEqual([]);
    expect(descriptor).toMatchObject({
      id: "tickets",
      run: {
        kind: "mcp",
        server: { command: ["node", "server.js", "--here"], env: { TOKEN: named("TOKEN"), MODE: "fast" } },
      },
      capabilities: [{ capability: { kind: "secret", id: "TOKEN" }, required: true }],
    });
  });

  it("over HTTP asks for its host", async () => {
    const config = {
      mcpServers: {
        tickets: {
          type: "http",
          url: "https://t.invalid/mcp",
          headers: { Authorization: `Bearer ${named("env:TOKEN")}` },
        },
      },
    };
    const { descriptor } = await parseManifest(manifestOf(config), "manifest.toml");
    expect(descriptor).toMatchObject({
      run: {
        server: { url: "https://t.invalid/mcp", headers: { Authorization: `Bearer ${named("TOKEN")}` } },
      },
      capabilities: [
        { capability: { kind: "network", hosts: ["t.invalid"] } },
        { capability: { kind: "secret", id: "TOKEN" } },
      ],
    });
  });

  it("says what it could not take", () => {
    const server = {
      command: "npx",
      args: ["-y", "@example/tickets", named("workspaceFolder")],
      cwd: "/x",
      env: { KEY: named("input:key"), "no name": "x" },
    };
    expect(importServer({ mcpServers: { tickets: server } }, "tickets", "x.json")).toMatchObject({
      ok: true,
      notes: [
        `${named("input:key")} in KEY is not known here: put the value there`,
        '"no name" is left out: it is no name with a text',
        "it runs in the addon's folder: its cwd is not taken",
        `"${named("workspaceFolder")}" is taken as it is: put the value there`,
        'npx fetches a program at each start, which the sandbox does not let it: npm install --prefix .indus/addons/tickets @example/tickets, and name its file in "mcp"',
      ],
    });
  });

  it.each([
    [{ mcpServers: { other: LOCAL } }, 'x.json has no MCP server called "tickets": it has other'],
    [[], 'x.json has no MCP server called "tickets": it has none'],
    [
      { tickets: { args: [] } },
      'the server tickets in x.json has neither a "command" with "args" nor a "url"',
    ],
    [
      { tickets: { type: "sse", url: "https://t.invalid" } },
      "the server tickets in x.json is of the type sse; indus speaks streamable HTTP",
    ],
    [{ tickets: { url: "nowhere" } }, 'the "url" of the server tickets in x.json is not a URL'],
  ])("is refused where there is none: %j", (config, problem) => {
    expect(importServer(config, "tickets", "x.json")).toEqual({ ok: false, problem });
  });
});
