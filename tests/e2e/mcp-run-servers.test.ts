// `--mcp-config`: MCP servers for one run, from a file or from the command line.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { toolName } from "../../packages/induscode/src/addons/runners/mcp/mcp-names.ts";
import { commandWithout } from "../support/guard-off.ts";
import type { Workplace, WorkplaceOptions } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { MCP_SERVER, mcpManifest } from "../support/mcp-server.ts";
import {
  createServedShared,
  createServedWorkplace,
  type ServedWorkplace,
} from "../support/served-workplace.ts";

const FLAGS = ["-p", "go", "--model", "anthropic/scripted", "--permission-mode", "bypass"];
const CALL = { name: "mcp__tickets__say", input: { words: "hello" } };
const TICKETS = { command: "node", args: ["tools/server.mjs"] };

async function place(): Promise<ServedWorkplace> {
  const made = await createServedShared((_, at) =>
    at === 0 ? { text: "On it.", calls: [CALL] } : { text: "Done." },
  );
  made.file("tools/server.mjs", MCP_SERVER);
  return made;
}

const outcomes = (made: Workplace): readonly string[] =>
  made.entries().flatMap((entry) => (entry.type === "tool" ? [entry.text] : []));

it.each([
  ["a file", "servers.json"],
  ["the command line", JSON.stringify({ mcpServers: { tickets: TICKETS } })],
])("has the servers of %s, for this run only", async (_, value) => {
  const made = await place();
  made.file("servers.json", JSON.stringify({ mcpServers: { tickets: TICKETS } }));
  const { code, stderr } = await made.run([...FLAGS, "--mcp-config", value, "--grant", "tickets"]);
  expect([code, outcomes(made)]).toEqual([0, ["it says hello"]]);
  expect(stderr).not.toMatch(/^indus: /m);
  expect((await made.run(["mcp"])).stdout).toContain("No MCP servers here");
  expect(readdirSync(join(made.home)).includes("packages.lock")).toBe(false);
});

it("keeps a server once, however many runs bring it at the same time, and again where its files changed", async () => {
  const made = await place();
  const line = [
    ...FLAGS,
    "--mcp-config",
    JSON.stringify({ mcpServers: { tickets: TICKETS } }),
    "--grant",
    "tickets",
  ];
  const runs = await Promise.all([0, 1, 2].map(() => made.run(line)));
  expect(runs.map(({ code, stderr }) => [code, stderr.match(/^indus: .*/gm)])).toEqual(
    runs.map(() => [0, null]),
  );
  const kept = (): readonly string[] => readdirSync(join(made.home, "cache/servers"));
  expect(kept()).toHaveLength(1);
  made.file("tools/server.mjs", `${MCP_SERVER}\n// of today`);
  expect((await made.run(line)).code).toBe(0);
  expect(kept()).toHaveLength(2); // a session that still runs the other one keeps it
  expect(readdirSync(join(made.home, "packages")).filter((name) => name.startsWith(".new-"))).toEqual([]);
});

it("starts none that was not agreed to, which is said", async () => {
  const made = await place();
  const config = ["--mcp-config", JSON.stringify({ mcpServers: { tickets: TICKETS } })];
  const { stderr } = await made.run([...FLAGS, ...config]);
  expect(stderr).toMatch(/tickets.* is not trusted/);
  expect(outcomes(made)[0]).toContain('no tool called "mcp__tickets__say"');
});

it("of a name that begins like another's are not what a rule about that one's tools is about", async () => {
  const names = ["tickets", "tickets._x", "tickets.x"];
  const calls = names.map((id) => ({ name: toolName(id, "say"), input: { words: id } }));
  const made = await createServedShared((_, at) => (at === 0 ? { calls } : { text: "Done." }));
  made.file("tools/server.mjs", MCP_SERVER);
  const mcpServers = Object.fromEntries(names.map((name) => [name, TICKETS]));
  await made.run([
    ...["-p", "go", "--model", "anthropic/scripted", "--permission-mode", "ask"],
    ...["--mcp-config", JSON.stringify({ mcpServers }), "--deny", "mcp__tickets__*"],
    ...names.flatMap((name) => ["--grant", name]),
  ]);
  const passed = made.entries().flatMap((entry) => (entry.type === "tool" ? [entry.state === "ok"] : []));
  expect(passed).toEqual([false, true, true]);
});

