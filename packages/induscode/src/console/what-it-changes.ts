// What a call would write, if its arguments say so, and what would be lost; for the permission question.

import { isTable } from "indusagi/core";
import type { AskedCall } from "../feature/permission.ts";
import { plural } from "./figures.ts";
import { gutter } from "./question-lines.ts";
import type { LineLook } from "./transcript-lines.ts";

interface Change {
  /** A unified diff. */
  readonly diff: string;
  /** What the diff does not show. */
  readonly note?: string | undefined;
}

/** Undefined if the call states no change. */
export function changeOf({ input, overwrites, places }: AskedCall): Change | undefined {
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
    return { diff: overwrites, note: overwrites === "" ? "the file already contains this" : undefined };
  const lost =
    overwrites && `${plural(overwrites.bytes, "byte")} of current content will be lost, not shown here`;
  return content === "" && !lost ? undefined : { diff: hunk(signed(content, "+")), note: lost };
}

function signed(text: string, sign: string): string {
  return text === "" ? "" : text.replace(/\n$/, "").replace(/^/gm, sign);
}

function hunk(...parts: readonly string[]): string {
  return `@@ -1 +1 @@\n${parts.filter((part) => part !== "").join("\n")}`;
}

const MAX_LINES = 100;
const MAX_CHARS = 500;

/** The change as lines behind a gutter: no more than keeps the question readable, and how much is omitted. */
export function plainChange(call: AskedCall | undefined, look: LineLook): readonly string[] {
  const change = call && changeOf(call);
  if (!change) return [];
  const [, ...lines] = change.diff.replace(/\n$/, "").split("\n");
  const shown = lines.slice(0, MAX_LINES).map((line) => (line.startsWith("@@ ") ? "⋯" : cutLine(line)));
  const hidden = lines.length - shown.length;
  const text = [
    ...(change.note === undefined ? [] : [change.note]),
    ...shown,
    ...(hidden > 0 ? [`… ${plural(hidden, "more line")}, not shown`] : []),
  ];
  return text.length === 0 ? [] : gutter("diff", text.join("\n"), look);
}

function cutLine(line: string): string {
  const hidden = line.length - MAX_CHARS;
  return hidden > 0 ? `${line.slice(0, MAX_CHARS)} … ${plural(hidden, "more character")}, not shown` : line;
}
