// The MCP servers of a folder's own files in sessions that a front opens in several folders: each session has its own folder's, and no
// other one's.

import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk/unstable";
import { expect, it, onTestFinished } from "vitest";
import { digestOf } from "../../packages/induscode/src/addons/source/entry-marks.ts";
import { createTrust } from "../../packages/induscode/src/addons/source/trust.ts";
import { openEditor } from "../support/acp-editor.ts";
import { MCP_SERVER } from "../support/mcp-server.ts";
import { serveOverStdio } from "../support/serve-client.ts";
import { createServedWorkplace, type ServedWorkplace } from "../support/served-workplace.ts";
import { until } from "../support/until.ts";

/** A folder whose file lists a server, and whether the person said yes to it as they do in a console. */
async function folder(made: ServedWorkplace, at: string, name: string, isTrusted = true): Promise<string> {
  mkdirSync(at, { recursive: true });
  const path = join(realpathSync(at), ".mcp.json");
  const text = JSON.stringify({ mcpServers: { [name]: { command: "node", args: ["server.mjs"] } } });
  writeFileSync(join(at, "server.mjs"), MCP_SERVER);
  writeFileSync(path, text);
  const hash = digestOf(`servers of ${path}\0${text}`);
  if (isTrusted)
    await createTrust({ home: made.home }).grant({ hash, id: "project:.mcp.json", path, granted: [] });
  return realpathSync(at);
}

async function scene(isTrusted = true) {
  const made = await createServedWorkplace(() => ({ text: "Done." }));
  const here = await folder(made, made.cwd, "here");
  const there = await folder(made, join(made.cwd, "../other"), "there", isTrusted);
  return { made, here, there };
}

/** The servers that became addons of a session: what is said of one that is not trusted yet. */
function brought(said: unknown): readonly string[] {
  return ["here", "there"].filter((name) =>
    new RegExp(`:${name} (at .* is|was) not trusted`).test(String(said)),
  );
}

async function serving(made: ServedWorkplace) {
  const client = serveOverStdio(made);
  onTestFinished(async () => {
    client.leave();
    await client.ended;
  });
  const notices = async (cwd: string) =>
    (await client.request("sessions/open", { cwd })).notices as readonly string[];
  return { client, notices };
}

it("serve: each session has those of its own folder", async () => {
  const { made, here, there } = await scene();
  const { notices } = await serving(made);
  expect(brought(await notices(here))).toEqual(["here"]);
  expect(brought(await notices(there))).toEqual(["there"]);
});

it("serve: those that nobody said yes to are not used, which the session's notices say", async () => {
  const { made, there } = await scene(false);
  const told = await (await serving(made)).notices(there);
  expect(brought(told)).toEqual([]);
  expect(told).toContainEqual(expect.stringContaining("not used: 1 MCP server of .mcp.json"));
});

it("acp: each session has those of its own folder", async () => {
  const { made, here, there } = await scene();
  const editor = await openEditor(made, { onPermission: () => "Skip it" });
  onTestFinished(async () => void (await editor.leave()));
  const { session } = methods.agent;
  for (const [cwd, name] of [
    [there, "there"],
    [here, "here"],
  ] as const) {
    const { sessionId } = await editor.agent.request(session.new, { cwd, mcpServers: [] });
    await editor.agent.request(session.prompt, { sessionId, prompt: [{ type: "text", text: "go" }] });
    expect(brought(editor.said(sessionId))).toEqual([name]);
  }
});

it("stream-json: a session has those of its folder, wherever it was started", async () => {
  const { made, there } = await scene();
  const { code, stderr } = await made.run([
    ...["-p", "go", "--output-format", "stream-json", "--model", "anthropic/scripted", "--cwd", there],
  ]);
  expect([code, brought(stderr)]).toEqual([0, ["there"]]);
});

it.each([
  ["trusts it", 0, /Added \S*here to this session: .*tool mcp__here__say/],
  ["skips it", 1, /here was not added/], // the twin
])("serve: whoever follows a session is asked about its addons, and %s", async (_how, choice, told) => {
  const { made, here } = await scene();
  const { client, notices } = await serving(made);
  const { id } = await client.request("sessions/open", { cwd: here });
  await client.request("subscribe", { session: id });
  await until(() => client.told("question").length > 0);
  expect(client.told("question")).toMatchObject([
    { question: { kind: "dialog", dialog: { question: expect.stringMatching(/Trust the addon here/) } } },
  ]);
  await client.request("answer", { session: id, id: 1, answer: { kind: "choice", choice } });
  await until(() => client.events().some(({ type }) => type === "alert"));
  expect(JSON.stringify(client.events())).toMatch(told);
  await client.request("submit", { session: id, content: [{ kind: "text", text: "go" }] });
  expect(made.server.requests.at(-1)?.rawBody.includes("mcp__here__say")).toBe(choice === 0);
  // Kept as a console's answer is: the next session is not asked about.
  expect((await notices(here)).join("\n")).toMatch(choice === 0 ? /^(?!.*trusted)/s : /was refused on/);
  expect(client.told("question")).toHaveLength(1);
});
