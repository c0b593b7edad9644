// The instructions people leave for agents: AGENTS.md, CLAUDE.md and their imports.

import { isInside } from "indusagi/core";
import { LookBudget } from "../store/look-budget.ts";
import type { BriefingDiagnostic, ContextDoc } from "./contract.ts";
import { DocsReading, type FolderDocsLoad } from "./docs-reading.ts";
import { DocumentReach, type DocumentReachOptions, OWN_FILES } from "./document-reach.ts";
import { findRules, type RuleFile } from "./rule-files.ts";
import { DocsMemory, type ShownDoc } from "./shown-docs.ts";
import { ancestors } from "./workspace-root.ts";

export const DEFAULT_MAX_IMPORT_DEPTH = 5;
export const DEFAULT_MAX_BYTES_PER_DOC = 40_000;
/** About 25,000 tokens for all documents together. */
export const DEFAULT_MAX_TOTAL_BYTES = 100_000;

/** Absolute paths, and limits that default to the constants above. */
export interface ContextDocsOptions extends DocumentReachOptions {
  readonly maxImportDepth?: number;
  readonly maxBytesPerDoc?: number;
  readonly maxTotalBytes?: number;
}

export interface ContextDocsLoad {
  readonly docs: readonly ContextDoc[];
  readonly diagnostics: readonly BriefingDiagnostic[];
}

/** The documents of one session. None is given twice, whether through a link, an import or a copy. */
export interface ContextDocs {
  /** The documents from the start: the person's own, then those of the folders from the file system's root to `cwd`. Call once, first. */
  readonly atStart: (look?: LookBudget) => ContextDocsLoad;
  /** What a tool's first visit to `path` adds: the documents of the folders between `cwd` and it, and the rules about it. */
  readonly touched: (path: string) => FolderDocsLoad;
  /** The documents of the visited folders, and the rules about what was visited, read again, for a view that no longer shows them. */
  readonly again: () => FolderDocsLoad;
  /** Replaces what visits have added so far with these: they are given again only if their text changed. */
  readonly recall: (shown: Iterable<ShownDoc>) => void;
  /** Whether a real path is one of the files read, imports included, or will be read once it exists. */
  readonly isDocument: (realPath: string) => boolean;
  /** The real paths of the files read, and of those that will be once they exist. */
  readonly files: () => readonly string[];
}

/** {@link ContextDocs.atStart}, for callers that need nothing else. */
export function gatherContextDocs(options: ContextDocsOptions): ContextDocsLoad {
  return createContextDocs(options).atStart();
}

/** Finds the workspace root immediately; reads documents on request. */
export function createContextDocs(options: ContextDocsOptions): ContextDocs {
  const reach = new DocumentReach(options);
  const { cwd, home, indusHome } = reach;
  const limits = {
    maxDepth: options.maxImportDepth ?? DEFAULT_MAX_IMPORT_DEPTH,
    maxBytes: options.maxBytesPerDoc ?? DEFAULT_MAX_BYTES_PER_DOC,
    maxTotal: options.maxTotalBytes ?? DEFAULT_MAX_TOTAL_BYTES,
  };
  const memory = new DocsMemory();
  const reading = (look: LookBudget): DocsReading => new DocsReading(reach, limits, memory, look);
  let rules: readonly RuleFile[] = [];
  // A visit adds no more than a few folders, so it may look at all of them.
  const read = (folders: Iterable<string>, about: readonly RuleFile[]): FolderDocsLoad => {
    const visit = reading(LookBudget.unlimited());
    for (const folder of folders) visit.folder(folder);
    for (const rule of about) visit.rule(rule);
    return visit.result();
  };

  return {
    atStart(look = LookBudget.unlimited()) {
      const start = reading(look);
      start.folder(indusHome, OWN_FILES);
      start.folder(home);
      for (const folder of ancestors(cwd).toReversed()) start.folder(folder);
      const found = findRules(reach, look);
      rules = found.rules;
      for (const { realPath } of rules) memory.read.add(realPath);
      for (const rule of rules.filter(({ isAboutAll }) => isAboutAll)) start.rule(rule);
      const { docs, diagnostics } = start.result();
      const load = { docs, diagnostics: [...diagnostics, ...found.diagnostics] };
      memory.keepStart();
      return { ...load, docs: load.docs.map(({ path, body }) => ({ path, body })) };
    },
    touched(path) {
      if (!isInside(cwd, path)) return { docs: [], diagnostics: [] };
      const between = ancestors(path)
        .filter((folder) => folder !== cwd && isInside(cwd, folder))
        .toReversed();
      const about = rules.filter((rule) => !rule.isAboutAll && rule.isAbout(path));
      for (const { realPath } of about) memory.rules.add(realPath);
      const load = read(between, about);
      for (const folder of between)
        if (memory.visited.has(folder) || load.docs.some((doc) => doc.folder === folder))
          memory.visit(folder);
      return load;
    },
    again() {
      memory.forgetVisits();
      return read(
        memory.visited,
        rules.filter(({ realPath }) => memory.rules.has(realPath)),
      );
    },
    recall(shown) {
      const all = [...shown];
      const isRule = ({ source }: ShownDoc): boolean => rules.some(({ realPath }) => realPath === source);
      memory.recall(all.filter((each) => !isRule(each)));
      memory.recallRules(all.filter(isRule));
    },
    isDocument: (realPath) => memory.read.has(realPath) || memory.awaited.has(realPath),
    files: () => [...memory.read, ...memory.awaited],
  };
}
