// What a person keeps in a folder next to what they add from it: keys and passwords stay where they are, whichever way it is brought, and
// the report names them.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { commandWithout } from "../support/guard-off.ts";
import { createSharedWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { MCP_SERVER, mcpManifest } from "../support/mcp-server.ts";
import { packageArchive } from "../support/package-registry.ts";
import { createServedShared, createServedWorkplace } from "../support/served-workplace.ts";

const VALUE = ["sk", "ant", "made0123456789abcdef"].join("-");
const SERVER = { command: "node", args: ["./server.mjs"], env: { API_KEY: VALUE } };
const CONFIG = JSON.stringify({ mcpServers: { tickets: SERVER } });
const LINE = "-".repeat(5);
const KEY = `${LINE}${["BEGIN", "PRIVATE", "KEY"].join(" ")}${LINE}\n${VALUE}\n`;
const PRIVATE: Readonly<Record<string, string>> = {
  ".env": `A=${VALUE}`,
  ".env.local": `A=${VALUE}`,
  ".mcp.json": CONFIG,
  ".npmrc": `//x.example.com/:_authToken=${VALUE}`,
  ".vscode/mcp.json": CONFIG,
  "certs/server.pem": KEY,
  "deep/.env": `A=${VALUE}`,
  id_rsa: KEY,
};
const KEPT: Readonly<Record<string, string>> = {
  ".env.example": "A=",
  "certs/ca.pem": "-----BEGIN CERTIFICATE-----\n",
  "server.mjs": MCP_SERVER.replace("readFileSync(path", "readFileSync(new URL(path, import.meta.url)"),
};
const REPORTED = "private files are not copied: .env, .env.local, .mcp.json, .npmrc, .vscode/mcp.json, …";
/** The same where `.mcp.json` was read for what is added. */
const OTHERS_REPORTED =
  "private files are not copied: .env, .env.local, .npmrc, .vscode/mcp.json, certs/server.pem, …";

function fill(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries({ ...PRIVATE, ...KEPT, ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** The files in the home that hold the value, but the person's own store of secrets. */
function holding({ home }: Workplace): readonly string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => path !== join(home, "secrets.json"))
    .filter((path) => readFileSync(path).includes(VALUE));
}

const ADDON = { "manifest.toml": mcpManifest().replace("server.mjs", "./server.mjs") };
const PLUGIN = {
  ".claude-plugin/plugin.json": '{"name":"kit"}',
  "skills/s/SKILL.md": "---\ndescription: d\n---\n",
};

it.each<readonly [what: string, files: Readonly<Record<string, string>>, source: string, named: string]>([
  ["a server that a file lists", {}, ".mcp.json#tickets", OTHERS_REPORTED],
  ["a server's command line", {}, "mcp:node ./server.mjs", REPORTED],
  ["an addon's folder", ADDON, ".", REPORTED],
  ["a plugin's folder, whose own list of servers it is", PLUGIN, ".", OTHERS_REPORTED],
])("a private file is not copied with %s, and is named", async (_, files, source, reported) => {
  const place = createSharedWorkplace();
  fill(place.cwd, files);
  const named = files === ADDON ? [] : ["--name", "kit"]; // an addon has a name of its own
  const { code, stdout } = await place.run(["add", source, "--yes", ...named]);
  expect(stdout).toContain(reported);
  expect(stdout).toContain("--secret NAME");
  expect(holding(place)).toEqual([]);
  const kept = readdirSync(join(place.home, "packages"), { recursive: true, encoding: "utf8" });
  for (const path of Object.keys(KEPT))
    expect(kept.filter((each) => each.endsWith(`/${path}`))).not.toEqual([]);
  expect(code).toBeLessThan(2); // the server may lack the secret that it now requests
});

it.each([
  ["is added", ["add", ".mcp.json#tickets", "--yes"]],
  ["is used for one run", ["-p", "go", "--model", "anthropic/scripted", "--mcp-config", ".mcp.json"]],
])("the file that lists a server is not told as left out when the server %s", async (_, args) => {
  const place = await createServedShared([{ text: "ok" }]);
  place.file(".mcp.json", CONFIG);
  place.file("server.mjs", KEPT["server.mjs"] ?? "");
  const { stdout, stderr } = await place.run(args);
  const kept = readdirSync(place.home, { recursive: true, encoding: "utf8" });
  expect(kept.filter((path) => path.endsWith("/tickets/server.mjs"))).toHaveLength(1);
  expect(kept.filter((path) => path.endsWith("/.mcp.json"))).toEqual([]);
  expect(stdout + stderr).not.toContain("private files");
});

it("a private file is not unpacked from an archive on this machine, and is named", async () => {
  const place = createSharedWorkplace();
  writeFileSync(
    join(place.cwd, "kit.tgz"),
    packageArchive({ ...PRIVATE, ...KEPT, ...ADDON, "package.json": '{"name":"kit"}' }),
  );
  const { stdout } = await place.run(["add", "./kit.tgz", "--yes"]);
  expect(stdout).toContain(REPORTED);
  expect(holding(place)).toEqual([]);
});

const READS = ["-p", "go", "--model", "anthropic/scripted", "--permission-mode", "bypass"];
const CALL = { name: "mcp__tickets__reads", input: { path: ".env" } };

/** What a confined server of `--mcp-config` finds in its folder's `.env`. */
async function readBy(command?: string): Promise<string> {
  const place = await createServedWorkplace(
    (_, at) => (at === 0 ? { text: "On it.", calls: [CALL] } : { text: "Done." }),
    command === undefined ? {} : { command },
  );
  fill(place.cwd, {});
  const { env: _, ...plain } = SERVER;
  const config = JSON.stringify({ mcpServers: { tickets: plain } });
  const { stderr } = await place.run([...READS, "--mcp-config", config, "--grant", "tickets"]);
  if (command === undefined) expect(stderr).toContain(REPORTED);
  const found = place.entries().flatMap((entry) => (entry.type === "tool" ? [entry.text] : []));
  return found.join("\n");
}

it("a server of --mcp-config cannot read the private files of the folder that it was started in", async () => {
  expect(await readBy()).toContain("ENOENT");
});

it("a server reads them where nothing takes them away", LONG_ONLY, async () => {
  const command = commandWithout([
    {
      file: "parts/packages/staged-package.ts",
      guard: "const left = privateFilesIn(fetched.folder);",
      instead: "const left: string[] = [];",
    },
  ]);
  expect(await readBy(command)).toContain(VALUE);
});
