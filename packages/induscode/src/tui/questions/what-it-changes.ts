// What a call that is asked about would write, where its arguments say so, and what is lost by it.

import { isTable } from "indusagi/core";
import { plural } from "../../console/figures.ts";
import type { AskedCall } from "../../feature/contract.ts";
import { type Line, span } from "../screen/spans.ts";
import { diffRows } from "../transcript/diff-lines.ts";

const LEAD: Line = [span("  diff  │ ", "dim")];
const REST: Line = [span("        │ ", "dim")];

interface Change {
  /** Unified. */
  readonly diff: string;
  /** What the diff does not show. */
  readonly note?: string | undefined;
}

/** The rows of the change; none where the call states none. All of it: what is asked is shown whole. */
export function changeLines(call: AskedCall | undefined, columns: number): Line[] {
  const change = call && changeOf(call);
  if (!change) return [];
  const { rows } = diffRows(change.diff, columns - 10, undefined, true);
  const note: Line[] = change.note === undefined ? [] : [[span(change.note, "warn")]];
  return [...note, ...rows].map((row, i) => [...(i === 0 ? LEAD : REST), ...row]);
}

function changeOf({ input, overwrites, places }: AskedCall): Change | undefined {
  if (!isTable(input)) return undefined;
  const { oldText, newText, content, replaceAll } = input;
  if (typeof oldText === "string" && typeof newText === "string") {
    const all = places ? `${plural(places, "place")} in the file` : "every place in the file";
    return {
      diff: hunk(signed(oldText, "-"), signed(newText, "+")),
      note: replaceAll === true ? all : undefined,
    };
  }
  if (typeof content !== "string") return undefined;
  if (typeof overwrites === "string")
    return { diff: overwrites, note: overwrites === "" ? "the file holds this already" : undefined };
  const lost =
    overwrites && `${plural(overwrites.bytes, "byte")} that the file holds now are lost, and not shown`;
  return content === "" && !lost ? undefined : { diff: hunk(signed(content, "+")), note: lost };
}

function signed(text: string, sign: string): string {
  return text === "" ? "" : text.replace(/\n$/, "").replace(/^/gm, sign);
}

function hunk(...parts: readonly string[]): string {
  return `@@ -1 +1 @@\n${parts.filter((part) => part !== "").join("\n")}`;
}
