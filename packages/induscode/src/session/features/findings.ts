// What a person put in place that is not used here, or only in part: gathered once, reported in a few lines at a start and individually
// by `indus doctor` and --verbose.

import { grouped, isInside } from "indusagi/core";
import { describeStray } from "../../addons/source/stray-entry.ts";
import type { BriefingDiagnostic, BriefingDiagnosticKind } from "../../briefing/contract.ts";
import { realPathOf } from "../../briefing/text-file.ts";
import type { UnknownTools } from "../../deck/builtins/delegate-roles.ts";
import { olderInWords, PROMPTS, type PromptCommand } from "../../deck/builtins/prompt-commands.ts";
import { idleMatcherInWords, idleMatchers } from "../../feature/idle-matchers.ts";
import type { FeatureInstallReport } from "../../feature/install-report.ts";
import type { InstalledFeatures } from "../../feature/registry.ts";
import type { ForeignFile } from "./foreign-files.ts";

export interface Finding {
  /** An absolute path. */
  readonly path: string;
  /** One line that names the file. */
  readonly why: string;
  readonly instead: string;
  /** How many files it represents. */
  readonly count: number;
  /**
   * `warning`: it could be an attack, and is always reported. `own`: the person's, or written for this product. `foreign`: an unused file
   * of another agent. `partly`: one that is used, except for a part. `leftover`: left by a tool, or an
   * import of nothing; not mentioned at a start.
   */
  readonly kind: "warning" | "own" | "foreign" | "partly" | "leftover";
}

export interface FindingSources {
  readonly diagnostics: readonly BriefingDiagnostic[];
  readonly foreign: readonly ForeignFile[];
  readonly commands: readonly PromptCommand[];
  readonly reports: readonly FeatureInstallReport[];
  /** Paths of files and folders among the addons that are not addons. */
  readonly strays: readonly string[];
  readonly delegates: readonly UnknownTools[];
  /** The folder of the packages that the person added: their files count as another agent's. */
  readonly packages?: string | undefined;
}

/** In the order of the sources. */
export function gatherFindings({
  diagnostics,
  foreign,
  commands,
  reports,
  strays,
  delegates,
  packages,
}: FindingSources): readonly Finding[] {
  const folders = packages === undefined ? [] : [packages, realPathOf(packages)];
  // What does not apply of a package was said when it was added.
  const isForeign = (path: string): boolean =>
    isOfOtherAgent(path) || folders.some((folder) => isInside(folder, path));
  return [
    ...diagnostics.map((diagnostic) => ofDiagnostic(diagnostic, isForeign(diagnostic.path))),
    ...unusedCommands(commands, reports, isForeign),
    ...strays.flatMap((path) => ofStray(path) ?? []),
    ...foreign.map(ofForeign),
    ...delegates.map((delegate) => ofDelegate(delegate, isForeign(delegate.source))),
  ];
}

const INSTEAD: Readonly<Record<BriefingDiagnosticKind, string>> = {
  "macro-invalid": "fix or remove the file",
  "skill-invalid": "fix it; `indus skills check` checks skills against their format",
  "agent-invalid": "fix it; `indus agents` lists the valid ones",
  absent: "correct the path, unless it is only a name in a sentence",
  refused: "if you trust it, move its text to a place that is read (`indus doctor` lists them)",
  unreadable: "make it UTF-8 text that you can read",
  limit: "shorten it, or split it",
  invisible: "open it in an editor that shows every character, and delete what you did not write",
  collision: "rename or remove one of the two",
  unsupported: "remove that part: indus does not support it",
};

const WARNINGS: ReadonlySet<BriefingDiagnosticKind> = new Set(["refused", "invisible"]);
/** Where other agents keep files that are read here too. Their documents are instructions like any other. */
const FOREIGN_FOLDER =
  /[\\/]\.(?:claude|codex|cursor|gemini|opencode)[\\/](?:commands|skills|agents|rules)[\\/]|[\\/]\.github[\\/]instructions[\\/]/;

function ofDiagnostic(
  { kind, path, message, instead = INSTEAD[kind] }: BriefingDiagnostic,
  isForeign: boolean,
): Finding {
  const isPartly = kind === "unsupported" || kind === "unreadable" || kind === "limit";
  const place = isForeign ? (isPartly ? "partly" : "foreign") : kind === "absent" ? "leftover" : "own";
  return {
    path,
    why: message,
    instead,
    count: 1,
    kind: WARNINGS.has(kind) ? "warning" : place,
  };
}

/** Whether another agent keeps its commands, skills or delegates there. */
export function isOfOtherAgent(path: string): boolean {
  return FOREIGN_FOLDER.test(path);
}

/** Macros with older spellings; not looked for at a start. */
export function olderMacros(commands: readonly PromptCommand[]): readonly Finding[] {
  return commands.flatMap(({ source, olderSpellings }): readonly Finding[] => {
    const older = olderSpellings?.() ?? [];
    if (older.length === 0) return [];
    const why = olderInWords(source, older);
    return [{ path: source, why, instead: "write the newer ones", count: 1, kind: "leftover" }];
  });
}

