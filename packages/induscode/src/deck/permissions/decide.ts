// The decision about a call, in one walk over its accesses: the outcome of each part, and why. Checking, asking, explaining and logging
// all use it.

import { resolve } from "node:path";
import { brief, isInside } from "indusagi/core";
import type { Ruling } from "../../feature/decision.ts";
import { deedInWords } from "../../feature/deeds.ts";
import type { Access, SetVariable } from "../../feature/tool.ts";
import { OUTSIDE } from "../../feature/tool-names.ts";
import { holdsAnswers } from "../../store/answers.ts";
import { actsByLink } from "../../store/linked-places.ts";
import { type Acts, protectedAs } from "../../store/protected-names.ts";
import type { Decided, Open } from "./decided.ts";
import { howToAllow } from "./how-to-allow.ts";
import type { PermissionMode } from "./modes.ts";
import { createPartRules } from "./part-rules.ts";
import type { PartFacts, ResolvedAccess } from "./resolved.ts";
import { named, ruled } from "./ruled.ts";
import { type CompiledRule, compileRule, parseRule } from "./rules.ts";
import type { SessionGrants } from "./session-grants.ts";

interface DecideDeps {
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

/** What was decided about one access. */
interface OneDecided extends Pick<Decided, "rulings" | "open" | "stays" | "isHarmless"> {}

/** As many rules for one line as a person would write. */
const MAX_RULES = 4;

type Command = Extract<Access, { kind: "execute" }>;

export function createDecider(deps: DecideDeps): Decider {
  const { isPlanning, allowRules, askRules, denyRules, session, root, store, readable, isDocument } = deps;
  const mode = (): PermissionMode => (isPlanning() ? "read-only" : deps.mode());
  const partRules = (rules: readonly CompiledRule[]): ReturnType<typeof createPartRules> =>
    createPartRules({ allowRules: rules, openReason, root });
  const parts = partRules(allowRules);
  const unruled = partRules([]);
  return { decide, denial, openReason };

  function decide(tool: string, resolved: readonly ResolvedAccess[]): Decided {
    const each = resolved.length === 0 ? [onName(tool)] : resolved.map((access) => decideOne(tool, access));
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
    const { access } = open;
    // No mode lets it pass, so none is suggested.
    const best = access && isKeptForLater(access) ? "bypass" : mode();
    const change = howToAllow(tool, open, {
      mode: best,
      root,
      openParts: openParts(found),
      isEnough: (rules) => isEnough(tool, open, rules),
    });
    return { outcome: "ask", rulings, open, change: change === "" ? undefined : change };
  }

  /** The open commands of a line, if a rule for each of them would be enough. */
  function openParts({ rulings, open }: OneDecided): readonly string[] | undefined {
    const access = open?.access?.access;
    if (open?.access === undefined || access?.kind !== "execute" || open.isAsked) return undefined;
    // What a wrapper runs on words that are not known yet is not text that anybody wrote.
    const asking = rulings.filter(({ outcome, what }) => outcome === "ask" && access.command.includes(what));
    const texts = [...new Set(asking.map(({ what }) => what))];
    return texts.length > MAX_RULES ? undefined : texts;
  }

  /** Whether these rules are accepted where rules are read, and let the access pass. */
  function isEnough(tool: string, { access }: Open, sources: readonly string[]): boolean {
    const parsed = sources.map(parseRule);
    const rules = parsed.flatMap((rule) =>
      "problem" in rule ? [] : compileRule(rule, { root, home: root }),
    );
    if (access === undefined || rules.length < parsed.length) return false;
    if (rules.some((rule) => rule.covers(tool, access))) return true;
    return partRules([...allowRules, ...rules]).decide(tool, access).open === undefined;
  }

  function denial(tool: string, resolved: readonly ResolvedAccess[]): CompiledRule | undefined {
    return denyRules.find(
      (rule) => rule.names(tool) || resolved.some((access) => rule.touches(tool, access)),
    );
  }

  /** A call that touches nothing can still be named by a rule. */
  function onName(tool: string): OneDecided {
    const denies = denial(tool, []);
    if (denies) return { rulings: [ruled(tool, "deny", denies)] };
    const asks = askRules.find((rule) => rule.names(tool));
    if (asks) return asked(ruled(tool, "ask", asks));
    return { rulings: [{ what: tool, outcome: "allow", why: "it touches nothing", layer: "built-in" }] };
  }

  function decideOne(tool: string, resolved: ResolvedAccess): OneDecided {
    const { access, command } = resolved;
    const what = access.kind === "execute" ? access.command : deedInWords(access);
    const partOf = (rule: CompiledRule): string =>
      command?.parts.find((part) => rule.touches(tool, alone(resolved, part)))?.text ?? what;
    const denies = denial(tool, [resolved]);
    if (denies) return { rulings: [ruled(partOf(denies), "deny", denies)] };
    if (isAnswer(resolved))
      return { rulings: [{ what, outcome: "deny", why: ONLY_BY_ANSWER, layer: "built-in" }] };
    const change = refusedChange(tool, resolved);
    if (change !== undefined) return { rulings: [byMode(what, change, "deny")] };
    const grant = session.cover(tool, resolved);
    if (grant) return { rulings: [{ what, outcome: "allow", ...grant }] };
    // An ask rule is about what a call touches. It applies in every mode, and to any reading of a command: it is how a project restricts.
    const asks = askRules.find((rule) => rule.touches(tool, resolved));
    if (asks) return asked(ruled(partOf(asks), "ask", asks), resolved);
    const uncertain = mayBeRefused(tool, resolved);
    if (uncertain) return asked({ what, outcome: "ask", ...uncertain }, resolved);
    const kept = session.coverKept(tool, resolved);
    if (kept) return { rulings: [{ what, outcome: "allow", ...kept }] };
    const isNamed = (rule: CompiledRule): boolean => rule.pattern === what;
    const rule = allowRules.find(
      (one) => one.covers(tool, resolved) && (command?.endless === undefined || isNamed(one)),
    );
    if (rule) return { rulings: [ruled(what, "allow", rule)] };
    if (mode() === "bypass" && !isKeptForLater(resolved)) return { rulings: [byMode(what)] };
    // With variables set by features, it is a different command from the model's.
    const isBounded = access.kind === "execute" && !access.variables && command?.endless === undefined;
    if (mode() === "auto" && resolved.isConfined && isBounded)
      return { rulings: [byMode(what, "it runs in the sandbox")], ...harmOf(tool, resolved) };
    if (access.kind === "execute") return decideCommand(tool, access, resolved);
    const reason = openReason(tool, resolved);
    if (reason === undefined) return { rulings: [byMode(what)] };
    return {
      rulings: [{ what, outcome: "ask", why: reason, layer: "mode" }],
      open: { access: resolved, reason, isAsked: false },
    };
  }

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
      ? { rulings: [ruled(access.command, "allow", rule)], open: undefined }
      : parts.decide(tool, inside);
    if (open !== undefined) return undefined;
    const staying = rulings.map((ruling) => ({ ...ruling, why: `${ruling.why}; it stays in the sandbox` }));
    return { rulings: staying, stays: true, ...harmOf(tool, inside, rulings) };
  }

