// What the system prompt is made from, and what is found on disk for it (seed 003). Shapes and limits only: sections
// read them, loaders fill them, nothing here reaches for anything.

import type { Fault } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/llmgateway";

// ---- the prompt ---------------------------------------------------------------------------------------------

/** A tool as the briefing sees it: the sections read `name` and `description` only. */
export type ToolDoc = ToolDescriptor;

/** The read-only bag that every section reads. Each field has a default. */
export interface BriefingInput {
  /** The tools advertised to the model, in their order. */
  readonly tools?: readonly ToolDoc[];
  /** Absolute working directory. */
  readonly workspace?: string;
  /** The working directory as it is shown; preferred over `workspace`. */
  readonly cwd?: string;
  /** The cards the model may choose by itself; see `modelInvocableCards` and `fitSkillListing`. */
  readonly skills?: readonly SkillCard[];
  /** The roles that work can be handed to. */
  readonly subagents?: readonly SubagentBrief[];
  /** Standing instructions; a later document is closer to the work than an earlier one. */
  readonly contextDocs?: readonly ContextDoc[];
  /** Epoch milliseconds of the footer's clock, so that the same input gives the same bytes; default the wall clock. */
  readonly nowMs?: number;
}

/** Gates and renders in one call: undefined (or blank) means that it does not apply. Pure, but for the default of the clock. */
export type Section = (input: BriefingInput) => string | undefined;

/** A section under its stable id. */
export interface NamedSection {
  readonly id: string;
  readonly render: Section;
  /** Where its text came from, for people: labels, paths, names. Absent for what the product says itself. */
  readonly sources?: (input: BriefingInput) => readonly string[];
}

/** What brackets or replaces the recipe for one prompt. Each text is trimmed, and dropped when blank. */
export interface ComposeOptions {
  /** Replaces the recipe as a whole (`--system`). */
  readonly system?: string;
  /** Stands before everything. */
  readonly prelude?: string;
  /** Stands after everything (`--append-system`). */
  readonly appendSystem?: string;
}

/** A project document, inlined under its label. */
export interface ContextDoc {
  /** The heading: `./…` under the working directory, `~/…` under the home folder, else absolute. */
  readonly path: string;
  /** The document as it is, trimmed and clamped. */
  readonly body: string;
}

/** A role that work can be handed to. */
export interface SubagentBrief {
  readonly name: string;
  readonly purpose: string;
  /** Completes "Use it when …". */
  readonly when?: string;
  /** A repository wrote these words, and they are attributed to it. */
  readonly isOfRepository?: boolean;
}

/** The standard collections of tools (seed 001). */
export const TOOL_COLLECTIONS = ["read-only", "coding", "all"] as const;

/** A delegate's profile (seed 000). It describes a role and narrows what its session may use; it grants nothing. */
export interface SubagentProfile extends SubagentBrief {
  /** Stands before its system prompt, or, where a repository wrote it, among the project's documents. */
  readonly prompt?: string;
  /** `provider/model`; absent for the session's own. */
  readonly model?: string;
  /** Default `all`: every tool of the session but `task` and `process`. */
  readonly toolCollection?: (typeof TOOL_COLLECTIONS)[number];
  /** The only tools it has, of those in its collection. */
  readonly tools?: readonly string[];
  readonly withheldTools?: readonly string[];
  /** Model calls for one objective. */
  readonly maxTurns?: number;
  readonly origin: MacroOrigin;
  /** The absolute path of its file; `built in` for the product's own. */
  readonly source: string;
}

export interface SubagentLoad {
  readonly profiles: readonly SubagentProfile[];
  readonly diagnostics: readonly BriefingDiagnostic[];
}

// ---- macros -------------------------------------------------------------------------------------------------

/** Where a macro or a skill was found; in descriptions the word itself is the label. */
export type MacroOrigin = "user" | "project" | "path" | "builtin";

/** A prompt that a person calls by `/name arguments`. */
export interface MacroDef {
  /** Without the slash; a sub-folder is a namespace: `git:commit`. */
  readonly name: string;
  readonly description: string;
  readonly body: string;
  readonly origin: MacroOrigin;
  /** The absolute path of its file. */
  readonly source: string;
  /** What help shows after the name. */
  readonly argumentHint?: string;
  /** The model that its author asks for. */
  readonly model?: string;
  /** The tools that its author would like to pass without a question. A wish: it grants nothing. */
  readonly allowedTools?: readonly string[];
}

