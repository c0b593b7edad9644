// The list of answers that were kept for longer than a session.

import { printableLine } from "../../console/printable-line.ts";
import type { KeptAnswer } from "../../deck/contract.ts";
import { describeKept } from "../../deck/permissions/kept-answers.ts";
import { idOf, readKeptAnswers } from "../../settings/answers-file.ts";

/** The reply to `/permissions`: those that apply here, and how to change them. */
export function keptReport({ cwd, home }: { readonly cwd: string; readonly home: string }): string {
  const { answers, problems } = readKeptAnswers(home);
  const shown = answers.filter((each) => appliesIn(each, cwd));
  const how =
    shown.length === 0
      ? []
      : ["To remove one: indus permissions rm ID in a shell. /why CALL shows how a call is decided."];
  return [
    keptList(shown, answers.length - shown.length),
    ...problems.map((problem) => `! ${printableLine(problem)}`),
    ...how,
  ].join("\n");
}

export function appliesIn({ folder }: KeptAnswer, cwd: string): boolean {
  return folder === undefined || folder === cwd;
}

export function keptList(answers: readonly KeptAnswer[], others: number): string {
  const rows = answers.map((each) => printableLine(`${idOf(each)}  ${describeKept(each)}${keptWhere(each)}`));
  if (rows.length === 0)
    rows.push("No saved permissions for this folder: answer a question with [a] or [e] to save one.");
  if (others > 0) rows.push(`${others} more in other folders: indus permissions --all`);
  return rows.join("\n");
}

export function keptWhere({ folder }: KeptAnswer): string {
  return folder === undefined ? "  everywhere" : `  in ${folder}`;
}
