// Which packages with texts have the content that the person agreed to.

import { join } from "node:path";
import { describeError } from "indusagi/core";
import { addonId } from "../../addons/contract.ts";
import { createKnownContent } from "../../addons/source/known-content.ts";
import { PLUGIN_PARTS, readPluginParts } from "../../addons/source/plugin-file.ts";
import { createTrust } from "../../addons/source/trust.ts";
import type { BriefingDiagnostic } from "../../briefing/contract.ts";
import type { PackageTexts, TextKind } from "../../briefing/places.ts";

const TEXT_KINDS: readonly TextKind[] = ["skills", "commands", "agents", "outputStyles"];

export interface FoundPackageTexts {
  readonly packages: readonly PackageTexts[];
  /** Packages whose texts are not used. */
  readonly diagnostics: readonly BriefingDiagnostic[];
}

/** Of the packages in `folder` with these names, in their order. */
export async function trustedTexts(
  folder: string,
  names: readonly string[],
  home: string,
): Promise<FoundPackageTexts> {
  const content = createKnownContent({ home });
  const trust = createTrust({ home });
  const packages: PackageTexts[] = [];
  const diagnostics: BriefingDiagnostic[] = [];
  for (const name of names) {
    const root = join(folder, name);
    const parts = readPluginParts(join(root, PLUGIN_PARTS));
    if (parts === undefined || TEXT_KINDS.every((kind) => parts[kind].length === 0)) continue;
    const problem = await untrusted(root);
    if (problem !== undefined) {
      diagnostics.push({
        kind: "refused",
        path: root,
        message: `the skills, commands, agents and output styles of ${name} are not used: ${problem}`,
        instead: `indus update ${name} fetches it again, indus remove ${name} removes it`,
      });
      continue;
    }
    const at = (paths: readonly string[]): readonly string[] => paths.map((path) => join(root, path));
    const { skills, commands, agents, outputStyles } = parts;
    packages.push({
      ...{ name, root, skills: at(skills), commands: at(commands), agents: at(agents) },
      outputStyles: at(outputStyles),
    });
  }
  return { packages, diagnostics };

  async function untrusted(root: string): Promise<string | undefined> {
    try {
      const hash = content.hash({ id: addonId("package"), path: root, root, scope: "user" });
      if ((await trust.lookup(hash)) !== undefined) return undefined;
      return "its files have changed since you agreed to them";
    } catch (error) {
      return describeError(error);
    }
  }
}
