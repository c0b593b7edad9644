// `indus addon dev`: an addon in a running session, reloaded at each save. A new version replaces the previous one between two turns, and
// only after it has registered; until then, or if it fails to, the previous one stays.

import { delay, describeError } from "indusagi/core";
import type { AddonVersion, AddonVersions, SavedAddon } from "../../addons/author/addon-versions.ts";
import { contributionLabels, describeChange } from "../../addons/author/contribution-labels.ts";
import type { AddonSource } from "../../addons/contract.ts";
import type { TrustAsker } from "../../addons/source/decide-trust.ts";
import type { Conductor } from "../../conductor/contract.ts";
import type { HostCapability } from "../../feature/descriptor.ts";
import type { IndusSession } from "../../session/open-indus.ts";
import { createBetweenTurns } from "./between-turns.ts";
import { holdCommands } from "./held-commands.ts";

export interface WorkshopDeps {
  readonly source: AddonSource;
  readonly versions: AddonVersions;
  readonly session: Pick<IndusSession, "conductor" | "put">;
  /** Called when a later version wants more than the first was granted; absent if nobody can answer. */
  readonly askTrust?: TrustAsker | undefined;
}

export interface AddonWorkshop {
  /** The session's conductor, with version changes between its turns. */
  readonly conductor: Conductor;
  /** Loads what was saved: at once, or after the running turn. Resolves when there is nothing left to load. */
  readonly reload: () => Promise<void>;
  /** Shows the person a message about the addon. */
  readonly tell: (text: string) => void;
  /** Stops loading; resolves once nothing is being loaded. Never rejects. */
  readonly close: () => Promise<void>;
}

export function createAddonWorkshop({ source, versions, session, askTrust }: WorkshopDeps): AddonWorkshop {
  const { conductor } = session;
  const name = source.id;
  let isBroken = false;
  let granted: readonly HostCapability[] | undefined;
  let labels: readonly string[] | undefined;
  const versionsChange = createBetweenTurns(load);
  const { duringTurn, request, close } = versionsChange;
  const withTurns = holdCommands(name, versionsChange);
  const tell = (text: string): void => conductor.announce({ kind: "alert", text });

  return {
    // A turn or a command of the addon runs with one version from start to end.
    conductor: { ...conductor, submit: (input) => duringTurn(() => conductor.submit(input)) },
    ...{ tell, reload: request, close },
  };

  async function load(): Promise<void> {
    try {
      await loadOne();
    } catch (error) {
      isBroken = true;
      const stays = labels === undefined ? "" : " The previous version stays loaded.";
      tell(`${name} was not loaded: ${describeError(error)}.${stays}`);
    }
  }

  async function loadOne(): Promise<void> {
    const saved = await versions.saved();
    if (!saved) {
      if (isBroken) tell(`${name} matches the loaded version again.`);
      isBroken = false;
      return;
    }
    const asked = saved.description.capabilities.map(({ capability }) => capability);
    if (!(await mayHave(saved, asked))) {
      saved.discard();
      throw new Error(
        `it requests more than before (${listOf(surplus(asked, granted ?? []))}), which was not granted`,
      );
    }
    const version = await saved.load(asked);
    granted = [...(granted ?? []), ...surplus(asked, granted ?? [])];
    while (conductor.status().busy) await delay(LOOK_AGAIN_MS, NEVER); // a compaction, which is not a turn
    await replace(version);
    isBroken = false;
  }

  /**
   * Whoever named the path trusts its content. But the model can change files during the session too, so the person is asked
   * about anything more that a later version wants.
   */
  async function mayHave(saved: SavedAddon, asked: readonly HostCapability[]): Promise<boolean> {
    if (granted === undefined || surplus(asked, granted).length === 0) return true;
    return (await askTrust?.({ ...saved.description, source, hash: saved.hash })) === "yes";
  }

  async function replace(version: AddonVersion): Promise<void> {
    const report = await session.put({ ...version, module: withTurns(version.module) });
    const now = contributionLabels(report);
    const change = describeChange(labels ?? [], now);
    const [what, none] =
      labels === undefined
        ? ["loaded", "it contributes nothing"]
        : ["reloaded", "it contributes the same as before"];
    tell(`${name} is ${what}: ${change === "" ? none : change}`);
    for (const warning of version.warnings) tell(`${name}: ${warning}`);
    for (const { kind, name: part, reason } of report.skipped)
      tell(`${name}: ${kind} ${part} is skipped: ${reason}`);
    for (const fault of report.faults)
      if (!report.enabled || fault.kind !== "conflict") tell(`${name}: ${fault.message}`);
    labels = now;
  }
}

const LOOK_AGAIN_MS = 50;
const NEVER: AbortSignal = new AbortController().signal;

function surplus(
  asked: readonly HostCapability[],
  granted: readonly HostCapability[],
): readonly HostCapability[] {
  const held = new Set(granted.map((capability) => JSON.stringify(capability)));
  return asked.filter((capability) => !held.has(JSON.stringify(capability)));
}

function listOf(capabilities: readonly HostCapability[]): string {
  return capabilities.map(({ kind }) => kind).join(", ");
}
