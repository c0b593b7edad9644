// Secrets in what is imported: they go to the person's own store with the one answer, and into nothing that is copied; and the forms in which
// another agent's file names its values.

import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { commandWithout } from "../support/guard-off.ts";
import {
  createSharedWorkplace,
  createWorkplace,
  type Workplace,
  type WorkplaceOptions,
} from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { MCP_SERVER } from "../support/mcp-server.ts";
import { createServedWorkplace } from "../support/served-workplace.ts";
import { createFolder } from "../support/test-folder.ts";

const SECRET = "sk-live-0123456789abcdef0123";
const OTHER = "sk-live-9876543210fedcba9876";
const FLAGS = ["-p", "go", "--model", "anthropic/scripted", "--permission-mode", "bypass"];
const named = (inner: string): string => `\${${inner}}`;

const add = (place: Workplace, ...args: readonly string[]) =>
  place.runAlone(["add", ...args, "--yes"], { env: { COLUMNS: "2000" } });
const storeOf = (place: Workplace): Record<string, { value: string; of: string[] }> => {
  const path = join(place.home, "secrets.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).secrets : {};
};
const valuesOf = (place: Workplace): Record<string, string> =>
  Object.fromEntries(Object.entries(storeOf(place)).map(([name, { value }]) => [name, value]));
const manifestOf = (place: Workplace, name: string): string =>
  readFileSync(join(place.home, "packages", name, "manifest.toml"), "utf8");

/** Everything below a folder that is text of ours or a package's, but the store of secrets. */
function keptIn(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path !== "secrets.json" && statSync(join(folder, path)).isFile())
    .map((path) => readFileSync(join(folder, path), "utf8"))
    .join("\n");
}

const SERVER = { command: "node", args: ["srv/main.mjs"] };
function listed(place: Workplace, servers: object, path = ".mcp.json"): void {
  place.file("srv/main.mjs", MCP_SERVER);
  place.file(path, JSON.stringify({ mcpServers: servers }));
}
/** A place whose model asks the server for its variables. */
const asking = (server: string, options: WorkplaceOptions = { isShared: true }) =>
  createServedWorkplace(
    (_, at) =>
      at === 0
        ? { text: "On it.", calls: [{ name: `mcp__${server}__token`, input: {} }] }
        : at === 1
          ? { text: "On it.", calls: [{ name: "bash", input: { command: "echo it is $TICKET_TOKEN." } }] }
          : { text: "Done." },
    options,
  );
const outcomesOf = (place: Workplace): readonly unknown[] =>
  place.entries().flatMap((entry) => (entry.type === "tool" ? [entry.text] : []));

it("a secret in a file is kept for the person with the one answer: the server has it, and nothing else", async () => {
  const place = await asking("tickets");
  listed(place, { tickets: { ...SERVER, env: { TICKET_TOKEN: SECRET, HEADER: "plain" } } });
  expect(await place.runAlone(["add", ".mcp.json"])).toMatchObject({ code: 3 });
  expect(existsSync(join(place.home, "secrets.json"))).toBe(false);
  const added = await add(place, ".mcp.json");
  expect(added).toMatchObject({ code: 0, stderr: "" });
  expect(added.stdout).toContain("it is kept for you as the secret TICKET_TOKEN");
  expect(added.stdout).not.toContain(SECRET);
  expect(storeOf(place)).toMatchObject({ TICKET_TOKEN: { value: SECRET, of: ["tickets"] } });
  expect(statSync(join(place.home, "secrets.json")).mode & 0o077).toBe(0);
  expect(keptIn(place.home)).not.toContain(SECRET);
  await place.run(FLAGS);
  expect(outcomesOf(place)).toEqual([
    "the token is [secret TICKET_TOKEN], plain",
    expect.stringContaining("it is ."),
  ]);
  expect((await place.run(["show", "tickets"])).stdout).toContain("TICKET_TOKEN is kept in secrets.json");
  await place.run(["remove", "tickets"]);
  expect(storeOf(place)).toEqual({});
});

it("a value that changes in the file is taken over by an update, and one that is gone there is forgotten", async () => {
  const place = createSharedWorkplace();
  listed(place, { tickets: { ...SERVER, env: { TICKET_TOKEN: SECRET } } });
  await add(place, ".mcp.json");
  listed(place, { tickets: { ...SERVER, env: { TICKET_TOKEN: OTHER } } });
  expect((await place.runAlone(["update", "tickets", "--yes"])).stdout).toContain(
    ", with another value of TICKET_TOKEN",
  );
  expect(valuesOf(place)).toEqual({ TICKET_TOKEN: OTHER });
  listed(place, { tickets: SERVER });
  expect(await place.runAlone(["update", "tickets", "--yes"])).toMatchObject({ code: 0 });
  expect(valuesOf(place)).toEqual({});
});

