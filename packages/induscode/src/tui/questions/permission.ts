// Whether a call can run: the question, with the command or change that it is about.

import { INPUT_ENDED } from "../../console/left-question.ts";
import { printableLine } from "../../console/printable-line.ts";
import {
  gutter,
  INSIDE_ANSWERS,
  insideWords,
  MODE_WORDS,
  ruleInWords,
  subjectLines,
} from "../../console/question-lines.ts";
import type { LineLook } from "../../console/transcript-lines.ts";
import type { PermissionAnswer, PermissionQuestion } from "../../feature/permission.ts";
import { type Line, span } from "../screen/spans.ts";
import type { Asking } from "./asking.ts";
import type { Choice } from "./question.ts";
import { changeLines } from "./what-it-changes.ts";

interface PermissionFacts {
  readonly look: () => LineLook;
  /** The person has left, or the terminal is gone. */
  readonly hasLeft: () => boolean;
  /** Whether leaving the question stops a running task. */
  readonly endsTask: () => boolean;
}

type Choosable =
  | "once"
  | InsideChoice
  | "mode"
  | "session"
  | "here"
  | "everywhere"
  | "edit"
  | "no"
  | "reason";

type InsideChoice = (typeof INSIDE_ANSWERS)[number];

/** Rejects with the signal, otherwise never. */
export async function askPermission(
  asking: Asking,
  asked: PermissionQuestion,
  facts: PermissionFacts & { readonly signal: AbortSignal },
): Promise<PermissionAnswer> {
  for (;;) {
    const answer = await chosenAnswer(asking, asked, facts);
    if (answer !== undefined) return answer;
  }
}

/** Undefined if the person went back from what they began to write. */
async function chosenAnswer(
  asking: Asking,
  asked: PermissionQuestion,
  { look, hasLeft, endsTask, signal }: PermissionFacts & { readonly signal: AbortSignal },
): Promise<PermissionAnswer | undefined> {
  const { keep } = asked;
  const again = notAskedAgain(asked);
  const offered = offeredMode(asked);
  const host = offeredInside(asked);
  const answer = await asking.choose<Choosable>(
    [
      ...subjectLines(asked, look()).map(questionRow),
      ...longRules(asked, look()).map(questionRow),
      ...changeLines(asked.call, look().columns),
    ],
    [
      { key: "y", label: host === undefined ? "yes" : "yes, outside of the sandbox", answer: "once" },
      ...(host ? [host] : []),
      ...(again ? [again] : []),
      ...(offered ? [offered] : []),
      // A script is long: where a mode is offered for it, both ways to say no share a row.
      ...(again || !offered ? [NO, NO_INSTEAD] : [{ ...NO_INSTEAD, forms: [NO] }]),
    ],
    signal,
    {
      hint: [
        "↑↓ Enter",
        ...(again?.edit ? ["Tab edits"] : []),
        endsTask() ? "Esc stops the task" : "Esc: no",
      ].join(" · "),
      left: endsTask() ? "task stopped" : "no",
    },
  );
  if (typeof answer === "object")
    return { kind: asked.host === undefined ? "folder" : "host", lasts: answer.lasts };
  switch (answer) {
    case "reason": {
      const reason = await asking.readLine("what should it do instead? Esc: just no", signal);
      return reason === "" ? { kind: "no" } : { kind: "no", reason };
    }
    case "edit": {
      const pattern = await asking.readLine("don't ask again here for … (Esc: back)", signal, keep?.prefix);
      if (pattern === "") return hasLeft() ? { kind: "no", reason: INPUT_ENDED } : undefined;
      return { kind: "always", where: "here", pattern };
    }
    case "here":
    case "everywhere":
      return { kind: "always", where: answer, pattern: keep?.prefix };
    case undefined:
      return hasLeft() ? { kind: "no", reason: INPUT_ENDED } : { kind: "no", isInterrupted: true };
    default:
      return { kind: answer };
  }
}

const NO = { key: "n", label: "no", answer: "no" } as const;
const NO_INSTEAD = {
  key: "r",
  label: "no, and tell the model what to do instead",
  answer: "reason",
} as const;

function offeredMode({ mode }: PermissionQuestion): Choice<Choosable> | undefined {
  return mode && { key: "m", label: MODE_WORDS[mode], answer: "mode" };
}

/** Instead of leaving the sandbox. */
function offeredInside(asked: PermissionQuestion): Choice<Choosable> | undefined {
  const inside = insideWords(asked);
  if (inside === undefined) return undefined;
  const [once, ...longer] = INSIDE_ANSWERS.map((answer) => ({
    key: answer.key,
    label: `yes, in the sandbox${asked.host === undefined ? "," : ""} ${inside}, for ${answer.words}`,
    answer,
  }));
  return once && { ...once, forms: longer };
}

const MAX_RULE_COLUMNS = 60;

/** The choice that makes further questions unnecessary; none for a script of several lines, which hardly comes twice. */
function notAskedAgain(asked: PermissionQuestion): Choice<Choosable> | undefined {
  const { keep, accesses } = asked;
  const label = (where: string, rule: string): string =>
    `yes, and don't ask again ${where} for ${printableLine(rule, MAX_RULE_COLUMNS)}`;
  const session = {
    key: "s",
    label: label("in this session", ruleInWords(asked, asked.sessionRule)),
    answer: "session",
  } as const;
  if (!keep) return session;
  const isScript = accesses.some((access) => access.kind === "execute" && access.command.includes("\n"));
  if (isScript && keep.prefix === undefined) return undefined;
  const kept = keep.prefix ?? ruleInWords(asked, keep.exact);
  return {
    key: "a",
    label: label("here", kept),
    answer: "here",
    forms: [session, { key: "e", label: label("in any folder", kept), answer: "everywhere" }],
    edit:
      keep.prefix === undefined
        ? undefined
        : { label: "yes, and don't ask again here for what begins with", answer: "edit" },
  };
}

/** Rules of which the choices show only the beginning. */
function longRules(asked: PermissionQuestion, look: LineLook): readonly string[] {
  const rules = [asked.sessionRule, ...(asked.keep ? [asked.keep.exact] : [])];
  const long = rules.map((rule) => ruleInWords(asked, rule)).filter((rule) => rule.length > MAX_RULE_COLUMNS);
  return [...new Set(long)].flatMap((rule) => gutter("rule", rule, look));
}

/** A yes-or-no question, worded as in the plain console. */
export function askYesOrNo(asking: Asking, asked: readonly string[]): Promise<"yes" | "no" | undefined> {
  const labels = /^ {2}\[y\] (.{1,200}?) {2,9}\[n\] (.{1,200})$/.exec(asked.at(-1) ?? "");
  const rows = (labels ? asked.slice(0, -1) : asked).map(questionRow);
  return asking.choose<"yes" | "no">(
    rows,
    [
      { key: "y", label: labels?.[1] ?? "yes", answer: "yes" },
      { key: "n", label: labels?.[2] ?? "no", answer: "no" },
    ],
    undefined,
    { start: 1, hint: "↑↓ Enter" }, // Enter alone means no, as in the plain console
  );
}

const GUTTER = /^( {2}\S{0,12} {0,12}│ ?)([\s\S]*)$/;

/** A row of a question: the label is grey, the subject of the question is not. */
export function questionRow(row: string): Line {
  const parts = GUTTER.exec(row);
  if (parts) return [span(parts[1] ?? "", "dim"), span(parts[2] ?? "")];
  return row.startsWith("?") ? [span(row, "warn", "bold")] : [span(row)];
}
