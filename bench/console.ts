// `npm run bench:console`: both consoles in a pseudo-terminal, side by side: first paint, echo of a key while an answer
// streams (Latin and Chinese), processor time and bytes while it streams and while idle, peak memory at the start
// and with 5,000 entries, a series of resizes, the file picker over 200,000 files.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type IPty, spawn } from "@lydell/node-pty";

const COMMAND = fileURLToPath(new URL("../packages/induscode/bin/indus", import.meta.url));
const PAINTS = Number(process.env.PAINTS ?? 15);
const STREAM_S = 5;
const IDLE_S = 3;
const TICK_MS = 20;
/** Nothing that is waited for here takes longer. */
const PATIENCE_MS = 120_000;
const KEYS = 120;
const ENTRIES = 5_000;
const CALLS_A_TURN = 50;
const FILES = 200_000;

const place = mkdtempSync(join(tmpdir(), "indus-console-"));
const [home, work] = [join(place, "home"), join(place, "work")];
mkdirSync(home);
mkdirSync(work);
// With `auto` the console would ask for a theme, because this terminal does not tell its background.
writeFileSync(join(home, "settings.json"), JSON.stringify({ localServers: [], theme: "dark" }));

const WORDS =
  "The parser keeps the last token of a line and gives it back to whoever asks for more of them. ".split(
    /(?<= )/,
  );
const CHINESE =
  "终端里的代理会显示修改过的行和执行过的命令，长文章也不会在中途被截断。".match(/.{1,2}/gu) ?? [];
const WIDE = "wide";
const CALLS = "calls";
const DONE = "All of them were read.";

/** The model answers with this many one-word tokens a second, for some seconds; or with calls, until the log has many entries. */
let tokensPerSecond = 0;
let turnsOfCalls = 0;
const model = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const words = body.includes(WIDE) ? CHINESE : WORDS;
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type: string, more: object): void =>
    void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
  send("message_start", { message: { role: "assistant", content: [], usage: { input_tokens: 1 } } });
  send("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
  const begun = performance.now();
  let sent = 0;
  const end = (stop: string): void => {
    send("message_delta", { delta: { stop_reason: stop }, usage: { output_tokens: sent } });
    send("message_stop", {});
    response.end();
  };
  if (body.includes(CALLS)) {
    const isOver = ++turnsOfCalls > ENTRIES / CALLS_A_TURN;
    if (isOver) send("content_block_delta", { index: 0, delta: { type: "text_delta", text: DONE } });
    send("content_block_stop", { index: 0 });
    for (let n = 1; n <= CALLS_A_TURN && !isOver; n++) {
      const call = { type: "tool_use", id: `c${turnsOfCalls}_${n}`, name: "read", input: {} };
      send("content_block_start", { index: n, content_block: call });
      const input = JSON.stringify({ path: "a.txt", offset: n });
      send("content_block_delta", { index: n, delta: { type: "input_json_delta", partial_json: input } });
      send("content_block_stop", { index: n });
    }
    end(isOver ? "end_turn" : "tool_use");
    return;
  }
  const timer = setInterval(() => {
    const gone = performance.now() - begun;
    for (const due = Math.floor((gone / 1000) * tokensPerSecond); sent < due; sent++) {
      const text = (words[sent % words.length] ?? "") + (sent % 97 === 96 ? "\n\n" : "");
      send("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
    }
    if (gone < STREAM_S * 1000) return;
    clearInterval(timer);
    send("content_block_stop", { index: 0 });
    end("end_turn");
  }, TICK_MS);
  response.on("close", () => clearInterval(timer));
}).listen(0, "127.0.0.1");
await new Promise((resolve) => model.once("listening", resolve));
const url = `http://127.0.0.1:${(model.address() as AddressInfo).port}`;

interface Run {
  readonly pty: IPty;
  readonly text: () => string;
  readonly bytes: () => number;
  readonly until: (isSo: (text: string) => boolean) => Promise<number>;
  readonly end: () => Promise<void>;
}

