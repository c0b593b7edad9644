// What one checkout's tool boundary and file opening cost: `npm run bench:calls -- ROOT` prints one line of JSON, in microseconds.
// To compare two checkouts, run it for each in turn; ROOT defaults to this one.
import { open } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = process.argv[2] ?? join(import.meta.dirname, "..");
const load = (path: string) => import(pathToFileURL(join(root, "packages", path)).href);
const { defineTool, makeLocalContext, textResult } = await load("indusagi/src/capabilities/index.ts");
const { createBoundary } = await load("induscode/src/deck/index.ts");
const { createHooks } = await load("induscode/src/feature/dispatch/hooks.ts");
const { openByHandle } = await load("indusagi/src/capabilities/backends/place.ts").catch(() => ({}));

const contribution = {
  tool: defineTool({
    name: "put",
    description: "",
    parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    run: async () => textResult("ran"),
  }),
  accesses: () => [],
  alone: () => false,
};
const fence = { deadlineMs: 5_000, onGateFailure: "allow", onFault: () => undefined };
const tools = new Map([["put", contribution]]);
const allow = async () => ({ kind: "allow" });
// Each checkout uses those options that it knows.
const { run } = createBoundary({
  tools,
  find: (name: string) => tools.get(name),
  hooks: createHooks({ subscriptions: [], interceptors: [] }, fence),
  permissions: { deny: allow, check: allow, recall: () => undefined, fileScope: () => undefined },
  mayDo: () => true,
  authority: { judge: () => undefined },
  context: (signal: AbortSignal) =>
    makeLocalContext("/", { signal, budget: { kind: "head", maxBytes: 1_000 } }),
});
const { signal } = new AbortController();

async function microseconds(calls: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 40; round++) {
    const startedMs = performance.now();
    for (let call = 0; call < calls; call++) await work();
    times.push(((performance.now() - startedMs) * 1_000) / calls);
  }
  return times.toSorted((one, other) => one - other)[8] as number; // load on the machine only makes the higher ones slower
}

const call = { id: "c1", name: "put", input: { path: "a" } };
const first = await run(call, signal);
if (first.state !== "ok") throw new Error(first.text);
const file = join(import.meta.dirname, "calls.ts");
const opened = async (): Promise<void> => void (await (await open(file)).close());
const byHandle = async (): Promise<void> => {
  const place = await openByHandle(file);
  await place.close();
};
const figures = {
  call: await microseconds(500, () => run(call, signal)),
  open: await microseconds(300, opened),
  ...(openByHandle ? { openByHandle: await microseconds(300, byHandle) } : {}),
};
console.log(JSON.stringify(figures));
