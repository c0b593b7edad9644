// An MCP server that did not start the last time, through the real command: the next start does not wait for it, says why, and has its tools
// when it answers after all.

import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { listingServer } from "../support/listing-mcp-server.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { serverManifest } from "../support/odd-mcp-server.ts";
import { openPlainConsole } from "../support/open-console.ts";

const FAILS = "the server ended with code 5 before it answered: no database";
const AGAIN = `tool all of its tools: at its last start, ${FAILS}. It is tried again beside the session`;
const FILES = '[[capability]]\nkind = "files"\nread = true\nreason = "x"\n';

/** With a server that has ended once, and then hangs; with the file `works` beside it, it works. */
async function failedOnce(): Promise<Workplace> {
  const place = createWorkplace();
  place.file(".indus/addons/srv/manifest.toml", serverManifest("srv", ["node", "server.mjs"], FILES));
  const [dies, works] = ["dies", "works"].map((name) => JSON.stringify(join(place.cwd, name)));
  place.file(
    ".indus/addons/srv/server.mjs",
    `import { existsSync } from "node:fs";
if (existsSync(${dies})) { console.error("no database"); process.exit(5); }
${listingServer('() => ({ tools: [tool("go")] })', `if (!existsSync(${works})) return;`)}`,
  );
  place.file("dies", "");
  const { stdout } = await place.run(["addons", "--grant", "srv"]);
  expect(stdout).toContain(FAILS);
  rmSync(join(place.cwd, "dies"));
  return place;
}

it("is not waited for, which each start says with the reason, and hangs beside it", async () => {
  const place = await failedOnce();
  const { code, stdout } = await place.run(["addons", "--grant", "srv"]);
  expect([code, stdout.replace(/\s+/g, " ")]).toEqual([0, expect.stringContaining(AGAIN)]);
});

it("is waited for where nothing may work without it, and without that memory (twin)", LONG_ONLY, async () => {
  const place = await failedOnce();
  place.file("works", "");
  const settings = join(place.home, "settings.json");
  writeFileSync(settings, JSON.stringify({ addons: { required: ["srv"] } }));
  expect((await place.run(["addons", "--grant", "srv"])).stdout).toContain("mcp__srv__go");
  rmSync(settings);
  const cache = join(place.home, "cache/registrations");
  for (const name of readdirSync(cache)) rmSync(join(cache, name));
  expect((await place.run(["addons", "--grant", "srv"])).stdout).toContain("mcp__srv__go");
});

it("has its tools in the running session once it answers, and at once in the next", async () => {
  const place = await failedOnce();
  place.file("works", "");
  const script = [{ calls: [{ name: "mcp__srv__go", input: {} }] }, { text: "Done." }];
  const args = ["--model", "anthropic/scripted", "--permission-mode", "bypass", "--grant", "srv"];
  const { type, waitFor } = await openPlainConsole(script, { place, args });
  await waitFor(/at its last start/);
  await waitFor("its server has changed its tools: mcp__srv__go is new");
  type("go\r");
  await waitFor("Done.");
  const calls = place.entries().filter((entry) => entry.type === "tool");
  expect(calls.map(({ state, text }) => [state, text])).toEqual([["ok", "go works"]]);
  const next = await place.run(["addons", "--grant", "srv"]);
  expect(next.stdout).toContain("mcp__srv__go");
});

it("is there at the next start once `indus mcp test` has seen it work", LONG_ONLY, async () => {
  const place = await failedOnce();
  place.file("works", "");
  const tested = await place.run(["mcp", "test", "srv"]);
  expect([tested.code, tested.stdout]).toEqual([0, expect.stringContaining("srv works here.")]);
  const { stdout } = await place.run(["addons", "--grant", "srv"]);
  expect(stdout).toMatch(/tools +mcp__srv__go/);
  expect(stdout).not.toContain("at its last start");
});