/** A server at an address to which its secret is sent, and which the file then exchanges. */
async function moved(options?: WorkplaceOptions) {
  const place = createWorkplace(undefined, options);
  const at = (port: number) => ({
    far: {
      type: "http",
      url: `http://127.0.0.1:${port}/mcp`,
      headers: { Authorization: `Bearer ${SECRET}` },
    },
  });
  listed(place, at(1));
  await add(place, ".mcp.json");
  listed(place, at(2));
  const all = await place.runAlone(["update", "--yes"]);
  return { place, all };
}

it("an update of all packages sends no secret to another host: that package is updated alone", async () => {
  const { place, all } = await moved();
  expect([all.code, all.stderr]).toEqual([
    1,
    expect.stringMatching(
      /far: it has FAR_AUTHORIZATION, and now asks for network .*port 2 of this machine.*, so it is updated alone: indus update far/,
    ),
  ]);
  expect(manifestOf(place, "far")).toContain("127.0.0.1:1/mcp");
  const declined = await place.runAlone(["update", "far"]);
  expect(declined.stdout).toMatch(/new +│ asks: network .*port 2 of this machine/);
  expect(manifestOf(place, "far")).toContain("127.0.0.1:1/mcp");
  await place.runAlone(["update", "far", "--yes"]);
  expect(manifestOf(place, "far")).toContain("127.0.0.1:2/mcp");
});

it("the twin: without the guard one yes for all sends it there", LONG_ONLY, async () => {
  const guard = "if (before && isForAll(line)) requireSameHosts(prepared, before);";
  const command = commandWithout([
    { file: "parts/packages/bring-package.ts", guard, instead: "void isForAll; void requireSameHosts;" },
  ]);
  const { place } = await moved({ command });
  expect(manifestOf(place, "far")).toContain("127.0.0.1:2/mcp");
});

it("two servers with a variable of one name have each its own value", async () => {
  const place = createSharedWorkplace();
  listed(place, {
    one: { ...SERVER, env: { TICKET_TOKEN: SECRET } },
    two: { ...SERVER, env: { TICKET_TOKEN: OTHER } },
  });
  expect(await add(place, ".mcp.json")).toMatchObject({ code: 0 });
  expect(valuesOf(place)).toEqual({ TICKET_TOKEN: SECRET, TICKET_TOKEN_2: OTHER });
  expect(manifestOf(place, "two")).toContain(`TICKET_TOKEN = "${named("TICKET_TOKEN_2")}"`);
});

const PLUGIN = {
  name: "kit",
  mcpServers: {
    tickets: {
      command: "node",
      args: [`${named("CLAUDE_PLUGIN_ROOT")}/main.mjs`, "--ticket-token", SECRET],
      env: { HEADER: "plain" },
    },
    far: { type: "http", url: `https://far.example.com/mcp?api_key=${OTHER}` },
  },
};

it.each([
  ["its manifest", ".claude-plugin/plugin.json", PLUGIN],
  ["a file that it names", "config/servers.json", PLUGIN.mcpServers],
])("a plugin's secrets in arguments, addresses and %s are in no copy of it", async (_, path, content) => {
  const place = createSharedWorkplace();
  const isInline = path.startsWith(".claude");
  place.file("kit/main.mjs", MCP_SERVER);
  place.file(
    "kit/.claude-plugin/plugin.json",
    JSON.stringify({ ...PLUGIN, mcpServers: isInline ? {} : `./${path}` }),
  );
  place.file(`kit/${path}`, JSON.stringify(content));
  const added = await add(place, "./kit");
  expect(added.stdout + added.stderr).not.toContain(SECRET);
  expect(keptIn(place.home)).not.toMatch(new RegExp(`${SECRET}|${OTHER}`));
  expect(valuesOf(place)).toEqual({ TICKETS_TICKET_TOKEN: SECRET, FAR_API_KEY: OTHER });
  expect(manifestOf(place, "kit-tickets")).toContain(`"${named("TICKETS_TICKET_TOKEN")}"`);
  expect(manifestOf(place, "kit-far")).toContain(`api_key=${named("FAR_API_KEY")}"`);
  await place.run(["remove", "kit"]);
  expect(storeOf(place)).toEqual({});
});

