// MCP servers where only Landlock is there; with bubblewrap tests/e2e/mcp-servers plays them.

import { readFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { MCP_SERVER, mcpManifest } from "../../../../../tests/support/mcp-server.ts";
import { lacksLevel } from "../../../../../tests/support/needs.ts";
import { createFolder, sourceAt } from "../../../../../tests/support/test-folder.ts";
import { sandboxAt } from "../../../../../tests/support/test-levels.ts";
import type { LoadedAddon } from "../contract.ts";
import { hashAddon } from "../source/content-hash.ts";
import { parseManifest } from "../source/manifest.ts";
import { describeMcp } from "./mcp.ts";
import { createTieredLoader } from "./tiered-loader.ts";

const sandbox = sandboxAt("landlock");
const hasLandlock = sandbox.strong() !== undefined;

const network = (isRequired: boolean): string =>
  `[[capability]]\nkind = "network"\npurpose = "x"\nhosts = ["a.invalid"]\nreason = "x"\nrequired = ${isRequired}\n`;

async function load(more: string): Promise<LoadedAddon> {
  const workspace = createFolder({ "t/manifest.toml": mcpManifest(more), "t/server.mjs": MCP_SERVER });
  const facts = {
    workspace,
    home: createFolder(),
    env: { TICKET_TOKEN: "x" },
    requireSandbox: true,
    sandbox,
  };
  const source = sourceAt(`${workspace}/t`);
  const addon = await createTieredLoader(facts).load(source, { hash: hashAddon(source.root), grants: [] });
  onTestFinished(() => addon.dispose?.());
  return addon;
}

it.each(["git__hub", "git_"])(
  "the id %s, which a permission rule would read as another server, is refused",
  async (id) => {
    const folder = createFolder({
      "manifest.toml": mcpManifest().replace("tickets", id),
      "server.mjs": MCP_SERVER,
    });
    const { descriptor } = await parseManifest(
      readFileSync(`${folder}/manifest.toml`, "utf8"),
      "manifest.toml",
    );
    expect(() => describeMcp(sourceAt(folder), descriptor as never, { workspace: "/work", env: {} })).toThrow(
      `the id "${id}" has "__" or ends in "_", so permission rules would take its tools`,
    );
  },
);

it.each([
  ["its variables", "Bearer"],
  ["its arguments", "changed"],
])("a default for a credential in %s is refused, with what to write", async (_, word) => {
  const manifest = mcpManifest().replace(word, `\${MY_API_KEY:-x}`);
  const { descriptor } = await parseManifest(manifest, "manifest.toml");
  expect(() =>
    describeMcp(sourceAt(createFolder()), descriptor as never, { workspace: "/work", env: {} }),
  ).toThrow(`write \${MY_API_KEY}, and add [[capability]] with kind = "secret" and id = "MY_API_KEY"`);
});

it.skipIf(lacksLevel("landlock", hasLandlock))("with Landlock a server runs, without a network", async () => {
  const { grants } = await load(network(false));
  expect(grants).toContainEqual({ kind: "contribute_tool", name: "mcp__tickets__say" });
});

it.skipIf(lacksLevel("landlock", hasLandlock))(
  "with Landlock one that requires the network is refused",
  async () => {
    await expect(load(network(true))).rejects.toThrow(
      /needs the network, which only the bubblewrap sandbox can provide/,
    );
  },
);
