// Variables and the time to start of an MCP server that was added: before its command, as `env` has them, or as flags.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createSharedWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { MCP_SERVER } from "../support/mcp-server.ts";
import type { ScriptedTurn } from "../support/model-server.ts";
import { registryEnvironment, unreachableRegistry } from "../support/npm-registry.ts";
import { startPackageRegistry } from "../support/package-registry.ts";
import { createServedShared, createServedWorkplace } from "../support/served-workplace.ts";

const registry = await startPackageRegistry();
afterAll(() => registry.close());
const FILES = { "package.json": JSON.stringify({ bin: "main.mjs" }), "main.mjs": MCP_SERVER };
registry.publish("tickets", "1.0.0", FILES);
registry.publish("letters", "1.0.0", FILES);
registry.publish("@modelcontextprotocol/server-memory", "1.0.0", FILES);
/** With a registry that is far away. */
const INSTALL_MS = 200_000;
const SECRET = "sk-live-0123456789abcdef0123";
const FLAGS = ["-p", "go", "--model", "anthropic/scripted", "--permission-mode", "bypass"];

const npm = (place: Workplace): Record<string, string> => ({
  npm_config_registry: registry.url,
  npm_config_cache: join(place.home, "npm-cache"),
  npm_config_userconfig: join(place.home, "npmrc"),
  npm_config_globalconfig: join(place.home, "npmrc-global"),
  npm_config_fetch_retries: "0",
  COLUMNS: "2000",
});
const add = (place: Workplace, ...args: readonly string[]) =>
  place.runAlone(["add", ...args, "--yes"], { env: npm(place) });
const manifestOf = (place: Workplace, name: string): string =>
  readFileSync(join(place.home, "packages", name, "manifest.toml"), "utf8");
const callOf = (place: Workplace): unknown => place.entries().find((entry) => entry.type === "tool")?.text;

/** Everything that a home keeps, but what npm does, and the person's own secrets. */
function keptIn(home: string): string {
  return readdirSync(home, { recursive: true, encoding: "utf8" })
    .filter((path) => !/^(?:npm-cache|secrets\.json$)/.test(path) && statSync(join(home, path)).isFile())
    .map((path) => readFileSync(join(home, path), "utf8"))
    .join("\n");
}

it.each(
  rows(
    [
      ["before its command", ["mcp:HEADER='two words' npx -y letters"]],
      ["behind env", ["mcp:env HEADER='two words' npx -y letters"]],
      ["as flags, which come last", ["mcp:HEADER=other npx -y letters", "--env", "HEADER=two words"]],
    ] as const,
    theFirst,
  ),
)("a server gets its variables %s, and an update keeps them", async (_, args) => {
  const place = await createServedShared((_request, at) =>
    at === 0 ? { text: "On it.", calls: [{ name: "mcp__letters__token", input: {} }] } : { text: "Done." },
  );
  expect(await add(place, ...args)).toMatchObject({ code: 0, stderr: "" });
  registry.publish("letters", "2.0.0", FILES);
  const updated = await place.runAlone(["update", "letters", "--yes"], { env: npm(place) });
  expect(updated).toMatchObject({ code: 0, stderr: "" });
  await place.run(FLAGS);
  expect(callOf(place)).toBe("the token is undefined, two words");
});

it.each(
  rows(
    [
      ["before its command", [`mcp:TICKET_TOKEN=${SECRET} npx -y tickets`]],
      ["in quotes", [`mcp:"TICKET_TOKEN=${SECRET}" npx -y tickets`]],
      ["as a flag", ["mcp:npx -y tickets", "--env", `TICKET_TOKEN=${SECRET}`]],
      ["among its arguments", [`mcp:npx -y tickets --ticket-token ${SECRET}`]],
      [
        "that a flag replaces",
        [`mcp:TICKET_TOKEN=${SECRET} npx -y tickets`, "--env", `TICKET_TOKEN=${SECRET}x`],
      ],
    ] as const,
    theFirst,
  ),
)("a secret %s is requested, and kept for the person alone", async (how, args) => {
  const place = createSharedWorkplace();
  const added = await add(place, ...args);
  const id = how === "among its arguments" ? "TICKETS_TICKET_TOKEN" : "TICKET_TOKEN";
  expect(added.stdout).toContain(`it is kept for you as the secret ${id}`);
  expect(added.stdout).not.toContain(SECRET);
  expect(manifestOf(place, "tickets")).toContain(`id = "${id}"`);
  expect(keptIn(place.home)).not.toContain(SECRET);
  // It is brought again by what was kept.
  const env = { ...npm(place), [id]: "other" };
  const updated = await place.runAlone(["update", "tickets", "--yes"], { env });
  expect(updated).toMatchObject({ code: 0, stdout: "tickets is up to date: tickets@1.0.0\n" });
});

it("a secret for a plugin's server is kept for the person alone, and in no repository", async () => {
  const place = createSharedWorkplace();
  place.file("kit/.claude-plugin/plugin.json", '{"name":"kit"}');
  place.file("kit/.mcp.json", '{"mcpServers":{"tickets":{"command":"npx","args":["-y","tickets"]}}}');
  const added = await add(place, "./kit", "--env", `TICKET_TOKEN=${SECRET}`, "--team");
  expect(added.stdout).not.toContain(SECRET);
  expect(manifestOf(place, "kit-tickets")).toContain('id = "TICKET_TOKEN"');
  expect(keptIn(place.home)).not.toContain(SECRET);
  const shared = readFileSync(join(place.cwd, ".indus/packages.lock"), "utf8");
  expect(JSON.parse(shared).packages.kit.options.env).toEqual({ TICKET_TOKEN: `\${TICKET_TOKEN}` });
});

