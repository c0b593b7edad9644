export { composeBriefing, composeWith } from "./compose.ts";
export type { BriefingInput, NamedSection, Section } from "./contract.ts";
export { BRIEFING_SECTIONS, TOOL_SUMMARIES } from "./sections.ts";
