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

/** What the program can send back to be asked no more: what it is about, and what it then means here. */
interface Offer {
  readonly destination: string;
  readonly rules: readonly JsonObject[];
  readonly answer: PermissionAnswer;
}

function offers({ tool, sessionRule, keep }: PermissionQuestion): readonly Offer[] {
  const inRule = /^[^(]+\((.*)\)$/s.exec(sessionRule)?.[1];
  const rules = (content: string | undefined): readonly JsonObject[] => [
    { toolName: hookToolName(tool), ...(content === undefined ? undefined : { ruleContent: content }) },
  ];
  return [
    { destination: "session", rules: rules(inRule), answer: { kind: "session" } },
    ...(keep === undefined
      ? []
      : [
          {
            destination: "localSettings",
            rules: rules(keep.prefix ?? keep.exact),
            answer: { kind: "always", where: "here", pattern: keep.prefix },
          } as const,
        ]),
  ];
}

function suggestions(question: PermissionQuestion): readonly JsonObject[] {
  return offers(question).map(({ destination, rules }) => ({
    ...{ type: "addRules", behavior: "allow", destination, rules: [...rules] },
  }));
}

/** Where else a program may say that what was offered for one place is kept. */
const SAME_PLACE: Readonly<Record<string, string>> = {
  cliArg: "session",
  projectSettings: "localSettings",
  userSettings: "localSettings",
};

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
  // Other rules than those that were offered, perhaps narrower ones, are nothing that the person can be taken to have said here.
  const isChosen = ({ destination, rules }: Offer): boolean =>
    added.some((row) => {
      const where = String(row.destination);
      return (
        row.type === "addRules" &&
        row.behavior === "allow" &&
        (SAME_PLACE[where] ?? where) === destination &&
        isDeepStrictEqual(row.rules, rules)
      );
    });
  return offers(question).findLast(isChosen)?.answer ?? { kind: "once" };
}
