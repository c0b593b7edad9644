// What addons that run code cost a session: at its start when none of them is needed, and around each tool call when one
// is. Prints one table; a missed target is printed plainly.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  assembleAddons,
  createTieredLoader,
  createTrust,
  decideTrust,
} from "../packages/induscode/src/addons/session.ts";
import { hashAddon } from "../packages/induscode/src/addons/source/content-hash.ts";
import { createHooks } from "../packages/induscode/src/feature/dispatch/hooks.ts";
import { createRegistry } from "../packages/induscode/src/feature/registry.ts";
import { measureProcess } from "./measure.ts";
import { launcher } from "./programs.ts";
import { measureServers } from "./servers.ts";

const startRounds = 21;
const gateCalls = 3_000;
const unheardEvents = 1_000;
const addonCount = 20;
const serverPairs = 21;
const parts: readonly string[] = ["starts", "gates", "unheard", "servers"];

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !parts.includes(name));
if (unknown.length > 0) throw new Error(`no part ${unknown.join(", ")}: there are ${parts.join(", ")}`);
const wanted = (name: string): boolean => asked.length === 0 || asked.includes(name);

const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-bench-addons-")));
/** A session of one turn, with twenty trusted addons that are not needed, compared with one without any. */
async function measureStarts(): Promise<void> {
  const cassette = join(base, "one-turn.jsonl");
  writeFileSync(cassette, recordedTurn());
  const bare = place("bare");
  const full = place("full");
  for (let at = 0; at < addonCount; at++) {
    const isPython = at % 2 === 1;
    const name = `unused${at}.${isPython ? "py" : "ts"}`;
    writeFileSync(join(full.work, ".indus/addons", name), isPython ? UNUSED_PYTHON : UNUSED_MODULE);
  }
  await trustAll(full);
  const times: Record<"bare" | "full", number[]> = { bare: [], full: [] };
  const run = async ({ home, work }: Place): Promise<number> => {
    const args = ["-p", "hello", "--cassette", cassette];
    const env = { PATH: process.env.PATH ?? "", INDUS_NODE: process.execPath, INDUS_HOME: home, HOME: home };
    return (await measureProcess({ command: launcher, args, cwd: work, env })).wallMs;
  };
  for (const each of [bare, full, bare, full]) await run(each); // registers, and warms the code cache
  for (let round = 0; round < startRounds; round++) {
    times.bare.push(await run(bare));
    times.full.push(await run(full));
  }
  const grown = median(times.full) - median(times.bare);
  report(`start: ${addonCount} trusted addons, none used, more than none`, grown, { unit: "ms", target: 20 });
}

async function measureGate(kind: string, file: string, code: string): Promise<void> {
  const { work, home } = place(`gate-${kind}`);
  writeFileSync(join(work, ".indus/addons", file), code);
  const { hooks, dispose } = await load({ work, home });
  const payload = { name: "read", callId: "c1", args: { path: "a.ts" } };
  const { signal } = new AbortController();
  const times: number[] = [];
  for (let call = 0; call < gateCalls; call++) {
    const startedMs = performance.now();
    const { gate } = await hooks.dispatcher.dispatch("tool:before", payload, { signal });
    times.push((performance.now() - startedMs) * 1_000);
    if (gate) throw new Error("the gate was to let it pass");
  }
  await dispose();
  report(`a warm gate in ${kind}`, median(times.slice(gateCalls / 10)), { unit: "µs", target: 300 });
}

/** Events that none of five running addons subscribed to. */
async function measureUnheard(): Promise<void> {
  const { work, home } = place("unheard");
  for (let at = 0; at < 5; at++) writeFileSync(join(work, ".indus/addons", `quiet${at}.ts`), UNUSED_MODULE);
  const { hooks, dispose } = await load({ work, home });
  const { signal } = new AbortController();
  const payload = { name: "read", callId: "c1", args: {}, text: "", isError: false };
  const times: number[] = [];
  for (let round = 0; round < 50; round++) {
    const startedMs = performance.now();
    for (let event = 0; event < unheardEvents; event++)
      await hooks.dispatcher.dispatch("tool:after", payload, { signal });
    times.push((performance.now() - startedMs) * 1_000);
  }
  await dispose();
  report(`${unheardEvents} events that none of 5 addons hears`, median(times), { unit: "µs", target: 1_000 });
}