/** The arguments of one call. */
export interface MacroScope {
  readonly args: readonly string[];
  /** `args`, joined by single blanks. */
  readonly all: string;
  /** The line as it was typed. */
  readonly raw: string;
}

/** A piece of a scanned body. Positions count from 1. */
export type MacroToken =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "positional"; readonly index: number }
  | { readonly kind: "all" }
  | { readonly kind: "slice"; readonly start: number; readonly length?: number };

/** Hears of each legacy form (`$1`) with the form that says the same today (`{{arg.1}}`). */
export type LegacyReporter = (legacy: string, modern: string) => void;

export interface MacroLoad {
  readonly macros: readonly MacroDef[];
  readonly diagnostics: readonly BriefingDiagnostic[];
}

// ---- skills -------------------------------------------------------------------------------------------------

/** The Agent Skills format's limits, in characters. */
export const SKILL_NAME_LIMIT = 64;
export const SKILL_DESCRIPTION_LIMIT = 1024;

/** A value of front matter: every scalar is a text, as it was written. */
export type FrontmatterValue =
  | string
  | readonly FrontmatterValue[]
  | { readonly [key: string]: FrontmatterValue };

/** The header of a SKILL.md. */
export interface SkillFrontmatter {
  /** Absent where the folder's name stands for it. */
  readonly name?: string;
  readonly description: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly metadata?: FrontmatterValue;
  readonly allowedTools?: readonly string[];
  /** True for skills that only a person may call. */
  readonly disableModelInvocation: boolean;
  /** Keys that the format does not know, kept as they were. */
  readonly rest: Readonly<Record<string, FrontmatterValue>>;
}

/** A validated skill: instructions that the model reads when a task fits, no callable. */
export interface SkillCard {
  readonly name: string;
  /** One line. */
  readonly description: string;
  /** The Markdown under the front matter. */
  readonly body: string;
  /** The absolute path of its file; paths that the body names are relative to its folder. */
  readonly location: string;
  readonly origin: MacroOrigin;
  readonly frontmatter: SkillFrontmatter;
}

export type SkillOutcomeKind = "loaded" | "skipped" | "invalid" | "collision";

/** What became of one candidate. */
export interface SkillDiagnostic {
  readonly kind: SkillOutcomeKind;
  readonly location: string;
  readonly detail: string;
  /** What is wrong with a skill that loaded all the same. */
  readonly warnings?: readonly SkillWarning[];
}

export interface SkillWarning {
  readonly kind: BriefingDiagnosticKind;
  readonly text: string;
  /** What to do instead, where that is plain. */
  readonly instead?: string;
}

export interface SkillLoad {
  readonly cards: readonly SkillCard[];
  /** One for each candidate, in the order of the walk. */
  readonly diagnostics: readonly SkillDiagnostic[];
}

/** A folder of skills. */
export interface SkillRoot {
  readonly dir: string;
  readonly origin: MacroOrigin;
  /** Real folders in which everything that counts must lie, behind its links; absent: anywhere. */
  readonly within?: readonly string[];
}

export interface SkillRules {
  /** Refuse keys that the format does not know, as the specification's validator does; default false. */
  readonly closed?: boolean;
}

// ---- faults -------------------------------------------------------------------------------------------------

/** A file that could not become what its folder is for. The message begins with e.g. `macro invalid: `. */
export type BriefingFault = Fault<"macro-invalid" | "skill-invalid" | "agent-invalid">;

export type BriefingDiagnosticKind =
  | BriefingFault["kind"]
  /** A file or an import that was not read, because of where it leads or whose it is. */
  | "refused"
  /** A file that could not be read, or only in part. */
  | "unreadable"
  /** A text that was shortened or left out to fit a limit. */
  | "limit"
  /** Characters that a person does not see and a model reads. */
  | "invisible"
  /** A second claimant of a name. */
  | "collision"
  /** Something that a file asks for and nothing here does. */
  | "unsupported";

/** Something about one file that the person should know. `message` names the file, and what was done. */
export interface BriefingDiagnostic {
  readonly kind: BriefingDiagnosticKind;
  readonly path: string;
  readonly message: string;
  /** What to do instead, where that is plain. */
  readonly instead?: string;
}
