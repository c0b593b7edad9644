// What a call would write, as a coloured diff; for the permission question.

import { changeOf } from "../../console/what-it-changes.ts";
import type { AskedCall } from "../../feature/permission.ts";
import { type Line, span } from "../screen/spans.ts";
import { diffRows } from "../transcript/diff-lines.ts";

const LEAD: Line = [span("  diff  │ ", "dim")];
const REST: Line = [span("        │ ", "dim")];

/** The rows of the change; none if the call states none. Never shortened: a question shows everything that it is about. */
export function changeLines(call: AskedCall | undefined, columns: number): Line[] {
  const change = call && changeOf(call);
  if (!change) return [];
  const { rows } = diffRows(change.diff, columns - 10, undefined, true);
  const note: Line[] = change.note === undefined ? [] : [[span(change.note, "warn")]];
  return [...note, ...rows].map((row, i) => [...(i === 0 ? LEAD : REST), ...row]);
}
