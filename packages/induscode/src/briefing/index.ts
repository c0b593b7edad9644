export type { LookBudget, LookLimits } from "../store/look-budget.ts";
export { AGENTS_DIR, discoverProfiles, gatherAgents } from "./agent-files.ts";
export { composeBriefing, composeBriefingWithOptions, composeWith } from "./compose.ts";
export {
  type ContextDocs,
  type ContextDocsLoad,
  type ContextDocsOptions,
  createContextDocs,
  DEFAULT_MAX_BYTES_PER_DOC,
  DEFAULT_MAX_IMPORT_DEPTH,
  DEFAULT_MAX_TOTAL_BYTES,
  gatherContextDocs,
} from "./context-docs.ts";
export {
  type BriefingDiagnostic,
  type BriefingDiagnosticKind,
  type BriefingFault,
  type BriefingInput,
  type ComposeOptions,
  type ContextDoc,
  type FrontmatterValue,
  type LegacyReporter,
  type MacroDef,
  type MacroLoad,
  type MacroOrigin,
  type MacroScope,
  type MacroToken,
  type NamedSection,
  type PromptStyle,
  type Section,
  type ServerNote,
  SKILL_DESCRIPTION_LIMIT,
  SKILL_NAME_LIMIT,
  type SkillBounds,
  type SkillCard,
  type SkillDiagnostic,
  type SkillFrontmatter,
  type SkillLoad,
  type SkillOutcomeKind,
  type SkillRoot,
  type SkillRules,
  type SkillWarning,
  type SubagentBrief,
  type SubagentLoad,
  type SubagentProfile,
  TOOL_COLLECTIONS,
  type ToolDoc,
} from "./contract.ts";
export { type DescribeOptions, describePrompt, type PromptPart } from "./describe-prompt.ts";
export type { FolderDoc, FolderDocsLoad } from "./docs-reading.ts";
export { documentLabel } from "./document-label.ts";
export type { DocumentReachOptions } from "./document-reach.ts";
export { type FlatFrontmatter, type Frontmatter, readFrontmatter, splitFrontmatter } from "./frontmatter.ts";
export { type GatheredBriefing, type GatherOptions, gatherBriefing } from "./gather.ts";
export {
  DERIVED_DESCRIPTION_BUDGET,
  gatherMacros,
  type LoadMacrosOptions,
  loadMacros,
  type MacroRead,
  readMacroFile,
} from "./macro-files.ts";
export {
  applyMacros,
  applyMacrosReporting,
  buildMacroScope,
  expandInvocation,
  resolveTokens,
  scanMacroBody,
} from "./macros.ts";
export type { PackageTexts, ProductPlaces, TextKind } from "./places.ts";
export type * from "./prompt-type-names.ts";
export { BRIEFING_SECTION_IDS, BRIEFING_SECTIONS, TOOL_SUMMARIES } from "./sections.ts";
export type { ShownDoc } from "./shown-docs.ts";
export { fitSkillListing, skillInvocation } from "./skill-listing.ts";
export { gatherSkillCards, loadSkillCards, modelInvocableCards, skillRoots } from "./skills.ts";
export { readSystemFiles, type SystemFiles, type SystemPlaces, type SystemText } from "./system-files.ts";
export { estimateTokens } from "./token-estimate.ts";
