// Questions to the person as forms of the client that they sit at, and what the filled form answers.

import { printable } from "indusagi/core";
import { gutter, subjectLines } from "../../../console/question-lines.ts";
import { createStyle } from "../../../console/style.ts";
import type { LineLook } from "../../../console/transcript-lines.ts";
import type { PermissionAnswer, PermissionQuestion } from "../../../feature/permission.ts";
import type { UiAnswer, UiDialog } from "../../../feature/ui.ts";
import { offeredAnswers } from "../../../front/permission-answers.ts";
import type { Filled, QuestionForm } from "./open-call.ts";

export interface Asking<Answer> {
  readonly form: QuestionForm;
  /** A form that was left, or filled with something else, is a no. */
  readonly answer: (filled: Filled) => Answer;
}

export function permissionForm(question: PermissionQuestion): Asking<PermissionAnswer> {
  // The other agent is at the client too: what it fills in never holds longer than this server.
  const offered = offeredAnswers({ ...question, keep: undefined }, "until this server ends");
  return {
    form: choiceForm(
      asked(question).join("\n"),
      offered.map(({ words }) => words),
    ),
    answer: (filled) => offered[chosenIn(filled, offered.length) ?? -1]?.answer ?? { kind: "no" },
  };
}

const LOOK: LineLook = { style: createStyle(false), columns: 100 };

/** As a console shows it: whole, behind a gutter. A call is shown with its arguments where what it accesses does not say them all. */
function asked(question: PermissionQuestion): readonly string[] {
  const { call, accesses } = question;
  const isCommand = accesses.every(({ kind }) => kind === "execute");
  const by = call?.delegate === undefined ? [] : gutter("by", call.delegate, LOOK);
  const given = call === undefined || isCommand ? [] : gutter("with", JSON.stringify(call.input), LOOK);
  const before = typeof call?.overwrites === "string" ? gutter("diff", call.overwrites, LOOK) : [];
  return [...subjectLines(question, LOOK), ...by, ...given, ...before];
}

export function dialogForm(feature: string, dialog: UiDialog): Asking<UiAnswer> {
  const message = `${feature}: ${dialog.question}`;
  if (dialog.kind === "input") {
    const schema = {
      type: "object",
      properties: { answer: { type: "string" } },
      required: ["answer"],
    } as const;
    return {
      form: { message: printable(message), schema },
      answer: (filled) => (typeof filled?.answer === "string" ? filled.answer : undefined),
    };
  }
  const labels = dialog.kind === "select" ? dialog.choices : ["Yes", "No"];
  return {
    form: choiceForm(message, labels),
    answer(filled) {
      const chosen = chosenIn(filled, labels.length);
      return dialog.kind === "select" || chosen === undefined ? chosen : chosen === 0;
    },
  };
}

function choiceForm(message: string, labels: readonly string[]): QuestionForm {
  const oneOf = labels.map((title, at) => ({ const: String(at), title: printable(title) }));
  return {
    message: printable(message),
    schema: { type: "object", properties: { answer: { type: "string", oneOf } }, required: ["answer"] },
  };
}

/** Only as the form has it. */
function chosenIn(filled: Filled, choices: number): number | undefined {
  const at = Array.from({ length: choices }, (_, choice): unknown => String(choice)).indexOf(filled?.answer);
  return at < 0 ? undefined : at;
}
