// A server outside of the sandbox: only by the person's own words about that one server, shown wherever it is named, and never by what a
// repository, a team, a package, a setting or an answer about many things says.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commandWithout } from "../support/guard-off.ts";
import { createSharedWorkplace, createWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { MCP_SERVER } from "../support/mcp-server.ts";
import { serveOverStdio } from "../support/serve-client.ts";
import { createServedShared } from "../support/served-workplace.ts";

const FLAGS = ["-p", "go", "--model", "anthropic/scripted"];
const OUTSIDE = "outside of the sandbox";

/** What a server sees of a file beside the folder, which no sandbox shows it. */
const reading = () => {
  const place = createServedShared((_, at) =>
    at === 0
      ? { text: "On it.", calls: [{ name: "mcp__tickets__reads", input: { path: "../beside.txt" } }] }
      : { text: "Done." },
  );
  return place.then((made) => {
    writeFileSync(join(made.cwd, "../beside.txt"), "a file of the person's");
    return made;
  });
};
/** A program on the person's PATH, and nowhere where a sandbox would have it: it starts the server. */
function onPath(place: Workplace, name: string): Record<string, string> {
  const folder = join(place.home, "bin");
  mkdirSync(folder, { recursive: true });
  place.file("server.mjs", MCP_SERVER);
  const script = `#!/bin/sh\ncd ${place.cwd}\nexec '${process.execPath}' '${place.cwd}/server.mjs'\n`;
  writeFileSync(join(folder, name), script);
  chmodSync(join(folder, name), 0o755);
  return { PATH: `${folder}:${process.env.PATH}` };
}
const SERVER = ["mcp:docker run -i --rm tickets", "--name", "tickets"];
const outcomeOf = (place: Workplace): unknown => place.entries().find((entry) => entry.type === "tool");
const isAdded = (place: Workplace): boolean => existsSync(join(place.home, "packages/tickets"));

it("what cannot be confined says so with the way out, and runs with the grant, which every list shows", async () => {
  const place = await reading();
  const env = onPath(place, "docker");
  const refused = await place.runAlone(["add", ...SERVER, "--yes"], { env });
  expect(refused.stderr).toContain(
    `docker starts a container, which the sandbox cannot confine: --unconfined lets it run ${OUTSIDE}`,
  );
  const added = await place.runAlone(["add", ...SERVER, "--unconfined", "--yes"], { env });
  expect(added).toMatchObject({ code: 0, stderr: "" });
  expect(added.stdout).toMatch(
    /^ {2}limit +│ outside of the sandbox: it can read, change and send whatever you can/m,
  );
  expect(added.stdout).toMatch(/^ {2}asks +│ unconfined: you granted it when you added it/m);
  await place.run([...FLAGS, "--permission-mode", "bypass"], { env });
  expect(outcomeOf(place)).toMatchObject({ state: "ok", text: "a file of the person's" });
  for (const words of [["list"], ["show", "tickets"], ["doctor"], ["addons"], ["mcp"]])
    expect((await place.run(words, { env })).stdout, words.join(" ")).toContain(OUTSIDE);
  const client = serveOverStdio(place, []);
  const { id: session } = await client.request("sessions/open", {
    ...{ cwd: place.cwd, model: "anthropic/scripted" },
  });
  const status = await client.request("run", { session, line: "/status" });
  expect(JSON.stringify(status)).toContain(`user:tickets runs ${OUTSIDE}`);
  client.leave();
  await client.ended;
});

it("the twin: the same server in the sandbox sees no file of the person's", async () => {
  const place = await reading();
  onPath(place, "docker");
  await place.runAlone(["add", "mcp:node server.mjs", "--name", "tickets", "--yes"]);
  await place.run([...FLAGS, "--permission-mode", "bypass"]);
  expect(outcomeOf(place)).toMatchObject({ text: expect.stringMatching(/ENOENT|EACCES/) });
});

it("its calls are asked about, and a session that may change nothing does not start it", async () => {
  const place = await reading();
  const env = onPath(place, "docker");
  await place.runAlone(["add", ...SERVER, "--unconfined", "--yes"], { env });
  await place.run([...FLAGS, "--permission-mode", "acceptEdits"], { env });
  expect(outcomeOf(place)).toMatchObject({ state: "refused" });
  const logged = await place.run([...FLAGS, "--permission-mode", "read-only"], { env });
  expect(logged.stdout + JSON.stringify(place.entries())).not.toContain("a file of the person's");
});

it("its process has no credential of the person's that it was not granted", async () => {
  const place = await createServedShared((_, at) =>
    at === 0 ? { text: "On it.", calls: [{ name: "mcp__tickets__token", input: {} }] } : { text: "Done." },
  );
  const env = { ...onPath(place, "docker"), TICKET_TOKEN: "sk-live-0123456789abcdef", HEADER: "plain" };
  await place.runAlone(["add", ...SERVER, "--unconfined", "--yes"], { env });
  await place.run([...FLAGS, "--permission-mode", "bypass"], { env });
  expect(outcomeOf(place)).toMatchObject({ text: "the token is undefined, plain" });
});

const REQUEST = '\n[[capability]]\nkind = "unconfined"\nreason = "it is faster"\n';
const MANIFEST = `id = "tickets"\n[run]\nmcp = ["node", "server.mjs"]\n${REQUEST}`;

it.each([
  ["a package that asks for it by itself", ["add", "./tickets", "--yes"]],
  ["a package, with the flag", ["add", "./tickets", "--unconfined", "--yes"]],
])("%s is refused", async (_, words) => {
  const place = createSharedWorkplace();
  place.file("tickets/server.mjs", MCP_SERVER);
  place.file("tickets/manifest.toml", MANIFEST);
  const { code, stderr } = await place.run(words);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/--unconfined/);
  expect(isAdded(place)).toBe(false);
});

