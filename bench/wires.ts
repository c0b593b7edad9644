// `npm run bench:wires`: what each of our own wires costs, compared with floor-wires.mjs on the same wire, alternating: processor
// time up to the first request, and of a whole answer of 20,000 pieces. Processor time, because load on the machine hardly
// changes it. And what looking up a model costs.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./figures.ts";
import { launcher } from "./programs.ts";

const PIECES = 20_000;
const FRAMES_PER_WRITE = 100;
const ROUNDS = Number(process.argv[2] ?? 15);
const TASK = "Go through the modules and count each one up.";
const WIRES = ["messages", "chat", "responses", "gemini"] as const;
type Wire = (typeof WIRES)[number];
type Program = "floor" | "indus";
const PROGRAMS: readonly Program[] = ["floor", "indus"];

const event = (data: object, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
const typed = (data: { readonly type: string; readonly [key: string]: unknown }): string =>
  event(data, data.type);

/** The model's output on each wire, cut into pieces. */
const FRAMES: Readonly<Record<Wire, (pieces: readonly string[]) => readonly string[]>> = {
  messages: (pieces) => [
    typed({
      type: "message_start",
      message: { role: "assistant", content: [], usage: { input_tokens: 10, output_tokens: 1 } },
    }),
    typed({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    ...pieces.map((text) =>
      typed({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
    ),
    typed({ type: "content_block_stop", index: 0 }),
    typed({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } }),
    typed({ type: "message_stop" }),
  ],
  chat: (pieces) => {
    const chunk = (delta: object, finish_reason: string | null = null): string =>
      event({ id: "c1", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] });
    const usage = { prompt_tokens: 10, completion_tokens: 5 };
    return [
      chunk({ role: "assistant", content: "" }),
      ...pieces.map((content) => chunk({ content })),
      chunk({}, "stop"),
      event({ id: "c1", object: "chat.completion.chunk", choices: [], usage }),
      "data: [DONE]\n\n",
    ];
  },
  responses: (pieces) => {
    const place = { item_id: "msg_1", output_index: 0, content_index: 0 };
    const content = [{ type: "output_text", text: pieces.join(""), annotations: [] }];
    const item = { type: "message", id: "msg_1", role: "assistant", status: "completed", content };
    const usage = { input_tokens: 10, output_tokens: 5 };
    const added = { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } };
    return [
      typed({ type: "response.created", response: { status: "in_progress" } }),
      typed(added),
      ...pieces.map((delta) => typed({ type: "response.output_text.delta", ...place, delta })),
      typed({ type: "response.output_item.done", output_index: 0, item }),
      typed({ type: "response.completed", response: { status: "completed", output: [item], usage } }),
    ];
  },
  gemini: (pieces) => {
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5 };
    const chunk = (parts: readonly object[], more: object = {}): string =>
      event({ candidates: [{ content: { role: "model", parts }, ...more }], usageMetadata });
    return [...pieces.map((text) => chunk([{ text }])), chunk([], { finishReason: "STOP" })];
  },
};

const answerOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `word ${String(at).padStart(5, "0")} `);

const wireOf = (path: string): Wire =>
  path.endsWith("/responses")
    ? "responses"
    : path.endsWith("/messages")
      ? "messages"
      : path.endsWith("/chat/completions")
        ? "chat"
        : "gemini";

