// Types under their published names, for programs written against those.

import type { ContextDocsOptions } from "./context-docs.ts";
import type { BriefingInput, MacroDef, NamedSection, Section } from "./contract.ts";

export type BriefingContext = BriefingInput;
export type SectionFn = Section;
/** A section of a recipe, under its id. */
export type BriefingSection = NamedSection;
export type Macro = MacroDef;
export type GatherContextDocsOptions = ContextDocsOptions;
