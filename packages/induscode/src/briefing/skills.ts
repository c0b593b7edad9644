// Skills on disk: a walk finds candidates, a check turns them into cards, and in the merge the first root wins.
// Synchronous, never throws: each candidate has an outcome.

import { join } from "node:path";
import { LookBudget } from "../store/look-budget.ts";
import type {
  BriefingDiagnostic,
  MacroOrigin,
  SkillBounds,
  SkillCard,
  SkillDiagnostic,
  SkillLoad,
  SkillRoot,
  SkillRules,
  SkillWarning,
} from "./contract.ts";
import { type FolderEntry, isFolder, listFolder } from "./folder-entries.ts";
import { readFrontmatter, textField } from "./frontmatter.ts";
import { describeInvisible } from "./invisible-text.ts";
import { freeName, leadsOut, type ProductPlaces, productFolders } from "./places.ts";
import { checkSkill, NO_MANIFEST, SKILL_MANIFEST, type SkillShape } from "./skill-check.ts";
import { findFile, readTextFile, realPathOf } from "./text-file.ts";

/** How much of a skill's file is looked at; the model reads the rest as it reads any file. */
export const MAX_SKILL_BYTES: number = 64 * 1024;

export const SKILL_FOLDERS: readonly string[] = [
  ".indus/skills",
  ".indusagi/skills",
  ".claude/skills",
  ".agents/skills",
];

/** The folders searched for skills: the project's before the person's. */
export function skillRoots(places: ProductPlaces): readonly SkillRoot[] {
  return productFolders(places, SKILL_FOLDERS, "skills").map(({ name: _, ...root }) => root);
}

/** The skills of several roots. Of two with one name the first is kept; the other is a `collision`. */
export function gatherSkillCards(roots: readonly SkillRoot[], rules: SkillRules = {}): SkillLoad {
  const cards = new Map<string, SkillCard>();
  const files = new Map<string, string>();
  const diagnostics: SkillDiagnostic[] = [];
  for (const root of roots) {
    const load = loadSkillCards(root.dir, root.origin, rules, root);
    const loaded = new Map(load.cards.map((card) => [card.location, card]));
    for (const diagnostic of load.diagnostics) {
      const card = diagnostic.kind === "loaded" ? loaded.get(diagnostic.location) : undefined;
      diagnostics.push(card ? merge(named(card, root), diagnostic) : diagnostic);
    }
  }
  return { cards: [...cards.values()], diagnostics };

  function named(card: SkillCard, { packageName }: SkillRoot): SkillCard {
    const first = cards.get(card.name);
    const isTaken = first !== undefined && first.body !== card.body;
    return isTaken ? { ...card, name: freeName(card.name, packageName, isTaken) } : card;
  }

  function merge(card: SkillCard, diagnostic: SkillDiagnostic): SkillDiagnostic {
    const { name, location } = card;
    const realPath = realPathOf(location);
    const known = files.get(realPath);
    files.set(realPath, location);
    if (known !== undefined) return { kind: "skipped", location, detail: `it is the same file as ${known}` };
    const first = cards.get(name);
    if (first === undefined) {
      cards.set(name, card);
      return diagnostic;
    }
    const isCopy = first.body === card.body && first.description === card.description;
    return isCopy
      ? { kind: "skipped", location, detail: `it is a copy of ${first.location}` }
      : {
          kind: "collision",
          location,
          detail: `the skill "${name}" is already defined in ${first.location}`,
        };
  }
}

/** Every candidate of one root. A missing folder has none. */
export function loadSkillCards(
  dir: string,
  origin: MacroOrigin,
  rules: SkillRules = {},
  { within, look = LookBudget.unlimited() }: SkillBounds = {},
): SkillLoad {
  const { candidates, diagnostics: unseen } = walkCandidates(dir, within, look);
  const cards: SkillCard[] = [];
  const diagnostics: SkillDiagnostic[] = [...unseen];
  let left = 0;
  for (const { path, shape } of candidates) {
    if (!look.hasText) {
      left++;
      continue;
    }
    const outcome = parseCandidate(path, shape, { origin, rules, look });
    if ("card" in outcome) cards.push(outcome.card);
    diagnostics.push(outcome.diagnostic);
  }
  if (left > 0) diagnostics.push({ kind: "invalid", location: dir, detail: look.leftOut(left, "skill") });
  return { cards, diagnostics };
}

/** The cards the model may choose itself. The others can still be invoked by name. */
export function modelInvocableCards(cards: readonly SkillCard[]): readonly SkillCard[] {
  return cards.filter(({ frontmatter }) => !frontmatter.disableModelInvocation);
}

/** The outcomes a person should know about: not skills that are fine, or that are duplicates. */
export function skillDiagnostics(outcomes: readonly SkillDiagnostic[]): readonly BriefingDiagnostic[] {
  return outcomes.flatMap(
    ({ kind: outcome, location: path, detail, warnings = [] }): readonly BriefingDiagnostic[] => {
      if (outcome === "invalid")
        return [{ kind: "skill-invalid", path, message: `skill invalid: ${path}: ${detail}` }];
      if (outcome === "collision")
        return [{ kind: outcome, path, message: `${path} is not used: ${detail}` }];
      return warnings.map(({ text, ...warning }) => ({ ...warning, path, message: `${path}: ${text}` }));
    },
  );
}

