// The decision about a command that no rule and no mode lets pass as a whole: part by part, inside of the sandbox where it can stay there.

import { brief } from "indusagi/core";
import type { Ruling } from "../../feature/decision.ts";
import type { Access, SetVariable } from "../../feature/tool.ts";
import { OUTSIDE } from "../../feature/tool-names.ts";
import type { OneDecided } from "./decision-types.ts";
import { createPartRules } from "./part-rules.ts";
import type { ResolvedAccess } from "./resolved-access.ts";
import type { CompiledRule } from "./rules.ts";
import { rulingByRule } from "./rulings.ts";

type Command = Extract<Access, { kind: "execute" }>;
type PartRules = ReturnType<typeof createPartRules>;

interface CommandDeciderDeps {
  readonly allowRules: readonly CompiledRule[];
  readonly openReason: (tool: string, place: ResolvedAccess) => string | undefined;
  readonly root: string;
}

interface CommandDecider {
  readonly decide: (tool: string, access: Command, resolved: ResolvedAccess) => OneDecided;
  readonly onlyLooks: PartRules["onlyLooks"];
  /** Whether it passes with these rules as well. */
  readonly isEnough: (tool: string, resolved: ResolvedAccess, rules: readonly CompiledRule[]) => boolean;
  /** Harmless is what passes without any rule. If rules let it pass, by these rulings, that does not matter. */
  readonly harmOf: (
    tool: string,
    resolved: ResolvedAccess,
    rulings?: readonly Ruling[],
  ) => Pick<OneDecided, "isHarmless">;
}

export function createCommandDecider({ allowRules, openReason, root }: CommandDeciderDeps): CommandDecider {
  const partRules = (rules: readonly CompiledRule[]): PartRules =>
    createPartRules({ allowRules: rules, openReason, root });
  const parts = partRules(allowRules);
  const unruled = partRules([]);
  return {
    decide: decideCommand,
    onlyLooks: parts.onlyLooks,
    isEnough: (tool, resolved, rules) =>
      partRules([...allowRules, ...rules]).decide(tool, resolved).open === undefined,
    harmOf,
  };

  function decideCommand(tool: string, access: Command, resolved: ResolvedAccess): OneDecided {
    const { rulings, open } = parts.decide(tool, resolved);
    if (open === undefined) return { rulings, ...harmOf(tool, resolved, rulings) };
    const stays = decideInside(tool, access, resolved);
    if (stays) return stays;
    const reason = asksOutside(access, resolved) + whyUncovered(tool, access, resolved, open);
    if (rulings.length > 0) return { rulings, open: { access: resolved, reason, isAsked: false } };
    const { unclear } = resolved.command ?? {};
    const why = reason + (unclear === undefined ? "" : `: ${unclear}`);
    return {
      rulings: [{ what: access.command, outcome: "ask", why, layer: "mode" }],
      open: { access: resolved, reason, isAsked: false },
    };
  }

  /**
   * What it opens is judged now and opened later, and what runs in the sandbox meanwhile could exchange it: so nothing leaves because it
   * is harmless, and only rules that say so let it. Inside, the kernel decides at the time.
   */
  function decideInside(tool: string, access: Command, resolved: ResolvedAccess): OneDecided | undefined {
    const { leaving, ...inside } = resolved;
    if (!leaving?.canStay) return undefined;
    const { isHarmless } = harmOf(tool, inside);
    // Whoever asks to leave is asked about what only a rule lets pass: the sandbox has probably blocked it.
    if (!isHarmless && access.outside !== undefined) return undefined;
    const rule = allowRules.find((one) => one.covers(tool, inside));
    const { rulings, open } = rule
      ? { rulings: [rulingByRule(access.command, "allow", rule)], open: undefined }
      : parts.decide(tool, inside);
    if (open !== undefined) return undefined;
    const staying = rulings.map((ruling) => ({ ...ruling, why: `${ruling.why}; it stays in the sandbox` }));
    return { rulings: staying, stays: true, ...harmOf(tool, inside, rulings) };
  }

  function harmOf(
    tool: string,
    resolved: ResolvedAccess,
    rulings: readonly Ruling[] = [],
  ): Pick<OneDecided, "isHarmless"> {
    if (rulings.some(({ rule }) => rule !== undefined)) return {};
    return unruled.decide(tool, resolved).open === undefined ? { isHarmless: true } : {};
  }

  function whyUncovered(tool: string, access: Command, resolved: ResolvedAccess, reason: string): string {
    const { variables, ...bare } = access;
    if (variables && allowRules.some((rule) => rule.covers(tool, { ...resolved, access: bare })))
      return `${setters(variables)}, and the rules that allow it do not cover that`;
    if (resolved.leaving) {
      const { leaving: _, ...inside } = resolved;
      const rule = allowRules.find((one) => one.covers(tool, inside));
      if (rule) return `the rule "${rule.source}" does not apply; only a rule ${OUTSIDE}(…) does`;
    }
    for (const rule of allowRules) {
      const risk = rule.risk(tool, resolved);
      if (risk !== undefined)
        return `the rule "${rule.source}" does not cover ${risk}, which it does not mention`;
    }
    return reason;
  }
}

/** Limit for the model's reason why a command must run outside; the full text is in the call. */
const MAX_OUTSIDE_CHARS = 300;

function asksOutside({ outside }: Command, { leaving }: ResolvedAccess): string {
  if (outside === undefined) return leaving ? "it would run outside of the sandbox. There, " : "";
  return `it asks to run outside of the sandbox, because: ${brief(outside, MAX_OUTSIDE_CHARS)}. There, `;
}

/** `project:x sets PATH for it`. */
function setters(variables: readonly SetVariable[]): string {
  const namesOf = (owner: string): string =>
    variables
      .filter(({ by }) => by === owner)
      .map(({ name }) => name)
      .join(", ");
  return [...new Set(variables.map(({ by }) => by))]
    .map((by) => `${by} sets ${namesOf(by)} for it`)
    .join(", ");
}
