// `/trust` without a name: the addons here that the person has not trusted.

import { describeError } from "indusagi/core";
import { hashAddon } from "../../addons/source/content-hash.ts";
import { discoverSources } from "../../addons/source/discover.ts";
import { createTrust } from "../../addons/source/trust.ts";
import { unlookedInWords, withinLook } from "../../addons/source/within-look.ts";
import { printableLine } from "../../console/printable-line.ts";
import { LookBudget } from "../../store/look-budget.ts";

/** Reads them without running any of their code. */
export async function untrustedReport(places: {
  readonly cwd: string;
  readonly home: string;
}): Promise<string> {
  const trust = createTrust(places);
  const lines: string[] = [];
  const { found } = discoverSources({ workspace: places.cwd, home: places.home });
  const within = withinLook(found, ({ scope }) => scope !== "project", new LookBudget());
  for (const { id, path, root } of found.filter((source) => within.has(source))) {
    const state = await stateOf(root, trust);
    if (state !== undefined) lines.push(`  ${id}  ${state}  ${printableLine(path)}`);
  }
  const left = found.filter((source) => !within.has(source));
  if (left.length > 0) lines.push(`  ${printableLine(unlookedInWords(left))}`);
  if (lines.length === 0) return "All addons in this folder are trusted.";
  return ["Not trusted (/trust ID asks you about the addon, and adds it):", ...lines].join("\n");
}

async function stateOf(root: string, trust: ReturnType<typeof createTrust>): Promise<string | undefined> {
  try {
    const hash = hashAddon(root);
    if (await trust.lookup(hash)) return undefined;
    return (await trust.refusal(hash)) ? "refused" : "not answered yet, or changed since";
  } catch (error) {
    return `cannot be read: ${printableLine(describeError(error))}`;
  }
}
