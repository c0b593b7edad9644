// How much a start looks at of addons that nobody trusts: their content has to be read before it can be known, and whoever
// wrote them chose how much there is. Sizes are asked first, small addons come first, and the rest is left.

import type { AddonSource } from "../contract.ts";
import { MAX_ADDON_BYTES, measureAddon } from "./content-hash.ts";

/** Of all of them together; one addon of the largest size that may be trusted fits. */
export const MAX_LOOK_BYTES: number = MAX_ADDON_BYTES;
const MAX_LOOK_ENTRIES = 20_000;
const MAX_NAMED = 3;

/**
 * The sources that may be looked at. `isKnown`: the person has trusted or named what lies there, which costs no budget; only
 * they can make it so.
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

/** One line for all that was left. */
export function unlookedInWords(sources: readonly AddonSource[]): string {
  const named = sources.slice(0, MAX_NAMED).map(({ path }) => path);
  const more = sources.length > MAX_NAMED ? ", …" : "";
  return (
    `${sources.length} addons were not looked at (${named.join(", ")}${more}): what is not trusted may have ` +
    `${MAX_LOOK_BYTES / (1024 * 1024)} MB and ${MAX_LOOK_ENTRIES} files together. Remove what is too large, or name one: --addon PATH`
  );
}
