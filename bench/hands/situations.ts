import { COMMAND_ROWS } from "./commands.ts";
import { FILE_ROWS } from "./files.ts";
import type { Situation } from "./situation.ts";
import { WORD_ROWS } from "./words.ts";

/** All situations, in the table's order. */
export const SITUATIONS: readonly Situation[] = [...COMMAND_ROWS, ...FILE_ROWS, ...WORD_ROWS];

/** The guide's table: what each run of `npm run hands` finds right. */
export function guideTable(): readonly string[] {
  const head = ["| | situation | result | bytes, at most |", "|---|---|---|---|"];
  const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
  return [
    ...head,
    ...SITUATIONS.map(
      ({ group, name, gets, right }) =>
        `| ${group} | ${cell(name)} | ${cell(gets)} | ${right.bytes.toLocaleString("en")} |`,
    ),
  ];
}
