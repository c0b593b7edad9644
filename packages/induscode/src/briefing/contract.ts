// The inputs of the system prompt, and what is found on disk for it. Shapes and limits only: sections read them,
// loaders fill them; no I/O here.

import type { Fault } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/llmgateway";
import type { LookBudget } from "../store/look-budget.ts";

// ---- the prompt ---------------------------------------------------------------------------------------------

/** A tool as the briefing sees it: sections read only `name` and `description`. */
export type ToolDoc = ToolDescriptor;

/** The read-only input of every section. Each field has a default. */
export interface BriefingInput {
  /** The tools advertised to the model, in their order. */
  readonly tools?: readonly ToolDoc[];
  /** Tools that the model knows only by name, and finds the definitions of. */
  readonly namedTools?: readonly ToolDoc[];
  /** What MCP servers say about using them, each on one line. */
  readonly serverNotes?: readonly ServerNote[];
  /** Absolute working directory. */
  readonly workspace?: string;
  /** The working directory as displayed; preferred over `workspace`. */
  readonly cwd?: string;
  /** The cards the model may choose itself; see `modelInvocableCards` and `fitSkillListing`. */
  readonly skills?: readonly SkillCard[];
  /** The roles work can be delegated to. */
  readonly subagents?: readonly SubagentBrief[];
  /** Standing instructions; a later document is closer to the work than an earlier one. */
  readonly contextDocs?: readonly ContextDoc[];
  /** How the person wants the model to answer: their own style, or one of a package that they added. */
  readonly outputStyle?: PromptStyle | undefined;
  /** The time for the footer's clock, in epoch milliseconds, so that the same input gives the same bytes; default: now. */
  readonly nowMs?: number;
}

/** Decides and renders in one call: undefined (or blank) means that it does not apply. Pure, except for the clock's default. */
export type Section = (input: BriefingInput) => string | undefined;

/** A section under its stable id. */
export interface NamedSection {
  readonly id: string;
  readonly render: Section;
  /** Where its text came from, for people: labels, paths, names. Absent for the product's own text. */
  readonly sources?: (input: BriefingInput) => readonly string[];
}

/** Texts that surround or replace the recipe for one prompt. Each is trimmed, and dropped when blank. */
export interface ComposeOptions {
  /** Replaces the whole recipe (`--system`). */
  readonly system?: string | undefined;
  /** Placed before everything. */
  readonly prelude?: string;
  /** Placed after everything (`--append-system`). */
  readonly appendSystem?: string | undefined;
}

/** What an MCP server says about using it. */
export interface ServerNote {
  readonly server: string;
  readonly text: string;
}

/** An output style in the prompt. */
export interface PromptStyle {
  readonly name: string;
  /** Its file, or the package that it came with. */
  readonly from: string;
  readonly body: string;
}

/** A project document, inlined under its label. */
export interface ContextDoc {
  /** The heading: `./…` under the working directory, `~/…` under the home folder, else absolute. */
  readonly path: string;
  /** The document's text, trimmed and clamped. */
  readonly body: string;
}

/** A role work can be delegated to. */
export interface SubagentBrief {
  readonly name: string;
  readonly purpose: string;
  /** Completes "Use it when …". */
  readonly when?: string;
  /** True when a repository wrote these words; they are attributed to it. */
  readonly isOfRepository?: boolean;
}

/** The standard collections of tools. */
export const TOOL_COLLECTIONS = ["read-only", "coding", "all"] as const;

/** A delegate's profile. It describes a role and narrows what its session may use; it grants nothing. */
export interface SubagentProfile extends SubagentBrief {
  /** Placed before its system prompt; a repository's prompt is placed among the project's documents. */
  readonly prompt?: string;
  /** `provider/model`, or a name that the person gave to one; absent: the session's own. */
  readonly model?: string;
  /** Default `all`: every tool of the session except `task` and `process`. */
  readonly toolCollection?: (typeof TOOL_COLLECTIONS)[number];
  /** The only tools it has, out of its collection. */
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

/** Where a macro or a skill was found; descriptions use this word as their label. */
export type MacroOrigin = "user" | "project" | "path" | "builtin";

/** A prompt a person invokes with `/name arguments`. */
export interface MacroDef {
  /** Without the slash; a sub-folder is a namespace: `git:commit`. */
  readonly name: string;
  readonly description: string;
  readonly body: string;
  readonly origin: MacroOrigin;
  /** The absolute path of its file. */
  readonly source: string;
  /** Shown in help after the name. */
  readonly argumentHint?: string | undefined;
  /** The model its author asks for. */
  readonly model?: string | undefined;
  /** The tools its author would like to run without a question. Only a wish: it grants nothing. */
  readonly allowedTools?: readonly string[] | undefined;
  /** The package that it came with. */
  readonly packageName?: string | undefined;
}

/** The arguments of one call. */
export interface MacroScope {
  readonly args: readonly string[];
  /** `args`, joined by single blanks; text of several lines as it was typed. */
  readonly all: string;
  /** What was typed. */
  readonly raw: string;
}

/** A piece of a scanned body. Positions count from 1. */
export type MacroToken =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "positional"; readonly index: number }
  | { readonly kind: "all" }
  | { readonly kind: "slice"; readonly start: number; readonly length?: number | undefined };

