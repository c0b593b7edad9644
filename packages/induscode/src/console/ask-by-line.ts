// The questions that a person answers by a line: a permission, yes or no, and those of somebody else.

import { Aborted } from "indusagi/core";
import type { PermissionAnswer, PermissionQuestion } from "../feature/permission.ts";
import { type AnswerReader, readAhead } from "./answer-reader.ts";
import { INPUT_ENDED } from "./left-question.ts";
import {
  INSIDE_ANSWERS,
  insideWords,
  keepPrompt,
  parseAnswer,
  parseYesOrNo,
  questionLines,
} from "./question-lines.ts";
import type { LineLook } from "./transcript-lines.ts";
import { plainChange } from "./what-it-changes.ts";

export interface LineQuestion<Answer> {
  readonly lines: readonly string[];
  readonly prompt: string;
  /** Printed after a line that is not an answer. */
  readonly again: string;
  /** The typed text is not shown. */
  readonly isSecret?: boolean;
  readonly parse: (typed: string) => Answer | undefined;
  readonly signal: AbortSignal;
}

const CONFIRM_PROMPT = "  y/n › ";
const REASON_PROMPT = "  reason (Enter for none): ";

const NEVER: AbortSignal = new AbortController().signal;

/** Rejects with {@link Aborted} when the signal fires. */
export async function askPermission(
  reader: AnswerReader,
  question: PermissionQuestion,
  { look, signal }: { readonly look: LineLook; readonly signal: AbortSignal },
): Promise<PermissionAnswer> {
  if (signal.aborted) throw new Aborted();
  // Piped text can come from anyone (an issue, a page): a line "y" in it must not grant anything.
  if (!reader.isTerminal) return { kind: "no", reason: "nobody is at a terminal to answer" };
  const lines = questionLines(question, look);
  const change = plainChange(question.call, look);
  const shown = [...lines.slice(0, -1), ...change, ...lines.slice(-1)];
  return reader.whileShown(shown, () => readPermission(reader, question, signal));
}

const INTERRUPTED = { kind: "no", isInterrupted: true } as const;

async function readPermission(
  reader: AnswerReader,
  question: PermissionQuestion,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const { host, keep, mode } = question;
  const ofInside = insideWords(question) === undefined ? [] : INSIDE_ANSWERS;
  const keys = [
    "y",
    "s",
    ...(keep ? ["a", "e"] : []),
    ...(mode ? ["m"] : []),
    ...ofInside.map(({ key }) => key),
  ];
  for (;;) {
    const typed = await reader.read(`  ${keys.join("/")}/n › `, signal);
    if (typed === undefined) return reader.hasInputEnded ? { kind: "no", reason: INPUT_ENDED } : INTERRUPTED;
    const span = ofInside.find(({ key }) => key === typed.trim().toLowerCase());
    if (span) return { kind: host === undefined ? "folder" : "host", lasts: span.lasts };
    const answer = parseAnswer(typed, keep !== undefined, mode !== undefined);
    if (answer === "once" || answer === "session" || answer === "mode") return { kind: answer };
    if (answer === "no") {
      const reason = (await reader.read(REASON_PROMPT, signal))?.trim();
      return reason ? { kind: "no", reason } : { kind: "no" };
    }
    if (answer === "here" || answer === "everywhere") {
      const pattern =
        keep?.prefix === undefined ? "" : (await reader.read(`  ${keepPrompt(keep)}`, signal))?.trim();
      if (pattern === undefined) return INTERRUPTED;
      return { kind: "always", where: answer, pattern: pattern === "" ? undefined : pattern };
    }
    reader.reject(`answer ${keys.join(", ")} or n`);
  }
}

/** Undefined when nobody answers. */
export async function askYesOrNo(
  reader: AnswerReader,
  lines: readonly string[],
): Promise<"yes" | "no" | undefined> {
  if (!reader.isTerminal) return undefined;
  await readAhead();
  if (reader.isOver) return undefined;
  return reader.whileShown(lines, async () => {
    for (;;) {
      const typed = await reader.read(CONFIRM_PROMPT, NEVER);
      const answer = typed === undefined ? undefined : parseYesOrNo(typed);
      if (typed === undefined || answer) return answer;
      reader.reject("answer y or n");
    }
  });
}

/** Undefined when nobody answers; rejects with {@link Aborted} when the signal fires. */
export async function askLine<Answer>(
  reader: AnswerReader,
  { lines, prompt, again, isSecret = false, parse, signal }: LineQuestion<Answer>,
): Promise<Answer | undefined> {
  if (!reader.isTerminal) return undefined;
  await reader.untilQuiet(signal);
  if (signal.aborted) throw new Aborted();
  if (reader.isOver) return undefined;
  return reader.whileShown(lines, async () => {
    for (;;) {
      const typed = await (isSecret
        ? reader.readSecret(prompt, signal)
        : reader.readLeavable(prompt, signal));
      const answer = typed === undefined ? undefined : parse(typed);
      if (typed === undefined || answer !== undefined) return answer;
      reader.reject(again);
    }
  });
}
