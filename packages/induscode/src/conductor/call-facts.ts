import { beginningOf, isTable, type JsonValue } from "indusagi/core";

// The arguments that best describe a call, most telling first.
const TELLING = [
  ...["command", "path", "pattern", "query", "url", "name", "id", "agent", "objective"],
  ...["question", "title", "text"],
];
const MAX_TITLE_CHARS = 500;
const MAX_LISTED = 20;

/**
 * One line that describes a tool call; a path inside of the session's folder is told from there, however the model wrote it. Untrusted
 * text: the caller must make it printable before showing it.
 */
export function toolTitle(input: JsonValue, folder = ""): string {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return "";
  const { path } = input;
  const inFolder = typeof path === "string" && folder !== "" ? fromFolder(path, folder) : path;
  const shown = inFolder === path || inFolder === undefined ? input : { ...input, path: inFolder };
  return beginningOf(tellingOf(shown) || fallbackTitle(shown), MAX_TITLE_CHARS);
}

function fromFolder(path: string, folder: string): string {
  if (path === folder) return ".";
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

// A search is described by its pattern and its location.
function tellingOf(input: JsonValue): string {
  if (!isTable(input)) return "";
  const telling = TELLING.map((name) => input[name]).filter(
    (value) => typeof value === "string" && value !== "",
  );
  return telling.slice(0, 2).join("  ");
}

/** `start 2 tasks: researcher  Look.; reviewer  Review.`, `4 items` if the input holds only a list, its first line if only a text; otherwise the arguments themselves. */
function fallbackTitle(input: { readonly [name: string]: JsonValue }): string {
  const [only, ...others] = Object.entries(input);
  if (only === undefined) return "";
  const [name, value] = only;
  const list = Object.entries(input).find(
    ([, each]) => Array.isArray(each) && tellingOf(each[0] ?? "") !== "",
  );
  if (list && others.length > 0 && Array.isArray(list[1])) {
    const action = typeof input.action === "string" ? `${input.action} ` : "";
    return `${action}${list[1].length} ${list[0]}: ${list[1].slice(0, MAX_LISTED).map(tellingOf).join("; ")}`;
  }
  if (others.length > 0) return JSON.stringify(input);
  if (typeof value === "string") return firstLine(value) || JSON.stringify(input);
  return Array.isArray(value) ? `${value.length} ${name}` : JSON.stringify(input);
}

/** Of a text in Markdown, without the sign of a heading. */
function firstLine(text: string): string {
  const line = text.split("\n").find((each) => each.trim() !== "") ?? "";
  return line.replace(/^ {0,3}#{1,6} /, "").trim();
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
