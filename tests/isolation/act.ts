// Makes a session reach one hook point, where the hostile addon misbehaves; and says whether the good ones next to it did
// their part in the same dispatch.

import { setTimeout as sleep } from "node:timers/promises";
import { makeMemoryContext } from "../../packages/indusagi/src/capabilities/index.ts";
import type { JsonValue } from "../../packages/indusagi/src/core/schema/json-schema.ts";
import { START_MS } from "../../packages/induscode/src/addons/process/first-exchange.ts";
import { DEFAULT_TIMEOUT_MS } from "../../packages/induscode/src/addons/sandbox/sandbox-policy.ts";
import { type HookEvent, isHookEvent } from "../../packages/induscode/src/feature/events.ts";
import type { EventPayloads } from "../../packages/induscode/src/feature/payloads.ts";
import { PATIENCE_MS } from "../support/until.ts";
import { type Behaviour, type Cell, HANGING } from "./hook-points.ts";
import { GOOD_REASON } from "./hostile-addon.ts";
import type { Heard, Scene } from "./scene.ts";

export interface Act {
  /** What it took, in milliseconds, and what it may take. */
  readonly elapsedMs: number;
  readonly deadlineMs: number;
  /** The good ones did their part. */
  readonly isGoodAlive: boolean;
  /** What whoever called was told, where that is not a fault by itself. */
  readonly told: readonly Heard[];
}

/** How long whoever calls the tools waits at least; the product's own deadline for them is that of commands. */
const TOOL_MS = 2_000;
/** How long a hostile task that does not end is left alone before the session ends, and the time that it then has. */
const TASK_RUNS_MS = 300;
const TASK_GRACE_MS = 300;

/** Opens the scene, and reaches the point; `onBegin` is told when it is about to. */
export async function reach(
  scene: Scene,
  { point, behaviour }: Pick<Cell, "point" | "behaviour">,
  onBegin: () => void,
): Promise<Act> {
  if (point === "load" || point === "register") {
    onBegin();
    return reachStart(scene);
  }
  await scene.open();
  onBegin();
  if (isHookEvent(point)) return reachEvent(scene, point);
  if (point === "tool") return reachTool(scene);
  if (point === "command") return reachCommand(scene);
  return point === "task" ? reachTask(scene, behaviour) : reachInterceptor(scene, point);
}

async function reachStart(scene: Scene): Promise<Act> {
  const [loaded, elapsedMs] = await timed(() => scene.open());
  const { isGoodAlive } = await reachEvent(scene, "tool:before");
  return {
    elapsedMs,
    deadlineMs: START_MS,
    isGoodAlive: isGoodAlive && loaded.includes("watching"),
    told: [],
  };
}

async function reachEvent(scene: Scene, event: HookEvent): Promise<Act> {
  const { dispatcher } = scene.hooks();
  const [outcome, elapsedMs] = await timed(async () => {
    const reached = await dispatcher.dispatch(event, PAYLOADS[event], { signal: never() });
    await dispatcher.settled(); // nobody waits for an observer; what it does wrong is looked at
    return reached;
  });
  const { gate } = outcome;
  const isGoodAlive = gate?.by.feature === "project:watching" && gate.reason === GOOD_REASON;
  return { elapsedMs, deadlineMs: scene.fenceMs, isGoodAlive, told: [] };
}

const ASSISTANT = { role: "assistant", content: [] } as const;
const LIFECYCLE = { sessionId: "s1" };
const CALL = { name: "read", callId: "c1", args: { path: "a.txt" } };

const PAYLOADS: EventPayloads = {
  "session:start": LIFECYCLE,
  "session:end": LIFECYCLE,
  "turn:start": LIFECYCLE,
  "turn:end": LIFECYCLE,
  "tool:before": CALL,
  "tool:after": { ...CALL, text: "content", isError: false },
  "chat:params": { provider: "anthropic", model: "m", params: {} },
  "chat:message": { message: ASSISTANT },
  "shell:env": { command: "ls", env: { A: "1" } },
  "input:submit": { text: "a line" },
  "context:build": { messages: [{ role: "user", content: [{ kind: "text", text: "a line" }] }] },
  "compact:build": { reason: "asked", summary: "so far" },
  "compact:before": { reason: "asked" },
};

/** Each half stands around a tool of its own: what one did is not to be mixed up with what the other finds. */
async function reachInterceptor(scene: Scene, half: "enter" | "exit"): Promise<Act> {
  const execute = async () => ({ content: [{ kind: "text" as const, text: "ran" }], isError: false });
  const call = { tool: `around-${half}`, callId: "c1", args: { path: "a.txt" } };
  const [{ result }, elapsedMs] = await timed(() => scene.hooks().chain.runWith(call, execute, never()));
  // What the good stage put into the arguments comes back in its result: both of its halves ran.
  const isGoodAlive = JSON.stringify(result).includes('"enter":"good"');
  return { elapsedMs, deadlineMs: scene.fenceMs, isGoodAlive, told: [] };
}

async function reachTool(scene: Scene): Promise<Act> {
  const deadlineMs = Math.max(TOOL_MS, scene.fenceMs);
  const run = async (name: string): Promise<{ readonly output: JsonValue; readonly isError: boolean }> => {
    const found = scene.features().tools.find(({ tool }) => tool.name === name);
    if (!found) throw new Error(`there is no tool ${name}`);
    const context = await makeMemoryContext("/", { signal: AbortSignal.timeout(deadlineMs) });
    return found.tool.invoke({ id: "c1", name, input: {} }, context);
  };
  const [good, [{ output, isError }, elapsedMs]] = await Promise.all([
    run("good_tool"),
    timed(() => run("probe_tool")),
  ]);
  const told = isError ? [{ owner: "", text: String(output) }] : [];
  return { elapsedMs, deadlineMs, isGoodAlive: good.output === "good", told };
}

async function reachCommand(scene: Scene): Promise<Act> {
  const said: string[] = [];
  const run = async (name: string): Promise<void> => {
    const found = scene.features().commands.find((each) => each.name === name);
    if (!found) throw new Error(`there is no command ${name}`);
    await found.run({ args: "", cwd: scene.workspace, handles: {}, say: (text) => void said.push(text) });
  };
  const told: Heard[] = [];
  const [, [, elapsedMs]] = await Promise.all([
    run("good-command"),
    timed(() =>
      run("probe-command").catch((error: unknown) => void told.push({ owner: "", text: String(error) })),
    ),
  ]);
  return { elapsedMs, deadlineMs: DEFAULT_TIMEOUT_MS, isGoodAlive: said.includes("good"), told };
}

/** A task has no deadline while it runs; when the session ends it has its grace period. */
async function reachTask(scene: Scene, behaviour: Behaviour): Promise<Act> {
  const tasks = scene.tasks();
  const problem = tasks.run("probe-task");
  if (problem !== undefined) throw new Error(problem);
  const isRunning = (): boolean => tasks.report().some(({ state }) => state === "running");
  const { isGoodAlive } = await reachEvent(scene, "tool:before");
  const since = performance.now();
  const patienceMs = HANGING.has(behaviour) ? TASK_RUNS_MS : PATIENCE_MS;
  while (isRunning() && performance.now() - since < patienceMs) await sleep(20);
  const [, elapsedMs] = await timed(() => tasks.dispose());
  return { elapsedMs, deadlineMs: TASK_GRACE_MS, isGoodAlive, told: [] };
}

async function timed<Value>(run: () => Promise<Value>): Promise<readonly [Value, number]> {
  const since = performance.now();
  return [await run(), performance.now() - since];
}

function never(): AbortSignal {
  return new AbortController().signal;
}
