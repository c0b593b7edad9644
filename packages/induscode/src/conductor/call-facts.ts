import type { JsonValue } from "indusagi/core";

// The arguments that best describe a call, most telling first.
const TELLING = [
  ...["command", "path", "pattern", "query", "url", "name", "id", "agent", "objective"],
  ...["question", "title", "text"],
];
const MAX_TITLE_CHARS = 500;

/** One line that describes a tool call. Untrusted text: the caller must make it printable before showing it. */
export function toolTitle(input: JsonValue): string {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return "";
  const telling = TELLING.map((name) => input[name]).filter(
    (value) => typeof value === "string" && value !== "",
  );
  // A search is described by its pattern and its location.
  const shown = telling.length > 0 ? telling.slice(0, 2).join("  ") : fallbackTitle(input);
  return shown.slice(0, MAX_TITLE_CHARS);
}

/** `4 items` if the input holds only a list; otherwise the arguments themselves. */
function fallbackTitle(input: { readonly [name: string]: JsonValue }): string {
  const [only, ...others] = Object.entries(input);
  if (only === undefined) return "";
  const [name, value] = only;
  return others.length === 0 && Array.isArray(value) ? `${value.length} ${name}` : JSON.stringify(input);
}

/** The single JSON block in a tool's projected output; undefined if there is none or more than one. */
export function toolDetails(output: JsonValue | undefined): JsonValue | undefined {
  if (output === undefined) return undefined;
  if (!Array.isArray(output)) return output;
  const values = output.flatMap((block) => (isJsonBlock(block) ? [block.value] : []));
  return values.length === 1 ? values[0] : undefined;
}

function isJsonBlock(block: JsonValue): block is { readonly kind: "json"; readonly value: JsonValue } {
  return typeof block === "object" && block !== null && !Array.isArray(block) && block.kind === "json";
}
