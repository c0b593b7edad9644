// The features of one session, all through the same registry: the built-in ones first, then the addons that were found and trusted. The
// addon code is loaded only if there is a folder for it to read.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { nearest, type SecretMask } from "indusagi/core";
import type { AddonFault, AddonSource, LoadedAddon } from "../../addons/contract.ts";
import type { AddonAssembly, SkippedAddon } from "../../addons/host.ts";
import type { CodeAddonHandle, TieredLoader } from "../../addons/kinds/tiered-loader.ts";
import type { TrustAsker, TrustOptions } from "../../addons/source/decide-trust.ts";
import type { PersonGrants } from "../../addons/source/person-grants.ts";
import type { FailurePolicy, FeatureId } from "../../feature/descriptor.ts";
import type { FeatureModule } from "../../feature/install.ts";
import type { FeatureInstallReport } from "../../feature/install-report.ts";
import type { FeatureRegistry } from "../../feature/registry.ts";
import { idleSwitches, TURNED_OFF } from "../../settings/switched-features.ts";
import { addonFolders } from "../../store/home-files.ts";
import type { LookBudget } from "../../store/look-budget.ts";
import { idleGrantNotices } from "./granted-addons.ts";
import type { HeldNamesHere } from "./held-names-here.ts";
import { type LoadedAddons, lackingAddons, requiredAddonsFeature, whyLacking } from "./required-addons.ts";

export interface FeatureFacts {
  readonly cwd: string;
  /** The folder whose addons are loaded; default: the working directory. */
  readonly addonsIn?: string;
  readonly home: string;
  readonly builtins: readonly FeatureModule[];
  /** Names of features that the person turned off. */
  readonly off?: readonly string[];
  /** Where they are added. */
  readonly registry: FeatureRegistry;
  /** The person's mode is read-only. */
  readonly isReadOnly?: boolean;
  /** Addons that the person trusts without a question. */
  readonly granted: PersonGrants;
  /** Addons that the person named by a path. */
  readonly named?: readonly AddonSource[];
  /** Absent if nobody can answer. */
  readonly askTrust?: TrustAsker | undefined;
  /** Refuses addons that run code if no OS sandbox would confine it. */
  readonly requireSandbox: boolean;
  /** Addons that must run; without them nothing else does. */
  readonly required: readonly string[];
  /** What happens if a gate fails that does not specify this itself. */
  readonly onGateFailure: FailurePolicy;
  readonly env: NodeJS.ProcessEnv;
  /** Where granted secrets are read from. */
  readonly secretEnv: NodeJS.ProcessEnv;
  readonly secrets: SecretMask;
  /** Real paths of what agents read as instructions; no addon writes there. */
  readonly documents?: (names: readonly string[]) => readonly string[];
  /** Withholds what appears while an addon can write; absent if no addon process can start. */
  readonly held?: HeldNamesHere | undefined;
  /** What the start may look at in the repository. */
  readonly look?: LookBudget;
  /** The root of an addon that is managed elsewhere, if it is among these. */
  readonly leaveOut?: string | undefined;
}

/** An addon that is loaded but not in the session yet. */
export interface OfferedAddon
  extends Pick<LoadedAddon, "module" | "grants" | "rests" | "dispose" | "follow"> {
  /** Only for an addon with a process of its own. */
  readonly code?: CodeAddonHandle | undefined;
}

export interface SessionFeatures {
  /** All features, and where more can be added. */
  readonly registry: FeatureRegistry;
  /** Addons that were found but skipped, with the reason. */
  readonly skipped: readonly string[];
  /** Features that the person turned off, with the reason, and what they turned off that is not here. */
  readonly off: readonly string[];
  /** Problems with addons before they became features, and parts of them that were skipped. */
  readonly problems: readonly string[];
  /** Parts of addons that were not read as written: unknown keys, rules that can never apply. */
  readonly warnings: readonly string[];
  /** Addon faults during discovery, loading and commit. */
  readonly faults: readonly AddonFault[];
  /** Addons that do not run although they were loaded, and what is unguarded as a result. */
  readonly quarantined: readonly string[];
  /** The required addons that do not run, with the remedy. */
  readonly lacking: () => readonly string[];
  /** Why the addon with this name does not run completely; undefined if it does. */
  readonly whyLacking: (name: string) => string | undefined;
  /** Paths of files and folders among the addons that are not addons. */
  readonly strays: readonly string[];
  /** The current addons with a process of their own. */
  readonly codeAddons: () => readonly CodeAddonHandle[];
  /** Looks for an addon again, asks whether it is trusted, and adds it; returns the result for the person. */
  readonly admit: (name: string) => Promise<string>;
  /** Adds an author's addon after everything else, or in place of its previous version. */
  readonly put: (addon: OfferedAddon) => Promise<FeatureInstallReport>;
}

