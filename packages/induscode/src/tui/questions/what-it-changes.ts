// What a call that is asked about would write, where its arguments say so.

import { isTable, type JsonValue } from "indusagi/core";
import type { AskedCall } from "../../feature/contract.ts";
import { type Line, span } from "../screen/spans.ts";
import { diffRows } from "../transcript/diff-lines.ts";

const LEAD: Line = [span("  diff  │ ", "dim")];
const REST: Line = [span("        │ ", "dim")];

/** The rows of the change; none where the call states none. All of it: what is asked is shown whole. */
export function changeLines(call: AskedCall | undefined, columns: number): Line[] {
  const diff = diffOf(call?.input);
  if (diff === undefined) return [];
  const { rows } = diffRows(diff, columns - 10, undefined, true);
  return rows.map((row, i) => [...(i === 0 ? LEAD : REST), ...row]);
}

function diffOf(input: JsonValue | undefined): string | undefined {
  if (!isTable(input)) return undefined;
  const { oldText, newText, content } = input;
  const signed = (text: unknown, sign: string): string =>
    typeof text === "string" && text !== "" ? text.replace(/\n$/, "").replace(/^/gm, sign) : "";
  const parts = [signed(oldText, "-"), signed(newText ?? content, "+")].filter((part) => part !== "");
  return parts.length === 0 ? undefined : `@@ -1 +1 @@\n${parts.join("\n")}`;
}
