// The suite's findings as lines for a terminal.

import { printable } from "indusagi/core";
import type { CheckResult, ConformanceReport } from "./contract.ts";

const MARKS = { passed: "ok  ", failed: "FAIL", skipped: "skip" } as const;
const NAME_WIDTH = 16;

/** One line, and for what did not pass a second one that says why. */
export function resultLines({ name, title, outcome, detail, ms }: CheckResult): string {
  const line = `${MARKS[outcome]}  ${name.padEnd(NAME_WIDTH)} ${title} (${Math.round(ms)} ms)\n`;
  return detail === undefined ? line : `${line}      ${printable(detail).replaceAll("\n", "\n      ")}\n`;
}

/** The last line. */
export function summaryLine({ results, passed, failed, skipped }: ConformanceReport): string {
  return `${results.length} checks: ${passed} passed, ${failed} failed, ${skipped} skipped\n`;
}