/** Throws a `Problem` if a typed grant matches nothing; no addon code has run by then. */
export async function installSessionFeatures(facts: FeatureFacts): Promise<SessionFeatures> {
  const { cwd, addonsIn = cwd, home, registry, granted, required, named = [] } = facts;
  const folders = [join(addonsIn, ".indus", "addons"), ...addonFolders(home)];
  const isBare = named.length === 0 && !folders.some((folder) => existsSync(folder));
  const idleNotices: string[] = [];
  let isStarting = true;
  const onIdle: TrustOptions["onIdle"] = (idle) => {
    if (isStarting) idleNotices.push(...idleGrantNotices(idle)); // later calls look at a single addon
  };
  let room = isBare ? undefined : await openRoom(facts, registry, onIdle);
  const own: CodeAddonHandle[] = [];
  // A handle that replaced another comes after it in these lists.
  const codeAddons = (): readonly CodeAddonHandle[] => {
    const all = [...(room?.code() ?? []), ...own];
    const isThere = ({ feature }: CodeAddonHandle): boolean =>
      registry.reports.some((report) => report.feature === feature);
    return [...new Map(all.map((each) => [each.feature, each])).values()].filter(isThere);
  };
  if (required.length > 0) await registry.add({ module: requiredAddonsFeature(required, codeAddons) });
  const { off = [] } = facts;
  const offHere: string[] = [];
  for (const module of facts.builtins) {
    const { id } = module.descriptor;
    if (off.includes(id)) offHere.push(`${id} ${TURNED_OFF}`);
    else await registry.add({ module });
  }
  const {
    skipped = [],
    faults = [],
    warnings = [],
    strays = [],
  } = (await room?.addons.loadAll({ workspace: addonsIn, home }, named)) ?? {};
  isStarting = false;
  if (isBare) idleNotices.push(...(await idleWithoutAddons(granted)));
  const idleOff = idleSwitches(off, room?.namesSeen() ?? []);
  let author: FeatureId | undefined;
  const { reports } = registry;
  const loaded = (): LoadedAddons => ({
    reports: registry.reports,
    codeAddons: codeAddons(),
    skipped,
    faults,
  });
  return {
    registry,
    lacking: () => lackingAddons(required, loaded()),
    whyLacking: (name) => whyLacking(name, loaded()),
    faults,
    quarantined: codeAddons().flatMap(({ quarantine }) => quarantine() ?? []),
    skipped: skipped.filter(isTold).map(({ reason }) => reason),
    off: [
      ...offHere,
      ...skipped.filter((addon) => !isTold(addon)).map(({ reason }) => reason),
      ...idleOff.flatMap(({ line, isMeant }) => (isMeant ? [] : line)),
    ],
    problems: [
      ...(room?.problems() ?? []),
      ...idleNotices,
      ...idleOff.flatMap(({ line, isMeant }) => (isMeant ? line : [])),
      ...untold(faults, reports),
    ],
    warnings,
    strays,
    codeAddons,
    async admit(name) {
      room ??= await openRoom(facts, registry, onIdle);
      return room.admit(name);
    },
    async put(addon) {
      if (addon.code) own.push(addon.code);
      const report = await (author === undefined ? registry.add(addon) : registry.replace(author, addon));
      if (registry.reports.includes(report)) author = report.feature;
      return report;
    },
  };
}

interface AddonRoom {
  readonly addons: AddonAssembly;
  readonly code: TieredLoader["code"];
  readonly problems: () => readonly string[];
  /** All names of the addons that were found so far. */
  readonly namesSeen: () => readonly string[];
  readonly admit: SessionFeatures["admit"];
}

