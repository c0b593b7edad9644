// The addons that the person marked as required (setting `addons.required`): nothing runs without them, neither at the start nor after
// one is quarantined.

import { nearest } from "indusagi/core";
import type { AddonFault } from "../../addons/contract.ts";
import type { SkippedAddon } from "../../addons/host.ts";
import type { CodeAddonHandle } from "../../addons/kinds/tiered-loader.ts";
import type { GateDecision } from "../../feature/handler.ts";
import type { FeatureModule } from "../../feature/install.ts";
import type { FeatureInstallReport } from "../../feature/install-report.ts";

/** The result of loading a session's addons. */
export interface LoadedAddons {
  readonly reports: readonly FeatureInstallReport[];
  readonly codeAddons: readonly CodeAddonHandle[];
  readonly skipped: readonly SkippedAddon[];
  readonly faults: readonly AddonFault[];
}

/** One sentence for each required addon that does not run completely, with the reason and the remedy. */
export function lackingAddons(required: readonly string[], found: LoadedAddons): readonly string[] {
  return required.flatMap((name) => {
    const why = whyLacking(name, found);
    return why === undefined
      ? []
      : [`the addon "${name}" is required (addons.required in your settings) but does not run: ${why}`];
  });
}

/** Why the addon with this name does not run completely; undefined if it does. */
export function whyLacking(
  name: string,
  { reports, codeAddons, skipped, faults }: LoadedAddons,
): string | undefined {
  const called = codeAddons.find(({ names }) => names.includes(name));
  const report = reports.find(
    ({ feature, displayName }) =>
      !feature.startsWith("builtin:") &&
      (feature === name || displayName === name || feature === called?.feature),
  );
  if (report) {
    const quarantine = codeAddons.find(({ feature }) => feature === report.feature)?.quarantine();
    if (quarantine !== undefined) return quarantine;
    const leftOut = report.skipped.map(({ kind, name: part, reason }) => `${kind} ${part}: ${reason}`);
    const broken = report.faults.map(({ message }) => message);
    if (leftOut.length + broken.length > 0)
      return `a part of it was skipped: ${[...leftOut, ...broken].join("; ")}`;
    return report.enabled ? undefined : "it contributes nothing";
  }
  const refused = skipped.find(({ source, id }) => [source.id, id].some((each) => each === name));
  if (refused) return refused.reason;
  const own = faults.filter(({ owner }) => owner === name);
  const failed = own.length > 0 ? own : faults;
  const known = failed.map(({ message }) => message).join("; ");
  if (own.length > 0) return known;
  const others = known === "" ? "" : ` Failed to load: ${known}.`;
  const there = [
    ...codeAddons.flatMap(({ names }) => names),
    ...reports.filter(({ feature }) => !feature.startsWith("builtin:")).map(({ displayName }) => displayName),
    ...skipped.flatMap(({ source, id }) => (id === undefined ? [source.id] : [source.id, id])),
  ];
  const near = nearest(name, there);
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  return `no addon with this name was found.${hint}${others} Install it, or remove it from the setting`;
}

/** Stops each line and each call once a required addon no longer runs. */
export function requiredAddonsFeature(
  required: readonly string[],
  codeAddons: () => readonly CodeAddonHandle[],
): FeatureModule {
  const points = ["input:submit", "tool:before"] as const;
  const gate = (): GateDecision | undefined => {
    for (const { names, quarantine } of codeAddons()) {
      if (!names.some((name) => required.includes(name))) continue;
      const why = quarantine();
      if (why !== undefined) return { stop: true, reason: `it is required (addons.required): ${why}` };
    }
    return undefined;
  };
  return {
    descriptor: {
      id: "builtin:required-addons",
      displayName: "Required addons",
      runtime: "builtin",
      onFailure: "block",
      requestedCapabilities: points.map((point) => ({
        capability: { kind: "contribute_hook", point },
        required: true,
        reason: "nothing runs without a required addon",
      })),
      declaredTools: [],
      declaredCommands: [],
      declaredHooks: points,
      declaredTasks: [],
    },
    install({ hooks }) {
      for (const point of points) hooks.on(point, { kind: "gate", run: gate });
    },
  };
}
