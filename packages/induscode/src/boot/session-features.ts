// The features of one session, all through the one door: the built-in ones first, then the addons that were found and
// trusted. The addon code is loaded only where there is a folder for it to read.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SecretMask } from "indusagi/core";
import type { AddonFault, AddonSource } from "../addons/contract.ts";
import type { TrustAsker } from "../addons/decide-trust.ts";
import type { CodeAddonHandle } from "../addons/loaders/tiered-loader.ts";
import type { PersonGrants } from "../addons/person-grants.ts";
import type { FailurePolicy, FeatureInstallReport, FeatureModule } from "../feature/contract.ts";
import type { FeatureHost } from "../feature/host.ts";
import { grantDeclared, type InstalledFeatures, installFeatures } from "../feature/registry.ts";
import { idleGrantNotices } from "./granted-addons.ts";
import { lackingAddons, requiredAddonsFeature } from "./required-addons.ts";

export interface FeatureFacts {
  readonly cwd: string;
  readonly home: string;
  readonly builtins: readonly FeatureModule[];
  /** The session as features may reach it; {@link NO_SESSION} for a look without one. */
  readonly host: FeatureHost;
  /** Addons that the person trusts without a question. */
  readonly granted: PersonGrants;
  /** Addons that the person named by a path. */
  readonly named?: readonly AddonSource[];
  /** Absent where nobody can answer. */
  readonly askTrust?: TrustAsker;
  /** Refuses addons that run code where no OS sandbox would confine it. */
  readonly requireSandbox: boolean;
  /** Addons without which nothing may be done. */
  readonly required: readonly string[];
  /** What a gate does that fails and does not say so itself. */
  readonly onGateFailure: FailurePolicy;
  readonly env: NodeJS.ProcessEnv;
  readonly secrets: SecretMask;
  /** Real paths of what agents read as instructions, which no addon writes. */
  readonly documents?: () => readonly string[];
  /** The root of an addon that somebody else looks after, where it lies among these. */
  readonly leaveOut?: string;
}

export interface SessionFeatures extends InstalledFeatures {
  /** Addons that were found and left out, with the reason. */
  readonly skipped: readonly string[];
  /** What went wrong with addons before they were features, and what was left out of them. */
  readonly problems: readonly string[];
  /** What of addons was read otherwise than it was written: unknown keys, rules that can never do anything. */
  readonly warnings: readonly string[];
  /** The faults of addons while they were found, loaded and committed. */
  readonly faults: readonly AddonFault[];
  /** Addons that do not run although they were loaded, and what stands open because of it. */
  readonly quarantined: readonly string[];
  /** The required addons that do not run, with the way out. */
  readonly lacking: readonly string[];
  /** Paths of what lies among the addons and is none. */
  readonly strays: readonly string[];
  /** The addons with a process of their own. */
  readonly codeAddons: readonly CodeAddonHandle[];
  /** Ends the processes of addons; call it once nothing fires any more. Never rejects. */
  readonly dispose: () => Promise<void>;
}

/** Throws a `Problem` where a grant that was typed reaches nobody; then nothing of an addon has run. */
export async function installSessionFeatures(facts: FeatureFacts): Promise<SessionFeatures> {
  const { cwd, home, host, granted, askTrust, required, leaveOut, named = [] } = facts;
  const folders = [join(cwd, ".indus", "addons"), join(home, "addons")];
  if (named.length === 0 && !folders.some((folder) => existsSync(folder))) {
    const features = await installFeatures(facts.builtins, grantDeclared, host);
    const none = { codeAddons: [], skipped: [], faults: [], warnings: [], strays: [] };
    const lacking = lackingAddons(required, { ...features, ...none });
    const problems = await idleWithoutAddons(granted);
    return { ...features, ...none, problems, quarantined: [], lacking, dispose: async () => undefined };
  }
  const { assembleAddons, createTieredLoader, createTrust, decideTrust } = await import(
    "../addons/session.ts"
  );
  const trust = createTrust({ home });
  const loader = createTieredLoader({ ...facts, workspace: cwd, isReadOnly: host.isReadOnly === true });
  const guard = required.length > 0 ? [requiredAddonsFeature(required, loader.code)] : [];
  const builtins = [...guard, ...facts.builtins];
  const idleNotices: string[] = [];
  const addons = assembleAddons({
    loader,
    decide: (sources) =>
      decideTrust(
        sources.filter(({ root }) => root !== leaveOut),
        {
          trust,
          describe: loader.describe,
          granted,
          onIdle: (idle) => void idleNotices.push(...idleGrantNotices(idle)),
          ...(askTrust ? { ask: askTrust } : {}),
        },
      ),
    install: (modules, grantsOf) =>
      installFeatures(
        [...builtins, ...modules],
        (descriptor) => grantsOf(descriptor) ?? grantDeclared(descriptor),
        host,
      ),
  });
  const { features, skipped, faults, warnings, strays } = await addons.loadAll(
    { workspace: cwd, home },
    named,
  );
  const codeAddons = loader.code();
  const lacking = lackingAddons(required, { reports: features.reports, codeAddons, skipped, faults });
  return {
    ...features,
    lacking,
    faults,
    quarantined: codeAddons.flatMap(({ quarantine }) => quarantine() ?? []),
    skipped: skipped.map(({ reason }) => reason),
    problems: [...trust.problems(), ...idleNotices, ...untold(faults, features.reports)],
    warnings,
    strays,
    codeAddons,
    dispose: addons.dispose,
  };
}

/** What the line about the parts of an addon that were left out does not say already. */
function untold(faults: readonly AddonFault[], reports: readonly FeatureInstallReport[]): readonly string[] {
  const leftOut = reports.flatMap(({ skipped }) => skipped.map(({ reason }) => reason));
  return faults
    .map(({ message }) => message)
    .filter((message) => !leftOut.some((reason) => message.endsWith(reason)));
}

async function idleWithoutAddons(granted: PersonGrants): Promise<readonly string[]> {
  const { forRun = [], lasting = [], here = [] } = granted;
  if (forRun.length + lasting.length + here.length === 0) return [];
  const { matchGrants } = await import("../addons/person-grants.ts");
  return idleGrantNotices(matchGrants([], granted).idle);
}