async function openRoom(
  facts: FeatureFacts,
  registry: FeatureRegistry,
  onIdle: TrustOptions["onIdle"],
): Promise<AddonRoom> {
  const { cwd, addonsIn = cwd, home, granted, askTrust, leaveOut, look, named = [] } = facts;
  const { assembleAddons, createTieredLoader, createTrust, decideTrust, discoverSources, namesOf } =
    await import("../../addons/session.ts");
  const trust = createTrust({ home });
  const { held: holding, ...rest } = facts;
  const held = await holding?.open();
  const loader = createTieredLoader({
    ...rest,
    held,
    workspace: cwd,
  });
  const seen: string[] = [];
  let reasons: readonly string[] = [];
  let isNamed = false; // by the person in the session: what a start finds, nobody named
  const addons = assembleAddons({
    loader,
    registry,
    async decide(sources) {
      const decisions = await decideTrust(
        sources.filter(({ root }) => root !== leaveOut),
        {
          trust,
          describe: loader.describe,
          hashOf: loader.hashOf,
          granted,
          isNamed,
          whyOff(names) {
            seen.push(...names);
            return names.some((name) => facts.off?.includes(name)) ? TURNED_OFF : undefined;
          },
          look: look && !isNamed ? look : undefined,
          onIdle,
          ask: askTrust,
        },
      );
      reasons = decisions.flatMap((each) => (each.kind === "skipped" ? each.reason : []));
      return decisions;
    },
  });
  return { addons, code: loader.code, problems: trust.problems, namesSeen: () => seen, admit };

  async function admit(name: string): Promise<string> {
    const { found } = discoverSources({ workspace: addonsIn, home }, named);
    const meant = found.filter((source) => namesOf(source, source.id).includes(name));
    const [source] = meant;
    if (!source)
      return `No addon called "${name}" was found.${nearestOf(
        name,
        found.flatMap((each) => namesOf(each, each.id)),
      )}`;
    if (meant.length > 1) return `"${name}" is ambiguous: ${meant.map(({ path }) => path).join(" or ")}.`;
    const before = registry.reports;
    const heard: string[] = [];
    const unheard = addons.onFault(({ message }) => void heard.push(message));
    isNamed = true;
    const id = await addons.loadOne(source);
    unheard();
    if (id === undefined) return [`${name} was not added.`, ...reasons, ...heard].join("\n");
    const report = registry.reports.find((each) => !before.includes(each));
    if (!report) return `${name} is already in this session, with this content.`;
    const parts = [
      ...report.tools.map((tool) => `tool ${tool}`),
      ...report.commands.map((command) => `command /${command}`),
      ...report.hooks.map((hook) => `hook ${hook}`),
      ...report.tasks.map((task) => `task ${task}`),
      ...(report.providers ?? []).map((provider) => `models of ${provider}`),
    ];
    const leftOut = report.skipped.map(({ kind, name: part, reason }) => `${kind} ${part}: ${reason}`);
    const what = parts.length === 0 ? "it contributes nothing" : parts.join(", ");
    return [`Added ${report.feature} to this session: ${what}.`, ...leftOut, ...heard].join("\n");
  }
}

/** Whoever turned an addon off knows, unless they also named its path. */
function isTold({ isOff, source }: SkippedAddon): boolean {
  return isOff === undefined || source.scope === "explicit";
}

function nearestOf(wanted: string, names: readonly string[]): string {
  const near = nearest(wanted, names);
  return near === undefined ? "" : ` Did you mean "${near}"?`;
}

/** Faults that the line about an addon's skipped parts does not already report. */
function untold(faults: readonly AddonFault[], reports: readonly FeatureInstallReport[]): readonly string[] {
  const leftOut = reports.flatMap(({ skipped }) => skipped.map(({ reason }) => reason));
  return faults
    .map(({ message }) => message)
    .filter((message) => !leftOut.some((reason) => message.endsWith(reason)));
}

async function idleWithoutAddons(granted: PersonGrants): Promise<readonly string[]> {
  const { forRun = [], lasting = [], here = [] } = granted;
  if (forRun.length + lasting.length + here.length === 0) return [];
  const { matchGrants } = await import("../../addons/source/person-grants.ts");
  return idleGrantNotices(matchGrants([], granted).idle);
}
