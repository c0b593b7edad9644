// The skills, commands and agents of a plugin's folder, read as a session reads them, under the names that their files give them.

import { join } from "node:path";
import type { PluginParts } from "../../../addons/source/plugin-file.ts";
import { discoverProfiles } from "../../../briefing/agent-files.ts";
import type { BriefingDiagnostic, MacroDef, SkillCard, SubagentProfile } from "../../../briefing/contract.ts";
import { loadMacros } from "../../../briefing/macro-files.ts";
import { loadStyles, type OutputStyle } from "../../../briefing/output-styles.ts";
import { loadSkillCards, skillDiagnostics } from "../../../briefing/skills.ts";
import { realPathOf } from "../../../briefing/text-file.ts";

export interface PluginTexts {
  readonly skills: readonly SkillCard[];
  readonly commands: readonly MacroDef[];
  readonly agents: readonly SubagentProfile[];
  readonly outputStyles: readonly OutputStyle[];
  readonly problems: readonly BriefingDiagnostic[];
}

export function pluginTexts(folder: string, parts: PluginParts): PluginTexts {
  const within = [realPathOf(folder)];
  const at = (paths: readonly string[]): readonly string[] => paths.map((path) => join(folder, path));
  const skills = at(parts.skills).map((dir) => loadSkillCards(dir, "user", { isLenient: true }, { within }));
  const commands = at(parts.commands).map((dir) => loadMacros(dir, "user", { namespaces: true, within }));
  const agents = at(parts.agents).map((dir) => discoverProfiles(dir, "user", within));
  const styles = at(parts.outputStyles).map((place) => loadStyles(place, "user", { within }));
  return {
    skills: skills.flatMap((load) => load.cards),
    commands: commands.flatMap((load) => load.macros),
    agents: agents.flatMap((load) => load.profiles),
    outputStyles: styles.flatMap((load) => load.styles),
    problems: [
      ...skills.flatMap((load) => skillDiagnostics(load.diagnostics)),
      ...commands.flatMap((load) => load.diagnostics),
      ...agents.flatMap((load) => load.diagnostics),
      ...styles.flatMap((load) => load.diagnostics),
    ],
  };
}
