// The rules and the mode of a session, from flags and settings. A rule that cannot match would let through what the person meant to
// refuse, so no session starts with one (034).

import { briefValue } from "indusagi/core";
import type { Flags } from "../../cli/flags.ts";
import { limitedLines } from "../../cli/limited-lines.ts";
import { EXIT_USAGE, Problem } from "../../cli/problem.ts";
import type { RuleSubjects } from "../../deck/permissions/check-rules.ts";
import {
  type PermissionMode,
  START_MODES,
  type StartMode,
  widthOfMode,
} from "../../deck/permissions/modes.ts";
import type { PermissionPolicy } from "../../deck/permissions/permissions.ts";
import { type PermissionRule, parseRule } from "../../deck/permissions/rules.ts";
import type { RuleLayer } from "../../feature/decision.ts";
import type { LoadedSettings } from "../../settings/load-settings.ts";
import { type ModeLimit, narrowest } from "./mode-limits.ts";

type List = "allow" | "ask" | "deny";

/** A parsed rule with the place where it was written. */
interface PlacedRule {
  readonly rule: PermissionRule;
  readonly list: List;
  /** `--deny`, or the file and the setting. */
  readonly place: string;
  readonly layer: RuleLayer;
  readonly isFlag: boolean;
}

export interface ReadRules {
  readonly mode: PermissionMode;
  /** Neither a flag nor the settings chose it. */
  readonly isDefault: boolean;
  /** The session starts in plan mode; `mode` applies once the plan is approved. */
  readonly startsPlanning: boolean;
  /** A flag chose the mode. */
  readonly isByFlag: boolean;
  /** What files let it become at most. */
  readonly limits: readonly ModeLimit[];
  readonly rules: readonly PlacedRule[];
}

/** The mode as flags and settings have it. `narrowedBy`: why it is not the one that they ask for. */
export function chooseMode(
  flags: Pick<Flags, "permission-mode" | "sandbox">,
  { settings, ceiling, unclear }: Pick<LoadedSettings, "settings" | "ceiling" | "unclear">,
): Omit<ReadRules, "rules"> & { readonly narrowedBy?: string | undefined } {
  const typed = typedMode(flags["permission-mode"]);
  const chosen = typed ?? settings.permissions?.mode;
  const startsPlanning = chosen === "plan";
  const named = startsPlanning ? settings.permissions?.mode : chosen;
  const limits: readonly ModeLimit[] = [
    ...(ceiling
      ? [{ widest: modeOf(ceiling.mode, "read-only"), why: `${ceiling.file} does not permit a wider mode` }]
      : []),
    ...(unclear === undefined ? [] : [{ widest: "auto", why: notUnderstood(unclear) } as const]),
  ];
  const limit = narrowest(limits);
  const isBelow = (mode: PermissionMode): boolean =>
    limit !== undefined && widthOfMode(limit.widest) < widthOfMode(mode);
  // Without a sandbox, auto is acceptEdits.
  const isUnconfined = (flags.sandbox ?? settings.sandbox) === "off";
  const wanted = modeOf(named, isUnconfined || isBelow("auto") ? "acceptEdits" : "auto");
  const narrowing = isBelow(wanted) ? limit : undefined;
  return {
    mode: narrowing?.widest ?? wanted,
    isDefault: (named === undefined || named === "plan") && !narrowing,
    narrowedBy: narrowing?.why,
    startsPlanning,
    isByFlag: typed !== undefined && typed !== "plan",
    limits,
  };
}

/** A program's need not be one: it passed no command line. */
function typedMode(mode: string | undefined): StartMode | undefined {
  const found = START_MODES.find((each) => each === mode);
  if (mode !== undefined && found === undefined)
    throw new Problem(
      `unknown permission mode ${briefValue(mode)}; expected ${START_MODES.join(", ")}`,
      EXIT_USAGE,
    );
  return found;
}

function notUnderstood(file: string): string {
  return `it is unknown what ${file} refuses`;
}

