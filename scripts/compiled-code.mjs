// V8's code of the product's files, for `bin/product.cjs`. V8 compiles a function when it is first called, and its code of a file
// holds what is compiled by then. So the build makes the starts below in two processes, and takes the code after them. A file
// that a request runs holds only what a request calls, because all of it is read at each start. Where a machine cannot run an
// addon, what an addon needs is left out.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const requestOf = (model) => [
  ...["-p", "hello", "--model", model],
  ...["--grant", "unused", "--permission-mode", "bypass"],
];
const REQUEST = requestOf("anthropic/one");
/** On each other wire: on OpenAI's own server the name selects it, Gemini's is set in models.json. The server refuses these. */
const REFUSED = ["openai/one", "openai/gpt-5.6-sol", "gemini/one"].map(requestOf);
/** Somebody works, goes on with the session, has a program do it, and an editor, and then sits at the rich console. */
const FIRST_STARTS = [
  REQUEST,
  ...REFUSED,
  [...REQUEST, "-c"],
  ["-p", "hello", "--output-format", "stream-json", "--verbose", "--model", "anthropic/one"],
];
const EDITOR = ["acp", "--model", "anthropic/one"];
const CONSOLE = ["--rich", "--model", "anthropic/one", "--grant", "unused"];
/** In a process of their own: they find in their cache what the addon registers. */
const STARTS = [["--help"], REQUEST];
/** A person types into the console. */
const TYPED = ["hello", "\r", "/quit", "\r"];
const PAUSE_MS = 150;
/** Where it is not left by then, what is compiled is taken as it is. */
const CONSOLE_MS = 10_000;

const ADDON = `import { observe } from "induscode/addons";
export function register(surface) {
  surface.on("compact:before", observe(() => undefined));
}
`;

const CALLS = [
  { name: "read", input: { path: "counted.ts" } },
  { name: "grep", input: { pattern: "count.r", path: "." } },
  { name: "edit", input: { path: "counted.ts", oldText: "= 0", newText: "= 1" } },
  { name: "bash", input: { command: "wc -l counted.ts" } },
];

/** The answer to a request that holds `results` outcomes of calls: the next call, and at their end a word. */
function answerAfter(results) {
  const call = CALLS[results];
  const block = call
    ? { type: "tool_use", id: `c${results}`, name: call.name, input: {} }
    : { type: "text", text: "" };
  const delta = call
    ? { type: "input_json_delta", partial_json: JSON.stringify(call.input) }
    : { type: "text_delta", text: "Hello." };
  return [
    { type: "message_start", message: { role: "assistant", content: [], usage: { input_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: call ? "tool_use" : "end_turn" },
      usage: { output_tokens: 1 },
    },
    { type: "message_stop" },
  ];
}

const DEADLINE_MS = 300_000;

/** Writes the code of each file of the product in `folder`, which lies in its package, for the Node that runs this. */
export async function compileProduct(folder) {
  const place = mkdtempSync(join(tmpdir(), "indus-starts-"));
  const [home, work] = ["home", "work"].map((name) => join(place, name));
  mkdirSync(join(work, ".indus/addons"), { recursive: true });
  mkdirSync(home);
  writeFileSync(join(home, "settings.json"), JSON.stringify({ localServers: [] }));
  writeFileSync(join(work, ".indus/addons/unused.ts"), ADDON);
  const model = createServer(async (request, response) => {
    if (!request.url.endsWith("/messages")) {
      response.writeHead(400).end();
      return;
    }
    const results = (await text(request)).split('"tool_result"').length - 1;
    response.writeHead(200, { "content-type": "text/event-stream" });
    const events = answerAfter(results);
    response.end(events.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join(""));
  }).listen(0, "127.0.0.1");
  await once(model, "listening");
  const url = `http://127.0.0.1:${model.address().port}`;
  const key = "a-key-that-opens-nothing";
  const providers = { gemini: { wire: "gemini", baseUrl: `${url}/v1`, apiKeyEnv: "OPENAI_API_KEY" } };
  writeFileSync(join(home, "models.json"), JSON.stringify({ providers }));
  const env = {
    ...{ PATH: process.env.PATH, HOME: home, INDUS_HOME: home },
    ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key },
    ...{ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key },
  };
  const startIn = async (...args) => {
    writeFileSync(join(work, "counted.ts"), "export const counter = 0;\n");
    const argv = [...process.execArgv, fileURLToPath(import.meta.url), realpathSync(folder), ...args];
    const run = promisify(execFile)(process.execPath, argv, { cwd: work, env, timeout: DEADLINE_MS });
    run.child.stdin.end();
    await run;
  };
  try {
    await startIn("first");
    await startIn();
  } finally {
    model.close();
    rmSync(place, { recursive: true, force: true });
  }
}

