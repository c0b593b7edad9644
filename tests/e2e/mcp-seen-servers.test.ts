// The MCP servers that a folder's files of other agents list, through the real command: a console offers them once for each content, and a
// run without a console says in one line that they are not used.

import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk/unstable";
import { expect, it } from "vitest";
import { openEditor } from "../support/acp-editor.ts";
import type { Workplace } from "../support/indus.ts";
import { rows, theFirst } from "../support/long-form.ts";
import { MCP_SERVER } from "../support/mcp-server.ts";
import { serveOverStdio } from "../support/serve-client.ts";
import { createServedWorkplace, type ServedWorkplace } from "../support/served-workplace.ts";
import { openTerminal } from "../support/terminal.ts";

const MODEL = ["--model", "anthropic/scripted"];
const PRINT = ["-p", "go", ...MODEL];
const TICKETS = {
  command: "node",
  args: ["tools/server.mjs"],
  env: { TICKET_TOKEN: `\${TICKET_TOKEN}`, MODE: "x" },
};
const MCP_JSON = JSON.stringify({
  mcpServers: {
    tickets: TICKETS,
    far: { type: "http", url: "https://far.invalid/mcp", headers: { "X-Key": `\${K}` } },
  },
});

async function place(file = ".mcp.json", content = MCP_JSON): Promise<ServedWorkplace> {
  const made = await createServedWorkplace(() => ({ text: "Done." }));
  made.file("tools/server.mjs", MCP_SERVER);
  made.file(file, content);
  return made;
}

async function asked(made: ServedWorkplace, answer: string, then = ""): Promise<string> {
  const terminal = openTerminal({ console: "plain", place: made, url: made.server.url, args: MODEL });
  await terminal.waitFor(/Use the MCP servers of/);
  await terminal.waitFor(/y\/n ›\s*$/);
  const screen = terminal.screen();
  await terminal.answer(`${answer}\r`);
  if (then !== "") await terminal.waitFor(then);
  terminal.type("\x03");
  terminal.type("\x04");
  await terminal.left;
  return screen;
}

const lines = (stderr: string, about: string): readonly string[] =>
  stderr.split("\n").filter((line) => line.includes(about));

const FILES: readonly (readonly [string, string])[] = [
  [".mcp.json", MCP_JSON],
  [".vscode/mcp.json", JSON.stringify({ servers: { tickets: TICKETS } })],
  [".cursor/mcp.json", JSON.stringify({ mcpServers: { tickets: TICKETS } })],
  [".gemini/settings.json", JSON.stringify({ mcpServers: { tickets: TICKETS } })],
  [".codex/config.toml", '[mcp_servers.tickets]\ncommand = "node"\nargs = ["tools/server.mjs"]\n'],
  [
    "opencode.json",
    JSON.stringify({ mcp: { tickets: { type: "local", command: ["node", "tools/server.mjs"] } } }),
  ],
];

it.each(rows(FILES, theFirst))("-p says in one line that those of %s are not used", async (file, content) => {
  const made = await place(file, content);
  const { code, stderr } = await made.run(PRINT);
  expect(code).toBe(0);
  expect(lines(stderr, file)).toEqual([
    expect.stringMatching(
      /not used: \d MCP servers? of \S+\. Start indus on a terminal in this folder to be asked about them, or name a file with --mcp-config$/,
    ),
  ]);
});

/** What a program hears about it: a text for each time that it was said. */
const FRONTS: Readonly<Record<string, (made: ServedWorkplace) => Promise<readonly string[]>>> = {
  "-p --json": async (made) => lines((await made.run([...PRINT, "--json"])).stderr, "not used:"),
  "stream-json": async (made) => {
    const { stderr } = await made.runAlone([
      "-p",
      "go",
      "--output-format",
      "stream-json",
      "--verbose",
      ...MODEL,
    ]);
    return lines(stderr, "not used:");
  },
  serve: async (made) => {
    const client = serveOverStdio(made);
    const { notices } = await client.request("sessions/open", { cwd: made.cwd });
    client.leave();
    await client.ended;
    return (notices as readonly string[]).filter((notice) => notice.includes("not used:"));
  },
  acp: async (made) => {
    const editor = await openEditor(made);
    const { sessionId } = await editor.agent.request(methods.agent.session.new, {
      cwd: made.cwd,
      mcpServers: [],
    });
    for (const text of ["Go.", "Go on."])
      await editor.agent.request(methods.agent.session.prompt, {
        sessionId,
        prompt: [{ type: "text", text }],
      });
    const said = editor.said();
    await editor.leave();
    return lines(said, "not used:");
  },
};

it.each(Object.keys(FRONTS))("%s says once that they are not used, and what to do", async (front) => {
  const made = await place();
  const said = (await FRONTS[front]?.(made)) ?? [];
  expect(said).toEqual([
    expect.stringContaining(
      "not used: 2 MCP servers of .mcp.json. Start indus on a terminal in this folder to be asked about them, or name a file with --mcp-config",
    ),
  ]);
});

it("a file without servers, and a folder without files, are silent", async () => {
  const made = await place(".mcp.json", "{}");
  expect((await made.run(PRINT)).stderr).not.toContain("MCP");
});

it("one that cannot be read is said", async () => {
  const made = await place(".mcp.json", "{oops");
  const { code, stderr } = await made.run(PRINT);
  expect([code, lines(stderr, ".mcp.json").length]).toEqual([0, 1]);
});