function start(mode: "--plain" | "--rich", args: readonly string[] = [], cwd = work): Run {
  const pty = spawn(COMMAND, [mode, "--model", "anthropic/one", ...args], {
    name: "xterm-256color",
    cols: 100,
    rows: 40,
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      INDUS_HOME: home,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "unused",
    },
  });
  let text = "";
  const waiting = new Set<() => void>();
  pty.onData((chunk) => {
    text += chunk;
    for (const look of waiting) look();
  });
  const left = new Promise<void>((resolve) => pty.onExit(() => resolve()));
  return {
    pty,
    text: () => text,
    bytes: () => Buffer.byteLength(text),
    until: (isSo) =>
      new Promise((resolve, reject) => {
        const giveUp = (): void =>
          reject(
            new Error(
              `not shown within ${PATIENCE_MS / 1_000} s; the end of what was: ${text.slice(-2_000)}`,
            ),
          );
        const patience = setTimeout(giveUp, PATIENCE_MS);
        const look = (): void => {
          if (!isSo(text)) return;
          clearTimeout(patience);
          waiting.delete(look);
          resolve(performance.now());
        };
        waiting.add(look);
        look();
      }),
    end: async () => {
      process.kill(pty.pid, "SIGTERM");
      await left;
    },
  };
}

const READY = {
  "--plain": (text: string) => text.includes("› "),
  "--rich": (text: string) => text.includes("/help for"),
};