it("says what another one of that name costs", async () => {
  const made = await place();
  made.file(".indus/addons/tickets/manifest.toml", 'id = "tickets"\n[run]\nmcp = ["node", "server.mjs"]\n');
  made.file(".indus/addons/tickets/server.mjs", MCP_SERVER);
  const config = ["--mcp-config", JSON.stringify({ mcpServers: { tickets: TICKETS } })];
  const { stdout } = await made.run(["mcp", ...config, "--grant", "tickets"]);
  expect(stdout).toMatch(/^user:tickets {2}\w+, 0 tools/m);
  expect(stdout).toMatch(/tool mcp__tickets__\w+ is left out: .*project:tickets/);
  expect(stdout).toMatch(/and \d+ more: indus addons/);
});

it.each([
  ["no.json", "there is no"],
  ["{oops", "its value is not JSON"],
  ["{}", "lists no MCP servers"],
  ['{"mcpServers":{"x":{"command":"docker","args":["run","y"]}}}', "starts a container"],
  ['{"mcpServers":{"x":{"command":"node","args":["none.js"]}}}', "there is no "],
])("ends the run where it is not what was expected: %s", async (value, why) => {
  const made = await place();
  const { code, stderr } = await made.run([...FLAGS, "--mcp-config", value]);
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining(why)]);
  expect(made.server.requests).toEqual([]);
});

const SECRET = "sk-live-0123456789abcdef0123";
const OTHERS = "sk-live-9876543210fedcba9876";

/**
 * What two servers say of their variables: `tickets`, with the variables of `--mcp-config`, and the person's own addon `mine`, which was
 * granted the secret TICKET_TOKEN.
 */
async function variables(env: object, { person = {}, command }: Variables = {}) {
  const names = ["tickets", "mine"];
  const calls = names.map((id) => ({ name: toolName(id, "token"), input: {} }));
  const options: WorkplaceOptions = command === undefined ? { isShared: true } : { command };
  const made = await createServedWorkplace(
    (_, at) => (at % 2 === 0 ? { calls } : { text: "Done." }),
    options,
  );
  made.file("tools/server.mjs", MCP_SERVER);
  made.file(".indus/addons/mine/server.mjs", MCP_SERVER);
  made.file(".indus/addons/mine/manifest.toml", mcpManifest().replace('"tickets"', '"mine"'));
  const run = async (ofFile: object): Promise<readonly string[]> => {
    made.file("servers.json", JSON.stringify({ mcpServers: { tickets: { ...TICKETS, env: ofFile } } }));
    const grants = names.flatMap((name) => ["--grant", name]);
    await made.run([...FLAGS, "--mcp-config", "servers.json", ...grants], { env: person });
    return outcomes(made).slice(-2);
  };
  return { made, run, said: await run(env) };
}

interface Variables {
  readonly person?: Readonly<Record<string, string>>;
  readonly command?: string;
}

/** Everything in a folder. */
function contentOf(folder: string): string {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => join(folder, path));
  return paths.flatMap((path) => (statSync(path).isFile() ? [readFileSync(path, "utf8")] : [])).join("\n");
}

it("a secret that is written out is the server's without anybody exporting it, and kept nowhere", async () => {
  const { made, run, said } = await variables({ TICKET_TOKEN: SECRET, HEADER: "plain" });
  expect(said[0]).toMatch(/^the token is \[secret TICKET_TOKEN_[0-9A-F]{8}\], plain$/);
  expect(contentOf(made.home)).not.toContain(SECRET);
  // A value that changes is another value, and the same server.
  expect(await run({ TICKET_TOKEN: OTHERS, HEADER: "plain" })).toEqual(said);
  expect(readdirSync(join(made.home, "cache/servers"))).toHaveLength(1);
  expect(contentOf(made.home)).not.toContain(OTHERS);
});

it("nobody else has it, and its server has no secret of the person's that is called the same", async () => {
  const own = await variables({ TICKET_TOKEN: SECRET }, { person: { TICKET_TOKEN: OTHERS } });
  expect(own.said).toEqual([
    expect.stringMatching(/^the token is \[secret TICKET_TOKEN_[0-9A-F]{8}\], /),
    "the token is [secret TICKET_TOKEN], Bearer [secret TICKET_TOKEN]",
  ]);
  const { said } = await variables({ TICKET_TOKEN: SECRET });
  expect(said[1]).not.toContain("the token is");
});

it(
  "the twin: under the name that it has in the file, whoever was granted that name has it",
  LONG_ONLY,
  async () => {
    const command = commandWithout([
      {
        file: "parts/packages/kept-servers.ts",
        guard: `keep(\`\${wanted}_\${mark}\`, value)`,
        instead: "(void mark, keep(wanted, value))",
      },
    ]);
    const { said } = await variables({ TICKET_TOKEN: SECRET }, { command });
    expect(said[1]).toBe("the token is [secret TICKET_TOKEN], Bearer [secret TICKET_TOKEN]");
  },
);