it("an addon of a repository is not trusted with it by any grant", async () => {
  const place = await reading();
  place.file(".indus/addons/tickets/server.mjs", MCP_SERVER);
  place.file(".indus/addons/tickets/manifest.toml", MANIFEST);
  const ran = await place.run([...FLAGS, "--permission-mode", "bypass", "--grant", "tickets"]);
  expect(ran.stderr).toContain(
    `tickets asks to run ${OUTSIDE}, which only indus add with --unconfined grants`,
  );
  expect(outcomeOf(place)).not.toMatchObject({ text: "a file of the person's" });
  const checked = await place.run(["addon", "check", ".indus/addons/tickets"]);
  expect(checked.stdout).toContain(`nobody has agreed that these files run ${OUTSIDE}`);
});

it("the twins: without either guard nothing stops it, with one the other does", LONG_ONLY, async () => {
  const answers = {
    file: "addons/source/decide-trust.ts",
    guard: "if (leavesSandbox(grants)) {",
    instead: "if (leavesSandbox([])) {",
  };
  const launch = {
    file: "addons/kinds/code-launch.ts",
    guard: "if (stored === undefined || !leavesSandbox(stored.granted))",
    instead: "if (stored !== undefined && !leavesSandbox(stored.granted))",
  };
  const tried = async (command: string): Promise<unknown> => {
    const served = await reading();
    const place = { ...served, ...createWorkplace(served.server.url, { command }) };
    writeFileSync(join(place.cwd, "../beside.txt"), "a file of the person's");
    place.file(
      ".indus/addons/tickets/server.mjs",
      `process.chdir(${JSON.stringify(place.cwd)});${MCP_SERVER}`,
    );
    place.file(".indus/addons/tickets/manifest.toml", MANIFEST);
    await place.run([...FLAGS, "--permission-mode", "bypass", "--grant", "tickets"]);
    return outcomeOf(place);
  };
  expect(await tried(commandWithout([answers]))).not.toMatchObject({ text: "a file of the person's" });
  expect(await tried(commandWithout([answers, launch]))).toMatchObject({ text: "a file of the person's" });
});

it("a team's file takes nobody out of the sandbox, and does not say that somebody is", async () => {
  const place = createSharedWorkplace();
  const env = onPath(place, "docker");
  expect(await place.runAlone(["add", ...SERVER, "--unconfined", "--team", "--yes"], { env })).toMatchObject({
    code: 0,
  });
  const path = join(place.cwd, ".indus/packages.lock");
  const lock = JSON.parse(readFileSync(path, "utf8"));
  expect(lock.packages.tickets.options?.unconfined).toBeUndefined();
  lock.packages.tickets.options = { unconfined: true };
  writeFileSync(path, JSON.stringify(lock));
  await place.run(["remove", "tickets"]);
  const again = await place.runAlone(["add", "--yes"], { env });
  expect(again.stderr).toContain("docker starts a container, which the sandbox cannot confine");
  expect(isAdded(place)).toBe(false);
});

it("answers about many things leave it out", async () => {
  const place = createSharedWorkplace();
  const env = onPath(place, "docker");
  place.file(
    ".mcp.json",
    JSON.stringify({
      mcpServers: {
        tickets: { command: "docker", args: ["run", "tickets"] },
        other: { command: "docker", args: ["run"] },
      },
    }),
  );
  const all = await place.runAlone(["add", ".mcp.json", "--unconfined", "--yes"], { env });
  expect([all.code, all.stderr]).toEqual([2, expect.stringContaining("add one, ")]);
  expect(await place.runAlone(["add", ".mcp.json#tickets", "--unconfined", "--yes"], { env })).toMatchObject({
    code: 0,
  });
  const updated = await place.runAlone(["update", "--yes"], { env });
  expect([updated.code, updated.stderr]).toEqual([
    1,
    expect.stringContaining(`tickets: it runs ${OUTSIDE}, so it is updated alone: indus update tickets`),
  ]);
  expect(await place.runAlone(["update", "tickets", "--yes"], { env })).toMatchObject({ code: 0 });
});

it("a person's or a manager's addons.requireSandbox forbids it", async () => {
  const place = createSharedWorkplace();
  const env = onPath(place, "docker");
  place.settings({ localServers: [], addons: { requireSandbox: true } });
  const refused = await place.runAlone(["add", ...SERVER, "--unconfined", "--yes"], { env });
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining("addons.requireSandbox is set, so nothing of others runs outside of the sandbox"),
  ]);
  expect(isAdded(place)).toBe(false);
});
