// What the calls of the tool `task` do.

import {
  ArgumentReader,
  failureResult,
  type ToolContext,
  type ToolResult,
  textResult,
} from "indusagi/capabilities";
import { isTable, type JsonValue } from "indusagi/core";
import { stringArgument } from "../../deck/builtins/accesses.ts";
import {
  type BackgroundDelegate,
  DELEGATES,
  type DelegateDesk,
  type DelegateLimits,
  DelegateProblem,
  type DelegateReport,
  type DelegateWork,
  LIMITS,
  MAX_TASKS,
  TASK_ACTIONS,
  type TaskToolFacts,
} from "./delegate-desk.ts";
import { inTurn } from "./in-turn.ts";

const MAX_WORDS_BYTES = 64 * 1024;

export async function runTask(
  facts: TaskToolFacts,
  input: JsonValue,
  context: ToolContext,
): Promise<ToolResult> {
  const desk = context.framework.session?.get(DELEGATES);
  if (desk === undefined) return failureResult("no session is available to delegate work from");
  const args = new ArgumentReader(input);
  const action = args.oneOf("action", TASK_ACTIONS) ?? "run";
  if (args.problem) return failureResult(args.problem);
  try {
    if (action === "list") return textResult(listed(desk.list()));
    if (action !== "run" && action !== "start") return await toOne(action, desk, args, context);
    const asked = readWork(input, facts.agents);
    await desk.check(asked);
    return action === "run" ? await run(facts, asked, desk, context) : await start(facts, asked, desk);
  } catch (error) {
    if (error instanceof DelegateProblem) return failureResult(error.message);
    throw error;
  }
}

async function run(
  { worksAlone }: TaskToolFacts,
  asked: readonly DelegateWork[],
  desk: DelegateDesk,
  { signal, framework }: ToolContext,
): Promise<ToolResult> {
  const alone = inTurn();
  const reports = await Promise.all(
    asked.map((each) => {
      const begin = (): Promise<DelegateReport> => desk.run(each, signal);
      return worksAlone(each.agent) ? alone(begin) : begin();
    }),
  );
  const cost = reports.reduce((sum, each) => sum + each.cost, 0);
  if (cost > 0) framework.report?.cost(cost);
  const [only] = reports;
  const text =
    reports.length === 1
      ? (only?.report ?? "")
      : reports.map((each, at) => titled(at + 1, asked[at]?.agent ?? "", each)).join("\n\n");
  return reports.some(({ ok }) => ok) ? textResult(text) : failureResult(text);
}

async function start(
  { worksAlone, oneByOne }: TaskToolFacts,
  asked: readonly DelegateWork[],
  desk: DelegateDesk,
): Promise<ToolResult> {
  if (oneByOne)
    throw new DelegateProblem(
      "background delegates are not available while a session is recorded or played from a cassette: use the action run",
    );
  const writing = asked.find(({ agent }) => worksAlone(agent));
  if (writing)
    throw new DelegateProblem(
      `${writing.agent} may change files while you work on them: use the action run, or a delegate that only reads`,
    );
  return textResult(
    (await desk.start(asked))
      .map(({ id, agent }) => `Started ${id} (${agent}). You will be notified when it ends.`)
      .join("\n"),
  );
}

async function toOne(
  action: "read" | "send" | "stop" | "wait",
  desk: DelegateDesk,
  args: ArgumentReader,
  { signal }: ToolContext,
): Promise<ToolResult> {
  const id = args.requiredText("id");
  const message = action === "send" ? args.requiredText("message") : "";
  if (args.problem) return failureResult(args.problem);
  switch (action) {
    case "read":
      return textResult(whole(desk.get(id)));
    case "wait":
      return textResult(whole(await desk.wait(id, signal)));
    case "stop": {
      const { state } = await desk.stop(id);
      return textResult(state === "working" ? `${id} is stopped.` : `${id} had already ended: ${state}.`);
    }
    case "send": {
      checkBytes(message);
      const { state } = desk.send(id, message);
      return textResult(
        state === "working"
          ? `${id} reads the message at its next model call.`
          : `${id} continues with the message.`,
      );
    }
  }
}

function readWork(input: JsonValue, agents: readonly string[]): readonly DelegateWork[] {
  const { tasks } = isTable(input) ? input : {};
  if (tasks === undefined) return [readOne(input, "", agents)];
  if (!Array.isArray(tasks) || tasks.length === 0 || tasks.length > MAX_TASKS)
    throw new DelegateProblem(`expected 1 to ${MAX_TASKS} tasks`);
  if (isTable(input) && (input.agent !== undefined || input.objective !== undefined))
    throw new DelegateProblem("expected either tasks, or an agent and an objective, found both");
  return tasks.map((each, at) => readOne(each as JsonValue, `tasks[${at}]: `, agents));
}

function readOne(input: JsonValue, where: string, agents: readonly string[]): DelegateWork {
  const agent = stringArgument(input, "agent") ?? "nothing";
  const objective = stringArgument(input, "objective");
  const [context, model] = [stringArgument(input, "context"), stringArgument(input, "model")];
  if (!agents.includes(agent))
    throw new DelegateProblem(`${where}expected agent to be one of ${agents.join(", ")}, found ${agent}`);
  if (objective === undefined) throw new DelegateProblem(`${where}expected an objective, found nothing`);
  checkBytes(objective + (context ?? ""));
  const limits = readLimits(isTable(input) ? input.limits : undefined, where);
  return {
    agent,
    objective,
    context,
    model,
    limits,
  };
}

function readLimits(value: unknown, where: string): DelegateLimits | undefined {
  if (value === undefined) return undefined;
  const found = isTable(value) ? value : {};
  for (const name of LIMITS) {
    const limit = found[name];
    const isWhole = name === "dollars" || Number.isInteger(limit);
    if (limit !== undefined && !(typeof limit === "number" && limit > 0 && Number.isFinite(limit) && isWhole))
      throw new DelegateProblem(
        `${where}limits: expected ${name} to be a ${name === "dollars" ? "" : "whole "}number above 0, found ${JSON.stringify(limit)}`,
      );
  }
  return found as DelegateLimits;
}

function checkBytes(words: string): void {
  if (Buffer.byteLength(words) > MAX_WORDS_BYTES)
    throw new DelegateProblem(
      `expected at most ${MAX_WORDS_BYTES} bytes: write the rest to a file and give its path`,
    );
}

function titled(number: number, agent: string, { ok, report }: DelegateReport): string {
  return `# ${number}. ${agent}${ok ? "" : ", failed"}\n\n${report}`;
}

function listed(all: readonly BackgroundDelegate[]): string {
  return all.length === 0 ? "No delegates in the background." : all.map(describeDelegate).join("\n");
}

function whole(one: BackgroundDelegate): string {
  return `${describeDelegate(one)}\n\n${one.said === "" ? "It has not said anything yet." : one.said}`;
}

/** One line, for the model. */
function describeDelegate({ id, agent, state, turns, tokens, objective }: BackgroundDelegate): string {
  const line = objective.trim().replace(/\s+/g, " ").slice(0, 120);
  return `${id} (${agent}): ${state}, ${turns} model ${turns === 1 ? "call" : "calls"}, ${tokens} tokens: ${line}`;
}
