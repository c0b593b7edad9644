// What a session keeps when it is killed, when its disk fails, and when the power goes: by the real command, at moments drawn from a
// seed. `npm run faults` takes many of them; `npm test` a few.

import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import type { WireName } from "../../packages/indusagi/src/llmgateway/wires/table.ts";
import type { Entry } from "../../packages/induscode/src/conductor/contract.ts";
import { readEntries } from "../../packages/induscode/src/conductor/log-reader.ts";
import { verifyEntries } from "../../packages/induscode/src/conductor/verify.ts";
import { runtimeNode } from "../../scripts/setup.mjs";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { isLong, LONG_ONLY } from "../support/long-form.ts";
import { type StrictServer, startStrictServer } from "../support/strict/server.ts";

const DISK = fileURLToPath(new URL("../support/faulty-disk.cjs", import.meta.url));
const IS_WHOLE = process.env.INDUS_FAULTS === "whole";
const SEED = Number(process.env.INDUS_FAULTS_SEED ?? 20_261_123);
const KILLS = IS_WHOLE ? 500 : isLong ? 24 : 2;
/** Of the calls to the disk, every so many-th fails in its turn. */
const STRIDE = IS_WHOLE ? 1 : isLong ? 9 : 60;
/** A busy machine may hold up the program for longer than the two seconds of the promise: few runs are no measurement. */
const LOSS_MS = IS_WHOLE ? 2_000 : 30_000;
const KINDS = ["full", "broken", "short"] as const;
const MODELS: readonly (readonly [WireName, string])[] = [
  ["messages", "claude-opus-5-5"],
  ["chat", "deepseek-v4"],
  ["responses", "gpt-6.1-sol"],
  ["gemini", "gemini-3.1-pro-preview"],
];