function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function peakMb(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  Number.NaN;

const MODES = ["--plain", "--rich"] as const;
const table: Record<string, Record<string, string>> = {};
const tell = (figure: string, mode: string, value: string): void => {
  table[figure] = { ...table[figure], [mode.slice(2)]: value };
};

const paints = { "--plain": [] as number[], "--rich": [] as number[] };
const anything = { "--plain": [] as number[], "--rich": [] as number[] };
for (let i = 0; i < PAINTS + 2; i++)
  for (const mode of MODES) {
    const begun = performance.now();
    const run = start(mode);
    const first = await run.until(
      (text) => text !== "" && (mode === "--plain" ? text.includes("indus ") : text.includes("›")),
    );
    const ready = await run.until(READY[mode]);
    if (i >= 2) {
      anything[mode].push(first - begun);
      paints[mode].push(ready - begun);
    }
    if (i === 2) tell("peak at start, MB", mode, peakMb(run.pty.pid).toFixed(0));
    await run.end();
  }
for (const mode of MODES) {
  tell("something is seen, ms (median)", mode, quantile(anything[mode], 0.5).toFixed(0));
  tell("greeting and prompt, ms (median)", mode, quantile(paints[mode], 0.5).toFixed(0));
}

for (const mode of MODES) {
  const run = start(mode);
  await run.until(READY[mode]);
  await sleep(500);
  const [cpu, bytes] = [processorMs(run.pty.pid), run.bytes()];
  await sleep(IDLE_S * 1000);
  tell(
    `idle for ${IDLE_S} s: processor ms, bytes`,
    mode,
    `${processorMs(run.pty.pid) - cpu}, ${run.bytes() - bytes}`,
  );
  await run.end();
}

for (const rate of [1_000, 10_000])
  for (const mode of MODES) {
    tokensPerSecond = rate;
    const run = start(mode);
    await run.until(READY[mode]);
    await sleep(300);
    const [cpu, bytes] = [processorMs(run.pty.pid), run.bytes()];
    run.pty.write("go\r");
    await run.until((text) => text.slice(bytes).includes("parser"));
    await run.until((text) => /— 1 turn/.test(text.slice(bytes)));
    const words = rate * STREAM_S;
    const chars = (WORDS.join("").length / WORDS.length) * words;
    tell(
      `${rate} tokens a second: share of a core`,
      mode,
      `${((processorMs(run.pty.pid) - cpu) / (STREAM_S * 10)).toFixed(0)} %`,
    );
    tell(`${rate} tokens a second: bytes drawn / text`, mode, ((run.bytes() - bytes) / chars).toFixed(2));
    await run.end();
  }

/** How long it takes until keys are visible that appear nowhere else on the screen. */
async function echoes(run: Run, count: number, keys: string): Promise<string> {
  const times: number[] = [];
  for (let key = 0; key < count; key++) {
    const letter = keys[key % keys.length] ?? "X";
    const from = run.text().length;
    const pressed = performance.now();
    run.pty.write(letter);
    times.push((await run.until((text) => text.indexOf(letter, from) >= 0)) - pressed);
    await sleep(20);
  }
  return `${quantile(times, 0.5).toFixed(1)}, ${quantile(times, 0.99).toFixed(1)}`;
}

tokensPerSecond = 10_000;
for (const [name, line, sign] of [
  ["Latin", "go", "parser"],
  ["Chinese", WIDE, "终端"],
] as const) {
  const run = start("--rich");
  await run.until(READY["--rich"]);
  const bytes = run.text().length;
  run.pty.write(`${line}\r`);
  await run.until((text) => text.slice(bytes).includes(sign));
  tell(`echo at 10,000 ${name} tokens a second, ms: median, p99`, "--rich", await echoes(run, KEYS, "XZQJ"));
  await run.end();
}

writeFileSync(join(work, "a.txt"), "a line of the file\n".repeat(100));
for (const args of [[], ["-c"]]) {
  const run = start("--rich", ["--permission-mode", "bypass", ...args]);
  await run.until(READY["--rich"]);
  if (args.length === 0) {
    run.pty.write(`${CALLS}\r`);
    await run.until((text) => text.includes(DONE) && /— [\d.k]+ turns/.test(text));
  } else await sleep(500);
  tell(
    `peak with ${ENTRIES} entries, ${args.length === 0 ? "made" : "resumed"}, MB`,
    "--rich",
    peakMb(run.pty.pid).toFixed(0),
  );
  await run.end();
}

{
  const tree = join(place, "tree");
  for (let folder = 0; folder < FILES / 500; folder++) {
    const path = join(tree, `folder${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < 500; file++) writeFileSync(join(path, `module-${folder}-${file}.ts`), "");
  }
  writeFileSync(join(tree, "zebra-crossing.ts"), "");
  execFileSync("git", ["init", "-q"], { cwd: tree });
  const run = start("--rich", [], tree);
  await run.until(READY["--rich"]);
  const asked = performance.now();
  run.pty.write("@zebra");
  const listed = await run.until((text) => text.includes("zebra-crossing.ts"));
  tell(`@ over ${FILES} files: listed and found, ms`, "--rich", (listed - asked).toFixed(0));
  const times: number[] = [];
  for (let at = 0; at < 20; at++) {
    run.pty.write("\x15");
    await sleep(100);
    run.pty.write("@modul");
    await sleep(200);
    const name = `module-${17 * at}-${20 * at + 3}.ts`;
    const from = run.text().length;
    const pressed = performance.now();
    run.pty.write(`e-${17 * at}-${20 * at + 3}.`);
    times.push((await run.until((text) => text.includes(name, from))) - pressed);
  }
  tell(
    `@ over ${FILES} files: found, ms: median, p99`,
    "--rich",
    `${quantile(times, 0.5).toFixed(0)}, ${quantile(times, 0.99).toFixed(0)}`,
  );
  await run.end();
}

{
  const run = start("--rich");
  await run.until(READY["--rich"]);
  const cpu = processorMs(run.pty.pid);
  for (let i = 0; i < 200; i++) {
    run.pty.resize(40 + ((i * 37) % 120), 20 + ((i * 13) % 30));
    await sleep(10);
  }
  await sleep(500);
  tell(
    "200 sizes in 2 s: processor ms, bytes",
    "--rich",
    `${processorMs(run.pty.pid) - cpu}, ${run.bytes()}`,
  );
  await run.end();
}

console.table(table);
model.closeAllConnections();
model.close();
rmSync(place, { recursive: true, force: true });