function ofStray(path: string): Finding | undefined {
  const stray = describeStray(path);
  return stray && { ...stray, count: 1, kind: stray.isLeftover ? "leftover" : "own" };
}

function ofDelegate({ source, tools, isBare }: UnknownTools, isForeign: boolean): Finding {
  const names = tools.slice(0, 20).join(", ");
  const found = tools.length === 0 ? "its list of tools is empty" : `tool not found here: ${names}`;
  return {
    path: source,
    why: `${source}: ${isBare ? "the delegate has no tool: " : ""}${found}`,
    instead: "fix the name, or remove it; an addon's tools are known only in a session",
    count: 1,
    kind: isForeign && !isBare ? "partly" : "own",
  };
}

function ofForeign({ path, label, holds, count, instead }: ForeignFile): Finding {
  return { path, why: `${label} is not used: ${holds}`, instead, count, kind: "foreign" };
}

/** Macros and skills whose names cannot be commands, or are taken. */
function unusedCommands(
  commands: readonly PromptCommand[],
  reports: readonly FeatureInstallReport[],
  isForeign: (path: string) => boolean,
): readonly Finding[] {
  const report = reports.find(({ feature }) => feature === PROMPTS);
  if (!report) return [];
  const free = new Set(report.commands);
  const reasons = report.skipped.filter(({ kind }) => kind === "command").values();
  return commands
    .filter(({ name }) => !free.delete(name)) // the first one with a name wins
    .map(({ source }) => ({
      path: source,
      why: `${source} is not used: ${reasons.next().value?.reason ?? "its name is taken"}`,
      instead: "rename the file",
      count: 1,
      kind: isForeign(source) ? "foreign" : "own",
    }));
}

/** Interceptors and gates that guard nothing, because they wait for a tool that does not exist. */
export function idleGuards(features: InstalledFeatures): readonly string[] {
  return idleMatchers(features).map((idle) => `${idle.feature}: ${idleMatcherInWords(idle)}`);
}

/** What addons contribute in vain, or that one contributes nothing: one line per addon. */
export function skippedParts(reports: readonly FeatureInstallReport[]): readonly string[] {
  return reports
    .filter((report) => report.feature !== PROMPTS && (report.skipped.length > 0 || isEmpty(report)))
    .map(({ feature, skipped }) => {
      if (skipped.length === 0) return `${feature}: it contributes nothing`;
      const parts = skipped.map(({ kind, name, reason }) => `${kind} ${name} (${reason})`);
      return `${feature}: skipped: ${parts.join("; ")}`;
    });
}

/** Whether it is an addon that registered nothing, without a fault. */
export function isEmpty({ feature, enabled, skipped, faults }: FeatureInstallReport): boolean {
  return !enabled && !feature.startsWith("builtin:") && skipped.length + faults.length === 0;
}

export interface StartManner {
  /** Prints one line per finding. */
  readonly isVerbose: boolean;
  /** A person reads the start's output. */
  readonly isTalking: boolean;
  /** Whether it was not told before what these files of other agents hold; default: it was not. */
  readonly isNews?: (whats: readonly string[]) => boolean;
}

// More lines than this would be read less.
const MAX_LINES = 5;

/** What a start says about them: warnings and the person's own, at most five each, and one line that counts the rest, once. */
export function startLines(
  findings: readonly Finding[],
  { isVerbose, isTalking, isNews = () => true }: StartManner,
): readonly string[] {
  if (isVerbose) return findings.map(({ why }) => why);
  const told = (kind: Finding["kind"]): readonly string[] =>
    cut(findings.filter((each) => each.kind === kind));
  const others = findings.filter(({ kind }) => kind === "foreign" || kind === "partly");
  const isTold = others.length > 0 && isTalking && isNews(others.map(({ why }) => why));
  const summary = isTold ? foreignLine(others) : [];
  return [...told("warning"), ...told("own"), ...summary];
}

function cut(findings: readonly Finding[]): readonly string[] {
  const lines = findings.slice(0, MAX_LINES).map(({ why }) => why);
  const more = findings.length - lines.length;
  return more > 0 ? [...lines, `and ${grouped(more)} more of the same kind: indus doctor`] : lines;
}

function foreignLine(findings: readonly Finding[]): readonly string[] {
  const unused = findings.filter(({ kind }) => kind === "foreign").reduce((sum, { count }) => sum + count, 0);
  const partly = new Set(findings.filter(({ kind }) => kind === "partly").map(({ path }) => path)).size;
  const files = (count: number): string => `${count} ${count === 1 ? "file" : "files"} of other agents`;
  const be = (count: number): string => (count === 1 ? "is" : "are");
  if (unused === 0 && partly === 0) return [];
  if (unused === 0) return [`${files(partly)} ${be(partly)} used only in part: indus doctor`];
  const rest = partly === 0 ? "" : `, ${partly} only in part`;
  return [`${files(unused)} ${be(unused)} not used${rest}: indus doctor`];
}