  /** Harmless is what passes without any rule. If rules let it pass, by these rulings, that does not matter. */
  function harmOf(
    tool: string,
    resolved: ResolvedAccess,
    rulings: readonly Ruling[] = [],
  ): Pick<OneDecided, "isHarmless"> {
    if (rulings.some(({ rule }) => rule !== undefined)) return {};
    return unruled.decide(tool, resolved).open === undefined ? { isHarmless: true } : {};
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
    if (parts.onlyLooks(tool, resolved)) return undefined;
    if (isPlanning())
      return `no plan is approved yet and ${tool} would ${deedInWords(access)}; propose it with exit_plan_mode`;
    return `the permission mode is read-only and ${tool} would ${deedInWords(access)}`;
  }

  /** A command that cannot be read must not get past a rule that refuses. */
  function mayBeRefused(
    tool: string,
    resolved: ResolvedAccess,
  ): Omit<Ruling, "what" | "outcome"> | undefined {
    for (const rule of [...denyRules, ...askRules]) {
      const why = rule.mayTouch(tool, resolved);
      if (why === undefined) continue;
      return { ...named(rule), why: `the rule "${rule.source}" may apply to it: ${why}` };
    }
    return undefined;
  }

  function openReason(tool: string, resolved: ResolvedAccess): string | undefined {
    if (allowRules.some((rule) => rule.covers(tool, resolved))) return undefined;
    const { access, realPath: real } = resolved;
    if (isKeptForLater(resolved)) return `${tool} writes ${real}, which later sessions use`;
    if (mode() === "bypass") return undefined;
    if (access.kind === "delegate") return undefined; // its own actions are asked about when they happen
    if (access.kind === "execute") return "no rule allows this command";
    if (access.kind === "network") return `no rule allows a connection to ${access.host}`;
    const verb = access.kind === "read" ? "reads" : "writes";
    if (real === undefined) return `${tool} ${verb} ${access.path}, whose real path cannot be determined`;
    if (access.kind === "read" && readable.some((folder) => isInside(folder, real))) return undefined;
    if (!isInside(root, real)) return `${tool} ${verb} outside the working directory: ${real}`;
    const acts = access.kind === "write" ? actsLater(access.path, real) : undefined;
    return acts && `${tool} writes ${real}, which ${acts}`;
  }

