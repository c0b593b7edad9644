// `npm run bench:fronts`: what the ways in for programs cost, against `indus --version` and `indus -p`, in turn: processor time, because
// load on the machine hardly changes it. An argument is the number of rounds.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startModelServer } from "../tests/support/model-server.ts";
import { median } from "./figures.ts";
import { launcher as builtHere } from "./programs.ts";

const ROUNDS = Number(process.argv[2] ?? 15);
/** Another checkout's, to compare two. */
const launcher = process.argv[3] ?? builtHere;
const MODEL = ["--model", "anthropic/bench"];

const folder = mkdtempSync(join(tmpdir(), "indus-fronts-"));
const workFolder = join(folder, "work");
mkdirSync(workFolder);
const server = await startModelServer(() => ({ text: "Done." }), { record: false });
let homes = 0;

/** Under a shell that counts what its children spent, in a home of its own. */
function start(...command: string[]): ChildProcess & { readonly spent: Promise<number> } {
  const home = join(folder, `home-${homes++}`);
  mkdirSync(home);
  const env = {
    ...{
      PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ""}`,
      HOME: home,
      INDUS_NODE: process.execPath,
    },
    ...{ INDUS_HOME: join(home, ".indus"), ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "bench-key" },
  };
  const counted = ["-c", 'TIMEFORMAT="%3U %3S"; time "$@" 2>/dev/null', "bash", ...command];
  const child = spawn("bash", counted, { cwd: workFolder, env });
  const spent = Promise.all([child.stderr.toArray(), once(child, "exit")]).then(([times]) => {
    if (child.exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${child.exitCode}`);
    const [user, system] = times.join("").trim().split(" ").map(Number);
    return ((user ?? Number.NaN) + (system ?? Number.NaN)) * 1000;
  });
  return Object.assign(child, { spent });
}

async function whole(...command: string[]): Promise<number> {
  const run = start(...command);
  run.stdin?.end();
  run.stdout?.resume();
  return run.spent;
}

/** Sends what is asked, one after the other; `onAnswer` hears of each answer, with the shell's process. */
async function editor(requests: readonly Request[], onAnswer?: (pid: number) => void): Promise<number> {
  const run = start(launcher, "acp", ...MODEL);
  const lines = createInterface({ input: run.stdout ?? process.stdin })[Symbol.asyncIterator]();
  let answer: Answer = {};
  for (const [id, request] of requests.entries()) {
    run.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...request(answer) })}\n`);
    do {
      const { value, done } = await lines.next();
      if (done === true) throw new Error("indus acp ended before it answered");
      answer = JSON.parse(value) as Answer;
    } while (answer.id !== id);
    if (answer.result === undefined) throw new Error(`indus acp: ${JSON.stringify(answer)}`);
    onAnswer?.(run.pid ?? 0);
  }
  run.stdin?.end();
  return run.spent;
}

interface Answer {
  readonly id?: number;
  readonly result?: Readonly<Record<string, unknown>>;
}

type Request = (last: Answer) => { readonly method: string; readonly params: object };

const HELLO: Request = () => ({
  method: "initialize",
  params: { protocolVersion: 1, clientCapabilities: {} },
});
const TASK: readonly Request[] = [
  HELLO,
  () => ({ method: "session/new", params: { cwd: workFolder, mcpServers: [] } }),
  ({ result }) => ({
    method: "session/prompt",
    params: { sessionId: result?.sessionId, prompt: [{ type: "text", text: "hello" }] },
  }),
];

/** The time of all threads of the one child of a process, in milliseconds. */
function spentByChildMs(pid: number): number {
  const child = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  const tasks = `/proc/${child}/task`;
  const spent = readdirSync(tasks).map((id) =>
    Number(readFileSync(join(tasks, id, "schedstat"), "utf8").split(" ")[0]),
  );
  return spent.reduce((sum, each) => sum + each, 0) / 1e6;
}

async function hello(): Promise<number> {
  let spent = Number.NaN;
  await editor([HELLO], (pid) => {
    spent = spentByChildMs(pid);
  });
  return spent;
}

const PRINT = [launcher, "-p", "hello", ...MODEL];
/** Of the checkout that this file is in: another one's launcher says nothing about its SDK. */
const SDK = [process.execPath, fileURLToPath(new URL("sdk-task.mjs", import.meta.url))];
const FIGURES = {
  version: { name: "`--version`", run: () => whole(launcher, "--version") },
  help: { name: "`--help`", run: () => whole(launcher, "--help") },
  hello: { name: "`acp`, to the answer of `initialize`", run: hello },
  print: { name: "`-p`", run: () => whole(...PRINT) },
  stream: {
    name: "`-p --output-format stream-json`",
    run: () => whole(...PRINT, "--output-format", "stream-json", "--verbose"),
  },
  sdk: { name: "`query` of the SDK, in the program", run: () => whole(...SDK) },
  acp: { name: "`acp` with a session and a task", run: () => editor(TASK) },
};
type Figure = keyof typeof FIGURES;
const NAMES = Object.keys(FIGURES) as Figure[];

try {
  const samples: Record<Figure, number[]> = {
    version: [],
    help: [],
    hello: [],
    print: [],
    stream: [],
    sdk: [],
    acp: [],
  };
  for (let round = -1; round < ROUNDS; round++)
    for (const name of NAMES) {
      const spent = await FIGURES[name].run();
      if (round >= 0) samples[name].push(spent); // the first loads the files from the disk
    }
  const of = (name: Figure): number => median(samples[name]) ?? Number.NaN;
  const targets: Partial<Record<Figure, number>> = {
    hello: 2 * of("version"),
    stream: of("print") + 10,
    sdk: of("print") + 10,
    acp: of("print") + 10,
  };
  console.log(
    `${ROUNDS} rounds, medians of processor time\n\n| figure | indus | target | |\n|---|---|---|---|`,
  );
  for (const name of NAMES) {
    const target = targets[name];
    const verdict = target === undefined ? "" : of(name) <= target ? "ok" : "MISSED";
    console.log(
      `| ${FIGURES[name].name} | ${of(name).toFixed(0)} ms | ${target === undefined ? "" : `≤ ${target.toFixed(0)} ms`} | ${verdict} |`,
    );
  }
} finally {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}