/** Called for each legacy form (`$1`) with its modern equivalent (`{{arg.1}}`). */
export type LegacyReporter = (legacy: string, modern: string) => void;

export interface MacroLoad {
  readonly macros: readonly MacroDef[];
  readonly diagnostics: readonly BriefingDiagnostic[];
}

/** A piece of a command's text with its arguments inserted: text, or a shell command whose output takes its place. */
export type CommandPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "shell"; readonly command: string };

// ---- skills -------------------------------------------------------------------------------------------------

/** The Agent Skills format's limits, in characters. */
export const SKILL_NAME_LIMIT = 64;
export const SKILL_DESCRIPTION_LIMIT = 1024;

/** A front matter value: every scalar is kept as text, as written. */
export type FrontmatterValue =
  | string
  | readonly FrontmatterValue[]
  | { readonly [key: string]: FrontmatterValue };

/** The header of a SKILL.md. */
export interface SkillFrontmatter {
  /** Absent when the folder's name is used. */
  readonly name?: string;
  readonly description: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly metadata?: FrontmatterValue;
  readonly allowedTools?: readonly string[];
  /** True for skills that only a person may invoke. */
  readonly disableModelInvocation: boolean;
  /** Keys the format does not know, unchanged. */
  readonly rest: Readonly<Record<string, FrontmatterValue>>;
}

/** A validated skill: instructions the model reads when a task fits; not callable. */
export interface SkillCard {
  readonly name: string;
  /** One line. */
  readonly description: string;
  /** The Markdown below the front matter: of a long file, its beginning. */
  readonly body: string;
  /** The absolute path of its file; paths in the body are relative to its folder. */
  readonly location: string;
  readonly origin: MacroOrigin;
  readonly frontmatter: SkillFrontmatter;
}

export type SkillOutcomeKind = "loaded" | "skipped" | "invalid" | "collision";

/** The outcome for one candidate. */
export interface SkillDiagnostic {
  readonly kind: SkillOutcomeKind;
  readonly location: string;
  readonly detail: string;
  /** Problems of a skill that loaded anyway. */
  readonly warnings?: readonly SkillWarning[] | undefined;
}

export interface SkillWarning {
  readonly kind: BriefingDiagnosticKind;
  readonly text: string;
  /** What to do instead, when that is clear. */
  readonly instead?: string;
}

export interface SkillLoad {
  readonly cards: readonly SkillCard[];
  /** One per candidate, in the order of the walk. */
  readonly diagnostics: readonly SkillDiagnostic[];
}

/** A folder of skills. */
export interface SkillRoot extends SkillBounds {
  readonly dir: string;
  readonly origin: MacroOrigin;
  /** The package that its skills came with. */
  readonly packageName?: string | undefined;
}

export interface SkillBounds {
  /** Real folders that must contain everything used, after following links; absent: no limit. */
  readonly within?: readonly string[];
  /** How much is looked at; absent: no limit. */
  readonly look?: LookBudget;
}

export interface SkillRules {
  /** Refuse keys the format does not know, as the specification's validator does; default false. */
  readonly closed?: boolean;
  /**
   * As sessions read them: a name that is not of the form, or not the folder's, and a description that is missing or too long are
   * remarks; blanks in the name become hyphens, and the text's first paragraph is the description.
   */
  readonly isLenient?: boolean | undefined;
}

// ---- faults -------------------------------------------------------------------------------------------------

/** A file that could not be used as its folder's kind. The message begins with e.g. `macro invalid: `. */
export type BriefingFault = Fault<"macro-invalid" | "skill-invalid" | "agent-invalid">;

export type BriefingDiagnosticKind =
  | BriefingFault["kind"]
  /** An import of a file that does not exist, or of a folder. */
  | "absent"
  /** A file or import not read because of where it leads or who owns it. */
  | "refused"
  /** A file that could not be read, or only in part. */
  | "unreadable"
  /** A text shortened or left out to fit a limit. */
  | "limit"
  /** Characters invisible to a person but read by a model. */
  | "invisible"
  /** A second claim to a name. */
  | "collision"
  /** Something a file asks for that is not supported here. */
  | "unsupported";

/** Something the person should know about one file. `message` names the file and what was done. */
export interface BriefingDiagnostic {
  readonly kind: BriefingDiagnosticKind;
  readonly path: string;
  readonly message: string;
  /** What to do instead, when that is clear. */
  readonly instead?: string | undefined;
}
