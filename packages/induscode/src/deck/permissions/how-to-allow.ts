// What would let an open call pass. Only rules that are accepted and let it pass are named, so following it works.

import type { Access } from "../../feature/tool.ts";
import { builtinToolName, OUTSIDE } from "../../feature/tool-names.ts";
import { shownWord } from "../shell-quote.ts";
import type { Open } from "./decision-types.ts";
import type { PermissionMode } from "./modes.ts";

interface Facts {
  readonly mode: PermissionMode;
  readonly root: string;
  /** The open commands of a line, if there are few. */
  readonly openParts: readonly string[] | undefined;
  /** Whether these rules are accepted, and let the access pass. */
  readonly isEnough: (rules: readonly string[]) => boolean;
}

/** Quoted, because people copy it into a shell and the model wrote it. */
export function howToAllow(
  tool: string,
  { access: open, isAsked }: Pick<Open, "access" | "isAsked">,
  { mode, root, openParts, isEnough }: Facts,
): string {
  if (isAsked || !open)
    return "No flag overrides it: start on a terminal, or remove the rule from the settings.";
  const orBypass = mode === "bypass" ? "" : " or --permission-mode bypass";
  const { access, realPath, leaving } = open;
  const name = leaving ? OUTSIDE : tool;
  if (access.kind === "execute" && access.variables) {
    const names = [...new Set(access.variables.map(({ by }) => by))].join(" and ");
    return `Start with --allow ${name}${orBypass} to permit it, or without ${names}.`;
  }
  // A rule with a pattern allows commands in the working directory only.
  if (access.kind === "execute" && access.cwd !== root)
    return `It would run in ${access.cwd}: start there, or with --allow ${name}${orBypass} to permit it.`;
  const subjects = [openParts ?? [], [subjectOf(access, realPath)]];
  // In a rule on commands these match other text, which nobody has asked about.
  const isWide = (subject: string): boolean => access.kind === "execute" && /[*?]/.test(subject);
  const exact = subjects
    .filter((each) => each.length > 0 && !each.some(isWide))
    .map((each) => each.map((subject) => `${name}(${subject})`));
  // What another tool touches is the same for all of its calls, and may be more than this.
  const rules = (builtinToolName(tool) === tool ? exact : [[name]]).find(isEnough);
  if (rules !== undefined) {
    const flags = rules.map((rule) => `--allow ${shownWord(rule)}`);
    return `Start with ${flags.join(" ")}${orBypass} to permit it.`;
  }
  if (access.kind !== "execute")
    return mode === "bypass" ? "" : "Start with --permission-mode bypass to permit it.";
  const why = exact.length === 0 ? "A rule for it would permit more" : "No rule can name it";
  return `${why}: start on a terminal${orBypass && ", or with --permission-mode bypass,"} to permit it.`;
}

function subjectOf(access: Access, realPath: string | undefined): string {
  if (access.kind === "execute") return access.command;
  if (access.kind === "network") return access.host;
  return access.kind === "delegate" ? access.agent : (realPath ?? access.path);
}
