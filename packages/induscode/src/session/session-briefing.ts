// The briefing of one session: fills every field of the prompt from people's files, and turns macros and skills into commands.

import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { nowMs } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/runtime";
import { modelProblem } from "../briefing/asked-model.ts";
import { commandParts } from "../briefing/command-parts.ts";
import { composeBriefingWithOptions } from "../briefing/compose.ts";
import { createContextDocs } from "../briefing/context-docs.ts";
import type { BriefingInput, ContextDoc, SubagentProfile } from "../briefing/contract.ts";
import type { PromptPart } from "../briefing/describe-prompt.ts";
import { describePrompt } from "../briefing/describe-prompt.ts";
import { documentLabel } from "../briefing/document-label.ts";
import { type GatheredBriefing, gatherBriefing } from "../briefing/gather.ts";
import { olderSpellings } from "../briefing/macros.ts";
import type { ChosenStyle, OutputStyle, StyleLoad } from "../briefing/output-styles.ts";
import { freeName, type ProductPlaces } from "../briefing/places.ts";
import { TOOL_SUMMARIES } from "../briefing/sections.ts";
import { skillInvocation } from "../briefing/skill-listing.ts";
import type { Flags } from "../cli/flags.ts";
import type { Part } from "../cli/part.ts";
import type { PromptCommand } from "../deck/builtins/prompt-commands.ts";
import { TASK_TOOL } from "../feature/tool-names.ts";
import type { LookBudget } from "../store/look-budget.ts";
import { isOfOtherAgent } from "./features/findings.ts";
import { packageTexts } from "./features/package-texts.ts";
import type { SessionWords, ToolsInPrompt } from "./open-facts.ts";
import { commandNamesOf } from "./part-features.ts";

export interface BriefingFacts {
  readonly flags: Flags;
  readonly cwd: string;
  /** What `~` stands for. */
  readonly personHome: string;
  /** The product's home folder. */
  readonly home: string;
  /** See {@link HeldNames.refusal}. */
  readonly heldBack?: ((path: string) => string | undefined) | undefined;
  /** Names that the person gave to models. */
  readonly aliases?: Readonly<Record<string, string>> | undefined;
  /** The style that the person's settings name. */
  readonly outputStyle?: string | undefined;
  /** What the start may look at in the repository. */
  readonly look?: LookBudget;
  /** Whose commands the packages' leave their names. */
  readonly parts?: readonly Part[];
}

export interface SessionBriefing {
  /** The system prompt for these tools at a given time. */
  readonly compose: SessionWords["compose"];
  /** The same files for a delegate's session, which has touched none of them yet. */
  readonly forDelegate: (profile: SubagentProfile) => Pick<SessionBriefing, "compose" | "folderDocs">;
  /** The same prompt, split into its parts. */
  readonly describe: (tools: ToolsInPrompt) => readonly PromptPart[];
  readonly commands: readonly PromptCommand[];
  readonly outputStyles: {
    /** The one that the prompt has; undefined for none. */
    readonly inForce: () => OutputStyle | undefined;
    /** The prompts that are composed from then on have the style of this name, or none. Resolves to why one does not apply. */
    readonly choose: (name: string | undefined) => Promise<ChosenStyle["diagnostics"]>;
    /** All that can be chosen: each call looks at the folders. */
    readonly list: () => Promise<StyleLoad>;
  };
  /** The delegates that work can be handed to. */
  readonly subagents: readonly SubagentProfile[];
  /** The documents of the folders that tools visit. */
  readonly folderDocs: GatheredBriefing["folderDocs"];
  /** Real paths of the skill folders: reading there needs no question. */
  readonly skillFolders: readonly string[];
  /** Real paths of what is read as instructions now, or will be once a tool visits one of these files. */
  readonly documentsAt: (paths: readonly string[]) => readonly string[];
  /** The documents that are in the prompt from the start, as its headings name them. */
  readonly instructions: readonly string[];
  /** Problems in the files. */
  readonly diagnostics: GatheredBriefing["diagnostics"];
}

