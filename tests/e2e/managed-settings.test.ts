// What whoever manages the machine permits holds on every way in: no flag, request or switch of a session gets a wider mode, or past a rule.

import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk/unstable";
import { afterAll, describe, expect, it } from "vitest";
import { openEditor } from "../support/acp-editor.ts";
import { commandWithout } from "../support/guard-off.ts";
import { createWorkplace } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { openMcpAgent } from "../support/mcp-agent.ts";
import { MCP_SERVER } from "../support/mcp-server.ts";
import { serveOverStdio } from "../support/serve-client.ts";
import { createServedWorkplace, type ServedWorkplace } from "../support/served-workplace.ts";

const FOLDER = realpathSync(mkdtempSync(join(tmpdir(), "indus-managed-")));
const MANAGED = join(FOLDER, "settings.json");
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

let made: string | undefined;
/** The product of a machine whose managed file is this test's, where it can be written. */
function managedCommand(): string {
  const file = "settings/load-settings.ts";
  made ??= commandWithout([{ file, guard: '"/etc/indus/settings.json"', instead: JSON.stringify(MANAGED) }]);
  return made;
}

const CALLS = [
  { name: "write", input: { path: "written.txt", content: "x" } },
  { name: "bash", input: { command: "mkfifo made" } },
];
const MODEL = ["--model", "anthropic/scripted"];
const BYPASS = ["--permission-mode", "bypass", "--sandbox", "off"];
const STREAM = ["-p", "--output-format", "stream-json", "--verbose", ...MODEL];

/** Each has the calls made, in the widest mode that it can ask for. What it rejects with is a refusal, too. */
const WAYS: Readonly<Record<string, (place: ServedWorkplace) => Promise<unknown>>> = {
  "-p": (place) => place.run(["-p", "go", ...MODEL, ...BYPASS, "--allow", "bash"]),
  "--json": (place) => place.run(["--json", "go", ...MODEL, ...BYPASS]),
  "stream-json": (place) => place.run([...STREAM, "--dangerously-skip-permissions", "go"]),
  "stream-json, by its mode": (place) =>
    place.run([...STREAM, "--permission-mode", "bypassPermissions", "go"]),
  "stream-json, by a request": (place) => {
    const lines = [
      {
        type: "control_request",
        request_id: "1",
        request: { subtype: "set_permission_mode", mode: "bypassPermissions" },
      },
      { type: "user", message: { role: "user", content: "go" } },
    ];
    const stdin = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    return place.run([...STREAM, "--input-format", "stream-json"], { stdin });
  },
  async acp(place) {
    const editor = await openEditor(place, { args: BYPASS, onPermission: () => "No" });
    const { session } = methods.agent;
    const { sessionId } = await editor.agent.request(session.new, { cwd: place.cwd, mcpServers: [] });
    await editor.agent.request(session.setMode, { sessionId, modeId: "bypass" }).catch(() => undefined);
    const set = { sessionId, configId: "mode", value: "bypass" };
    await editor.agent.request(session.setConfigOption, set).catch(() => undefined);
    await editor.agent.request(session.prompt, { sessionId, prompt: [{ type: "text", text: "go" }] });
    await editor.leave();
  },
  async serve(place) {
    const client = serveOverStdio(place, BYPASS);
    const { id: session } = await client.request("sessions/open", {
      ...{ cwd: place.cwd, model: "anthropic/scripted", mode: "bypass" },
    });
    await client.request("setMode", { session, mode: "bypass" }).catch(() => undefined);
    await client.request("submit", { session, content: [{ kind: "text", text: "go" }] });
    client.leave();
    await client.ended;
  },
  async "mcp serve"(place) {
    const agent = await openMcpAgent(place, { args: BYPASS });
    for (const { name, input } of CALLS)
      await agent.client.callTool({ name, arguments: input }).catch(() => undefined);
    await agent.leave();
  },
  async "mcp serve, by a task"(place) {
    const agent = await openMcpAgent(place, { args: [...MODEL, ...BYPASS] });
    await agent.client.callTool({ name: "run_task", arguments: { task: "go" } }).catch(() => undefined);
    await agent.leave();
  },
};

async function deedsBy(way: string, managed: object): Promise<readonly boolean[]> {
  writeFileSync(MANAGED, JSON.stringify(managed));
  const place = await createServedWorkplace((_, at) => (at === 0 ? { calls: CALLS } : { text: "Done." }), {
    command: managedCommand(),
  });
  place.settings({ localServers: [], permissions: { mode: "bypass" } });
  await WAYS[way]?.(place);
  expect(place.logs().length).toBeGreaterThan(0);
  return ["written.txt", "made"].map((name) => existsSync(join(place.cwd, name)));
}

it(
  "a managed requireSandbox keeps a server in the sandbox, and the twin lets it out",
  LONG_ONLY,
  async () => {
    const add = async (managed: object): Promise<number | null> => {
      writeFileSync(MANAGED, JSON.stringify(managed));
      const place = createWorkplace(undefined, { command: managedCommand() });
      place.settings({ localServers: [], addons: { requireSandbox: false } });
      place.file("server.mjs", MCP_SERVER);
      return (await place.run(["add", "mcp:node server.mjs", "--name", "tickets", "--unconfined", "--yes"]))
        .code;
    };
    expect(await add({ addons: { requireSandbox: true } })).toBe(1);
    expect(await add({})).toBe(0);
  },
);

describe.each(Object.keys(WAYS))("by %s", LONG_ONLY, (way) => {
  it("no wider mode is had than the managed one", async () => {
    expect(await deedsBy(way, { permissions: { mode: "read-only" } })).toEqual([false, false]);
  });

  it("a managed rule holds in the mode bypass", async () => {
    expect(await deedsBy(way, { permissions: { deny: ["bash"] } })).toEqual([true, false]);
  });

  it("both are done where nothing is managed: the twin", async () => {
    expect(await deedsBy(way, {})).toEqual([true, true]);
  });
});
