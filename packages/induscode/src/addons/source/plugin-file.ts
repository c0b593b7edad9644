// `indus-plugin.json` in a package's folder: what a plugin of another agent brings, as it was read when it was added. A start reads this one
// file and not the plugin's own, so both go by the same reading.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { isTable } from "indusagi/core";
import { readJsonIfGood } from "../../store/json.ts";

/** What a plugin brings. Paths are relative to its folder. */
export interface PluginParts {
  readonly name: string;
  readonly skills: readonly string[];
  readonly commands: readonly string[];
  readonly agents: readonly string[];
  readonly outputStyles: readonly string[];
  /** Its hooks, in the words of that agent: event to groups. */
  readonly hooks: Readonly<Record<string, unknown>>;
  /** Its MCP servers by name, under the key that readers of configurations look for. */
  readonly mcpServers: Readonly<Record<string, unknown>>;
  /** What of it has no use here, one line each. */
  readonly unused: readonly string[];
}

export const PLUGIN_PARTS = "indus-plugin.json";
export const MAX_PLUGIN_BYTES: number = 1024 * 1024;

/** Undefined for a file that is not there or was not written by this product: such a package brings nothing of the kind. */
export function readPluginParts(path: string): PluginParts | undefined {
  const content = readJsonIfGood(path, MAX_PLUGIN_BYTES);
  if (!isTable(content) || typeof content.name !== "string") return undefined;
  const { name, skills, commands, agents, outputStyles, hooks, mcpServers, unused } = content;
  return {
    name,
    skills: texts(skills),
    commands: texts(commands),
    agents: texts(agents),
    outputStyles: texts(outputStyles ?? unlistedStyles(dirname(path))),
    hooks: isTable(hooks) ? hooks : {},
    mcpServers: isTable(mcpServers) ? mcpServers : {},
    unused: texts(unused).filter((line) => outputStyles !== undefined || !line.startsWith(STYLES_UNUSED)),
  };
}

/** The folder where a plugin has its output styles without naming it. */
export const STYLES_OF_PLUGIN = "output-styles";

/** How such a list says that it has them. */
const STYLES_UNUSED = "output styles are not used";

/** A list that an older version wrote has none: what lies in that folder is part of the content that was trusted. */
function unlistedStyles(folder: string): readonly string[] {
  return existsSync(join(folder, STYLES_OF_PLUGIN)) ? [STYLES_OF_PLUGIN] : [];
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