/** The same numbers for the same seed. */
function drawing(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Scene extends Workplace {
  readonly server: StrictServer;
  readonly model: readonly string[];
  readonly notes: () => readonly string[];
  readonly env: (fault: string) => Readonly<Record<string, string>>;
}

const WRITES = 4;

async function scene(at: number): Promise<Scene> {
  const [wire, model] = MODELS[at % MODELS.length] ?? ["messages", "claude-opus-5-5"];
  let asked = 0;
  const server = await startStrictServer((_, body) => {
    if (JSON.stringify(body).includes("go on now")) return { text: "yes" };
    if (asked++ >= WRITES) return { text: "Done." };
    const input = { path: `file-${asked}.txt`, content: "x" };
    return { thinking: `step ${asked}`, text: "I write.", calls: [{ name: "write", input }] };
  });
  onTestFinished(() => server.close());
  const place = createWorkplace();
  const base = wire === "gemini" ? "/v1beta" : "/v1";
  const strict = {
    wire,
    baseUrl: server.url + base,
    apiKey: "key-of-strict-1234",
    models: { [model]: { contextWindow: 1_000_000 } },
  };
  writeFileSync(join(place.home, "models.json"), JSON.stringify({ providers: { strict } }));
  const notes = join(dirname(place.home), "notes");
  const node = join(dirname(place.home), "node");
  writeFileSync(node, `#!/bin/sh\nexec '${runtimeNode()}' --require '${DISK}' "$@"\n`, { mode: 0o755 });
  return {
    ...place,
    server,
    model: ["--model", `strict/${model}`, "--permission-mode", "bypass"],
    notes: () => (existsSync(notes) ? readFileSync(notes, "utf8").split("\n").filter(Boolean) : []),
    env: (fault) => ({
      INDUS_NODE: node,
      FAULT: fault,
      FAULT_FOLDER: join(place.home, "sessions"),
      FAULT_NOTES: notes,
    }),
  };
}

interface Told {
  readonly entry: Entry;
  readonly at: number;
}

/** Runs a task and hears what a program is told; it is killed once it has been told so many lines. */
async function hear(
  place: Scene,
  fault: string,
  killAfter = Number.POSITIVE_INFINITY,
): Promise<readonly Told[]> {
  const told: Told[] = [];
  let lines = 0;
  await place.run(["-p", "--json", "write files", ...place.model], {
    env: place.env(fault),
    onStart: (child) => {
      if (!child.stdout) throw new Error("no stdout");
      createInterface({ input: child.stdout }).on("line", (line) => {
        const event = JSON.parse(line) as Entry & { readonly v?: number };
        if (event.n !== undefined) told.push({ entry: event, at: Date.now() });
        if (++lines === killAfter) child.kill("SIGKILL");
      });
    },
  });
  return told;
}

/** What was told is kept, the log explains its requests, and the session goes on with a server that takes no broken request. */
async function expectKept(place: Scene, told: readonly Told[], what: string): Promise<void> {
  const [log] = place.logs();
  if (log === undefined) return expect({ what, told }).toEqual({ what, told: [] });
  const { entries } = readEntries(log);
  const kept = new Map(entries.map((entry) => [entry.n, entry]));
  for (const { entry } of told) expect({ what, entry: kept.get(entry.n) }).toEqual({ what, entry });
  expect({ what, mismatches: verifyEntries(entries).mismatches }).toEqual({ what, mismatches: [] });
  if (entries.length === 0) return;
  const { code, stdout, stderr } = await place.run(["-p", "go on now", "-c", ...place.model]);
  expect({ what, code, stdout, refusals: place.server.refusals, stderr: code === 0 ? "" : stderr }).toEqual({
    ...{ what, code: 0, stdout: "yes\n", refusals: [], stderr: "" },
  });
}

describe(`with the seed ${SEED}`, () => {
  it(`kill -9 at ${KILLS} moments: nothing told is lost, and after a power cut there at most what was told in the last two seconds, never what explains a file`, async () => {
    const draw = drawing(SEED);
    for (let round = 0; round < KILLS; round++) {
      const place = await scene(round);
      const after = 1 + Math.floor(draw() * 60);
      const what = `kill ${round} after ${after} lines`;
      const told = await hear(place, "none:0", after);
      const end = Date.now();
      const [log] = place.logs();
      if (log === undefined || round % 2 === 0) {
        await expectKept(place, told, what);
        continue;
      }
      // The power goes at the same moment: the log is as long as the last flush that ended found it.
      const safe = place
        .notes()
        .filter((note) => note.startsWith("safe ") && note.endsWith(log))
        .at(-1);
      truncateSync(log, Number(safe?.split(" ")[1] ?? 0));
      const left = readEntries(log).entries;
      const kept = new Set(left.map(({ n }) => n));
      const lost = told.filter(({ entry, at }) => !kept.has(entry.n) && end - at > LOSS_MS);
      expect({ what, lost }).toEqual({ what, lost: [] });
      const explained = JSON.stringify(left);
      for (let file = 0; file <= WRITES; file++)
        if (existsSync(join(place.cwd, `file-${file}.txt`)))
          expect({ what, file, isExplained: explained.includes(`file-${file}.txt`) }).toEqual({
            what,
            file,
            isExplained: true,
          });
      await expectKept(
        place,
        told.filter(({ entry }) => kept.has(entry.n)),
        `${what}, power cut`,
      );
    }
  }, 3_600_000);

  it(`a full disk, an error of the disk and half a write at every ${STRIDE === 1 ? "" : `${STRIDE}th `}call in turn: nothing told is lost, and the session goes on`, async () => {
    const whole = await scene(0);
    await hear(whole, "none:0");
    const calls = whole.notes().filter((note) => note.startsWith("call ")).length;
    expect(calls).toBeGreaterThan(10);
    let round = 0;
    for (const kind of KINDS)
      for (let nth = 1 + (SEED % STRIDE); nth <= calls; nth += STRIDE) {
        const place = await scene(round++);
        const told = await hear(place, `${kind}:${nth}`);
        await expectKept(place, told, `${kind} at call ${nth} of ${calls}`);
      }
  }, 3_600_000);

  it("the twin: a disk that says that it wrote, and did not, is found out", LONG_ONLY, async () => {
    const place = await scene(0);
    const told = await hear(place, "liar:4");
    await expect(expectKept(place, told, "a liar")).rejects.toThrow();
  });
});