export async function createSessionBriefing({
  flags,
  cwd,
  personHome,
  home,
  heldBack,
  aliases = {},
  look,
  outputStyle,
  parts = [],
}: BriefingFacts): Promise<SessionBriefing> {
  const { packages, diagnostics } = await packageTexts(home);
  const places = { cwd, home: personHome, indusHome: home };
  const read = { ...places, heldBack };
  const named = new Set(Object.keys(aliases));
  const gathered = gatherBriefing({ ...read, look, packages, aliases: named });
  const system = flags.system ?? gathered.system?.text;
  const appendSystem = flags["append-system"] ?? gathered.appendSystem?.text;
  const options = { system, appendSystem };
  const { system: systemFrom } = sourcesOf(flags, gathered);
  let styled = await styleOf(outputStyle, { places: { ...read, look, packages }, systemFrom });
  const atStart = styled.diagnostics;
  const listedAgents = gathered.subagents.map((profile) =>
    profile.origin === "project" ? { ...profile, isOfRepository: true } : profile,
  );
  const inputOf = ({ described: tools, named, serverNotes }: ToolsInPrompt, clock: number) => ({
    tools: tools.map(inPrompt),
    namedTools: named,
    serverNotes,
    workspace: cwd,
    skills: gathered.listedSkills,
    // Without the tool to hand on work, delegates need not be listed.
    subagents: tools.some(({ name }) => name === TASK_TOOL) ? listedAgents : [],
    contextDocs: gathered.contextDocs,
    nowMs: clock,
  });
  /** Of the session alone: a delegate's answer is for an agent. */
  const withStyle = (input: BriefingInput): BriefingInput =>
    styled.style === undefined ? input : { ...input, ...styleInPrompt(styled.style, input, places) };
  return {
    compose: (tools, clock) => composeBriefingWithOptions(withStyle(inputOf(tools, clock)), options),
    forDelegate(profile) {
      const folderDocs = createContextDocs(read);
      folderDocs.atStart(); // what the prompt already has is not given again
      return {
        compose: (tools, clock) => {
          const { prelude, docs } = delegateWords(profile, places);
          const input = inputOf(tools, clock);
          return composeBriefingWithOptions(
            { ...input, contextDocs: [...input.contextDocs, ...docs] },
            { appendSystem, prelude },
          );
        },
        folderDocs,
      };
    },
    describe: (tools) =>
      describePrompt(withStyle(inputOf(tools, nowMs())), { ...options, sources: sourcesOf(flags, gathered) }),
    commands: promptCommands(gathered, named, await namesTaken(gathered, parts)),
    outputStyles: {
      inForce: () => styled.style,
      async choose(name) {
        styled = await styleOf(name, { places: { ...read, packages }, systemFrom });
        return styled.diagnostics;
      },
      list: async () => {
        const { gatherStyles } = await import("../briefing/output-styles.ts");
        return gatherStyles({ ...read, packages });
      },
    },
    subagents: gathered.subagents,
    folderDocs: gathered.folderDocs,
    documentsAt(paths) {
      const ahead = createContextDocs(places);
      ahead.atStart();
      for (const path of paths) ahead.touched(path);
      return [...new Set([...gathered.folderDocs.files(), ...ahead.files()])];
    },
    instructions: gathered.contextDocs.map(({ path }) => path),
    skillFolders: gathered.skills.map(({ location }) => realpathSync(dirname(location))),
    diagnostics: [...diagnostics, ...gathered.diagnostics, ...atStart],
  };
}

interface StyleFacts {
  readonly places: ProductPlaces;
  /** What replaces the whole prompt, styles included; undefined if nothing does. */
  readonly systemFrom: string | undefined;
}

