// What was refused in a run where nobody can be asked: reported together at its end, with what would allow it.

import { limitedLines } from "../cli/limited-lines.ts";
import { noticeLine } from "../cli/notice-line.ts";
import { EXIT_REFUSED } from "../cli/problem.ts";
import type { PromptAnswer } from "../cli/prompt-answers.ts";
import { plural } from "../console/figures.ts";
import { printableLine } from "../console/printable-line.ts";
import type { CallDecision } from "../deck/contract.ts";

export interface Refusals {
  readonly onDecision: (decision: CallDecision) => void;
  /** The exit code of a run that would otherwise end with this one. */
  readonly exitCode: (code: number) => number;
  /** For the person, at the end; empty if nothing was refused. */
  readonly text: () => string;
}

/** `stop` ends the run. */
export function createRefusals(answer: PromptAnswer, stop: () => void): Refusals {
  const refused: CallDecision[] = [];
  let open = 0;
  return {
    onDecision(decision) {
      if (decision.outcome !== "refused") return;
      refused.push(decision);
      if (!isOpen(decision)) return;
      open++;
      if (answer === "fail" && open === 1) stop();
    },
    exitCode: (code) => (open === 0 || answer === "none" || code === 1 ? code : EXIT_REFUSED),
    text() {
      if (refused.length === 0) return "";
      const ways = [...new Set(refused.map(wayOut))].map((each) => `  ${printableLine(each)}`);
      const stopped = answer === "fail" && open > 0 ? ", and the task was stopped" : "";
      const head = `${plural(refused.length, "call")} ${refused.length === 1 ? "was" : "were"} refused${stopped}:`;
      return [noticeLine(head), ...limitedLines(ways, "the session's log").map((each) => `${each}\n`)].join(
        "",
      );
    },
  };
}

/** A person could have allowed it. */
function isOpen({ rulings }: CallDecision): boolean {
  return (
    !rulings.some(({ outcome }) => outcome === "deny") && rulings.some(({ outcome }) => outcome === "ask")
  );
}

function wayOut({ tool, rulings, change }: CallDecision): string {
  const ruling =
    rulings.find(({ outcome }) => outcome === "deny") ?? rulings.find(({ outcome }) => outcome === "ask");
  const from = ruling?.place === undefined ? "" : ` (${ruling.place})`;
  const what = ruling === undefined ? tool : `${tool}: ${ruling.what}: ${ruling.why}${from}`;
  return change === undefined ? what : `${what}. ${change}`;
}
