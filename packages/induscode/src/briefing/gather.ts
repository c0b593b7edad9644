// Everything files add to the prompt and to what a person can invoke, gathered in one call for starting a session.

import { join } from "node:path";
import { grouped } from "indusagi/core";
import { type HomePlaces, inHome } from "../store/home.ts";
import { LookBudget } from "../store/look-budget.ts";
import { gatherAgents } from "./agent-files.ts";
import { type ContextDocs, type ContextDocsOptions, createContextDocs } from "./context-docs.ts";
import type { BriefingDiagnostic, ContextDoc, MacroDef, SkillCard, SubagentProfile } from "./contract.ts";
import { gatherMacros } from "./macro-files.ts";
import type { PackageTexts } from "./places.ts";
import { fitSkillListing } from "./skill-listing.ts";
import { gatherSkillCards, modelInvocableCards, skillDiagnostics, skillRoots } from "./skills.ts";
import { readSystemFiles, type SystemText } from "./system-files.ts";

export interface GatherOptions extends ContextDocsOptions {
  readonly maxListingBytes?: number;
  /** What may be looked at in the project; default: as much as one start may. */
  readonly look?: LookBudget | undefined;
  /** Names that the person gave to models. */
  readonly aliases?: ReadonlySet<string> | undefined;
  /** Texts that came with the person's packages. */
  readonly packages?: readonly PackageTexts[] | undefined;
}

export interface GatheredBriefing {
  readonly contextDocs: readonly ContextDoc[];
  /** Every skill `/skill:<name>` can invoke. */
  readonly skills: readonly SkillCard[];
  /** Those the prompt lists for the model. */
  readonly listedSkills: readonly SkillCard[];
  readonly macros: readonly MacroDef[];
  /** Those from files, then the built-in ones. */
  readonly subagents: readonly SubagentProfile[];
  readonly system?: SystemText | undefined;
  readonly appendSystem?: SystemText | undefined;
  readonly diagnostics: readonly BriefingDiagnostic[];
  /** For documents of folders a tool visits later; it knows what the prompt already has. */
  readonly folderDocs: Omit<ContextDocs, "atStart">;
}

/** Searches all places once. Synchronous, never throws; takes a few milliseconds, less when there is nothing. */
export function gatherBriefing(options: GatherOptions): GatheredBriefing {
  const { cwd, home, indusHome = join(home, ".indus") } = options;
  const look = options.look ?? new LookBudget();
  const { heldBack, packages, aliases } = options;
  const places = { cwd, home, indusHome, look, heldBack, packages, aliases };
  const documents = createContextDocs(options);
  const context = documents.atStart(look);
  const agents = gatherAgents(places);
  const skills = gatherSkillCards(skillRoots(places), { isLenient: true });
  const { listed, dropped } = fitSkillListing(modelInvocableCards(skills.cards), options.maxListingBytes);
  const macros = gatherMacros(places);
  const { system, appendSystem, diagnostics } = readSystemFiles({ cwd, indusHome });
  return {
    contextDocs: context.docs,
    skills: skills.cards,
    listedSkills: listed,
    macros: macros.macros,
    subagents: agents.profiles,
    system,
    appendSystem,
    diagnostics: [
      ...context.diagnostics,
      ...skillDiagnostics(skills.diagnostics),
      ...unlisted(dropped),
      ...macros.diagnostics,
      ...agents.diagnostics,
      ...diagnostics,
    ].map((each) => withHome(each, { home: indusHome, personHome: home })),
    folderDocs: documents,
  };
}

function withHome({ instead, ...diagnostic }: BriefingDiagnostic, places: HomePlaces): BriefingDiagnostic {
  return instead === undefined ? diagnostic : { ...diagnostic, instead: inHome(instead, places) };
}

const MAX_NAMED = 50;

function unlisted(dropped: readonly SkillCard[]): readonly BriefingDiagnostic[] {
  const [first] = dropped;
  if (!first) return [];
  const named = dropped.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = dropped.length > MAX_NAMED ? [`${grouped(dropped.length - MAX_NAMED)} more`] : [];
  const message = `the model's list of skills is full; available only as /skill:<name>: ${[...named, ...more].join(", ")}`;
  return [{ kind: "limit", path: first.location, message }];
}
