// What the cursor moves over: grapheme clusters, each with its display form. A tab, a control character, an invisible
// character and a folded text are one unit each, however wide they are shown.

import { clustersOf, columnsOf, columnsOfCluster } from "../../console/columns.ts";
import { printableLine } from "../../console/printable-line.ts";
import { isFoldMark } from "./folded.ts";

export interface Unit {
  /** How many UTF-16 units of the text it takes. */
  readonly length: number;
  /** Its form on the screen: without control characters. */
  readonly shown: string;
  readonly columns: number;
}

/** Texts in which each UTF-16 unit is a cluster of its own: plain Latin, Greek, Cyrillic, kana, ideographs, Hangul. */
const EVEN =
  /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u0391-\u03ff\u0410-\u044f\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]*$/;
const PLAIN = /^[\x20-\x7e]$/;
const LONE_MARK = /^[\p{M}\p{Join_Control}]/u;
const TAB_SHOWN = "  ";

/** The cluster lengths of a text without line breaks, or undefined if each has length 1. */
export function clusterLengths(line: string): readonly number[] | undefined {
  if (EVEN.test(line)) return undefined;
  if (measured?.line !== line) measured = { line, lengths: clustersOf(line).map(({ length }) => length) };
  return measured.lengths;
}

// A motion over words asks for the same line repeatedly.
let measured: { readonly line: string; readonly lengths: readonly number[] } | undefined;

/** The units of a text without line breaks; `labelOf` returns what a folded text shows. */
export function unitsOf(line: string, labelOf: (mark: string) => string | undefined): readonly Unit[] {
  const clusters = EVEN.test(line) ? [...line] : clustersOf(line);
  return clusters.map((cluster) => unitOf(cluster, labelOf));
}

function unitOf(cluster: string, labelOf: (mark: string) => string | undefined): Unit {
  const { length } = cluster;
  if (PLAIN.test(cluster)) return { length, shown: cluster, columns: 1 };
  if (cluster === "\t") return { length, shown: TAB_SHOWN, columns: TAB_SHOWN.length };
  const label = length === 1 && isFoldMark(cluster.charCodeAt(0)) ? labelOf(cluster) : undefined;
  if (label !== undefined) return { length, shown: label, columns: columnsOf(label) };
  // A mark without a base letter would combine with the preceding character.
  const based = LONE_MARK.test(cluster) ? `◌${cluster}` : cluster;
  const shown = printableLine(based);
  return {
    length,
    shown,
    columns: shown === based ? Math.max(1, columnsOfCluster(shown)) : columnsOf(shown),
  };
}