/** Throws a {@link Problem} if the settings could have refused something that is lost: with them nothing starts. */
export function refuseUnsafe({ unsafe: [problem] }: Pick<LoadedSettings, "unsafe">): void {
  if (problem === undefined) return;
  throw new Problem(
    `${problem.replace(/[^?]$/, "$&.")} No session and no addon starts until indus can read what it refuses`,
    EXIT_USAGE,
  );
}

/** Reads the rules; {@link permissionPolicy} checks whether they can match, once the tools are known. */
export function readRules(flags: Flags, loaded: LoadedSettings, notices: string[]): ReadRules {
  const { rules } = loaded;
  refuseUnsafe(loaded);
  const written = [
    ...(["allow", "deny"] as const).flatMap((list) =>
      (flags[list] ?? []).map((source) => ({
        list,
        source,
        place: `--${list}`,
        layer: "flags" as const,
        isFlag: true,
      })),
    ),
    ...rules.map(({ list, source, file, layer }) => ({
      list,
      source,
      layer,
      place: `${file}: permissions.${list}`,
      isFlag: false,
    })),
  ];
  const { narrowedBy, ...chosen } = chooseMode(flags, loaded);
  if (narrowedBy !== undefined) notices.push(`the permission mode is ${chosen.mode}: ${narrowedBy}`);
  return {
    ...chosen,
    rules: written.flatMap(({ source, ...where }): readonly PlacedRule[] => {
      const rule = parseRule(source);
      if (!("problem" in rule)) return [{ rule, ...where }];
      // A repository's that cannot be read are reported by now (`settings`).
      if (where.isFlag || where.list !== "allow")
        throw new Problem(`${where.place}: ${rule.problem}`, EXIT_USAGE);
      notices.push(`${where.place}: ${rule.problem}; it is ignored`);
      return [];
    }),
  };
}

/** `mode` itself, unless it is unset or `plan`: then the mode that replaces it. */
function modeOf(mode: StartMode | undefined, planned: PermissionMode): PermissionMode {
  return mode === undefined || mode === "plan" ? planned : mode;
}

/**
 * The policy of a session with these tools and delegates. `mayGrow`: more tools can appear while it runs. Throws a {@link Problem} for a
 * rule that can match nothing, unless it is a repository's: then it is reported, and nothing passes as in the mode bypass.
 */
export async function permissionPolicy(
  { mode, rules }: Pick<ReadRules, "mode" | "rules">,
  subjects: RuleSubjects & { readonly mayGrow: boolean },
  notices: string[],
): Promise<PermissionPolicy> {
  if (rules.length === 0) return { mode, allow: [], ask: [], deny: [] };
  const { ruleProblem } = await import("../../deck/permissions/check-rules.ts");
  const absent = new Map<string, string[]>();
  let unclear: string | undefined;
  for (const { rule, list, place, layer, isFlag } of rules) {
    const problem = ruleProblem(rule, list, subjects);
    if (!problem) continue;
    const isMistake = problem.kind === "mistake" && list !== "allow";
    if (isMistake && layer === "repository") unclear = place;
    const isFatal = isMistake
      ? layer !== "repository"
      : isFlag && (problem.kind === "mistake" || !subjects.mayGrow);
    if (isFatal) throw new Problem(`${place}: ${problem.text}`, EXIT_USAGE);
    absent.set(place, [...(absent.get(place) ?? []), problem.text]);
  }
  for (const [place, texts] of absent)
    notices.push(`${place}: ${limitedLines(texts, "fix these first").join("; ")}`);
  const of = (list: List): readonly PermissionRule[] =>
    rules.filter((each) => each.list === list).map(({ rule, place, layer }) => ({ ...rule, place, layer }));
  const lists = { allow: of("allow"), ask: of("ask"), deny: of("deny") };
  if (unclear === undefined || mode !== "bypass") return { mode, ...lists };
  notices.push(`the permission mode is acceptEdits: ${notUnderstood(unclear)}`); // bypass has no sandbox, which auto would need
  return { mode: "acceptEdits", ...lists };
}
