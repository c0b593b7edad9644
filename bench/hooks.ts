// What features cost a session that has them: dispatching an event through ten handlers, a tool call through ten
// interceptors, and both when nobody is interested. Prints one table; a missed target is said, not hidden.
import { textResult } from "indusagi/capabilities";
import type { EventSubscription, ToolInterceptor } from "../packages/induscode/src/feature/contract.ts";
import { createHooks } from "../packages/induscode/src/feature/hooks.ts";

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
  readonly run: () => Promise<unknown>;
}

const rows: readonly Row[] = [
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

for (const { figure, targetUs, run } of rows) {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedMs = performance.now();
    for (let n = 0; n < callsPerRound; n++) await run();
    times.push(((performance.now() - startedMs) / callsPerRound) * 1_000);
  }
  const medianUs = times.sort((a, b) => a - b)[rounds / 2] ?? 0;
  const verdict =
    targetUs === undefined ? "" : medianUs <= targetUs ? `≤ ${targetUs}  ok` : `≤ ${targetUs}  MISSED`;
  console.log(`${figure.padEnd(26)} ${medianUs.toFixed(2).padStart(7)} µs  ${verdict}`);
}
