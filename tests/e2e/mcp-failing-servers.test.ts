// An MCP server that does not start, or ends: how it ended and what it wrote last are the error, through the real command.

import { expect, it } from "vitest";
import type { Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { ScriptedTurn } from "../support/model-server.ts";
import { serverManifest } from "../support/odd-mcp-server.ts";
import { createServedShared } from "../support/served-workplace.ts";

const TOKEN = "sesame-for-failures-4711";
const SECRET = '[[capability]]\nkind = "secret"\nid = "FAIL_TOKEN"\nreason = "logs in"\n';

/** A server that works, after what `before` does; `onCall` is what its one tool does. */
const server = (
  before: string,
  onCall = 'answer({ content: [{ type: "text", text: "works" }] })',
): string => `
import { createInterface } from "node:readline";
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = (result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
  ${before}
  if (method === "initialize")
    return answer({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
  if (method === "tools/list") return answer({ tools: [{ name: "go", inputSchema: { type: "object" } }] });
  if (method === "tools/call") { ${onCall} }
  else if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "unknown" } }) + "\\n");
});
`;

interface Failing {
  /** Of \`server.mjs\`; without it there is no such file. */
  readonly source?: string;
  readonly command?: readonly string[];
  /** Further lines of the manifest. */
  readonly more?: string;
  /** What is said of it behind its folder. */
  readonly said: string | RegExp;
}

const FAILING: Readonly<Record<string, Failing>> = {
  module: {
    source: 'console.error("Error: Cannot find module foo"); process.exit(1)',
    said: "the server ended with code 1 before it answered: Error: Cannot find module foo",
  },
  stack: {
    source: 'function open() { throw new TypeError("no database"); }\nopen();',
    said: "the server ended with code 1 before it answered: TypeError: no database",
  },
  missing: {
    said: /^the server ended with code 1 before it answered: Error: Cannot find module '.*server\.mjs'/,
  },
  silent: {
    source: "process.exit(0)",
    said: "the server ended with code 0 before it answered, and wrote nothing to its standard error",
  },
  killed: {
    source: 'console.error("going down"); process.kill(process.pid, "SIGKILL")',
    said: "the server was ended by SIGKILL before it answered: going down",
  },
  noise: {
    source: 'console.log("Usage: server [options]"); process.exit(2)',
    said: "the server ended with code 2 before it answered: Usage: server [options]",
  },
  flood: {
    source: 'console.error("\\u001b[31m" + "x".repeat(5000) + "\\u0007"); process.exit(1)',
    said: /^the server ended with code 1 before it answered: [^\u0007\u001b]{100,500}$/,
  },
  tells: {
    source: 'console.error("the token " + process.env.FAIL_TOKEN + " is refused"); process.exit(1)',
    more: SECRET,
    said: "the server ended with code 1 before it answered: the token [secret FAIL_TOKEN] is refused",
  },
  hangs: {
    source: 'console.error("waiting for the database"); setInterval(() => {}, 1000)',
    more: "start-seconds = 1\n",
    said: "the server did not answer initialize within 1 s, which start-seconds in [run] sets (for one that was added: remove it, and add it with --start-seconds N). Its last output: waiting for the database",
  },
  chatty: {
    source: `console.log('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"hi"}}'); console.error("Error: no licence"); process.exitCode = 6;`,
    said: "the server ended with code 6 before it answered: Error: no licence",
  },
  late: {
    source: server('if (method === "tools/list") { console.error("no tools today"); process.exit(4); }'),
    said: "the server ended with code 4 before it answered: no tools today",
  },
  uvx: {
    command: ["uvx-that-is-not-here", "x"],
    said: /^\[run\] mcp: program "uvx-that-is-not-here" not found/,
  },
  folder: { source: "", command: ["./"], said: '[run] mcp: "./" cannot be run: it is not a file' },
  plain: {
    source: "",
    command: ["./server.mjs"],
    said: /cannot be run: it is not executable: run chmod \+x /,
  },
};

function place(calls: readonly string[] = []): Promise<Workplace> {
  const turns: readonly ScriptedTurn[] = [
    ...calls.map((name) => ({ text: "On it.", calls: [{ name, input: {} }] })),
    { text: "Done." },
  ];
  return createServedShared((_, at) => turns[at]);
}

it.each(rows(Object.entries(FAILING), theFirst))(
  "one that fails at its start says how: %s",
  async (id, { source, command = ["node", "server.mjs"], more, said }) => {
    const { file, run } = await place();
    file(`.indus/addons/${id}/manifest.toml`, serverManifest(id, command, more));
    if (source !== undefined) file(`.indus/addons/${id}/server.mjs`, source);
    const { stdout } = await run(["addons", "--grant", id], { env: { FAIL_TOKEN: TOKEN } });
    const [, problem = stdout] = /^problem: (.*)$/m.exec(stdout) ?? [];
    const words = problem.slice(problem.indexOf(`addons/${id}: `) + `addons/${id}: `.length);
    expect(words).toEqual(typeof said === "string" ? said : expect.stringMatching(said));
    expect(stdout).not.toMatch(/negotiation|Transport|mcp-addon/);
  },
);

const FLAGS = ["-p", "go", "--model", "anthropic/scripted", "--permission-mode", "bypass", "--grant", "srv"];

async function outcomes(source: string, more: string, calls: number) {
  const { file, run, entries } = await place(Array.from({ length: calls }, () => "mcp__srv__go"));
  file(".indus/addons/srv/manifest.toml", serverManifest("srv", ["node", "server.mjs"], more));
  file(".indus/addons/srv/server.mjs", source);
  const { stderr } = await run(FLAGS);
  const tools = entries().filter((entry) => entry.type === "tool");
  return { stderr, tools: tools.map(({ state, text }) => [state, text]) };
}

it(
  "one that ends in a call says how to the model, and is started again for the next",
  LONG_ONLY,
  async () => {
    const dies = 'console.error("Error: the disk is full"); process.exit(7);';
    const { tools } = await outcomes(server("", dies), "", 2);
    const said =
      "mcp__srv__go failed: the addon srv failed: the server ended with code 7: Error: the disk is full";
    expect(tools).toEqual([
      ["failed", said],
      ["failed", said],
    ]);
  },
);

it("one that ends between two calls is started again for the second", async () => {
  const leaves =
    'answer({ content: [{ type: "text", text: "works" }] }); setTimeout(() => { console.error("idle too long"); process.exit(3); }, 1);';
  const { tools } = await outcomes(server("", leaves), "", 2);
  expect(tools.map(([, text]) => text)).toContain("works");
  for (const [, text] of tools) expect(text).toMatch(/^works$|the server ended with code 3: idle too long$/);
});

it("one that ends at a question that it does not know is asked without it", async () => {
  const strict = server(
    'if (method === "server/discover") { console.error("expected initialize"); process.exit(1); }',
  );
  expect((await outcomes(strict, "", 1)).tools).toEqual([["ok", "works"]]);
});

it("one that answers twice, or by a number that was used, is heard once for each call", async () => {
  // What it says a second time would else be the answer to the next call, which may have the same number.
  const twice = `globalThis.calls = (globalThis.calls ?? 0) + 1;
    const say = (text, to = id) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: to, result: { content: [{ type: "text", text }] } }) + "\\n");
    if (globalThis.last !== undefined) say("late, by a used number", globalThis.last);
    say("answer " + globalThis.calls);
    say("answer " + globalThis.calls + ", again");
    globalThis.last = id;`;
  const { tools } = await outcomes(server("", twice), "", 3);
  expect(tools).toEqual([1, 2, 3].map((call) => ["ok", `answer ${call}`]));
});

it("one that floods its output is ended, and the session goes on", LONG_ONLY, async () => {
  const floods =
    'const flood = () => { while (process.stdout.write("x".repeat(1 << 20))); process.stdout.once("drain", flood); }; flood();';
  const { tools } = await outcomes(server("", floods), "call-seconds = 20\n", 1);
  expect(tools).toEqual([["failed", expect.stringContaining("the addon srv failed: ")]]);
});

it("one that does not answer a call has the time that its manifest gives it", LONG_ONLY, async () => {
  const { tools } = await outcomes(server("", ""), "call-seconds = 1\n", 1);
  expect(tools).toEqual([
    [
      "failed",
      expect.stringContaining("the server did not answer within 1 s, which call-seconds in [run] sets"),
    ],
  ]);
});
