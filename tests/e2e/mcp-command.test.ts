// `indus mcp` and what a console says of MCP servers, through the real command.

import { expect, it } from "vitest";
import { MCP_SERVER, mcpManifest } from "../support/mcp-server.ts";
import { createServedShared, type ServedWorkplace } from "../support/served-workplace.ts";

const HOW = { env: { TICKET_TOKEN: "sesame-for-tickets-4711" } };
const GRANT = ["--grant", "tickets"];

async function place(server = MCP_SERVER): Promise<ServedWorkplace> {
  const made = await createServedShared(() => ({ text: "Done." }));
  made.file(".indus/addons/tickets/manifest.toml", mcpManifest());
  made.file(".indus/addons/tickets/server.mjs", server);
  return made;
}

it("lists each server with what starts it, its state, its tools and their cost", async () => {
  const made = await place();
  const { code, stdout } = await made.run(["mcp", ...GRANT], HOW);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(
      /^project:tickets {2}\w+, \d+ tools and resources, about \d+ tokens of each request\n {2}the MCP server "node" "server.mjs" "changed".*\n {2}.*\.indus\/addons\/tickets\n/,
    ),
  ]);
  const { servers } = JSON.parse((await made.run(["mcp", "list", "--json", ...GRANT], HOW)).stdout);
  expect(servers).toMatchObject([{ name: "tickets", hasResources: true, isDeferred: false }]);
});

it("says which one is not trusted, and that there is none", async () => {
  const made = await place();
  expect((await made.run(["mcp"], HOW)).stdout).toMatch(
    /^No MCP server runs here:\nskipped: .*tickets.*not trusted/s,
  );
  const none = await createServedShared(() => ({ text: "Done." }));
  expect((await none.run(["mcp"], HOW)).stdout).toMatch(/^No MCP servers here\. To add one: [^\n]+\n$/);
});

it("says that a dead one is here and does not run", async () => {
  const made = await place('console.error("no licence"); process.exit(3);');
  expect((await made.run(["mcp", ...GRANT], HOW)).stdout).toMatch(
    /^No MCP server runs here:\nproblem: [^\n]*tickets[^\n]*the server ended with code 3 before it answered: no licence/,
  );
});

it("doctor names each server of a client's file that was not added, and no other", async () => {
  const made = await place();
  made.file("srv/main.mjs", MCP_SERVER);
  const server = { command: "node", args: ["srv/main.mjs"] };
  made.file(".mcp.json", JSON.stringify({ mcpServers: { one: server, two: server, three: server } }));
  const told = async (): Promise<string | undefined> =>
    /^ {2}(\.mcp\.json is not used: .*)$/m.exec((await made.run(["doctor"], HOW)).stdout)?.[1];
  expect(await told()).toBe(".mcp.json is not used: 3 MCP servers");
  expect(await made.run(["add", ".mcp.json#two", "--yes"], HOW)).toMatchObject({ code: 0 });
  expect(await told()).toBe(".mcp.json is not used: 2 MCP servers");
  await made.run(["add", ".mcp.json#one", "--yes"], HOW);
  await made.run(["add", ".mcp.json#three", "--yes"], HOW);
  expect(await told()).toBeUndefined();
  made.file(".gemini/settings.json", JSON.stringify({ mcpServers: { four: server } }));
  expect((await made.run(["doctor"], HOW)).stdout).toMatch(
    /\.gemini\/settings\.json is not used: mcpServers\n {4}instead: .*indus add FILE adds its MCP servers/,
  );
});

it("lists the tools of one, whole as JSON", async () => {
  const made = await place();
  const { stdout } = await made.run(["mcp", "tools", "tickets", ...GRANT], HOW);
  expect(stdout).toMatch(/^mcp__tickets__say {2}about \d+ tokens {2}Does say\.$/m);
  const { tools } = JSON.parse((await made.run(["mcp", "tools", "tickets", "--json", ...GRANT], HOW)).stdout);
  expect(tools).toContainEqual(
    expect.objectContaining({ name: "mcp__tickets__say", parameters: expect.anything() }),
  );
  const wrong = await made.run(["mcp", "tools", "ticket", ...GRANT], HOW);
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('did you mean "tickets"?')]);
});

it("tests one that nobody trusts yet, in its sandbox: its tools, resources and prompts", async () => {
  const made = await place();
  const { code, stdout } = await made.run(["mcp", "test", "tickets"], HOW);
  expect([code, stdout]).toEqual([0, expect.stringContaining("tickets works here.")]);
  for (const row of [
    /^sandbox +/m,
    /^tools +mcp__tickets__questions, /m,
    /^resources notes:\/\/1 - notes/m,
    /^prompts +\S*review/m,
  ])
    expect(stdout).toMatch(row);
  expect((await made.run(["mcp"], HOW)).stdout).toContain("not trusted");
});

it("says why one does not start, with what it wrote last", async () => {
  const made = await place('console.error("no licence"); process.exit(3);');
  const { code, stdout } = await made.run(["mcp", "test", "tickets"], HOW);
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^wrong +.*ended with code 3.*no licence/m)]);
  expect(stdout).toContain("tickets does not work here yet.");
});

it("a console says the same, and what of it is in the model's window", async () => {
  const made = await place();
  made.settings({ localServers: [], addons: { grant: ["tickets"], toolBytes: 100 } });
  const flags = ["--model", "anthropic/scripted", "--permission-mode", "bypass", ...GRANT];
  const { stdout } = await made.run(flags, { ...HOW, stdin: "hello\n/mcp\n/context\n/quit\n" });
  expect(stdout).toMatch(
    /project:tickets {2}\w+, \d+ tools and resources, listed by name and loaded when needed/,
  );
  expect(stdout).toMatch(
    /Listed by name only: \d+ tools of tickets\. Their definitions, about \d+ tokens, are loaded when needed\./,
  );
});
