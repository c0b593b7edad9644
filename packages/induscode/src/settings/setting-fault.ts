// What is ignored in a settings file. Not loaded by a start whose settings are right.

import { brief, nearest } from "indusagi/core";

/** A setting that is ignored, and whether it could have been there to refuse something. */
export interface SettingFault {
  readonly problem: string;
  readonly letsMorePass: boolean;
}

interface Place {
  /** Of the group that the name is in, with a dot; empty: in none. */
  readonly prefix: string;
  /** The names that can be there. */
  readonly known: readonly string[];
  /** The names of all settings, with their groups. */
  readonly all: readonly string[];
  /** Those whose loss would let more pass. */
  readonly narrowing: readonly string[];
}

const SERVERS = "in indus, an MCP server is an addon: indus add FILE#NAME adds one";

/** What to do instead of settings that other agents have. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ["permissions.defaultMode", 'write "permissions.mode"'],
  ["permissions.additionalDirectories", "allow each folder with rules, such as read(/PATH/**)"],
  ["hooks", "an addon can do what hooks do: indus addon new"],
  ["mcpServers", SERVERS],
  ["mcp", SERVERS],
  ["env", "set variables in the shell that starts indus"],
  ["instructions", "import the files in the AGENTS.md beside your settings.json: @PATH"],
  ["apiKeyHelper", `give a provider "apiKey": { "command": […] }`],
]);

/** A misspelt or misplaced name is treated as the nearest setting, in the same place before any other. */
export function unknownSetting(key: string, { prefix, known, all, narrowing }: Place): SettingFault {
  const here = nearest(key, known);
  const meant = here === undefined ? elsewhere(key, all) : [prefix + here];
  const hint = meant[0] === undefined ? "" : `; did you mean "${meant[0]}"?`;
  const instead = INSTEAD.get(prefix + key);
  return {
    problem: `"${prefix}${brief(key)}" is not a setting; ${instead ?? `expected one of ${known.join(", ")}${hint}`}`,
    // Anything written among the permissions could be a rule in another program's words.
    letsMorePass: prefix === "permissions." || meant.some((name) => narrowing.includes(name)),
  };
}

function elsewhere(key: string, all: readonly string[]): readonly string[] {
  const leaf = (name: string): string => name.slice(name.indexOf(".") + 1);
  const near = nearest(key, all.map(leaf));
  return near === undefined ? [] : all.filter((name) => leaf(name) === near);
}
