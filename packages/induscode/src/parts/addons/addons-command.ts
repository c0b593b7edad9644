// `/addons`: the addons of a session.

import { nearest } from "indusagi/core";
import { printableLine } from "../../console/printable-line.ts";
import type { FeatureId } from "../../feature/descriptor.ts";
import type { SessionFeatures } from "../../session/features/session-features.ts";
import type { SessionHere } from "../../session/session-here.ts";

const ADDONS_USAGE = "Usage: /addons, /addons trust ID, /addons restart ID, or /addons remove ID.";

/**
 * `/addons`: the state of each; `trust ID`: asks about one found here, and loads it; `restart ID`: starts a new process and ends its
 * quarantine; `remove ID`: removes it from this session.
 */
export async function addonsCommand(
  words: string,
  { features, notices }: Pick<SessionHere, "features" | "notices">,
): Promise<string> {
  const [action, id = "", ...more] = words.split(/\s+/).filter(Boolean);
  if (action === undefined) return describeAddons(features, notices.recent);
  if (id === "" || more.length > 0) return ADDONS_USAGE;
  if (action === "trust") return features.admit(id);
  if (action === "remove") return removeAddon(id, features);
  return action === "restart" ? restartAddon(id, features) : ADDONS_USAGE;
}

function addonReports({ registry }: SessionFeatures): SessionFeatures["registry"]["reports"] {
  return registry.reports.filter(({ feature }) => !feature.startsWith("builtin:"));
}

function describeAddons(features: SessionFeatures, recent: SessionHere["notices"]["recent"]): string {
  const code = features.codeAddons();
  const lines = addonReports(features).map(({ feature, enabled }) => {
    const own = code.find((addon) => addon.feature === feature);
    const state = enabled ? (own ? own.remote.state() : "enabled") : "not enabled";
    const quarantine = own?.quarantine();
    const said = recent(feature).map(({ severity, text }) => `${severity}: ${printableLine(text)}`);
    return [`  ${feature}  ${state}`, ...[quarantine ?? [], said].flat().map((line) => `    ${line}`)].join(
      "\n",
    );
  });
  const all = [...lines, ...features.off.map((line) => `  ${line}`)];
  return all.length === 0 ? "No addons." : all.join("\n");
}

async function restartAddon(id: string, features: SessionFeatures): Promise<string> {
  const all = features.codeAddons();
  const found = oneNamed(id, all, "with a process of its own");
  if (typeof found === "string") return found;
  const [code] = all.filter(({ feature }) => feature === found.feature);
  await code?.remote.restart();
  return `Restarted ${code?.id}: its process starts when something first needs it.`;
}

async function removeAddon(id: string, features: SessionFeatures): Promise<string> {
  const code = features.codeAddons();
  const all = addonReports(features).map(({ feature, displayName }) => ({
    feature,
    names: [feature, displayName, ...(code.find((each) => each.feature === feature)?.names ?? [])],
  }));
  const found = oneNamed(id, all, "in this session");
  if (typeof found === "string") return found;
  const removed = await features.registry.remove(found.feature);
  const open = removed?.hooks.length ? `; no longer guarded: ${removed.hooks.join(", ")}` : "";
  return `Removed ${found.feature} from this session${open}. To add it again: /addons trust ${id}.`;
}

interface Named {
  readonly feature: FeatureId;
  /** All names that a person can use for it. */
  readonly names: readonly string[];
}

/** The only one with this name; otherwise a message. */
function oneNamed(id: string, all: readonly Named[], which: string): Named | string {
  const [meant, another, ...more] = all.filter(({ names }) => names.includes(id));
  if (meant && another) {
    const could = [meant, another, ...more].map(({ feature }) => feature).join(" or ");
    return `"${id}" is ambiguous: write ${could}.`;
  }
  if (meant) return meant;
  const near = nearest(
    id,
    all.flatMap(({ names }) => names),
  );
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  return `No addon "${id}" ${which}.${hint}`;
}
