// What features and the prompt cost a session: an event through ten handlers, a tool call through ten interceptors, both also
// without any, composing a full prompt and gathering its documents. Prints one table; a missed target is printed plainly.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { textResult } from "indusagi/capabilities";
import { composeBriefing, gatherContextDocs } from "../packages/induscode/src/briefing/index.ts";
import { createHooks } from "../packages/induscode/src/feature/dispatch/hooks.ts";
import type { EventSubscription } from "../packages/induscode/src/feature/handler.ts";
import type { ToolInterceptor } from "../packages/induscode/src/feature/interceptor.ts";

const rounds = 200;
const callsPerRound = 500;
const fence = { deadlineMs: 5_000, onGateFailure: "allow" as const, onFault: () => undefined };
const signal = new AbortController().signal;
const result = textResult("ok");

const kinds = ["observe", "transform", "gate"] as const;
const subscriptions = Array.from({ length: 10 }, (_, index) => ({
  feature: `project:f${index}`,
  event: "tool:before",
  handler: { kind: kinds[index % 3], run: (payload: unknown) => (index % 3 === 1 ? payload : undefined) },
})) as unknown as EventSubscription[];
const interceptors: ToolInterceptor[] = Array.from({ length: 10 }, (_, index) => ({
  feature: `project:f${index}`,
  match: "*",
  enter: () => undefined,
  exit: () => undefined,
}));

const busy = createHooks({ subscriptions, interceptors }, fence);
const idle = createHooks({ subscriptions: [], interceptors: [] }, fence);
const payload = { name: "bash", callId: "c1", args: { command: "ls" } };
const call = { tool: "bash", callId: "c1", args: { command: "ls" } };

interface Row {
  readonly figure: string;
  readonly targetUs?: number;
  /** Per round; default 500. */
  readonly calls?: number;
  readonly run: () => Promise<unknown>;
}

const tools = Array.from({ length: 50 }, (_, n) => ({
  name: `tool_${n}`,
  description: "does a thing",
  parameters: {},
}));
const skills = Array.from({ length: 100 }, (_, n) => ({
  name: `skill-${n}`,
  description: "How to do a thing.",
  body: "",
  location: `/skills/skill-${n}/SKILL.md`,
  origin: "user" as const,
  frontmatter: {
    name: `skill-${n}`,
    description: "How to do a thing.",
    disableModelInvocation: false,
    rest: {},
  },
}));
const contextDocs = Array.from({ length: 20 }, (_, n) => ({
  path: `./d${n}/AGENTS.md`,
  body: "Indent with tabs.\n".repeat(50),
}));

const deepest = join(
  mkdtempSync(join(tmpdir(), "indus-bench-chain-")),
  ...Array.from({ length: 20 }, (_, n) => `d${n}`),
);
mkdirSync(deepest, { recursive: true });
for (let folder = deepest; folder.includes("indus-bench-chain-"); folder = dirname(folder)) {
  writeFileSync(join(folder, "AGENTS.md"), `Rules of ${folder}.\n`);
}
const gather = async (): Promise<unknown> => gatherContextDocs({ cwd: deepest, home: "/nonexistent" });

const rows: readonly Row[] = [
  {
    figure: "prompt: 100 skills, 50 tools, 20 documents",
    targetUs: 5_000,
    run: async () => composeBriefing({ tools, skills, contextDocs, nowMs: 0 }),
  },
  { figure: "documents of a chain of 20 folders", targetUs: 30_000, run: gather, calls: 1 },
  {
    figure: "an event, 10 handlers",
    targetUs: 20,
    run: () => busy.dispatcher.dispatch("tool:before", payload, { signal }),
  },
  { figure: "an event, no handler", run: () => idle.dispatcher.dispatch("tool:before", payload, { signal }) },
  {
    figure: "a call, 10 interceptors",
    targetUs: 50,
    run: () => busy.chain.runWith(call, async () => result, signal),
  },
  { figure: "a call, no interceptor", run: () => idle.chain.runWith(call, async () => result, signal) },
];

for (const { figure, targetUs, run, calls = callsPerRound } of rows) {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedMs = performance.now();
    for (let n = 0; n < calls; n++) await run();
    times.push(((performance.now() - startedMs) / calls) * 1_000);
  }
  const medianUs = times.sort((a, b) => a - b)[rounds / 2] ?? 0;
  const verdict =
    targetUs === undefined ? "" : medianUs <= targetUs ? `≤ ${targetUs}  ok` : `≤ ${targetUs}  MISSED`;
  console.log(`${figure.padEnd(44)} ${medianUs.toFixed(2).padStart(7)} µs  ${verdict}`);
}