function parseCandidate(
  path: string,
  shape: SkillShape,
  {
    origin,
    rules,
    look,
  }: { readonly origin: MacroOrigin; readonly rules: SkillRules; readonly look: LookBudget },
):
  | { readonly diagnostic: SkillDiagnostic; readonly card: SkillCard }
  | { readonly diagnostic: SkillDiagnostic } {
  const invalid = (detail: string) => ({ diagnostic: { kind: "invalid", location: path, detail } as const });
  const file = readTextFile(path, MAX_SKILL_BYTES, look);
  if (!file.ok) return invalid(`it cannot be read: ${file.problem}`);
  const check = checkSkill(file.text, { ...rules, path, shape, look });
  if (check.kind !== "ok") return { diagnostic: { kind: check.kind, location: path, detail: check.detail } };
  const { kind: _, warnings: found, ...facts } = check;
  const invisible = describeInvisible(file.text);
  const warnings = [
    ...found,
    ...(invisible === undefined ? [] : [hidden(invisible)]),
    ...(file.isWhole ? [] : [UNSEEN_REST]),
  ];
  return {
    card: { ...facts, location: path, origin },
    diagnostic: {
      kind: "loaded",
      location: path,
      detail: `the skill "${facts.name}"`,
      warnings: warnings.length > 0 ? warnings : undefined,
    },
  };
}

function hidden(invisible: string): SkillWarning {
  return { kind: "invisible", text: `it contains text that only the model can see (${invisible})` };
}

const UNSEEN_REST: SkillWarning = {
  kind: "limit",
  text: `only its first ${MAX_SKILL_BYTES} bytes were searched for text that only the model can see`,
  instead: "move its details into files next to it",
};

interface Candidate {
  readonly path: string;
  readonly shape: SkillShape;
}

const PRUNED_FOLDERS: ReadonlySet<string> = new Set(["node_modules", ".git"]);
// Both only stop a tree never meant as a folder of skills, such as a link to the whole disk.
const MAX_DEPTH = 8;
const MAX_FOLDERS = 4_000;

/** Sorted, without dotfiles; links are followed, and each real folder is entered once. */
function walkCandidates(
  root: string,
  within: SkillRoot["within"],
  look: LookBudget,
): {
  readonly candidates: readonly Candidate[];
  readonly diagnostics: readonly SkillDiagnostic[];
} {
  const candidates: Candidate[] = [];
  const diagnostics: SkillDiagnostic[] = [];
  const entered = new Set<string>();
  if (isUsable(root)) walkLevel(root, 0, false);
  if (entered.size > MAX_FOLDERS)
    diagnostics.push({
      kind: "invalid",
      location: root,
      detail: `it has more than ${MAX_FOLDERS} folders; the rest is not searched`,
    });
  return { candidates, diagnostics };

  function isUsable(path: string): boolean {
    const detail = leadsOut(path, within);
    if (detail !== undefined) diagnostics.push({ kind: "invalid", location: path, detail });
    return detail === undefined;
  }

  function walkLevel(folder: string, depth: number, isInSkill: boolean): void {
    if (depth > MAX_DEPTH || entered.size > MAX_FOLDERS) return;
    const realPath = findFile(folder)?.realPath;
    if (realPath === undefined || entered.has(realPath)) return;
    entered.add(realPath);
    const { entries, problem } = listFolder(folder, look);
    if (problem) diagnostics.push({ kind: "invalid", location: folder, detail: `it ${problem.text}` });
    const isSkill = isInSkill || entries.some(({ name }) => name === SKILL_MANIFEST);
    if (!isSkill && depth > 0) diagnostics.push(...misplaced(folder, entries));
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (PRUNED_FOLDERS.has(entry.name)) continue;
      if (depth > 0 && isMisnamed(entry))
        diagnostics.push({ kind: "invalid", location: path, detail: `its name must be ${SKILL_MANIFEST}` });
      const isUnseen = !(isFolder(entry, folder) || isCandidate(entry.name, depth));
      if (isUnseen || (entry.isSymbolicLink() && !isUsable(path))) continue;
      if (isFolder(entry, folder)) walkLevel(path, depth + 1, isSkill);
      else if (depth === 0 && entry.name.toLowerCase().endsWith(".md"))
        candidates.push({ path, shape: "loose" });
      else if (entry.name === SKILL_MANIFEST) candidates.push({ path, shape: "packaged" });
    }
  }

  /** Texts that are written as skills, in a folder that is none. */
  function misplaced(folder: string, entries: readonly FolderEntry[]): readonly SkillDiagnostic[] {
    return entries
      .filter((entry) => entry.isFile() && MARKDOWN.test(entry.name) && !isMisnamed(entry))
      .slice(0, MAX_MISPLACED)
      .map(({ name }) => join(folder, name))
      .filter((path) => look.hasText && isDescribed(path, look))
      .map((location) => ({ kind: "invalid", location, detail: NO_MANIFEST }));
  }
}

const MARKDOWN = /\.md$/i;
/** How many texts of a folder are opened for that; one is enough to show that the folder is misplaced. */
const MAX_MISPLACED = 20;

/** Whether it has a header with a description. */
export function isDescribed(path: string, look?: LookBudget): boolean {
  const file = readTextFile(path, MAX_SKILL_BYTES, look);
  return file.ok && textField(readFrontmatter(file.text, look).fields, "description") !== undefined;
}

function isMisnamed({ name }: FolderEntry): boolean {
  return name !== SKILL_MANIFEST && name.toUpperCase() === SKILL_MANIFEST.toUpperCase();
}

function isCandidate(name: string, depth: number): boolean {
  return name === SKILL_MANIFEST || (depth === 0 && name.toLowerCase().endsWith(".md"));
}