it("a console lists command, variables, headers and host, and is not told twice after a no", async () => {
  const made = await place();
  const screen = (await asked(made, "n")).replace(/\s+/g, " ");
  expect(screen).toContain("tickets: node tools/server.mjs; variables TICKET_TOKEN, MODE");
  expect(screen).toContain("far: https://far.invalid/mcp; host far.invalid; headers X-Key");
  expect(lines((await made.run(PRINT)).stderr, "not used")).toEqual([]);
  made.file(".mcp.json", MCP_JSON.replace("far.invalid", "near.invalid"));
  expect(lines((await made.run(PRINT)).stderr, "not used")).toHaveLength(1);
});

it("after a yes the servers are there, each as an addon that is asked about by itself", async () => {
  const made = await place(".mcp.json", JSON.stringify({ mcpServers: { tickets: { ...TICKETS, env: {} } } }));
  await asked(made, "y", "Trust the addon");
  expect((await made.run(["mcp"])).stdout).toMatch(/skipped: .*tickets.*not trusted/);
  const { stdout } = await made.run(["mcp", "--grant", "tickets"]);
  expect(stdout).toMatch(/tickets {2}\w+, 17 tools and resources/);
  expect((await made.run(["doctor"])).stdout).not.toContain(".mcp.json is not used");
});

it("a secret that the file has is asked for by a name of its own; the person's is asked for by theirs", async () => {
  const env = { TICKET_TOKEN: "sk-live-0123456789abcdef0123", HEADER: `\${MY_TOKEN}` };
  const made = await place(".mcp.json", JSON.stringify({ mcpServers: { tickets: { ...TICKETS, env } } }));
  const terminal = openTerminal({ console: "plain", place: made, url: made.server.url, args: MODEL });
  await terminal.waitFor(/y\/n ›\s*$/);
  await terminal.answer("y\r");
  await terminal.waitFor(/Trust the addon[\s\S]*y\/n ›\s*$/);
  const screen = terminal.screen().replace(/[\s│]+/g, " ");
  terminal.type("\x03");
  terminal.type("\x04");
  await terminal.left;
  expect(screen).toMatch(
    /secret \(TICKET_TOKEN_[0-9A-F]{8}\): its own, written out where the server is listed/,
  );
  expect(screen).toMatch(/secret \(MY_TOKEN\): its server reads it/);
  expect(screen).not.toContain("sk-live");
});

it("a file in an agent's folder names files of the project", async () => {
  const made = await place(
    ".vscode/mcp.json",
    JSON.stringify({ servers: { tickets: { ...TICKETS, env: {} } } }),
  );
  await asked(made, "y", "Trust the addon");
  expect((await made.run(["mcp", "--grant", "tickets"])).stdout).toMatch(/tickets {2}\w+, 17 tools/);
  // What is copied follows the project.
  made.file("tools/server.mjs", MCP_SERVER.replace("figures: () =>", "sums: () =>"));
  expect((await made.run(["mcp", "tools", "tickets", "--grant", "tickets"])).stdout).toContain(
    "mcp__tickets__sums",
  );
});

it("a folder's file names no files outside of it", async () => {
  const outside = { command: "node", args: ["../elsewhere/server.mjs"] };
  const made = await place(".mcp.json", JSON.stringify({ mcpServers: { tickets: outside } }));
  mkdirSync(join(made.cwd, "../elsewhere"), { recursive: true });
  writeFileSync(join(made.cwd, "../elsewhere/server.mjs"), MCP_SERVER);
  await asked(made, "y", "is not in");
  const { stderr } = await made.run(PRINT);
  expect(stderr).toMatch(/tickets of .*\.mcp\.json is not used: .*elsewhere is not in/);
  // The twin: a person who names the file may mean any other.
  const { stdout } = await made.run(["mcp", "--mcp-config", ".mcp.json", "--grant", "tickets"]);
  expect(stdout).toMatch(/tickets {2}\w+, 17 tools/);
});

it.each([
  [
    "a pipe that nobody writes to",
    (path: string) => void execFileSync("mkfifo", [path]),
    "not a regular file",
  ],
  [
    "a link out of the folder",
    (path: string) => symlinkSync("/etc/hostname", path),
    "leads out of this folder",
  ],
  ["more than is read", (path: string) => writeFileSync(path, "x".repeat(300_000)), "the limit is"],
  ["a folder", (path: string) => void mkdirSync(path), "not a regular file"],
])("%s in its place is said, and nothing waits for it", async (_, make, why) => {
  const made = await place("x", "");
  make(join(made.cwd, ".mcp.json"));
  const { code, stderr } = await made.run(PRINT);
  expect([code, stderr]).toEqual([0, expect.stringContaining(why)]);
});

it("an answer is for all of a file: what is added behind what was shown is asked about again", async () => {
  const made = await place();
  await asked(made, "n");
  const more = JSON.stringify({
    mcpServers: { tickets: TICKETS, late: { command: "sh", args: ["-c", "id"] } },
  });
  made.file(".mcp.json", more);
  expect(lines((await made.run(PRINT)).stderr, "not used")).toEqual([
    expect.stringContaining("2 MCP servers of .mcp.json"),
  ]);
});

it("what a team's lock file names is said", async () => {
  const made: Workplace = await place("x", "");
  const row = { source: "npm:guard", resolved: "guard@1", content: "0".repeat(64), asks: [] };
  made.file(".indus/packages.lock", JSON.stringify({ version: 1, packages: { guard: row } }));
  expect((await made.run(PRINT)).stderr).toMatch(
    /\.indus\/packages\.lock names packages that you do not have: guard\. indus add adds them/,
  );
  made.file(".indus/packages.lock", "{");
  const damaged = await made.run(PRINT);
  expect([damaged.code, damaged.stderr]).toEqual([
    0,
    expect.stringContaining("packages.lock cannot be read"),
  ]);
});