/** An editor at the other end of pipes: each message is sent when the one before it is answered. */
async function edit(main) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const restore = replaceStreams(input, output);
  const send = (id, method, params) =>
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  const answers = [
    () => send(1, "session/new", { cwd: process.cwd(), mcpServers: [] }),
    ({ sessionId }) => send(2, "session/prompt", { sessionId, prompt: [{ type: "text", text: "hello" }] }),
    () => input.end(),
  ];
  createInterface({ input: output }).on("line", (line) => {
    const { id, result } = JSON.parse(line);
    answers[id]?.(result ?? {});
  });
  send(0, "initialize", { protocolVersion: 1, clientCapabilities: {} });
  await Promise.race([main(EDITOR), setTimeout(CONSOLE_MS)]);
  restore();
}

/** Returns what puts the process's own back. */
function replaceStreams(stdin, stdout) {
  const own = { stdin: process.stdin, stdout: process.stdout };
  const set = (streams) => {
    for (const [name, value] of Object.entries(streams))
      Object.defineProperty(process, name, { value, configurable: true });
  };
  set({ stdin, stdout });
  return () => set(own);
}

/** The console on a terminal that is none, with somebody at it. */
async function talk(main) {
  const itself = () => input;
  const terminal = { isTTY: true, setRawMode: itself, ref: itself, unref: itself };
  const input = Object.assign(new PassThrough(), terminal);
  const output = Object.assign(new PassThrough(), {
    isTTY: true,
    columns: 80,
    rows: 24,
    getColorDepth: () => 24,
  });
  output.resume();
  replaceStreams(input, output);
  process.env.TERM = "xterm-256color";
  const typed = [...TYPED];
  const typist = setInterval(() => input.write(typed.shift() ?? ""), PAUSE_MS);
  await Promise.race([main(CONSOLE), setTimeout(CONSOLE_MS)]);
  clearInterval(typist);
}

/** In the process that makes the starts. */
async function startAndCompile(folder, isFirst) {
  const { COMPILED, ENTRY, productIn, scriptOf } = createRequire(import.meta.url)(
    join(folder, "../../bin/product.cjs"),
  );
  const names = readdirSync(folder).filter((name) => name.endsWith(".cjs"));
  const scripts = new Map(names.map((name) => [name, scriptOf(folder, name)]));
  const ran = new Set();
  const run = productIn(folder, (name) => {
    ran.add(name);
    return scripts.get(name);
  });
  const { main } = run(ENTRY);
  for (const args of isFirst ? FIRST_STARTS : STARTS) await main(args);
  if (isFirst) {
    await edit(main);
    await talk(main);
    for (const name of names.filter((each) => each.startsWith("door-"))) run(name);
  }
  mkdirSync(join(folder, COMPILED), { recursive: true });
  for (const name of isFirst ? names : ran)
    writeFileSync(join(folder, COMPILED, name), scripts.get(name).createCachedData());
  process.exit();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder, first] = process.argv;
  await startAndCompile(folder, first !== undefined);
}
