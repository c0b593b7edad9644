// `indus addons search`, through the real command: over the index that is in this repository, a file, and an address on loopback.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createWorkplace } from "../support/indus.ts";

const OURS = join(import.meta.dirname, "../../docs/addons-index.json");

it("finds what has the word, and says how to add it", async () => {
  const place = createWorkplace();
  const found = await place.run(["addons", "search", "files", "--index", OURS]);
  expect(found).toMatchObject({ code: 0, stderr: "" });
  expect(found.stdout).toBe(
    "server-filesystem: An MCP server that reads and writes files of the workspace.\n" +
      "  indus add mcp:'npx -y @modelcontextprotocol/server-filesystem $" +
      "{workspaceFolder}'\n",
  );
  expect(await place.run(["addons", "search", "nothing-like-it", "--index", OURS])).toMatchObject({
    code: 1,
  });
});

it("looks where the setting says; rows that do not fit are left out, and what is no index is said", async () => {
  const rows = [{ name: "greeter", source: "npm:greeter" }, { name: 7 }, "x"];
  const server = createServer((_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ version: 1, addons: rows }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const place = createWorkplace();
  expect((await place.run(["addons", "search", "greet"])).stderr).toContain("no index of addons is set");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/index.json`;
  place.settings({ localServers: [], addonsIndex: address });
  const found = await place.run(["addons", "search", "greet"]);
  expect(found.stdout).toBe("greeter\n  indus add npm:greeter\n");
  expect(found.stderr).toContain("2 rows of ");
  place.file("other.json", "[]");
  expect((await place.run(["addons", "search", "x", "--index", "other.json"])).stderr).toContain(
    "other.json is not an index of addons",
  );
});
