// Everything that files add to the prompt and to what a person can call, in one go, for whoever starts a session.

import { join } from "node:path";
import { gatherAgents } from "./agent-files.ts";
import { type ContextDocs, type ContextDocsOptions, createContextDocs } from "./context-docs.ts";
import type { BriefingDiagnostic, ContextDoc, MacroDef, SkillCard, SubagentProfile } from "./contract.ts";
import { gatherMacros } from "./macro-files.ts";
import { fitSkillListing } from "./skill-listing.ts";
import { gatherSkillCards, modelInvocableCards, skillDiagnostics, skillRoots } from "./skills.ts";
import { readSystemFiles, type SystemText } from "./system-files.ts";

export interface GatherOptions extends ContextDocsOptions {
  readonly maxListingBytes?: number;
}

export interface GatheredBriefing {
  readonly contextDocs: readonly ContextDoc[];
  /** Every skill that `/skill:<name>` can call. */
  readonly skills: readonly SkillCard[];
  /** The ones that the prompt lists for the model. */
  readonly listedSkills: readonly SkillCard[];
  readonly macros: readonly MacroDef[];
  /** Those of files, then the built-in ones. */
  readonly subagents: readonly SubagentProfile[];
  readonly system?: SystemText;
  readonly appendSystem?: SystemText;
  readonly diagnostics: readonly BriefingDiagnostic[];
  /** For the documents of folders that a tool visits later: they know what is in the prompt already. */
  readonly folderDocs: Omit<ContextDocs, "atStart">;
}

/** Looks everywhere, once. Synchronous, never throws; a few milliseconds, less where nothing lies. */
export function gatherBriefing(options: GatherOptions): GatheredBriefing {
  const { cwd, home, indusHome = join(home, ".indus") } = options;
  const places = { cwd, home, indusHome, ...(options.heldBack ? { heldBack: options.heldBack } : {}) };
  const documents = createContextDocs(options);
  const context = documents.atStart();
  const skills = gatherSkillCards(skillRoots(places));
  const { listed, dropped } = fitSkillListing(modelInvocableCards(skills.cards), options.maxListingBytes);
  const macros = gatherMacros(places);
  const agents = gatherAgents(places);
  const { system, appendSystem, diagnostics } = readSystemFiles({ cwd, indusHome });
  return {
    contextDocs: context.docs,
    skills: skills.cards,
    listedSkills: listed,
    macros: macros.macros,
    subagents: agents.profiles,
    ...(system ? { system } : {}),
    ...(appendSystem ? { appendSystem } : {}),
    diagnostics: [
      ...context.diagnostics,
      ...skillDiagnostics(skills.diagnostics),
      ...unlisted(dropped),
      ...macros.diagnostics,
      ...agents.diagnostics,
      ...diagnostics,
    ],
    folderDocs: documents,
  };
}

function unlisted(dropped: readonly SkillCard[]): readonly BriefingDiagnostic[] {
  const [first] = dropped;
  if (!first) return [];
  const names = dropped.map(({ name }) => name).join(", ");
  const message = `the list of skills for the model is full; only /skill:<name> calls ${names}`;
  return [{ kind: "limit", path: first.location, message }];
}
