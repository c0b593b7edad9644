// How a key is spelled in keybindings.json, in `/keys` and in the guide: `ctrl+shift+enter`, `alt+b`, `ctrl+x ctrl+e`.

import type { Key } from "../contract.ts";

const NAMED: ReadonlySet<string> = new Set([
  "enter",
  "tab",
  "space",
  "backspace",
  "escape",
  "up",
  "down",
  "left",
  "right",
  "home",
  "end",
  "pageup",
  "pagedown",
  "insert",
  "delete",
  "clear",
  ...Array.from({ length: 12 }, (_, at) => `f${at + 1}`),
]);
const OTHER_NAMES: Readonly<Record<string, string>> = {
  return: "enter",
  esc: "escape",
  del: "delete",
  ins: "insert",
  pgup: "pageup",
  pgdn: "pagedown",
  control: "ctrl",
  option: "alt",
  meta: "alt",
};

/** The spelling of a key. Undefined for typed or pasted text. */
export function spellKey({ name, ctrl, alt, shift }: Key): string | undefined {
  if (name === "text" || name === "paste") return undefined;
  return `${ctrl ? "ctrl+" : ""}${alt ? "alt+" : ""}${shift ? "shift+" : ""}${name}`;
}

/** The canonical spelling of `written`: one key, or several in sequence separated by blanks. Undefined if it names no key. */
export function readSpelling(written: string): string | undefined {
  const keys = written
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .map((each, at) => readOne(each, at > 0));
  return keys.length > 3 || keys.includes(undefined) ? undefined : keys.join(" ");
}

function readOne(written: string, isLater: boolean): string | undefined {
  // The plus itself is a key: `ctrl++`.
  const parts = written.endsWith("+")
    ? [...written.slice(0, -1).split("+").filter(Boolean), "+"]
    : written.split("+");
  const name = OTHER_NAMES[parts.at(-1) ?? ""] ?? parts.at(-1) ?? "";
  const modifiers = parts.slice(0, -1).map((part) => OTHER_NAMES[part] ?? part);
  if (!NAMED.has(name) && [...name].length !== 1) return undefined;
  if (modifiers.some((each) => !["ctrl", "alt", "shift"].includes(each))) return undefined;
  // A lone character is typed text, unless it continues a sequence.
  if (isLater && modifiers.length === 0 && [...name].length === 1) return name;
  if (!NAMED.has(name) && !modifiers.some((each) => each !== "shift")) return undefined;
  if (name === "space" && modifiers.length === 0) return undefined;
  const has = (modifier: string): boolean => modifiers.includes(modifier);
  return spellKey({ name, ctrl: has("ctrl"), alt: has("alt"), shift: has("shift") });
}
