// The labelled rows of a package's report.

import { gutter } from "../../../console/question-lines.ts";
import type { LineLook } from "../../../console/transcript-lines.ts";

export type ReportRow = readonly [label: string, lines: readonly string[]];

/** Labelled rows, each wrapped behind its label. */
export function rowsOf(look: LineLook, rows: readonly ReportRow[]): readonly string[] {
  return rows.flatMap(([label, lines]) => lines.flatMap((line) => gutter(label, line, look)));
}
