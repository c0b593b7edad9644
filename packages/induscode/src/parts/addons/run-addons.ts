// `indus addons`: what each feature of this folder contributes or why not, who handles an event, how long addons took, taking trust back,
// and releasing one from quarantine. It starts no session and asks no model.

import { resolve } from "node:path";
import { nearest, printable } from "indusagi/core";
import { lastDiagnostics } from "../../addons/process/addon-log.ts";
import { readTimes } from "../../addons/process/addon-times.ts";
import { createQuarantine, type QuarantineEntry } from "../../addons/process/quarantine.ts";
import { type KeptAddon, namesKept } from "../../addons/source/addon-names.ts";
import { describeStray } from "../../addons/source/stray-entry.ts";
import { createTrust } from "../../addons/source/trust.ts";
import { realPlace } from "../../briefing/text-file.ts";
import { estimateTokens } from "../../briefing/token-estimate.ts";
import type { Flags } from "../../cli/flags.ts";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { EXIT_OK, EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { printableLine } from "../../console/printable-line.ts";
import { definitionOf, NOTHING_OFFERED, offerTools } from "../../deck/offered-tools.ts";
import { createPermissions } from "../../deck/permissions/permissions.ts";
import { capabilityInWords } from "../../feature/capabilities.ts";
import { createHooks } from "../../feature/dispatch/hooks.ts";
import { HOOK_EVENTS, isHookEvent } from "../../feature/events.ts";
import { DEFAULT_DEADLINE_MS } from "../../feature/handler-limits.ts";
import type {
  CapabilityDenial,
  FeatureDiagnostic,
  FeatureInstallReport,
} from "../../feature/install-report.ts";
import type { InstalledTool } from "../../feature/tool.ts";
import { isEmpty } from "../../session/features/findings.ts";
import { heldNamesHere } from "../../session/features/held-names-here.ts";
import type { SessionFeatures } from "../../session/features/session-features.ts";
import { readRules } from "../../session/permissions/permission-policy.ts";
import { indusHome } from "../../store/home.ts";
import { type FeaturesHere, featuresHere } from "./features-here.ts";

export async function runAddons(
  line: Invocation<{ readonly timing?: boolean | undefined }>,
): Promise<number> {
  const { flags, words, env } = line;
  const [, action, subject = ""] = words;
  if (action === "revoke") return revoke(indusHome(env), subject);
  if (action === "accept") return accept(line, subject);
  if (action === "restart") return restart(indusHome(env), subject);
  if (flags.timing) return timing(indusHome(env), flags.json === true);
  const here: FeaturesHere = await featuresHere(line);
  const { home, features, problems } = here;
  const hidden = hiddenTools(here, flags);
  const known = new Set(features.codeAddons().map(({ hash }) => hash));
  const elsewhere = createQuarantine({ home })
    .list()
    .filter(({ hash }) => !known.has(hash))
    .map(describeQuarantine);
  const quarantined = [...features.quarantined, ...elsewhere];
  const strays = features.strays.flatMap((path) => describeStray(path) ?? []);
  const skipped = [...features.skipped, ...strays.map(({ why, instead }) => `${why}: ${instead}`)];
  const absent = leftOut(features.off, skipped, [...problems, ...quarantined]);
  if (action === "explain") return explain(subject, features, absent);
  if (flags.json) {
    const reports = features.registry.reports.map((report) => ({
      ...withCost(report, here, hidden),
      recent: saidLately(report, features, home),
      hidden: hiddenOf(report, hidden).map(([tool, why]) => ({ tool, why })),
    }));
    return say(
      JSON.stringify({ features: reports, off: features.off, skipped, problems, quarantined }, undefined, 2),
    );
  }
  const described = features.registry.reports.map((report) => describeReport(report, here, hidden));
  return say([...described, ...absent].join("\n\n"));
}

/** The commands that trusted addons of this folder add, as a section of the help; empty if there are none. */
export async function addonCommandHelp(line: Invocation): Promise<string> {
  const { features } = await featuresHere(line);
  const lines = features.registry.commands.map(
    ({ name, summary, feature }) => `  /${name}  ${summary}  (${feature})`,
  );
  return lines.length === 0 ? "" : printable(`\nCommands from addons:\n${lines.join("\n")}\n`);
}

/** From now on, reads a file that appeared while an addon or a command could write. */
async function accept(line: Invocation, path: string): Promise<number> {
  workingDirectory(line);
  const held = await (await heldNamesHere(indusHome(line.env))).open();
  const place = realPlace(resolve(line.startedIn, path));
  const accepted = held.accept(place);
  if (accepted.length > 0) return say(accepted.map((each) => `${each} is read from now on`).join("\n"));
  throw new Problem([`nothing is held at ${place}`, ...held.lines()].join("\n"));
}

async function revoke(home: string, idOrPrefix: string): Promise<number> {
  const trust = createTrust({ home });
  const removed = await trust.revoke(idOrPrefix);
  if (removed.length === 0) {
    const kept = [...(await trust.list()), ...(await trust.listRefusals())];
    throw new Problem(
      `no addon called "${idOrPrefix}" was trusted or refused${didYouMean(idOrPrefix, kept)}`,
    );
  }
  return say(
    removed
      .map(({ id, path, hash }) => `${id} (${hash.slice(0, 12)}, ${path}) will need your trust again`)
      .join("\n"),
  );
}

/** Running sessions check the quarantine again at the addon's next event. */
async function restart(home: string, id: string): Promise<number> {
  const quarantine = createQuarantine({ home });
  const released = await quarantine.release(id);
  if (released.length === 0) {
    const meant = didYouMean(id, quarantine.list());
    const inSession = "; in a session, /addons restart ID restarts its process";
    throw new Problem(`no addon called "${id}" is in quarantine${meant === "" ? inSession : meant}`);
  }
  return say(released.map((entry) => `${entry.id} (${entry.path}) is released from quarantine`).join("\n"));
}

function didYouMean(wanted: string, kept: readonly KeptAddon[]): string {
  const meant = nearest(wanted, kept.flatMap(namesKept));
  return meant === undefined ? "" : `; did you mean "${meant}"?`;
}

function describeQuarantine({ id, why, at }: QuarantineEntry): string {
  return `${id} has been in quarantine since ${at}: ${why}. To run it again: indus addons restart ${id}`;
}

/** The newest session's measurements for each addon. */
function timing(home: string, isJson: boolean): number {
  const measured = readTimes(home);
  if (isJson) return say(JSON.stringify({ times: measured }, undefined, 2));
  if (measured.length === 0) return say("No session has run an addon's process yet.");
  return say(
    measured
      .map(({ addon, at, table }) => {
        const rows = Object.entries(table).map(
          ([what, { count, medianMs, maxMs }]) =>
            `  ${what.padEnd(10)} ${String(count).padStart(6)} x  median ${medianMs} ms  longest ${maxMs} ms`,
        );
        return [`${addon}  (session that ended ${at})`, ...rows].join("\n");
      })
      .join("\n\n"),
  );
}

/** Includes excluded addons: the one that is missing can be the one the person is looking for. */
function explain(event: string, features: SessionFeatures, absent: readonly string[]): number {
  const hooks = createHooks(features.registry, {
    deadlineMs: DEFAULT_DEADLINE_MS,
    onGateFailure: "allow",
    onFault: () => undefined,
  });
  if (!isHookEvent(event))
    throw new Problem(`"${event}" is not an event; the events are ${HOOK_EVENTS.join(", ")}`, EXIT_USAGE);
  const lines = hooks.dispatcher
    .explain(event)
    .map(({ by, kind }, index) => `${index + 1}. ${kind}  ${named(by)}`);
  // Interceptors run around the tool itself, between the two events.
  const isAround = event === "tool:before" || event === "tool:after";
  const around = isAround
    ? features.registry.interceptors.map((each) => `around ${each.match}  ${named(each)}`)
    : [];
  const all = [...lines, ...around];
  const handled = all.length === 0 ? `No handler for ${event}.` : all.join("\n");
  return say([handled, ...absent].join("\n\n"));
}

function named({
  feature,
  version,
}: {
  readonly feature: string;
  readonly version?: string | undefined;
}): string {
  return version === undefined ? feature : `${feature} ${version}`;
}

/** A report with the cost of the feature's tools in every request. */
function withCost(
  report: FeatureInstallReport,
  { features, settings: { settings } }: Pick<FeaturesHere, "features" | "settings">,
  hidden: HiddenTools,
): FeatureInstallReport & { readonly promptTokens: number; readonly isDeferred: boolean } {
  const offered = offerTools(features.registry.tools, NOTHING_OFFERED, settings.addons?.toolBytes);
  const isOwn = ({ tool }: InstalledTool): boolean =>
    report.tools.includes(tool.name) && !hidden.has(tool.name);
  const promptTokens = offered.described
    .filter(isOwn)
    .reduce((sum, each) => sum + estimateTokens(JSON.stringify(definitionOf(each))), 0);
  return { ...report, promptTokens, isDeferred: offered.deferred.some(isOwn) };
}

/** What the addon said of itself in earlier sessions, and neither repeats its report nor what was said while it was loaded just now. */
function saidLately(
  { feature, diagnostics }: FeatureInstallReport,
  { codeAddons, warnings }: SessionFeatures,
  home: string,
): readonly FeatureDiagnostic[] {
  const code = codeAddons().find((addon) => addon.feature === feature);
  if (!code) return [];
  const said = new Set([...warnings, ...diagnostics.map((each) => lineOf(feature, each))].map(onOneLine));
  return lastDiagnostics(home, code.id, MAX_SAID).filter((each) => !said.has(lineOf(feature, each)));
}

/** As the log has it. */
function onOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** As the loader reports it. */
function lineOf(feature: string, { severity, text }: FeatureDiagnostic): string {
  return `${feature}: ${severity}: ${text}`;
}

const MAX_SAID = 5;

/** The tools that the model is not shown, each with why: every call of it would be refused. */
type HiddenTools = ReadonlyMap<string, string>;

function hiddenTools({ cwd, settings, features }: FeaturesHere, flags: Flags): HiddenTools {
  const { mode, rules } = readRules(flags, settings, []);
  const deny = rules.flatMap(({ list, rule }) => (list === "deny" ? rule : []));
  const { refusesAll } = createPermissions({
    policy: { mode, allow: [], ask: [], deny },
    root: cwd,
    realPath: async (path) => path,
  });
  return new Map(
    features.registry.tools.flatMap(({ tool, always }) => {
      const why = refusesAll(tool.name, always);
      return why === undefined ? [] : [[tool.name, why] as const];
    }),
  );
}

function hiddenOf(
  { tools }: FeatureInstallReport,
  hidden: HiddenTools,
): readonly (readonly [string, string])[] {
  return [...hidden].filter(([tool]) => tools.includes(tool));
}

function describeReport(report: FeatureInstallReport, here: FeaturesHere, hidden: HiddenTools): string {
  const { features, home } = here;
  const { promptTokens, isDeferred } = withCost(report, here, hidden);
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["tools", report.tools],
    ["hidden", hiddenOf(report, hidden).map(([tool, why]) => `${tool} (not shown to the model: ${why})`)],
    ["commands", report.commands.map((name) => `/${name}`)],
    ["hooks", report.hooks],
    ["tasks", report.tasks],
    ["models", (report.providers ?? []).map((id) => `of ${id}`)],
    ["granted", report.granted.map(({ kind, ...facts }) => `${kind} ${factsOf(facts)}`.trim())],
    ["denied", report.denied.map(denialInWords)],
    ["skipped", report.skipped.map(({ kind, name, reason }) => `${kind} ${name}: ${reason}`)],
    ["notes", report.diagnostics.map(({ severity, text }) => `${severity}: ${text}`)],
    ["said", saidLately(report, features, home).map(({ severity, text }) => `${severity}: ${text}`)],
    ["faults", report.faults.map(({ kind, message }) => `${kind}: ${message}`)],
  ];
  const { runtime, version } = report;
  const what = `${runtime ?? ""}${version === undefined ? "" : ` ${version}`}`;
  const cost = [
    ...(what === "" ? [] : [what]),
    `${report.installMs.toFixed(1)} ms`,
    ...(promptTokens > 0 ? [`about ${promptTokens} tokens in each request`] : []),
    ...(isDeferred ? ["tools listed by name and loaded when needed"] : []),
  ].join(", ");
  const head = `${report.feature}  ${stateOf(report, features)}  ${cost}`;
  const row = (name: string, text: string): string => `  ${name.padEnd(9)} ${text}`;
  return [
    head,
    ...rows.flatMap(([name, items]) => {
      const shown = items.map((item) => printableLine(item));
      if (SENTENCES.has(name)) return shown.map((text) => row(name, text));
      return shown.length === 0 ? [] : [row(name, shown.join(", "))];
    }),
  ].join("\n");
}

