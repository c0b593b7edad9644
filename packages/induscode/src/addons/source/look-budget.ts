// How much of the untrusted addons a start looks at: their content has to be read before it can be known, and whoever wrote
// them chose how much there is. Sizes are checked first, small addons come first, and the rest is skipped.

import type { AddonSource } from "../contract.ts";
import { MAX_ADDON_BYTES, measureAddon } from "./content-hash.ts";

/** For all of them together; one addon of the largest size that can be trusted fits. */
export const MAX_LOOK_BYTES: number = MAX_ADDON_BYTES;
const MAX_LOOK_ENTRIES = 20_000;
const MAX_NAMED = 3;

/**
 * The sources that may be looked at. `isKnown`: the person has trusted or named what is there, which costs no budget; only
 * the person can make a source known.
 */
export function withinLookBudget(
  sources: readonly AddonSource[],
  isKnown: (source: AddonSource) => boolean,
): ReadonlySet<AddonSource> {
  const within = new Set<AddonSource>();
  const measured: { readonly source: AddonSource; readonly bytes: number }[] = [];
  let entries = MAX_LOOK_ENTRIES;
  for (const source of sources) {
    if (isKnown(source)) {
      within.add(source);
      continue;
    }
    if (entries <= 0) continue;
    const size = measureAddon(source.root, entries);
    entries -= size.entries;
    if (entries >= 0) measured.push({ source, bytes: size.bytes });
  }
  let bytes = MAX_LOOK_BYTES;
  for (const each of measured.toSorted((one, other) => one.bytes - other.bytes)) {
    bytes -= each.bytes;
    if (bytes < 0) break;
    within.add(each.source);
  }
  return within;
}

/** One line for everything that was skipped. */
export function unlookedInWords(sources: readonly AddonSource[]): string {
  const named = sources.slice(0, MAX_NAMED).map(({ path }) => path);
  const more = sources.length > MAX_NAMED ? ", …" : "";
  return (
    `${sources.length === 1 ? "1 addon was" : `${sources.length} addons were`} skipped (${named.join(", ")}${more}): untrusted addons may have ` +
    `${MAX_LOOK_BYTES / (1024 * 1024)} MB and ${MAX_LOOK_ENTRIES} files in total. Remove what is too large, or load one by path: --addon PATH`
  );
}