  function whyUncovered(tool: string, access: Command, resolved: ResolvedAccess, reason: string): string {
    const { variables, ...bare } = access;
    if (variables && allowRules.some((rule) => rule.covers(tool, { ...resolved, access: bare })))
      return `${setters(variables)}, and the rules that allow it do not cover that`;
    if (resolved.leaving) {
      const { leaving: _, ...inside } = resolved;
      const rule = allowRules.find((one) => one.covers(tool, inside));
      if (rule) return `the rule "${rule.source}" covers nothing; only a rule ${OUTSIDE}(…) does`;
    }
    for (const rule of allowRules) {
      const risk = rule.risk(tool, resolved);
      if (risk !== undefined)
        return `the rule "${rule.source}" does not cover ${risk}, which it does not mention`;
    }
    return reason;
  }

  function isAnswer({ access, realPath: real }: ResolvedAccess): boolean {
    return access.kind === "write" && store !== undefined && real !== undefined && holdsAnswers(store, real);
  }

  /** What `bypass` allows must end with the session: anything written in the home is seen by all later ones. */
  function isKeptForLater({ access, realPath: real }: ResolvedAccess): boolean {
    if (access.kind !== "write" || store === undefined || real === undefined) return false;
    return isInside(store, real) && !(isInside(store, root) && isInside(root, real));
  }

  function actsLater(path: string, real: string): Acts | undefined {
    return (
      protectedAs(root, real, resolve(root, path)) ??
      actsByLink(root, real) ??
      (isDocument(real) ? "agents read as instructions" : undefined)
    );
  }
}

const ONLY_BY_ANSWER =
  "it stores the person's answers: they change it by answering, with indus, or in their editor; no mode lets a tool write it";

/** Limit for the model's reason why a command must run outside; the full text is in the call. */
const MAX_OUTSIDE_CHARS = 300;

function asksOutside({ outside }: Command, { leaving }: ResolvedAccess): string {
  if (outside === undefined) return leaving ? "it would run outside of the sandbox. There, " : "";
  return `it asks to run outside of the sandbox, because: ${brief(outside, MAX_OUTSIDE_CHARS)}. There, `;
}

/** One part, treated as the whole line. */
function alone({ access, leaving }: ResolvedAccess, part: PartFacts): ResolvedAccess {
  return {
    leaving,
    access: { ...access, command: part.text } as Access,
    command: { parts: [part], riskOf: part.riskOf },
  };
}

function asked(ruling: Ruling, access?: ResolvedAccess): OneDecided {
  return { rulings: [ruling], open: { access, reason: ruling.why, isAsked: true } };
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