interface Place {
  readonly home: string;
  readonly work: string;
}

function place(name: string): Place {
  const work = join(base, name, "work");
  const home = join(base, name, "home");
  mkdirSync(join(work, ".indus/addons"), { recursive: true });
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "settings.json"), JSON.stringify({ localServers: [] }));
  return { home, work };
}

async function load({ work, home }: Place) {
  const loader = createTieredLoader({ workspace: work, home, env: {}, requireSandbox: true });
  const trust = createTrust({ home });
  const addons = assembleAddons({
    loader,
    decide: (sources) => decideTrust(sources, { trust, describe: loader.describe, ask: async () => "yes" }),
    registry: createRegistry(),
  });
  const { features, faults } = await addons.loadAll({ workspace: work });
  if (faults.length > 0) throw new Error(faults.map(({ message }) => message).join("\n"));
  const onFault = ({ message }: { readonly message: string }): never => {
    throw new Error(message);
  };
  const hooks = createHooks(features, { deadlineMs: 5_000, onGateFailure: "allow", onFault });
  return { hooks, dispose: addons.dispose };
}

async function trustAll({ home, work }: Place): Promise<void> {
  const trust = createTrust({ home });
  for (let at = 0; at < addonCount; at++) {
    const path = join(work, ".indus/addons", `unused${at}.${at % 2 === 1 ? "py" : "ts"}`);
    await trust.grant({ hash: hashAddon(path), id: `project:unused${at}`, path, granted: [] });
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function report(
  figure: string,
  found: number,
  { unit, target }: { readonly unit: string; readonly target: number },
): void {
  const verdict = found <= target ? `≤ ${target}  ok` : `≤ ${target}  MISSED`;
  console.log(`${figure.padEnd(62)} ${found.toFixed(1).padStart(8)} ${unit}  ${verdict}`);
}

const UNUSED_MODULE = `import { type AddonSurface, observe } from "induscode/addons";
export function register(surface: AddonSurface): void {
  surface.on("compact:before", observe(() => undefined));
}
`;
const UNUSED_PYTHON = `from induscode.addons import ObserveHandler

def register(surface):
    surface.on("compact:before", ObserveHandler(lambda payload: None))
`;

function gates(): readonly (readonly [kind: string, file: string, code: string])[] {
  const module = `import { type AddonSurface, gate } from "induscode/addons";
export function register(surface: AddonSurface): void {
  surface.on("tool:before", gate(({ name }) => (name === "bash" ? { stop: true } : undefined)));
}
`;
  const python = `from induscode.addons import GateDecision, GateHandler

def register(surface):
    surface.on("tool:before", GateHandler(lambda p: GateDecision(stop=True) if p["name"] == "bash" else None))
`;
  return [
    ["TypeScript", "gate.ts", module],
    ["Python", "gate.py", python],
  ];
}

function recordedTurn(): string {
  const message = { role: "assistant", content: [{ kind: "text", text: "Hello." }] };
  return `${JSON.stringify({ cassette: 1, about: "one turn" })}\n${JSON.stringify({ turn: 1, reply: { message } })}\n`;
}

try {
  if (wanted("starts")) await measureStarts();
  if (wanted("gates")) for (const [kind, file, code] of gates()) await measureGate(kind, file, code);
  if (wanted("unheard")) await measureUnheard();
  if (wanted("servers")) {
    const more = await measureServers(join(base, "servers"), serverPairs);
    report("first request: six MCP servers of 20 MB, known and not used", more, { unit: "ms", target: 60 });
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}
