// `--tools`: the only built-in tools that a program wants. A rule that denies `read` or `edit` is about the deed, whichever tool does it, so
// what a named tool could do as well is not denied.

import { TASK_TOOL } from "../../feature/tool-names.ts";

interface Deed {
  readonly tools: readonly string[];
  /** Others that do the same among other things. */
  readonly alsoBy?: readonly string[];
}

const DEEDS: readonly Deed[] = [
  { tools: ["bash", "process"] },
  { tools: ["edit", "write"], alsoBy: ["bash"] },
  { tools: ["read", "ls", "grep", "find"], alsoBy: ["bash", "edit", "write"] },
  { tools: ["webfetch"] },
  { tools: ["websearch"] },
  { tools: [TASK_TOOL] },
];

/** The rules that deny everything which none of these built-in tools does. */
export function rulesBesides(tools: readonly string[]): readonly string[] {
  return DEEDS.flatMap(({ tools: own, alsoBy = [] }) =>
    [...own, ...alsoBy].some((tool) => tools.includes(tool)) ? [] : own,
  );
}
