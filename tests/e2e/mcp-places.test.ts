// Where an MCP server may not write: the model reads why, and what to do, beside the server's own words.

import { join } from "node:path";
import { expect, it } from "vitest";
import { serverManifest } from "../support/odd-mcp-server.ts";
import { createServedShared } from "../support/served-workplace.ts";

/** Its one tool writes a file and answers with what the system says. */
const SERVER = `
import { mkdirSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
const attempt = ({ path, folder }) => {
  try { folder ? mkdirSync(path, { recursive: true }) : writeFileSync(path.replace("OWN", process.cwd()), "x"); return "done"; }
  catch (error) { return error.message; }
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const results = {
    initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
    "tools/list": () => ({ tools: [{ name: "put", inputSchema: { type: "object" } }] }),
    "tools/call": () => ({ content: [{ type: "text", text: attempt(params.arguments) }] }),
  };
  if (id === undefined) return;
  const made = results[method]?.();
  const answer = made ? { result: made } : { error: { code: -32601, message: "unknown" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
});
`;
const FILES = '[[capability]]\nkind = "files"\nread = true\nwrite = true\nreason = "x"\n';

it("is said in one line: its own folder, the top of the workspace; elsewhere it writes", async () => {
  const place = await createServedShared((_, at) => {
    const inputs = [
      { path: "OWN/state.json" },
      { path: join(place.cwd, "AGENTS.md") },
      { path: join(place.cwd, "old.txt") },
      { path: join(place.cwd, "src/new.txt") },
    ];
    const calls = inputs.map((input) => ({ name: "mcp__places__put", input }));
    return at === 0 ? { text: "On it.", calls } : { text: "Done." };
  });
  place.file("old.txt", "");
  place.file("AGENTS.md", "");
  place.file("src/a.txt", "");
  place.file(".indus/addons/places/server.mjs", SERVER);
  place.file(".indus/addons/places/manifest.toml", serverManifest("places", ["node", "server.mjs"], FILES));
  const flags = ["--model", "anthropic/scripted", "--permission-mode", "bypass", "--grant", "places"];
  await place.run(["-p", "go", ...flags]);
  const texts = place.entries().flatMap((entry) => (entry.type === "tool" ? [entry.text] : []));
  expect(texts).toEqual([
    expect.stringMatching(
      /^E[^\n]+\n\[The server cannot write into its package's own folder; .*--env NAME='\$\{HOME\}\/FILE'\]$/,
    ),
    expect.stringMatching(/^E[^\n]+\n\[Directly in the workspace's top folder, a server can make, /),
    "done",
    "done",
  ]);
});