/** No folder is looked at if no style is chosen. */
async function styleOf(wanted: string | undefined, { places, systemFrom }: StyleFacts): Promise<ChosenStyle> {
  if (wanted === undefined) return { diagnostics: [] };
  const { chosenStyle, NO_STYLE } = await import("../briefing/output-styles.ts");
  if (wanted === NO_STYLE) return { diagnostics: [] };
  if (systemFrom === undefined) return chosenStyle(wanted, places);
  const message = `the output style ${JSON.stringify(wanted)} does not apply: ${systemFrom} replaces the whole prompt`;
  return { diagnostics: [{ kind: "unsupported", path: "outputStyle", message }] };
}

/** A repository's goes among the project's documents (decision 026), the person's own and a package's to the person's words. */
function styleInPrompt(
  { name, body, origin, source, packageName }: OutputStyle,
  { contextDocs = [] }: BriefingInput,
  places: { readonly cwd: string; readonly home: string },
): Pick<BriefingInput, "contextDocs" | "outputStyle"> {
  const path = documentLabel(source, places);
  if (origin === "project") {
    const told = "An output style of this repository, which the person chose: it is about how you answer.";
    return { contextDocs: [...contextDocs, { path, body: `${told}\n\n${body}` }] };
  }
  const from = packageName === undefined ? path : `the package ${packageName}`;
  return { outputStyle: { name, from, body } };
}

/** A tool that has no summary is listed by its name: its description goes with its schema, and a server's can be long. */
function inPrompt(tool: ToolDescriptor): ToolDescriptor {
  return Object.hasOwn(TOOL_SUMMARIES, tool.name) ? tool : { ...tool, description: "" };
}

/**
 * What a profile adds to a prompt. A repository does not write the system prompt (decision 026): the text of its profile goes among the
 * project's documents, under its file's name; the person's own goes before everything else.
 */
function delegateWords(
  { name, prompt = "", origin, source }: SubagentProfile,
  places: { readonly cwd: string; readonly home: string },
): { readonly prelude: string; readonly docs: readonly ContextDoc[] } {
  const told =
    `You are the delegate ${name}: you work on one objective for another agent, which sees only your last ` +
    "message. Nobody can answer your questions: decide, and state your assumptions.";
  if (prompt === "") return { prelude: told, docs: [] };
  if (origin !== "project") return { prelude: `${told}\n\n${prompt}`, docs: [] };
  const path = documentLabel(source, places);
  return { prelude: told, docs: [{ path, body: prompt }] };
}

function sourcesOf(
  flags: Flags,
  { system, appendSystem }: GatheredBriefing,
): { readonly system?: string | undefined; readonly appendSystem?: string | undefined } {
  const systemSource = flags.system === undefined ? system?.source : "--system";
  const appendSource = flags["append-system"] === undefined ? appendSystem?.source : "--append-system";
  return {
    system: systemSource,
    appendSystem: appendSource,
  };
}

/** The built-in commands; they are loaded only if a package brings commands. */
async function namesTaken(
  { macros }: GatheredBriefing,
  parts: readonly Part[],
): Promise<ReadonlySet<string>> {
  if (macros.every(({ packageName }) => packageName === undefined)) return new Set();
  return await commandNamesOf(parts);
}

function promptCommands(
  { macros, skills }: GatheredBriefing,
  aliases: ReadonlySet<string>,
  taken: ReadonlySet<string>,
): readonly PromptCommand[] {
  return [
    ...macros.map((macro) => {
      const { description, argumentHint, body, source, origin, allowedTools = [], model } = macro;
      const name = macro.name.toLowerCase();
      return {
        name: freeName(name, macro.packageName, taken.has(name)),
        source,
        summary: description,
        argumentHint,
        expand: (args: string) => commandParts(body, args),
        wishes: {
          allowedTools,
          model:
            model === undefined ? undefined : { name: model, problem: modelProblem(model, origin, aliases) },
          isOfRepository: origin === "project",
        },
        olderSpellings: isOfOtherAgent(source) ? undefined : () => olderSpellings(body),
      };
    }),
    ...skills.map((card) => ({
      name: `skill:${card.name}`,
      source: card.location,
      summary: card.description,
      argumentHint: "[what to do]",
      expand: (args: string) => [{ kind: "text" as const, text: skillInvocation(card, args) }],
    })),
  ];
}
