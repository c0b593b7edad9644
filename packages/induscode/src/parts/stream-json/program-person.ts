// Permission questions answered by the program, by its `can_use_tool`.

import { isDeepStrictEqual } from "node:util";
import { isTable, type JsonObject } from "indusagi/core";
import type { PermissionAnswer, PermissionAsker, PermissionQuestion } from "../../feature/permission.ts";
import type { ProgramControl } from "./program-control.ts";
import type { ToolWords } from "./tool-words.ts";

/** What a program cannot do by its answer, so the call is refused with this. */
const CHANGED =
  "the program changed the call's arguments in its answer; this is refused, because only the call that was asked about may run. Use a hook in an addon to change arguments";

interface AskerFacts {
  readonly words: ToolWords;
  readonly interrupt: () => void;
}

export function programAsker(
  control: Pick<ProgramControl, "ask">,
  { words, interrupt }: AskerFacts,
): PermissionAsker {
  return async (question, signal) => {
    const { tool, call, reason } = question;
    const input = words.input(tool, call?.input ?? {});
    const offered = offers(question, words);
    const answer = await control
      .ask(
        {
          subtype: "can_use_tool",
          tool_name: words.name(tool),
          input,
          tool_use_id: call?.id ?? "",
          agent_id: call?.delegate,
          decision_reason: question.problem ?? reason,
          permission_suggestions: offered.map(suggestion),
        },
        signal,
      )
      .catch((error: Error) => {
        if (signal.aborted) throw error;
        return { behavior: "deny", message: error.message };
      });
    return answerOf(answer, { offered, input, interrupt });
  };
}

/** What the program can send back to be asked no more: what it is about, and what it then means here. */
interface Offer {
  readonly destination: string;
  readonly rules: readonly JsonObject[];
  readonly answer: PermissionAnswer;
}

function offers({ tool, sessionRule, keep }: PermissionQuestion, words: ToolWords): readonly Offer[] {
  const inRule = /^[^(]+\((.*)\)$/s.exec(sessionRule)?.[1];
  const rules = (content: string | undefined): readonly JsonObject[] => [
    { toolName: words.name(tool), ...(content === undefined ? undefined : { ruleContent: content }) },
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

function suggestion({ destination, rules }: Offer): JsonObject {
  return { type: "addRules", behavior: "allow", destination, rules: [...rules] };
}

/** Where else a program may say that what was offered for one place is kept. */
const SAME_PLACE: Readonly<Record<string, string>> = {
  cliArg: "session",
  projectSettings: "localSettings",
  userSettings: "localSettings",
};

interface Asked {
  readonly offered: readonly Offer[];
  readonly input: JsonObject;
  readonly interrupt: () => void;
}

function answerOf(
  answer: Readonly<Record<string, unknown>>,
  { offered, input, interrupt }: Asked,
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
  return offered.findLast(isChosen)?.answer ?? { kind: "once" };
}
