// Which untrusted addons a start looks at: their content has to be read before it can be known, and whoever wrote them chose how
// much there is. Sizes are checked first, small addons come first, and the rest is skipped.

import { grouped } from "indusagi/core";
import { type LookBudget, REPOSITORY_LOOK } from "../../store/look-budget.ts";
import type { AddonSource } from "../contract.ts";
import { MAX_ADDON_BYTES, measureAddon } from "./content-hash.ts";

/** For all of them together; one addon of the largest size that can be trusted fits. */
export const MAX_LOOK_BYTES: number = MAX_ADDON_BYTES;
/** Nobody is asked about more. */
const MAX_LOOK_ADDONS = 200;
const MAX_NAMED = 3;

/**
 * The sources that may be looked at. `isKnown`: the person has trusted or named what is there, which costs no budget; only
 * the person can make a source known.
 */
export function withinLook(
  sources: readonly AddonSource[],
  isKnown: (source: AddonSource) => boolean,
  look: LookBudget,
): ReadonlySet<AddonSource> {
  const within = new Set<AddonSource>();
  const measured: { readonly source: AddonSource; readonly bytes: number; readonly entries: number }[] = [];
  for (const source of sources) {
    if (isKnown(source)) {
      within.add(source);
      continue;
    }
    const most = look.namesLeft;
    if (most === 0) continue;
    const size = measureAddon(source.root, most);
    look.takeNames(size.entries);
    if (size.entries <= most) measured.push({ source, ...size });
  }
  let bytes = MAX_LOOK_BYTES;
  const smallFirst = measured.toSorted((one, other) => one.bytes - other.bytes);
  for (const each of smallFirst.slice(0, MAX_LOOK_ADDONS)) {
    if (each.bytes > bytes || each.entries > look.filesLeft) continue;
    bytes -= each.bytes;
    look.takeFiles(each.entries);
    within.add(each.source);
  }
  return within;
}

/** One line for everything that was skipped. */
export function unlookedInWords(sources: readonly AddonSource[]): string {
  const named = sources.slice(0, MAX_NAMED).map(({ path }) => path);
  const more = sources.length > MAX_NAMED ? ", …" : "";
  const files = grouped(REPOSITORY_LOOK.files);
  return (
    `${sources.length === 1 ? "1 addon was" : `${sources.length} addons were`} skipped (${named.join(", ")}${more}): at most ${MAX_LOOK_ADDONS} untrusted ` +
    `addons are examined, with ${MAX_LOOK_BYTES / (1024 * 1024)} MB and ${files} files in total. Remove what is too large, or load one by path: --addon PATH`
  );
}
