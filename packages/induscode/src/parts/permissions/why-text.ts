// Parses the question of `indus why` and `/why`, and formats the answer.

import { webFetchHost } from "indusagi/capabilities";
import { resolvePath } from "indusagi/core";
import { EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { printableLine } from "../../console/printable-line.ts";
import type { CommandSandbox } from "../../deck/contract.ts";
import { type RuleSubjects, unknownName } from "../../deck/permissions/check-rules.ts";
import type { PermissionRequest } from "../../deck/permissions/decision-types.ts";
import type { StartMode } from "../../deck/permissions/modes.ts";
import { parseRule, patternKind } from "../../deck/permissions/rules.ts";
import type { Decision } from "../../feature/decision.ts";
import type { Access } from "../../feature/tool.ts";
import { type Granted, reachLines } from "./reach-by-answers.ts";

/** What a call can name; `mayGrow`: addons, which are not loaded here, can bring more tools. */
export interface CallSubjects extends Pick<RuleSubjects, "tools" | "delegates"> {
  readonly cwd: string;
  readonly home: string;
  readonly mayGrow: boolean;
}

/** The call that a rule with this text would match exactly. Throws a {@link Problem} if its tool or delegate does not exist. */
export function callOf(
  call: string,
  { cwd, home, mayGrow, ...subjects }: CallSubjects,
): { readonly tool: string; readonly accesses: readonly Access[] } {
  const [, written = "", about] = /^([\w.*-]+)(?:\(([\s\S]*)\))?$/.exec(call.trim()) ?? [];
  const rule = parseRule(written);
  if ("problem" in rule || written.includes("*"))
    throw new Problem(
      `indus why accepts one call, written as in a rule, e.g. 'bash(git push)' or 'edit(src/a.ts)'; found "${call}"`,
      EXIT_USAGE,
    );
  const unknown = unknownName({ ...rule, source: call, pattern: about }, subjects);
  const tool = rule.builtin ?? rule.tool;
  const kind = patternKind(rule);
  if (unknown) {
    const isAddons = mayGrow && unknown.kind === "absent" && kind !== "agent";
    const more = isAddons
      ? ". If the tool belongs to an addon, use /why in a session: indus why loads no addons"
      : "";
    throw new Problem(unknown.text + more, EXIT_USAGE);
  }
  const needs = {
    command: "a command",
    path: "a path",
    host: "a host",
    agent: "a delegate",
    none: "",
    any: "",
  }[kind];
  if (needs !== "" && (about === undefined || about.trim() === ""))
    throw new Problem(`${written} needs ${needs}: write indus why '${written}(…)'`, EXIT_USAGE);
  const accesses = about === undefined ? [] : accessesOf(tool, kind, about, { cwd, home });
  return { tool, accesses: rule.isOutside ? accesses.map(asLeaving) : accesses };
}

function asLeaving(access: Access): Access {
  return access.kind === "execute" ? { ...access, outside: "you ask" } : access;
}

function accessesOf(
  tool: string,
  kind: ReturnType<typeof patternKind>,
  about: string,
  { cwd, home }: { readonly cwd: string; readonly home: string },
): readonly Access[] {
  if (kind === "command") return [{ kind: "execute", command: about, cwd }];
  // A call names an address, a rule a host.
  if (kind === "host")
    return [{ kind: "network", host: webFetchHost(about) ?? about.replace(/^domain:\s*/, "").toLowerCase() }];
  if (kind === "agent") return [{ kind: "delegate", agent: about }];
  if (kind !== "path") return [];
  const path = resolvePath(cwd, about, home);
  if (tool === "edit")
    return [
      { kind: "read", path },
      { kind: "write", path },
    ];
  return [{ kind: tool === "write" ? "write" : "read", path }];
}

/** Where the call would run a command: in the sandbox or outside of it, if `state` says that there is one. */
export async function placeOf(
  { accesses }: { readonly accesses: readonly Access[] },
  sandbox: Pick<CommandSandbox, "state" | "running"> | undefined,
): Promise<Pick<PermissionRequest, "confined" | "leaving">> {
  const command = accesses.find((access) => access.kind === "execute");
  if (command?.kind !== "execute" || (await sandbox?.state()) !== "in force") return {};
  if (command.outside === undefined) return { confined: true };
  return { leaving: { canStay: true, beside: sandbox?.running ?? NOBODY } };
}

const NOBODY = (): number => 0;

/** Says so where nobody chose the mode. */
export function modeInWords(mode: StartMode, { isDefault }: { readonly isDefault: boolean }): string {
  return isDefault && mode !== "plan" ? `${mode}, by default` : mode;
}

/** A decision, part by part, one line each, and what the person's answers have to do with the call. */
export function whyText(call: string, mode: string, decision: Decision, granted: Granted): string {
  const reach = reachLines(granted).map((line) => `  ${line}`);
  return [...linesOf(call, mode, decision), ...reach].map(shown).join("\n");
}

/** The text in question can be from anyone; the indent is ours. */
function shown(line: string): string {
  const indent = /^ */.exec(line)?.[0] ?? "";
  return indent + printableLine(line.slice(indent.length));
}

const OUTCOMES = { allow: "passes", ask: "asks", deny: "is refused" } as const;

function linesOf(call: string, mode: string, { outcome, rulings, change }: Decision): readonly string[] {
  return [
    `${call}  ${OUTCOMES[outcome]}  (permission mode ${mode})`,
    ...rulings.map(({ what, outcome: each, why, place }) => {
      const from = place === undefined ? "" : `  (${place})`;
      return `  ${what}  ${OUTCOMES[each]}: ${why}${from}`;
    }),
    ...(change === undefined ? [] : [`  ${change}`]),
  ];
}
