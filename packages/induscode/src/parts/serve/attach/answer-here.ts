// A question of the server's, asked in this console.

import { isLeft } from "../../../console/left-question.ts";
import type { ConsoleList } from "../../../feature/command.ts";
import type { PermissionAsker, PermissionQuestion } from "../../../feature/permission.ts";
import type { SessionUi, UiDialog } from "../../../feature/ui.ts";
import type { Answer, Question } from "../protocol/serve-messages.ts";
import { asSent } from "../sent-json.ts";

/** Where the session is shown. */
export interface Shown {
  /** Absent if nobody can answer here. */
  readonly ask?: PermissionAsker | undefined;
  readonly ui?: SessionUi | undefined;
  readonly leave: () => void;
}

type ListQuestion = Extract<Question, { kind: "list" }>;

/** The person's choice in a list of a command that this console runs. Typing searches in all texts of an item. */
export async function chosenIn(
  { title, items, start }: ListQuestion,
  list: ConsoleList | undefined,
): Promise<Answer> {
  const rows = items.map((item, choice) => ({ ...item, choice }));
  const chosen = await list?.pick(title, (typed) => rows.filter((row) => holdsAll(row, typed)), start);
  return chosen === undefined ? { kind: "left" } : { kind: "choice", choice: chosen.choice };
}

function holdsAll(
  { label, detail = "", preview = [] }: ListQuestion["items"][number],
  typed: string,
): boolean {
  const text = [label, detail, ...preview].join("\n").toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Undefined if nobody answered here: then somebody else may. Rejects when the signal fires. */
export async function answerTo(
  question: Exclude<Question, ListQuestion>,
  { ask, ui }: Shown,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  if (ask === undefined || ui === undefined) return undefined;
  if (question.kind === "permission") {
    // The server sends what its own session asks.
    const answer = await ask(question.permission as unknown as PermissionQuestion, signal);
    return isLeft(answer) ? undefined : (asSent(answer) as Answer);
  }
  const given = await ui.ask(question.feature, question.dialog as unknown as UiDialog, signal);
  if (typeof given === "number") return { kind: "choice", choice: given };
  if (typeof given === "boolean") return { kind: "confirm", yes: given };
  return given === undefined ? undefined : { kind: "text", text: given };
}
