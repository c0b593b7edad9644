// A question of the server's, asked in this console.

import { isLeft } from "../../../console/left-question.ts";
import type { CommandContext, ConsoleList } from "../../../feature/command.ts";
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

/** Where a command that this console runs shows what it says, and its lists. */
export interface CommandShown extends Pick<CommandContext, "say"> {
  readonly list: ConsoleList;
}

/**
 * The person's choice in a list of a command that this console runs, below what it said before. Typing searches in all texts of an item; those
 * whose label has it come first.
 */
export async function chosenIn(
  { title, items, start, said = "" }: ListQuestion,
  shows: CommandShown | undefined,
): Promise<Answer> {
  if (said !== "") shows?.say(said);
  const rows = items.map((item, choice) => ({ ...item, choice }));
  const find = (typed: string) => {
    const found = rows.filter((row) => holdsAll(row, typed));
    const byLabel = (label: string): boolean => label.toLowerCase().includes(typed.toLowerCase());
    return [...found.filter(({ label }) => byLabel(label)), ...found.filter(({ label }) => !byLabel(label))];
  };
  const chosen = await shows?.list.pick(title, find, start);
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