it("the twin: without the guard they are in the copy of the plugin", LONG_ONLY, async () => {
  const command = commandWithout([
    {
      file: "addons/author/cleaned-server.ts",
      guard: "return cleanedTable(table, { server, values, isVariables: false });",
      instead: "cleanedTable(table, { server, values, isVariables: false }); return table;",
    },
  ]);
  const place = createWorkplace(undefined, { command });
  place.file("kit/main.mjs", MCP_SERVER);
  place.file("kit/.claude-plugin/plugin.json", JSON.stringify(PLUGIN));
  await add(place, "./kit");
  expect(keptIn(place.home)).toContain(SECRET);
});

it("a key in a server's address is kept for the person, and not in the lock files", async () => {
  const place = createSharedWorkplace();
  const added = await add(place, `http://127.0.0.1:1/mcp?api_key=${SECRET}`, "--team");
  expect(added.stdout).toContain(`/mcp?api_key=${named("LOCAL_API_KEY")}`);
  expect(keptIn(place.home)).not.toContain(SECRET);
  expect(keptIn(place.cwd)).not.toContain(SECRET);
  expect(Object.values(valuesOf(place))).toEqual([SECRET]);
});

/** A repository over HTTP, which anybody can read. */
async function servedRepository(): Promise<string> {
  const folder = createFolder({
    "manifest.toml": 'id = "kit"\n[[command]]\nname = "kit"\nsummary = "x"\nprompt = "x"\n',
  });
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.com", ...args], {
      cwd: folder,
    });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "first");
  git("update-server-info");
  const server = createServer((request, response) => {
    const path = join(
      folder,
      ".git",
      new URL(request.url ?? "", "http://x").pathname.replace("/kit.git", ""),
    );
    const isThere = existsSync(path) && statSync(path).isFile();
    response.writeHead(isThere ? 200 : 404).end(isThere ? readFileSync(path) : "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}/kit.git`;
}

it("credentials in a repository's address are in no lock file, and the report says so", async () => {
  const place = createSharedWorkplace();
  const address = await servedRepository();
  const added = await add(place, `git+http://someone:${SECRET}@${address}`, "--team");
  expect(added).toMatchObject({ code: 0, stderr: "" });
  expect(added.stdout).toContain("the credentials in its address are kept nowhere");
  expect(keptIn(place.home)).not.toContain(SECRET);
  expect(readFileSync(join(place.cwd, ".indus/packages.lock"), "utf8")).not.toContain(SECRET);
  expect(readFileSync(join(place.home, "packages.lock"), "utf8")).toContain(`git+http://${address}`);
});

it("a variable with a default is the person's where it is set, and the default where it is not", async () => {
  const place = await asking("tickets");
  listed(place, {
    tickets: { ...SERVER, env: { HEADER: `${named("TICKET_MODE:-slow")}-${named("TICKET_SIZE:-big")}` } },
  });
  expect(await add(place, ".mcp.json")).toMatchObject({ code: 0, stderr: "" });
  await place.run(FLAGS, { env: { TICKET_MODE: "fast" } });
  expect(outcomesOf(place)[0]).toBe("the token is undefined, fast-big");
});

it("a variable with a default is not a way to a secret of the person's", async () => {
  const place = await asking("tickets");
  const asks = { HEADER: named("TICKET_PLACE:-none") };
  listed(place, {
    tickets: { ...SERVER, env: asks },
    other: { ...SERVER, env: { A: named("MY_API_KEY:-none") } },
  });
  expect(await add(place, ".mcp.json")).toMatchObject({ code: 0, stderr: "" });
  await place.run(FLAGS, { env: { TICKET_PLACE: `x${OTHER}`, MY_API_KEY: OTHER } });
  expect(outcomesOf(place)[0]).toBe("the token is undefined, none");
  expect(manifestOf(place, "other")).toMatch(/kind = "secret"\nid = "MY_API_KEY"/); // asked for by its name
});

const HELD = { other: { ...SERVER, env: { TICKET_PLACE: SECRET, HEADER: `key-${OTHER}` } } };
/** A server that another one's secrets are kept beside. */
async function beside(options?: WorkplaceOptions) {
  const place = await asking("tickets", options);
  listed(place, HELD);
  await add(place, ".mcp.json#other");
  expect(valuesOf(place)).toMatchObject({ TICKET_PLACE: SECRET });
  return place;
}

it("what is kept for one package is no other's by a variable's name, whatever that is", async () => {
  const place = await beside();
  listed(place, { tickets: { ...SERVER, env: { HEADER: named("TICKET_PLACE:-none") } } });
  expect(await add(place, ".mcp.json")).toMatchObject({ code: 0, stderr: "" });
  await place.run(FLAGS);
  expect(outcomesOf(place)[0]).toBe("the token is undefined, none");
});

it("nor outside of the sandbox, where the person's variables are inherited", async () => {
  const place = await beside();
  const command = `mcp:node ${join(place.cwd, "srv/main.mjs")}`;
  expect(await add(place, command, "--name", "tickets", "--unconfined")).toMatchObject({ code: 0 });
  await place.run(FLAGS);
  expect(outcomesOf(place)[0]).toBe("the token is undefined, undefined");
});

it("the twin: both would have it from the variables that secrets are read from", LONG_ONLY, async () => {
  const command = commandWithout([
    { file: "session/stages/features.ts", guard: "env: options.env,", instead: "env: secretEnv," },
  ]);
  const place = await beside({ command });
  listed(place, { tickets: { ...SERVER, env: { HEADER: named("TICKET_PLACE:-none") } } });
  await add(place, ".mcp.json");
  await place.run(FLAGS);
  expect(outcomesOf(place)[0]).toBe("the token is undefined, [secret TICKET_PLACE]");
});

it("{env:NAME} is a secret that is asked for by its name", async () => {
  const place = await asking("tickets");
  place.file("srv/main.mjs", MCP_SERVER);
  const tickets = {
    type: "local",
    command: ["node", "srv/main.mjs"],
    environment: { TICKET_TOKEN: "{env:MY_TOKEN}" },
  };
  place.file("opencode.json", JSON.stringify({ mcp: { tickets } }));
  expect(await add(place, "opencode.json")).toMatchObject({ code: 0 });
  await place.run(FLAGS, { env: { MY_TOKEN: SECRET } });
  expect(outcomesOf(place)[0]).toBe("the token is [secret MY_TOKEN], undefined");
});

it("the variables of an envFile are the server's: those that may be secrets are kept for the person", async () => {
  const place = await asking("tickets");
  place.file(".env", `# of the project\nTICKET_TOKEN=${SECRET}\nHEADER="two words"\n`);
  place.file("srv/main.mjs", MCP_SERVER);
  const tickets = { ...SERVER, envFile: `${named("workspaceFolder")}/.env` };
  place.file(".vscode/mcp.json", JSON.stringify({ servers: { tickets } }));
  const added = await add(place, ".vscode/mcp.json");
  expect(added).toMatchObject({ code: 0, stderr: "" });
  expect(added.stdout).toContain("/.env when it is added: HEADER, TICKET_TOKEN");
  expect(keptIn(place.home)).not.toContain(SECRET);
  await place.run(FLAGS);
  expect(outcomesOf(place)[0]).toBe("the token is [secret TICKET_TOKEN], two words");
});

const outside = (place: Workplace): string => {
  const folder = join(place.cwd, "../outside");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "private.env"), `HEADER=${SECRET}\n`);
  symlinkSync(join(folder, "private.env"), join(place.cwd, "linked.env"));
  return join(folder, "private.env");
};

function linked(place: Workplace): string {
  outside(place);
  return "linked.env";
}

it.each([
  ["by its path", outside],
  ["by a link", linked],
])("an envFile outside of the folder is not read %s", async (_, path) => {
  const place = createSharedWorkplace();
  listed(place, { tickets: { ...SERVER, envFile: path(place) } });
  const added = await add(place, ".mcp.json");
  expect(added.stdout).toContain(
    `is not read: it is not in ${place.cwd}. Give its values with --secret NAME`,
  );
  expect(added.stdout).not.toContain("HEADER");
  expect(keptIn(place.home) + JSON.stringify(storeOf(place))).not.toContain(SECRET);
});

it("the twin: without the guard a repository's file hands over the person's", LONG_ONLY, async () => {
  const command = commandWithout([
    {
      file: "parts/packages/env-file.ts",
      guard: "if (!isInside(realpathSync(base), real))",
      instead: "if (!isInside(realpathSync(base), base))",
    },
  ]);
  const place = createWorkplace(undefined, { command });
  listed(place, { tickets: { ...SERVER, envFile: outside(place) } });
  await add(place, ".mcp.json");
  expect(Object.values(valuesOf(place))).toEqual([SECRET]);
});
