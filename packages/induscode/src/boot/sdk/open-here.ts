// A session in this process.

import { Problem } from "../../cli/problem.ts";
import type { SubmitEnd, UserContent } from "../../conductor/contract.ts";
import type { PermissionAsker } from "../../feature/permission.ts";
import { outputSchema, withOutputSchema } from "../../session/output-schema.ts";
import { openIndus } from "../program/open-for-program.ts";
import type { ProgramSession } from "../program/program-session.ts";
import { callerFeature } from "./caller-feature.ts";
import type { FromSchema, SchemaLiteral } from "./from-schema.ts";
import { hereEvents } from "./here-events.ts";
import { programAnswer } from "./program-answer.ts";
import { type Ask, placeOf, type SessionOptions } from "./sdk-options.ts";
import type { SdkSession } from "./sdk-session.ts";
import type { TaskFacts, TaskResult } from "./task-events.ts";

export async function openHere<S extends SchemaLiteral | undefined>(
  options: SessionOptions<S>,
): Promise<SdkSession<FromSchema<S>>> {
  const { model, mode, allow, deny, grant, maxTurns, maxCost, resume } = options;
  const { ask, tools = [], hooks = [], pieces = false } = options;
  const form = options.outputSchema && (await outputSchema(options.outputSchema, "outputSchema"));
  const features = tools.length + hooks.length > 0 ? [callerFeature(tools, hooks)] : undefined;
  const session = await openIndus({
    ...placeOf(options),
    ...{ model, mode, allow, deny, grant, features, maxTurns, maxCost, resume },
    ask: ask && asker(ask),
  });
  let output: unknown;
  const conductor = form
    ? withOutputSchema(session.conductor, form, (value) => {
        output = value;
      })
    : session.conductor;
  return {
    id: () => session.status().sessionId,
    async submit(prompt) {
      output = undefined;
      const end = await conductor.submit({ content: contentOf(prompt) });
      return resultOf(end, factsOf(session), output as FromSchema<S>); // it was held against the schema
    },
    steer: session.steer,
    interrupt: session.interrupt,
    async fork(back) {
      const forked = session.fork(back);
      if ("fault" in forked) throw new Problem(forked.fault.message);
      return session.status().sessionId;
    },
    async rewind(line) {
      const end = await session.run(`/rewind apply ${line}`);
      if (end.kind === "done") return end.said;
      return end.kind === "faulted" ? end.fault.message : end.message;
    },
    subscribe: (listener) => session.subscribe((event) => hereEvents(event).forEach(listener), { pieces }),
    notices: session.notices,
    close: session.close,
  };
}

function contentOf(prompt: string | UserContent): UserContent {
  return typeof prompt === "string" ? [{ kind: "text", text: prompt }] : prompt;
}

function asker(ask: Ask): PermissionAsker {
  return async ({ tool, call, reason, problem }, signal) => {
    const question = { tool, input: call?.input ?? {}, reason: problem ?? reason, delegate: call?.delegate };
    return programAnswer(ask, question, signal);
  };
}

function factsOf(session: ProgramSession): TaskFacts {
  const { sessionId, costs, usage } = session.status();
  return { type: "result", sessionId, usage, cost: costs.reduce((sum, { dollars }) => sum + dollars, 0) };
}

function resultOf<Output>(end: SubmitEnd, facts: TaskFacts, output: Output): TaskResult<Output> {
  if (end.kind === "complete") return { ...facts, kind: "complete", text: end.text, output };
  if (end.kind === "aborted") return { ...facts, kind: "aborted" };
  const { kind, message } = end.fault;
  return { ...facts, kind: "faulted", fault: { kind, message } };
}
