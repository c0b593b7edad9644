// The decision about a call, in one walk over its accesses: the outcome of each part, and why. Checking, asking, explaining and logging
// all use it.

import { relative } from "node:path";
import { isInside } from "indusagi/core";
import type { Ruling } from "../../feature/decision.ts";
import { deedInWords } from "../../feature/deeds.ts";
import type { Access } from "../../feature/tool.ts";
import { createCommandDecider } from "./decide-command.ts";
import { createPlaceDecider } from "./decide-place.ts";
import type { Decided, OneDecided } from "./decision-types.ts";
import { howToAllow } from "./how-to-allow.ts";
import type { PermissionMode } from "./modes.ts";
import type { PartFacts, ResolvedAccess } from "./resolved-access.ts";
import type { CompiledRule } from "./rules.ts";
import { ruleFacts, rulingByRule } from "./rulings.ts";
import type { SessionGrants } from "./session-grants.ts";

/** What decisions go by. */
export interface DecideDeps {
  readonly mode: () => PermissionMode;
  /** Until a plan is approved, nothing changes, whatever the mode allows. */
  readonly isPlanning: () => boolean;
  readonly allowRules: readonly CompiledRule[];
  readonly askRules: readonly CompiledRule[];
  readonly denyRules: readonly CompiledRule[];
  readonly session: Pick<SessionGrants, "cover" | "coverKept">;
  /** The working directory, as a real path. */
  readonly root: string;
  /** Where the product stores the person's data, as a real path; absent: nowhere. */
  readonly store?: string | undefined;
  readonly readable: readonly string[];
  readonly isDocument: (realPath: string) => boolean;
}

interface Decider {
  readonly decide: (tool: string, resolved: readonly ResolvedAccess[]) => Decided;
  /** The rule that refuses this. */
  readonly denial: (tool: string, resolved: readonly ResolvedAccess[]) => CompiledRule | undefined;
  /** Why reading or writing a place is still open for this tool; undefined if it is not. */
  readonly openReason: (tool: string, place: ResolvedAccess) => string | undefined;
}

