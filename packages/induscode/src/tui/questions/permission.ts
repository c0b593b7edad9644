// Whether a call can run: the question, with the command or change that it is about.

import { printableLine } from "../../console/printable-line.ts";
import { questionLines } from "../../console/question-lines.ts";
import type { LineLook } from "../../console/transcript-lines.ts";
import type { KeepOffer, PermissionAnswer, PermissionQuestion } from "../../feature/permission.ts";
import { type Line, span } from "../screen/spans.ts";
import type { Asking } from "./asking.ts";
import { changeLines } from "./what-it-changes.ts";

interface PermissionFacts {
  readonly look: () => LineLook;
  /** The person has left, or the terminal is gone. */
  readonly hasLeft: () => boolean;
}

/** Rejects with the signal, otherwise never. */
export async function askPermission(
  asking: Asking,
  asked: PermissionQuestion,
  { look, hasLeft, signal }: PermissionFacts & { readonly signal: AbortSignal },
): Promise<PermissionAnswer> {
  const lines = questionLines(asked, look());
  const rule = printableLine(asked.sessionRule, 60);
  const { keep } = asked;
  const change = changeLines(asked.call, look().columns);
  const answer = await asking.choose<"once" | "session" | "here" | "everywhere" | "no" | "reason">(
    [...lines.slice(0, -1).map(questionRow), ...change],
    [
      { key: "y", label: "yes, once", answer: "once" },
      { key: "s", label: `yes, for this session: ${rule}`, answer: "session" },
      ...(keep
        ? [
            { key: "a", label: "yes, always in this folder", answer: "here" } as const,
            { key: "e", label: "yes, always and everywhere", answer: "everywhere" } as const,
          ]
        : []),
      { key: "n", label: "no", answer: "no" },
      { key: "r", label: "no, and say why", answer: "reason" },
    ],
    signal,
  );
  if (answer === "reason") {
    const reason = await asking.readLine("why not? Enter sends it; Esc gives no reason", signal);
    return reason === "" ? { kind: "no" } : { kind: "no", reason };
  }
  if (answer === "here" || answer === "everywhere") {
    const pattern = await keptPattern(asking, keep, signal);
    if (pattern === undefined) return { kind: "no", reason: "the question was left open" };
    return { kind: "always", where: answer, ...(pattern === "" ? {} : { pattern }) };
  }
  if (answer === undefined)
    return { kind: "no", reason: hasLeft() ? "the input ended" : "the question was left open" };
  return { kind: answer };
}

/** The prefix of the command to keep; empty for exactly this command, undefined if the person left. */
async function keptPattern(
  asking: Asking,
  keep: KeepOffer | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (keep?.prefix === undefined) return "";
  const { exact, prefix } = keep;
  const how = await asking.choose<"exact" | "prefix" | "write">(
    [[span("? What should be kept?", "warn", "bold")]],
    [
      { key: "x", label: `exactly this: ${printableLine(exact)}`, answer: "exact" },
      { key: "p", label: `what begins so: ${printableLine(prefix)}`, answer: "prefix" },
      { key: "w", label: "what begins with the text you type", answer: "write" },
    ],
    signal,
  );
  if (how === "exact") return "";
  if (how !== "write") return how && prefix;
  const written = await asking.readLine("its beginning, with a star at the end; Esc cancels", signal);
  return written === "" ? undefined : written;
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
  );
}

const GUTTER = /^( {2}\S{0,12} {0,12}│ ?)([\s\S]*)$/;

/** A row of a question: the label is grey, the subject of the question is not. */
export function questionRow(row: string): Line {
  const parts = GUTTER.exec(row);
  if (parts) return [span(parts[1] ?? "", "dim"), span(parts[2] ?? "")];
  return row.startsWith("?") ? [span(row, "warn", "bold")] : [span(row)];
}
