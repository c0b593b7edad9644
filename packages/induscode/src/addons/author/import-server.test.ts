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
        server: {
          command: ["node", "server.js", "--here"],
          env: { TOKEN: named("TOKEN"), MODE: named("MODE:-fast") },
        },
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
        `KEY: the other agent asks the user for ${named("input:key")}; in indus it is the secret KEY. Set that variable before you start indus`,
        '"no name" is not imported: expected a name with a string or a number',
        'npx fetches a program at each start, which the sandbox does not allow: install the server into the addon\'s folder, and name its file in "mcp". For this server: npm install --prefix .indus/addons/tickets @example/tickets',
        '"cwd" is not imported: it runs in the addon\'s folder',
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
      "the server tickets in x.json has the type sse; indus supports only streamable HTTP",
    ],
    [{ tickets: { url: "nowhere" } }, 'the "url" of the server tickets in x.json is not a URL'],
  ])("is refused where the configuration does not have it: %j", (config, problem) => {
    expect(importServer(config, "tickets", "x.json")).toEqual({ ok: false, problem });
  });

  const importOne = (server: object, file = "x.json") => {
    const imported = importServer({ mcpServers: { tickets: server } }, "tickets", file);
    if (!imported.ok) throw new Error(imported.problem);
    return imported;
  };

  it.each<readonly [what: string, server: object, note: string | RegExp]>([
    ["disabled", { disabled: true }, /^"disabled" is not imported: an addon runs once you trust it/],
    ["enabled", { enabled: false }, /^"enabled" is not imported/],
    ["a timeout", { timeout: 60000 }, /^"timeout" = 60000 is not imported: in \[run\], call-seconds limits/],
    [
      "a default",
      { env: { A: named("K:-d") } },
      'A: K is read from your environment when the server starts; without it, it is "d"',
    ],
    ["a script", { args: ["x.js"] }, "x.js: copy it into the addon's folder"],
    ["another script", { args: ["./src/server.py"] }, "./src/server.py: copy it into the addon's folder"],
    ["a folder", { args: ["/srv/data"] }, /^\/srv\/data is a path: the server can see only/],
    ["VS Code's envFile", { envFile: ".env" }, /^"envFile" is not imported: its variables are not imported/],
    [
      "VS Code's folders",
      { env: { ROOT: named("userHome") } },
      `write the value of ROOT into the manifest: indus does not know ${named("userHome")}`,
    ],
    [
      "OpenCode's files",
      { env: { KEY: "{file:~/key}" } },
      "write the value of KEY into the manifest: indus does not know {file:~/key}",
    ],
    [
      "Codex's start",
      { startup_timeout_sec: 20 },
      '"startup_timeout_sec" = 20 is imported as start-seconds = 20',
    ],
    [
      "Codex's longest start",
      { startup_timeout_sec: 900 },
      '"startup_timeout_sec" = 900 is imported as start-seconds = 300, the maximum',
    ],
    [
      "Codex's variables",
      { env_vars: ["B"] },
      "Codex passes B on to the server; here, the addon requests it as the secret B",
    ],
    ["allowed tools", { alwaysAllow: ["x"] }, /^"alwaysAllow" is not imported: permission rules decide/],
    ["an unknown key", { wings: 2 }, '"wings" is not imported: indus has no equivalent'],
    [
      "docker",
      { command: "docker", args: ["run", "-i", "x"] },
      /^docker starts a container, which the sandbox does not allow/,
    ],
  ])("says what it does not take: %s", (_what, server, note) => {
    const { notes } = importOne({ command: "node", ...server });
    expect(notes).toEqual([typeof note === "string" ? note : expect.stringMatching(note)]);
  });

  it("says nothing of settings that change nothing", () => {
    expect(
      importOne({ type: "stdio", command: "node", disabled: false, enabled: true, env: { MODE: "x" } }).notes,
    ).toEqual([]);
  });

  it("takes the names of variables that Codex and OpenCode have", () => {
    const codex = importOne({
      url: "https://t.invalid/mcp",
      bearer_token_env_var: "T",
      env_http_headers: { "X-Team": "TEAM" },
    });
    expect(codex.manifest).toContain(`Authorization = "Bearer ${named("T")}"`);
    expect(codex.manifest).toContain(`X-Team = "${named("TEAM")}"`);
    expect(importOne({ command: "node", environment: { A: "{env:B}" } }).manifest).toContain(
      `A = "${named("B")}"`,
    );
    expect(importOne({ command: "node", env: { A: "$B" } }).manifest).toContain(`A = "${named("B")}"`);
  });

  it("says that an address without a type may be of the old transport", () => {
    const old = importOne({ url: "https://t.invalid/x" }, "settings.json");
    expect(old.notes).toEqual([expect.stringContaining("may use the old SSE transport")]);
    expect(importOne({ httpUrl: "https://t.invalid/x" }, "settings.json").notes).toEqual([]);
    expect(importOne({ url: "https://t.invalid/sse" }).notes).toHaveLength(1);
  });

  const LITERAL = "Zx81qPw0Lm44Tt9sKd2";
  it.each<readonly [server: object, becomes: string]>([
    [{ command: "node", env: { GITHUB_TOKEN: LITERAL } }, `GITHUB_TOKEN = "${named("GITHUB_TOKEN")}"`],
    [{ command: "node", env: { DB_PASSWORD: LITERAL } }, `DB_PASSWORD = "${named("DB_PASSWORD")}"`],
    [
      { command: "node", env: { MY_SECRET_VALUE: LITERAL } },
      `MY_SECRET_VALUE = "${named("MY_SECRET_VALUE")}"`,
    ],
    [{ command: "node", env: { X: `sk-${LITERAL}` } }, `X = "${named("X")}"`],
    [{ command: "node", env: { X: `ab${LITERAL}9` } }, `X = "${named("X")}"`],
    [{ command: "node", env: { DB: `postgres://u:${LITERAL}@h/d` } }, `DB = "${named("DB")}"`],
    [{ command: "node", env: { X: `${named("Y")}/sk-${LITERAL}` } }, `X = "${named("X")}"`],
    [{ command: "node", env: { T_KEY: named(`T_KEY:-${LITERAL}`) } }, `T_KEY = "${named("T_KEY")}"`],
    [
      { command: "node", args: ["--api-key", LITERAL] },
      `mcp = ["node", "--api-key", "${named("TICKETS_API_KEY")}"]`,
    ],
    [
      { command: "node", args: [`--token=${LITERAL}`] },
      `mcp = ["node", "--token=${named("TICKETS_TOKEN")}"]`,
    ],
    [
      { command: "node", args: [`sk-${LITERAL}`, `sk-x${LITERAL}`] },
      `mcp = ["node", "${named("TICKETS_ARGUMENT_1")}", "${named("TICKETS_ARGUMENT_2")}"]`,
    ],
    [
      { command: "node", args: [`X-Api-Key:${LITERAL}`] },
      `mcp = ["node", "X-Api-Key:${named("TICKETS_X_API_KEY")}"]`,
    ],
    [
      { command: "node", args: [`Authorization: Bearer ${LITERAL}`] },
      `mcp = ["node", "Authorization: Bearer ${named("TICKETS_AUTHORIZATION")}"]`,
    ],
    [
      { url: "https://t.invalid/mcp", headers: { Authorization: `Bearer ${LITERAL}` } },
      `Authorization = "Bearer ${named("TICKETS_AUTHORIZATION")}"`,
    ],
    [
      { url: "https://t.invalid/mcp", headers: { "X-Api-Key": LITERAL } },
      `X-Api-Key = "${named("TICKETS_X_API_KEY")}"`,
    ],
    [
      { url: `https://t.invalid/mcp?api_key=${LITERAL}` },
      `mcp-url = "https://t.invalid/mcp?api_key=${named("TICKETS_API_KEY")}"`,
    ],
    [
      { url: `https://t.invalid/s/${LITERAL}12/mcp` },
      `mcp-url = "https://t.invalid/s/${named("TICKETS_URL")}/mcp"`,
    ],
  ])("asks for a secret that was written out, and does not copy it: %j", async (server, becomes) => {
    const { manifest, notes } = importOne(server);
    expect(manifest).not.toContain(LITERAL);
    expect(notes.join("\n")).not.toContain(LITERAL);
    expect(manifest).toContain(becomes);
    expect(notes.join("\n")).toMatch(/is not (?:copied|imported)/);
    const { descriptor } = await parseManifest(manifest, "manifest.toml");
    expect(descriptor.capabilities).toContainEqual(
      expect.objectContaining({ capability: { kind: "secret", id: expect.any(String) } }),
    );
  });

  it.each([
    { MAX_TOKENS: "4096" },
    { USE_TOKEN: "true" },
    { LOG_LEVEL: "debug" },
    { PACKAGE: "@modelcontextprotocol/server-memory" },
    { MEMORY_FILE_PATH: "/srv/data/2024/12/31/memory-of-everything.json" },
    { API_URL: "https://api.example.com/v2/some-long-name-of-a-service" },
  ])("copies a value that is no secret: %j", (env) => {
    const { manifest, notes } = importOne({ command: "node", env });
    for (const value of Object.values(env)) expect(manifest).toContain(value);
    expect(notes).toEqual([]);
  });
});
