// A command line is decided part by part: each command must be covered by a rule, or only look at what may be read, and each file that
// the shell opens for it counts as an edit or a read by a tool.

import { brief } from "indusagi/core";
import type { Ruling } from "../../feature/decision.ts";
import type { Access } from "../../feature/tool.ts";
import { isHarmlessVariable } from "../../feature/variables.ts";
import { protectedBelow } from "../../store/protected-names.ts";
import type { CommandFacts, PartFacts, ResolvedAccess } from "./resolved-access.ts";
import type { CompiledRule } from "./rules.ts";
import { rulingByRule } from "./rulings.ts";

interface PartRulesDeps {
  readonly allowRules: readonly CompiledRule[];
  /** Why reading or writing a place is still open for this tool; undefined if it is not. */
  readonly openReason: (tool: string, place: ResolvedAccess) => string | undefined;
  readonly root: string;
}

interface PartRules {
  /** The outcome of each part, empty if the line could not be read; `open` says why the whole is open, if it is. */
  readonly decide: (tool: string, resolved: ResolvedAccess) => DecidedParts;
  /** Whether a command changes nothing: every part of it only looks. */
  readonly onlyLooks: (tool: string, resolved: ResolvedAccess) => boolean;
}

interface DecidedParts {
  readonly rulings: readonly Ruling[];
  readonly open?: string;
}

/** The decision about one part of a line before anybody is asked. */
interface PartRuling {
  readonly part: PartFacts;
  /** The rule that covers it, if any. */
  readonly rule?: CompiledRule;
  /** Why it is open; absent if it passes. */
  readonly open?: string;
  /** Why it passes without a rule. */
  readonly why?: string;
}

const WRITES = "it only reads, and writes only files that may be written";
const UNCOVERED = "no rule allows this command";
/** Judged at one time and opened at another, a path can lead elsewhere by then. */
const MAY_CHANGE = "it opens files that commands in the sandbox can change at the same time";

export function createPartRules({ allowRules, openReason, root }: PartRulesDeps): PartRules {
  return {
    decide(tool, { access, command, leaving }) {
      if (!isUnderstood(access, command)) return { rulings: [], open: UNCOVERED };
      const all = rulings(tool, command, leaving !== undefined);
      if (all.length === 0) return { rulings: [], open: UNCOVERED };
      const first = all.find((each) => each.open !== undefined);
      const told = all.map(inWords);
      if (first?.open === undefined) return { rulings: told };
      const open =
        first.open === UNCOVERED && command.parts.length > 1
          ? `no rule allows its part "${brief(first.part.text)}"`
          : first.open;
      return { rulings: told, open };
    },
    onlyLooks(tool, { access, command }) {
      return (
        isUnderstood(access, command) &&
        command.parts.length > 0 &&
        command.parts.every(
          (part) =>
            (part.isTransparent || part.isFunction || isQuiet(part) || looks(tool, part) === undefined) &&
            part.opens.every(
              (place) => place.access.kind === "read" && openReason(tool, place) === undefined,
            ),
        )
      );
    },
  };

  function rulings(tool: string, { parts }: CommandFacts, leaves: boolean): readonly PartRuling[] {
    const found: PartRuling[] = [];
    for (let at = 0; at < parts.length; at++) {
      const part = parts[at] as PartFacts;
      const ruling = rulingOf(tool, part, leaves);
      found.push(ruling);
      // A rule that covers a wrapper covers what it runs; otherwise that is decided separately.
      if (ruling.rule) at += part.inner ?? 0;
    }
    return found;
  }

  function rulingOf(tool: string, part: PartFacts, leaves: boolean): PartRuling {
    if (leaves && part.opens.length > 0) return { part, open: MAY_CHANGE };
    const closed = part.opens.map((place) => openPlace(tool, place)).find((reason) => reason !== undefined);
    if (closed !== undefined) return { part, open: closed };
    const rule = allowRules.find((each) => each.coversPart(tool, part, leaves));
    if (rule) return { part, rule };
    if (part.isFunction) return { part, why: "a function of this line, decided where it is defined" };
    if (part.isTransparent)
      return part.variables.every(isQuietVariable)
        ? { part, why: "decided by the command that it runs" }
        : { part, open: UNCOVERED };
    if (isQuiet(part)) return { part, why: "it runs no program" };
    const open = looks(tool, part);
    if (leaves && open === undefined && !looksAtNothing(part)) return { part, open: MAY_CHANGE };
    if (open === undefined) {
      const isWriting = part.opens.some(({ access }) => access.kind === "write");
      return { part, why: isWriting ? WRITES : "it reads only files that may be read" };
    }
    const risk = allowRules
      .map((each) => ({ source: each.source, word: each.riskOfPart(tool, part, leaves) }))
      .find(({ word }) => word !== undefined);
    if (risk)
      return {
        part,
        open: `the rule "${risk.source}" does not cover ${risk.word}, which it does not mention`,
      };
    return { part, open };
  }

  /** It prints its words, filters what it is given, or goes to where it is already. */
  function looksAtNothing({ looks: places = [], words }: PartFacts): boolean {
    return (
      places.length === 0 || (words[0]?.value === "cd" && places.every(({ realPath }) => realPath === root))
    );
  }

  /** Why a command does more than look at what may be read; undefined if it does not. */
  function looks(tool: string, part: PartFacts): string | undefined {
    if (part.looks === undefined) return UNCOVERED;
    for (const place of part.looks) {
      const reason = openPlace(tool, place);
      if (reason !== undefined) return reason;
      if (place.realPath !== undefined && protectedBelow(root, place.realPath))
        return `${tool} reads ${place.realPath}, which has a protected name`;
    }
    return undefined;
  }

  function openPlace(tool: string, place: ResolvedAccess): string | undefined {
    const { access } = place;
    if ((access.kind === "read" || access.kind === "write") && access.path === "")
      return `${tool} ${access.kind === "read" ? "reads" : "writes"} a file that is known only at run time`;
    return openReason(tool, place);
  }
}

/** With variables set by features, it is a different command from what its words say. */
function isUnderstood(access: Access, command: CommandFacts | undefined): command is CommandFacts {
  return (
    access.kind === "execute" && !access.variables && command !== undefined && command.unclear === undefined
  );
}

function inWords({ part, rule, open, why = "" }: PartRuling): Ruling {
  const { text, unclear, runs } = part;
  if (rule) return rulingByRule(text, "allow", rule);
  if (open === undefined) return { what: text, outcome: "allow", why, layer: "built-in" };
  const more = runs ?? unclear;
  return { what: text, outcome: "ask", why: open + (more === undefined ? "" : `: ${more}`), layer: "mode" };
}

/** It sets variables, or opens files that are decided separately, and starts nothing. */
function isQuiet({ words, variables }: PartFacts): boolean {
  return words.length === 0 && variables.every(isQuietVariable);
}

/** Lowercase names are not settings of any program, except for those of proxies. */
function isQuietVariable({ name, value }: { readonly name: string; readonly value?: string }): boolean {
  if (/^[a-z][a-z0-9_]*$/.test(name)) return !/proxy$/.test(name);
  return value !== undefined && isHarmlessVariable("", name, value);
}
