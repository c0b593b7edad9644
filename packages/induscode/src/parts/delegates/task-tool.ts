// The tool `task`: gives objectives to delegates, which work in sessions of their own. When waited for, each answers once; in the
// background they can be inspected, messaged, stopped and waited for.

import { type DefinedTool, defineTool } from "indusagi/capabilities";
import { isTable, type JsonValue } from "indusagi/core";
import { stringArgument } from "../../deck/builtins/accesses.ts";
import { TASK_TOOL } from "../../feature/tool-names.ts";
import { LIMITS, MAX_TASKS, TASK_ACTIONS, type TaskToolFacts } from "./delegate-desk.ts";

/** The delegates that the arguments name. */
export function askedAgents(input: JsonValue): readonly string[] {
  const action = stringArgument(input, "action") ?? "run";
  if ((action !== "run" && action !== "start") || !isTable(input)) return [];
  const each = Array.isArray(input.tasks) ? (input.tasks as readonly JsonValue[]) : [input as JsonValue];
  return each.map((one) => stringArgument(one, "agent") ?? "unknown");
}

/** The implementation of its calls is loaded with the first one. */
export function taskTool(facts: TaskToolFacts): DefinedTool {
  const work = {
    agent: { type: "string", enum: [...facts.agents], description: "The delegate's name." },
    objective: { type: "string", description: "What to do, and what the answer must contain." },
    context: { type: "string", description: "What the delegate needs to know: paths, findings, decisions." },
    model: {
      type: "string",
      description:
        "provider/model, of a provider that the person uses. Default: the delegate's own, or yours.",
    },
    limits: {
      type: "object",
      description: "The most that it may use.",
      properties: Object.fromEntries(LIMITS.map((name) => [name, { type: "number" }])),
      additionalProperties: false,
    },
  };
  return defineTool({
    name: TASK_TOOL,
    description:
      "Hand work to a delegate: an agent with a context of its own, which sees only what you write here and answers " +
      "once. Say what to do, what you already know, and what the answer must contain. Put several objectives into " +
      "tasks; delegates that only read work in parallel. With the action start they work in the background while you " +
      "continue: you are notified when one ends, and can list them, read what one says, send it a message (one that has " +
      "ended continues with it), stop one, or wait for it.",
    parameters: {
      type: "object",
      properties: {
        action: {
          type: "string",
          enum: [...TASK_ACTIONS],
          description: "Default run: waits for the answer.",
        },
        ...work,
        tasks: {
          type: "array",
          maxItems: MAX_TASKS,
          items: { type: "object", properties: work, required: ["agent", "objective"] },
          description: "For run and start: several objectives, instead of one.",
        },
        id: {
          type: "string",
          description: "For read, send, stop and wait: the delegate's id, such as delegate-1.",
        },
        message: { type: "string", description: "For send." },
      },
      additionalProperties: false,
    },
    run: async (input, context) => (await import("./task-calls.ts")).runTask(facts, input, context),
  });
}
