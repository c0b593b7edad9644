// The text of a command in parts: what stands as it is, and the commands whose output takes their place. Commands are looked for in what
// the file says, before any argument is inserted: what a person types never becomes one.

import type { CommandPart } from "./contract.ts";
import { buildMacroScope, hasPlaceholder, resolveTokens, scanMacroBody } from "./macros.ts";

/** `` !`command` `` after a blank or at the start of a line, and a block of lines after ```` ```! ````. */
const SHELL = /(?<=^|\s)!`([^`\n]{1,4096})`|^```![ \t]*\n([\s\S]{1,16384}?)\n```[ \t]*$/gm;

/** What `/name arguments` tells the model. If no placeholder takes the arguments, they follow: nothing that was typed is lost. */
export function commandParts(body: string, raw: string): readonly CommandPart[] {
  const scope = buildMacroScope(raw);
  const tokens = (text: string) => scanMacroBody(text, undefined, body);
  const filled = (text: string): string => resolveTokens(tokens(text), scope);
  const parts: CommandPart[] = [];
  let at = 0;
  for (const found of body.matchAll(SHELL)) {
    const [whole, inline, block = ""] = found;
    if (found.index > at) parts.push({ kind: "text", text: filled(body.slice(at, found.index)) });
    parts.push({ kind: "shell", command: filled(inline ?? block).trim() });
    at = found.index + whole.length;
  }
  if (at < body.length) parts.push({ kind: "text", text: filled(body.slice(at)) });
  if (raw.trim() !== "" && !hasPlaceholder(body)) parts.push({ kind: "text", text: `\n\n${raw.trim()}` });
  return parts;
}
