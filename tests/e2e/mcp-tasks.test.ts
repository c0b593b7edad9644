// A tool of an MCP server that can only be called as a task, through the real command: the model reads the task's result, or why there is none.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LONG_ONLY } from "../support/long-form.ts";
import { serverManifest } from "../support/odd-mcp-server.ts";
import { createServedShared, createServedWorkplace } from "../support/served-workplace.ts";
import { until } from "../support/until.ts";

const FLAGS = ["-p", "go", "--model", "anthropic/scripted", "--permission-mode", "bypass", "--grant", "srv"];

/** It answers a call with `begun`, and a question about the task's result with `end`; it notes what it is asked. */
const server = (begun: string, end: string): string => `
import { createInterface } from "node:readline";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const text = (text) => ({ content: [{ type: "text", text }] });
const task = (status, more) => ({ taskId: "t1", status, ttl: 1000, pollInterval: 1, createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:00Z", ...more });
let looks = 0;
let result;
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  console.error("asked " + method + " " + JSON.stringify(params?.task ?? params?.taskId ?? null));
  if (method === "initialize")
    return send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } }, serverInfo: { name: "s", version: "1" } } });
  if (method === "tools/list") return send({ id, result: { tools: [{ name: "go", inputSchema: { type: "object" }, execution: { taskSupport: "required" } }] } });
  if (method === "tools/call") return send({ id, result: ${begun} });
  if (method === "tasks/get") {
    send({ id, result: task("working", { statusMessage: "step " + ++looks }) });
    if (looks === 2) ${end};
    return;
  }
  if (method === "tasks/result") return (result = id);
  if (id !== undefined) send({ id, error: { code: -32601, message: "unknown" } });
});
`;

const BEGUN = '{ task: task("working") }';

async function called(begun: string, end: string) {
  const place = await createServedShared([
    { calls: [{ name: "mcp__srv__go", input: {} }] },
    { text: "Done." },
  ]);
  place.file(".indus/addons/srv/manifest.toml", serverManifest("srv", ["node", "server.mjs"]));
  place.file(".indus/addons/srv/server.mjs", server(begun, end));
  await place.run(FLAGS);
  const [call] = place.entries().filter((entry) => entry.type === "tool");
  return {
    call: [call?.state, call?.text],
    log: readFileSync(join(place.home, "logs/addons/srv.log"), "utf8"),
  };
}

it("is begun, looked after, and its result is the answer", async () => {
  const { call, log } = await called(BEGUN, 'send({ id: result, result: text("all of it") })');
  expect(call).toEqual(["ok", "all of it"]);
  expect(log).toContain('asked tools/call {"ttl":3600000}');
  expect(log).toContain('asked tasks/result "t1"');
});

it("may fail as a call does, or answer at once", LONG_ONLY, async () => {
  const failed = 'send({ id: result, result: { ...text("no luck"), isError: true } })';
  expect((await called(BEGUN, failed)).call).toEqual(["failed", "no luck"]);
  const refused = 'send({ id: result, error: { code: -32603, message: "the task was lost" } })';
  expect((await called(BEGUN, refused)).call).toEqual([
    "failed",
    expect.stringContaining("the task was lost"),
  ]);
  expect((await called('text("at once")', "0")).call).toEqual(["ok", "at once"]);
  expect((await called("{ task: {} }", "0")).call).toEqual([
    "failed",
    expect.stringContaining("the server's task has no id"),
  ]);
});

it("is cancelled at the server when the person interrupts", LONG_ONLY, async () => {
  const place = await createServedWorkplace([{ calls: [{ name: "mcp__srv__go", input: {} }] }]);
  place.file(".indus/addons/srv/manifest.toml", serverManifest("srv", ["node", "server.mjs"]));
  place.file(".indus/addons/srv/server.mjs", server(BEGUN, "0"));
  const log = (): string => readFileSync(join(place.home, "logs/addons/srv.log"), "utf8");
  let interrupting: Promise<unknown> | undefined;
  await place.runAlone(FLAGS, {
    onStart(child) {
      const isAsked = (): boolean =>
        existsSync(join(place.home, "logs/addons/srv.log")) && log().includes("asked tasks/result");
      interrupting = until(isAsked).then(() => child.kill("SIGINT"));
    },
  });
  await interrupting;
  expect(log()).toContain('asked tasks/cancel "t1"');
});