/** The rows of which each item has a line of its own. */
const SENTENCES: ReadonlySet<string> = new Set(["skipped", "notes", "said", "faults"]);

function stateOf(report: FeatureInstallReport, { codeAddons }: SessionFeatures): string {
  if (!report.enabled) return isEmpty(report) ? "not enabled: it contributes nothing" : "not enabled";
  const code = codeAddons().find((addon) => addon.feature === report.feature);
  return code?.quarantine() === undefined ? "enabled" : "in quarantine";
}

function denialInWords({ capability, required, reason }: CapabilityDenial): string {
  return `${capabilityInWords(capability)}${required ? "" : " (optional)"}: ${reason}`;
}

function factsOf(facts: object): string {
  return Object.entries(facts)
    .filter(([, value]) => value !== false)
    .map(([name, value]) => (value === true ? name : String(value)))
    .join(" ");
}

function leftOut(
  off: readonly string[],
  skipped: readonly string[],
  problems: readonly string[],
): readonly string[] {
  const lines = [
    ...off.map((line) => printableLine(line)),
    ...skipped.map((reason) => `skipped: ${printableLine(reason)}`),
    ...problems.map((problem) => `problem: ${printableLine(problem)}`),
  ];
  return lines.length === 0 ? [] : [lines.join("\n")];
}

/** Anything printed here can quote an addon, so it is made printable here, in one place. */
function say(text: string): number {
  process.stdout.write(`${printable(text)}\n`);
  return EXIT_OK;
}
