// What a plugin brings, in words: each kind with its number, its names and what it costs in each request, and what of it is not used.

import { join } from "node:path";
import { readHooks } from "../../../addons/runners/hooks/hook-table.ts";
import { PLUGIN_PARTS, readPluginParts } from "../../../addons/source/plugin-file.ts";
import type { MacroDef, SkillCard, SubagentProfile } from "../../../briefing/contract.ts";
import { freeName } from "../../../briefing/places.ts";
import { renderSkillListing } from "../../../briefing/skill-listing.ts";
import { modelInvocableCards } from "../../../briefing/skills.ts";
import { estimateTokens } from "../../../briefing/token-estimate.ts";
import { plural } from "../../../console/figures.ts";
import { pluginTexts } from "./plugin-texts.ts";

export interface PluginWords {
  readonly brings: readonly string[];
  readonly unused: readonly string[];
}

const MAX_NAMED = 20;

/** Nothing for a package that is no plugin. Its commands with a name of `taken` go under the package's. */
export function pluginInWords(
  { name: packageName, folder }: { readonly name: string; readonly folder: string },
  taken: ReadonlySet<string>,
): PluginWords {
  const parts = readPluginParts(join(folder, PLUGIN_PARTS));
  if (parts === undefined) return { brings: [], unused: [] };
  const { skills: cards, commands, agents: profiles, outputStyles, problems } = pluginTexts(folder, parts);
  const macros = commands.map((macro) => ({
    ...macro,
    name: freeName(macro.name, packageName, taken.has(macro.name.toLowerCase())),
  }));
  const hooks = readHooks(parts.hooks);
  return {
    brings: [
      ...counted(cards, "skill", listingOf(cards)),
      ...counted(
        macros.map(({ name }) => ({ name: `/${name}` })),
        "command",
      ),
      ...macros.flatMap(letsPass),
      ...counted(profiles, "agent", rolesOf(profiles)),
      ...counted(outputStyles, "output style"),
      ...counted(
        [...new Set(hooks.commands.map(({ event }) => event))].map((name) => ({ name })),
        "hooked event",
      ),
      ...counted(
        Object.keys(parts.mcpServers).map((name) => ({ name })),
        "MCP server",
      ).map((line) => `${line}: each is a separate package, and you are asked about each`),
    ],
    unused: [
      ...parts.unused,
      ...hooks.unused,
      ...problems.map(({ message }) => message.replaceAll(`${folder}/`, "")),
    ],
  };
}

/** Of the lists of its skills and agents, in each request. */
export function textTokens(folder: string): number {
  const parts = readPluginParts(join(folder, PLUGIN_PARTS));
  if (parts === undefined) return 0;
  const { skills, agents } = pluginTexts(folder, parts);
  return estimateTokens(listingOf(skills)) + estimateTokens(rolesOf(agents));
}

function listingOf(skills: readonly SkillCard[]): string {
  const listed = modelInvocableCards(skills);
  return listed.length === 0 ? "" : renderSkillListing(listed);
}

function rolesOf(agents: readonly SubagentProfile[]): string {
  return agents.map(({ name, purpose, when = "" }) => `${name}${purpose}${when}`).join("\n");
}

/** Whoever agrees to the plugin agrees to this: its commands are theirs from then on. */
function letsPass({ name, allowedTools = [] }: MacroDef): readonly string[] {
  if (allowedTools.length === 0) return [];
  return [`/${name} lets these pass without a question, in its turn: ${allowedTools.join(", ")}`];
}

function counted(items: readonly { readonly name: string }[], kind: string, listing = ""): readonly string[] {
  if (items.length === 0) return [];
  const named = items.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = items.length > MAX_NAMED ? [`${items.length - MAX_NAMED} more`] : [];
  const cost = listing === "" ? "" : ` (about ${plural(estimateTokens(listing), "token")} in each request)`;
  return [`${plural(items.length, kind)}${cost}: ${[...named, ...more].join(", ")}`];
}
