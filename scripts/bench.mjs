// `npm run bench -- SCENARIO...` measures the product against the least an agent must do; `npm run bench:tools`,
// `npm run bench:hooks`, `npm run bench:addons`,
// `npm run bench:calls`, `npm run bench:console`, `npm run bench:sessions`, `npm run bench:crew`, `npm run bench:wires` and `npm run bench:fronts` measure the tools, the hooks, addons that
// run code, a bare call, the consoles, what many and long sessions cost, the boards of crews, each wire, and the ways in for programs, alone. Each sets up first.
import { endLike, ensureBuilt, ensureInstalled, runForeground, runScript, runtimeNode } from "./setup.mjs";

const FILES = {
  tools: "bench/tools.ts",
  hooks: "bench/hooks.ts",
  addons: "bench/addons.ts",
  calls: "bench/calls.ts",
  console: "bench/console.ts",
  sessions: "bench/sessions.ts",
  crew: "bench/crew.ts",
  wires: "bench/wires.ts",
  fronts: "bench/fronts.ts",
};

await runScript(async () => {
  const [part, ...rest] = process.argv.slice(2);
  const file = part?.startsWith("--only=") ? FILES[part.slice("--only=".length)] : undefined;
  ensureInstalled();
  if (
    file === undefined ||
    [FILES.addons, FILES.console, FILES.sessions, FILES.crew, FILES.wires, FILES.fronts].includes(file)
  )
    ensureBuilt();
  const args = file === undefined ? ["bench/run.ts", ...process.argv.slice(2)] : [file, ...rest];
  endLike(await runForeground(runtimeNode(), ["--conditions=indus-source", ...args]));
});