it("a secret is also found where it is quoted, and a path that looks like one stays", async () => {
  const place = createSharedWorkplace();
  place.file("srv/main.mjs", MCP_SERVER);
  const quoted = `it's "${SECRET}`;
  const line = `mcp:node srv/main.mjs --ticket-token "it's \\"${SECRET}" --ticket-password srv`;
  const added = await add(place, line, "--name", "tickets");
  expect(added.stdout).toContain(`from  │ ${join(place.cwd, "srv")}\n`);
  expect(added.stdout).not.toContain(SECRET);
  expect(manifestOf(place, "tickets")).not.toContain(quoted.slice(4));
  expect(keptIn(place.home)).not.toContain(SECRET);
});

it("a server that is known to keep its state next to its program gets a place for it, unless the person names one", async () => {
  const place = createSharedWorkplace();
  await add(place, "mcp:npx -y @modelcontextprotocol/server-memory");
  expect(manifestOf(place, "memory")).toContain(`MEMORY_FILE_PATH = "\${HOME}/memory.jsonl"`);
  const own = `MEMORY_FILE_PATH=\${HOME}/own.jsonl`;
  await add(place, "mcp:npx -y @modelcontextprotocol/server-memory", "--name", "mine", "--env", own);
  expect(manifestOf(place, "mine")).toContain(`MEMORY_FILE_PATH = "\${HOME}/own.jsonl"`);
});

it("the time to start is a flag, and what does not fit one is said", async () => {
  const place = createSharedWorkplace();
  expect(await add(place, "mcp:npx -y tickets", "--start-seconds", "200")).toMatchObject({ code: 0 });
  expect(manifestOf(place, "tickets")).toContain("\nstart-seconds = 200\n");
  const refused = async (...args: readonly string[]): Promise<unknown> => {
    const { code, stderr } = await add(place, ...args);
    return [code, stderr];
  };
  expect(await refused("mcp:npx -y tickets", "--start-seconds", "301")).toEqual([
    2,
    expect.stringContaining("--start-seconds 301: expected a whole number of seconds, from 1 to 300"),
  ]);
  expect(await refused("mcp:npx -y tickets", "--env", "HEADER")).toEqual([
    2,
    expect.stringContaining("--env HEADER: expected NAME=VALUE"),
  ]);
  expect(await refused("https://tickets.example.com/mcp", "--env", "A=b")).toEqual([
    expect.any(Number),
    expect.stringContaining(
      "--env is for a server that indus starts, and https://tickets.example.com/mcp is an",
    ),
  ]);
  expect(await refused("mcp:env -i npx -y tickets")).toEqual([
    expect.any(Number),
    expect.stringContaining("of env, only variables are understood"),
  ]);
  place.file("plain/manifest.toml", 'id = "plain"\n[[prompt]]\ntext = "x"\n');
  expect(await refused("./plain", "--env", "A=b")).toEqual([
    expect.any(Number),
    expect.stringContaining("--env and --start-seconds are for MCP servers"),
  ]);
});

it("npm's server-memory remembers after one add and one answer", {
  ...LONG_ONLY,
  timeout: INSTALL_MS,
}, async (context) => {
  const entities = [{ name: "Ada", entityType: "person", observations: ["counts"] }];
  const turns: ScriptedTurn[] = [
    { text: "On it.", calls: [{ name: "mcp__memory__create_entities", input: { entities } }] },
    { text: "Done." },
    { text: "On it.", calls: [{ name: "mcp__memory__read_graph", input: {} }] },
  ];
  const place = await createServedWorkplace(() => turns.shift() ?? { text: "Done." });
  const line = "mcp:npx -y @modelcontextprotocol/server-memory@2026.8.31";
  const added = await place.runAlone(["add", line, "--yes"], {
    env: registryEnvironment(),
    deadlineMs: INSTALL_MS,
  });
  const problem = unreachableRegistry(added);
  if (problem !== undefined) context.skip(problem);
  expect(added).toMatchObject({ code: 0, stderr: "" });
  await place.run(FLAGS);
  await place.run(FLAGS);
  const outcomes = place
    .logs()
    .flatMap(place.entriesOf)
    .filter((entry) => entry.type === "tool");
  expect(outcomes.map(({ state, text }) => [state, text])).toContainEqual([
    "ok",
    expect.stringContaining("Ada"),
  ]);
});

it("a server that cannot reach its service when it starts is told of with what to grant", async () => {
  const place = createSharedWorkplace();
  const starts = `try { await fetch("https://tickets.invalid"); } catch { console.error("Error: fetch failed"); process.exit(1); }`;
  place.file("srv/main.mjs", `${starts}\n`);
  const without = await add(place, "mcp:node srv/main.mjs", "--name", "tickets");
  expect(without.code).toBe(1);
  expect(without.stdout).toContain("it was granted no host: if it asks a service when it starts, remove it");
});
