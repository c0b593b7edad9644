// The definitions that a model asks for, among those of tools that it knows only by name.

import type { InstalledTool } from "../feature/tool.ts";
import { definitionOf } from "./offered-tools.ts";

/** More would be read less, and cost more. */
const MAX_FOUND = 8;
const MAX_BYTES = 24 * 1024;
const MAX_NAMED = 40;
const IN_NAME = 3;
const WHOLE_NAME = 100;

/** The best first, as JSON; the others that fit by name. */
export function findDefinitions(query: string, tools: readonly InstalledTool[]): string {
  const words = query
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter(Boolean);
  const found = tools
    .map((each) => ({ each, score: scoreOf(each, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ each }) => each);
  if (found.length === 0)
    return `No tool has ${JSON.stringify(query)} in its name or description. Your instructions list their names.`;
  const shown: string[] = [];
  let bytes = 0;
  for (const each of found.slice(0, MAX_FOUND)) {
    const definition = JSON.stringify(definitionOf(each));
    bytes += Buffer.byteLength(definition);
    if (shown.length > 0 && bytes > MAX_BYTES) break;
    shown.push(definition);
  }
  const rest = found.slice(shown.length).map(({ tool }) => tool.name);
  if (rest.length === 0) return shown.join("\n");
  const more = rest.length > MAX_NAMED ? ` and ${rest.length - MAX_NAMED} more` : "";
  return `${shown.join("\n")}\nNot shown, ask for them by name: ${rest.slice(0, MAX_NAMED).join(", ")}${more}.`;
}

function scoreOf({ tool }: InstalledTool, words: readonly string[]): number {
  const name = tool.name.toLowerCase();
  const about = tool.description.toLowerCase();
  return words.reduce((sum, word) => {
    if (name === word || name.endsWith(`__${word}`)) return sum + WHOLE_NAME;
    return sum + (name.includes(word) ? IN_NAME : about.includes(word) ? 1 : 0);
  }, 0);
}