export function createDecider(deps: DecideDeps): Decider {
  const { isPlanning, allowRules, askRules, denyRules, session, root } = deps;
  const mode = (): PermissionMode => (isPlanning() ? "read-only" : deps.mode());
  const { openReason, isAnswer, isKeptForLater } = createPlaceDecider({ ...deps, mode });
  const commands = createCommandDecider({ allowRules, openReason, root });
  return { decide, denial, openReason };

  function decide(tool: string, resolved: readonly ResolvedAccess[]): Decided {
    const each =
      resolved.length === 0 ? [decideByName(tool)] : resolved.map((access) => decideOne(tool, access));
    const rulings = each.flatMap((one) => one.rulings);
    if (rulings.some(({ outcome }) => outcome === "deny")) return { outcome: "deny", rulings };
    const found = each.find((one) => one.open !== undefined);
    if (found?.open === undefined) {
      const stays = each.some((one) => one.stays);
      const isHarmless = each.some((one) => one.isHarmless);
      return {
        outcome: "allow",
        rulings,
        stays: stays || undefined,
        isHarmless: isHarmless || undefined,
      };
    }
    const { open } = found;
    // No mode lets it pass, so none is suggested.
    const best = open.access && isKeptForLater(open.access) ? "bypass" : mode();
    const change = howToAllow(tool, open, {
      mode: best,
      root,
      rulings: found.rulings,
      isEnough: (access, rules) => commands.isEnough(tool, access, rules),
    });
    return { outcome: "ask", rulings, open, change: change === "" ? undefined : change };
  }

  function denial(tool: string, resolved: readonly ResolvedAccess[]): CompiledRule | undefined {
    return denyRules.find(
      (rule) => rule.names(tool) || resolved.some((access) => rule.touches(tool, access)),
    );
  }

  /** A call that touches nothing can still be named by a rule. */
  function decideByName(tool: string): OneDecided {
    const denies = denial(tool, []);
    if (denies) return { rulings: [rulingByRule(tool, "deny", denies)] };
    const asks = askRules.find((rule) => rule.names(tool));
    if (asks) return decisionToAsk(rulingByRule(tool, "ask", asks));
    return { rulings: [{ what: tool, outcome: "allow", why: "it touches nothing", layer: "built-in" }] };
  }

  function decideOne(tool: string, resolved: ResolvedAccess): OneDecided {
    const { access, command } = resolved;
    const what = access.kind === "execute" ? access.command : deedIn(root, resolved);
    const partOf = (rule: CompiledRule): string =>
      command?.parts.find((part) => rule.touches(tool, accessOfPart(resolved, part)))?.text ?? what;
    const denies = denial(tool, [resolved]);
    if (denies) return { rulings: [rulingByRule(partOf(denies), "deny", denies)] };
    if (isAnswer(resolved))
      return { rulings: [{ what, outcome: "deny", why: ONLY_BY_ANSWER, layer: "built-in" }] };
    const change = refusedChange(tool, resolved);
    if (change !== undefined) return { rulings: [byMode(what, change, "deny")] };
    const grant = session.cover(tool, resolved);
    if (grant) return { rulings: [{ what, outcome: "allow", ...grant }] };
    // An ask rule is about what a call touches. It applies in every mode, and to any reading of a command: it is how a project restricts.
    const asks = askRules.find((rule) => rule.touches(tool, resolved));
    if (asks) return decisionToAsk(rulingByRule(partOf(asks), "ask", asks), resolved);
    const uncertain = uncertainRule(tool, resolved);
    if (uncertain) return decisionToAsk({ what, outcome: "ask", ...uncertain }, resolved);
    const kept = session.coverKept(tool, resolved);
    if (kept) return { rulings: [{ what, outcome: "allow", ...kept }] };
    const isNamed = (rule: CompiledRule): boolean => rule.pattern === what;
    const rule = allowRules.find(
      (one) => one.covers(tool, resolved) && (command?.endless === undefined || isNamed(one)),
    );
    if (rule) return { rulings: [rulingByRule(what, "allow", rule)] };
    if (mode() === "bypass" && !isKeptForLater(resolved)) return { rulings: [byMode(what)] };
    // With variables set by features, it is a different command from the model's.
    const isBounded = access.kind === "execute" && !access.variables && command?.endless === undefined;
    if (mode() === "auto" && resolved.isConfined && isBounded)
      return { rulings: [byMode(what, "it runs in the sandbox")], ...commands.harmOf(tool, resolved) };
    if (access.kind === "execute") return commands.decide(tool, access, resolved);
    const reason = openReason(tool, resolved);
    if (reason === undefined) return { rulings: [byMode(what)] };
    return {
      rulings: [{ what, outcome: "ask", why: reason, layer: "mode" }],
      open: { access: resolved, reason, isAsked: false },
    };
  }

  function byMode(
    what: string,
    why: string = `the permission mode is ${mode()}`,
    outcome: Ruling["outcome"] = "allow",
  ): Ruling {
    return { what, outcome, why, layer: "mode", mode: deps.mode() };
  }

  function refusedChange(tool: string, resolved: ResolvedAccess): string | undefined {
    const { access } = resolved;
    if (mode() !== "read-only" || access.kind === "read" || access.kind === "delegate") return undefined;
    if (commands.onlyLooks(tool, resolved)) return undefined;
    if (isPlanning())
      return `no plan is approved yet and ${tool} would ${deedIn(root, resolved)}; propose it with exit_plan_mode`;
    return `the permission mode is read-only and ${tool} would ${deedIn(root, resolved)}`;
  }

  /** A command that cannot be read must not get past a rule that refuses. */
  function uncertainRule(
    tool: string,
    resolved: ResolvedAccess,
  ): Omit<Ruling, "what" | "outcome"> | undefined {
    for (const rule of [...denyRules, ...askRules]) {
      const why = rule.mayTouch(tool, resolved);
      if (why === undefined) continue;
      return { ...ruleFacts(rule), why: `the rule "${rule.source}" may apply to it: ${why}` };
    }
    return undefined;
  }
}

/** In words, with a path inside the working directory from there. */
function deedIn(root: string, { access, realPath: real }: ResolvedAccess): string {
  const isPlace = access.kind === "read" || access.kind === "write";
  if (!isPlace || real === undefined || real === root || !isInside(root, real)) return deedInWords(access);
  return `${access.kind} ${relative(root, real)}`;
}

const ONLY_BY_ANSWER =
  "it stores the person's answers: they change it by answering, with indus, or in their editor; no mode lets a tool write it";

/** One part, treated as the whole line. */
function accessOfPart({ access, leaving }: ResolvedAccess, part: PartFacts): ResolvedAccess {
  return {
    leaving,
    access: { ...access, command: part.text } as Access,
    command: { parts: [part], riskOf: part.riskOf },
  };
}

function decisionToAsk(ruling: Ruling, access?: ResolvedAccess): OneDecided {
  return { rulings: [ruling], open: { access, reason: ruling.why, isAsked: true } };
}
