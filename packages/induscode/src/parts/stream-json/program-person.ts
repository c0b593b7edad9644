// Permission questions answered by the program, by its `can_use_tool`.

import { isDeepStrictEqual } from "node:util";
import { isTable, type JsonObject } from "indusagi/core";
import { hookToolName } from "../../addons/runners/hooks/hook-tools.ts";
import type { PermissionAnswer, PermissionAsker, PermissionQuestion } from "../../feature/permission.ts";
import type { ProgramControl } from "./program-control.ts";
import { toolInput } from "./stream-messages.ts";

/** What a program cannot do by its answer, so the call is refused with this. */
const CHANGED =
  "the program changed the call's arguments in its answer, which is not taken: what runs is what was asked about. Change them by a hook of its own addon";

export function programAsker(control: Pick<ProgramControl, "ask">, interrupt: () => void): PermissionAsker {
  return async (question, signal) => {
    const { tool, call, reason } = question;
    const input = toolInput(tool, call?.input ?? {});
    const answer = await control
      .ask(
        {
          subtype: "can_use_tool",
          tool_name: hookToolName(tool),
          input,
          tool_use_id: call?.id ?? "",
          agent_id: call?.delegate,
          decision_reason: question.problem ?? reason,
          permission_suggestions: suggestions(question),
        },
        signal,
      )
      .catch((error: Error) => {
        if (signal.aborted) throw error;
        return { behavior: "deny", message: error.message };
      });
    return answerOf(answer, { question, input, interrupt });
  };
}

/** What the program can send back to be asked no more. */
function suggestions({ tool, sessionRule, keep }: PermissionQuestion): readonly JsonObject[] {
  const inRule = /^[^(]+\((.*)\)$/s.exec(sessionRule)?.[1];
  const rule = (content: string | undefined): JsonObject => ({
    toolName: hookToolName(tool),
    ...(content === undefined ? undefined : { ruleContent: content }),
  });
  const add = (destination: string, content: string | undefined): JsonObject => ({
    ...{ type: "addRules", behavior: "allow", destination, rules: [rule(content)] },
  });
  return [
    add("session", inRule),
    ...(keep === undefined ? [] : [add("localSettings", keep.prefix ?? keep.exact)]),
  ];
}

interface Asked {
  readonly question: PermissionQuestion;
  readonly input: JsonObject;
  readonly interrupt: () => void;
}

function answerOf(
  answer: Readonly<Record<string, unknown>>,
  { question, input, interrupt }: Asked,
): PermissionAnswer {
  const { behavior, message, updatedInput, updatedPermissions } = answer;
  if (behavior !== "allow") {
    if (answer.interrupt === true) interrupt();
    return { kind: "no", reason: typeof message === "string" && message !== "" ? message : undefined };
  }
  if (updatedInput !== undefined && !isDeepStrictEqual(updatedInput, input))
    return { kind: "no", reason: CHANGED };
  const added = Array.isArray(updatedPermissions) ? updatedPermissions.filter(isTable) : [];
  const isAdded = (destinations: readonly string[]): boolean =>
    added.some(
      ({ type, behavior: how, destination }) =>
        type === "addRules" && how === "allow" && destinations.includes(String(destination)),
    );
  if (question.keep && isAdded(["localSettings", "projectSettings", "userSettings"]))
    return { kind: "always", where: "here", pattern: question.keep.prefix };
  return { kind: isAdded(["session", "cliArg"]) ? "session" : "once" };
}