const folder = mkdtempSync(join(tmpdir(), "indus-wires-"));
const workFolder = join(folder, "work");
mkdirSync(workFolder);
let answers: Readonly<Record<Wire, readonly string[]>>;
let heard: () => void = () => undefined;
const server = createServer((request, response) => {
  heard();
  request.resume().on("end", () => {
    const frames = answers[wireOf(request.url ?? "")];
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let at = 0; at < frames.length; at += FRAMES_PER_WRITE)
      response.write(frames.slice(at, at + FRAMES_PER_WRITE).join(""));
    response.end();
  });
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** On OpenAI's own server the model's name selects the wire; Gemini's is set in models.json. */
const MODELS: Readonly<Record<Wire, string>> = {
  messages: "anthropic/bench",
  chat: "openai/bench-1",
  responses: "openai/gpt-5.6-sol",
  gemini: "bench/gemini-3.5-flash",
};

const KEYS = {
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: "bench-key",
  OPENAI_BASE_URL: `${url}/v1`,
  OPENAI_API_KEY: "bench-key",
};

let homes = 0;
function launch(program: Program, wire: Wire) {
  const home = join(folder, `home-${homes++}`);
  mkdirSync(join(home, ".indus"), { recursive: true });
  const providers = { bench: { wire: "gemini", baseUrl: `${url}/v1`, apiKeyEnv: "OPENAI_API_KEY" } };
  if (wire === "gemini") writeFileSync(join(home, ".indus", "models.json"), JSON.stringify({ providers }));
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ""}`, HOME: home, ...KEYS };
  const floor = fileURLToPath(new URL("floor-wires.mjs", import.meta.url));
  const base = wire === "messages" ? url : `${url}/v1`;
  return program === "floor"
    ? { words: [process.execPath, floor, wire, base, TASK], env: { ...env, FLOOR_LOG: join(home, "log") } }
    : {
        words: [launcher, "-p", TASK, "--model", MODELS[wire], "--permission-mode", "bypass"],
        env: { ...env, INDUS_HOME: join(home, ".indus"), INDUS_NODE: process.execPath },
      };
}

/** The time of all threads of a running process, in milliseconds. */
function spentMs(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  const spent = readdirSync(tasks).map((id) =>
    Number(readFileSync(join(tasks, id, "schedstat"), "utf8").split(" ")[0]),
  );
  return spent.reduce((sum, each) => sum + each, 0) / 1e6;
}

/** Processor time until the first request arrived. */
async function firstRequest(program: Program, wire: Wire): Promise<number> {
  const { words, env } = launch(program, wire);
  const [command = "", ...args] = words;
  const child = spawn(command, args, { cwd: workFolder, env, stdio: ["ignore", "ignore", "inherit"] });
  let spent: number | undefined;
  heard = () => {
    spent ??= spentMs(child.pid ?? 0);
  };
  const [code] = await once(child, "exit");
  if (code !== 0 || spent === undefined) throw new Error(`${program} on ${wire} ended with ${code}`);
  return spent;
}

/** Processor time of a whole run, as counted by the shell for its children. */
async function wholeRun(program: Program, wire: Wire): Promise<number> {
  const { words, env } = launch(program, wire);
  const timed = ["-c", 'TIMEFORMAT="%3U %3S"; time "$@" 2>/dev/null', "bash", ...words];
  const child = spawn("bash", timed, { cwd: workFolder, env, stdio: ["ignore", "pipe", "pipe"] });
  const [text, times] = await Promise.all([
    child.stdout.toArray(),
    child.stderr.toArray(),
    once(child, "exit"),
  ]);
  if (child.exitCode !== 0 || !text.join("").includes(`word ${PIECES - 1}`))
    throw new Error(`${program} on ${wire} ended with ${child.exitCode}: ${times.join("")}`);
  const [user, system] = times.join("").trim().split(" ").map(Number);
  return ((user ?? Number.NaN) + (system ?? Number.NaN)) * 1000;
}

async function measure(name: string, run: typeof wholeRun, limit: number): Promise<void> {
  for (const wire of WIRES) {
    for (const program of PROGRAMS) await run(program, wire); // unmeasured: it loads the files from the disk
    const samples: Record<Program, number[]> = { floor: [], indus: [] };
    for (let round = 0; round < ROUNDS; round++)
      for (const program of PROGRAMS) samples[program].push(await run(program, wire));
    const floor = median(samples.floor) ?? Number.NaN;
    const indus = median(samples.indus) ?? Number.NaN;
    const verdict = indus / floor <= limit ? "ok" : "MISSED";
    console.log(
      `| ${wire} | ${name} | ${floor.toFixed(0)} ms | ${indus.toFixed(0)} ms | ${(indus / floor).toFixed(2)} × | ≤ ${limit} × | ${verdict} |`,
    );
  }
}

/** The slowest first lookup of a model of each kind: its card, its price, whether it accepts pictures. */
function lookUpMs(): number {
  const names = ["anthropic claude-sonnet-5-5", "openrouter z-ai/glm-5", "mine unknown"];
  const models = new URL("../packages/indusagi/src/llmgateway/models.ts", import.meta.url).href;
  const code = `
    import { cardFor, knownPrice, seesImages } from ${JSON.stringify(models)};
    const spent = ${JSON.stringify(names)}.map((name) => {
      const of = name.split(" ");
      const before = performance.now();
      for (const look of [cardFor, knownPrice, seesImages]) look(...of);
      return performance.now() - before;
    });
    console.log(Math.max(...spent));`;
  const args = ["--conditions=indus-source", "--input-type=module", "--eval", code];
  const rounds = Array.from({ length: ROUNDS }, () =>
    Number(execFileSync(process.execPath, args, { encoding: "utf8" })),
  );
  return median(rounds) ?? Number.NaN;
}

try {
  const lookup = lookUpMs();
  console.log(
    `${ROUNDS} rounds, medians of processor time\n\n| wire | figure | floor | indus | ratio | target | |\n|---|---|---|---|---|---|---|`,
  );
  answers = framesOf(1);
  await measure("first request", firstRequest, 1.1);
  answers = framesOf(PIECES);
  await measure("20,000 deltas", wholeRun, 0.95);
  console.log(
    `| all | looking a model up | | ${lookup.toFixed(2)} ms | | ≤ 1 ms | ${lookup <= 1 ? "ok" : "MISSED"} |`,
  );
} finally {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
}

function framesOf(count: number): Readonly<Record<Wire, readonly string[]>> {
  const pieces = answerOf(count);
  return {
    messages: FRAMES.messages(pieces),
    chat: FRAMES.chat(pieces),
    responses: FRAMES.responses(pieces),
    gemini: FRAMES.gemini(pieces),
  };
}
