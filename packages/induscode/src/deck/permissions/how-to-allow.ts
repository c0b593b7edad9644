// What would let an open call pass. Only rules that are accepted and let it pass are named, so following it works.

import type { Ruling } from "../../feature/decision.ts";
import type { Access } from "../../feature/tool.ts";
import { builtinToolName, OUTSIDE } from "../../feature/tool-names.ts";
import { shownWord } from "../shell-quote.ts";
import type { Open } from "./decision-types.ts";
import type { PermissionMode } from "./modes.ts";
import type { ResolvedAccess } from "./resolved-access.ts";
import { type CompiledRule, compileRule, parseRule } from "./rules.ts";

/** As many rules for one line as a person would write. */
const MAX_RULES = 4;

interface Facts {
  readonly mode: PermissionMode;
  readonly root: string;
  /** What was decided about the open access. */
  readonly rulings: readonly Ruling[];
  /** Whether a command passes with these rules as well. */
  readonly isEnough: (access: ResolvedAccess, rules: readonly CompiledRule[]) => boolean;
}

/** Quoted, because people copy it into a shell and the model wrote it. */
export function howToAllow(
  tool: string,
  { access: open, isAsked }: Pick<Open, "access" | "isAsked">,
  { mode, root, rulings, isEnough }: Facts,
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
    return `The command would run in ${access.cwd}: start there, or with --allow ${name}${orBypass} to permit it.`;
  const subjects = [openCommands(access, rulings), [subjectOf(access, realPath)]];
  // In a rule on commands these match other text, which nobody has asked about.
  const isWide = (subject: string): boolean => access.kind === "execute" && /[*?]/.test(subject);
  const exact = subjects
    .filter((each) => each.length > 0 && !each.some(isWide))
    .map((each) => each.map((subject) => `${name}(${subject})`));
  // What another tool touches is the same for all of its calls, and may be more than this.
  const rules = (builtinToolName(tool) === tool ? exact : [[name]]).find((sources) => {
    const named = accepted(sources, root);
    return named !== undefined && (named.some((rule) => rule.covers(tool, open)) || isEnough(open, named));
  });
  if (rules !== undefined) {
    const flags = rules.map((rule) => `--allow ${shownWord(rule)}`);
    return `Start with ${flags.join(" ")}${orBypass} to permit it.`;
  }
  if (access.kind !== "execute")
    return mode === "bypass" ? "" : "Start with --permission-mode bypass to permit it.";
  const why =
    exact.length === 0 ? "A rule for this command would permit more" : "No rule can name this command";
  return `${why}: start on a terminal${orBypass && ", or with --permission-mode bypass,"} to permit it.`;
}

/** The open commands of a line, if there are few. */
function openCommands(access: Access, rulings: readonly Ruling[]): readonly string[] {
  if (access.kind !== "execute") return [];
  // What a wrapper runs on words that are not known yet is not text that anybody wrote.
  const asking = rulings.filter(({ outcome, what }) => outcome === "ask" && access.command.includes(what));
  const texts = [...new Set(asking.map(({ what }) => what))];
  return texts.length > MAX_RULES ? [] : texts;
}

/** The rules, if all are accepted where rules are read. */
function accepted(sources: readonly string[], root: string): readonly CompiledRule[] | undefined {
  const parsed = sources.map(parseRule);
  const rules = parsed.flatMap((rule) => ("problem" in rule ? [] : compileRule(rule, { root, home: root })));
  return rules.length < parsed.length ? undefined : rules;
}

function subjectOf(access: Access, realPath: string | undefined): string {
  if (access.kind === "execute") return access.command;
  if (access.kind === "network") return access.host;
  return access.kind === "delegate" ? access.agent : (realPath ?? access.path);
}
