// Where context documents lie, and which files may become one.

import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { isInside } from "indusagi/core";
import { documentLabel } from "./document-label.ts";
import { createImportPolicy, isSecretPath } from "./import-policy.ts";
import type { RuleFile } from "./rule-files.ts";
import { type FoundFile, realPathOf } from "./text-file.ts";
import { findWorkspaceRoot, ownerCheck } from "./workspace-root.ts";

// In this order: an earlier document ranks lower. An override replaces the AGENTS.md next to it.
export const OVERRIDE_FILE = "AGENTS.override.md";
/** The only document in the product's own home folder. */
export const OWN_FILES: readonly string[] = ["AGENTS.md"];
export const CANDIDATE_FILES: readonly string[] = [
  "AGENTS.md",
  "CLAUDE.md",
  "INDUSAGI.md",
  "CLAUDE.local.md",
  "AGENTS.local.md",
  ".indusagi/CLAUDE.md",
  ".claude/CLAUDE.md",
];

/** Absolute paths. */
export interface DocumentReachOptions {
  readonly cwd: string;
  readonly home: string;
  /** The product's own home folder; its `AGENTS.md` counts too; default `<home>/.indus`. */
  readonly indusHome?: string;
  /** Folders outside the workspace that imports may reach. */
  readonly trustedRoots?: readonly string[];
  /** Why a file must not be read before the person accepts it; undefined for most. */
  readonly heldBack?: ((realPath: string) => string | undefined) | undefined;
}

export class DocumentReach {
  readonly cwd: string;
  readonly home: string;
  readonly indusHome: string;
  readonly #workspaceRoot: string;
  readonly #heldBack: (path: string) => string | undefined;
  readonly #refusal: (realPath: string) => string | undefined;
  readonly #isOurs: (file: FoundFile) => boolean;

  constructor({ cwd, home, indusHome, trustedRoots = [], heldBack }: DocumentReachOptions) {
    this.cwd = realPathOf(cwd);
    this.home = realPathOf(home);
    this.indusHome = indusHome ?? join(this.home, ".indus");
    this.#workspaceRoot = findWorkspaceRoot(this.cwd, this.home);
    this.#heldBack = heldBack ?? (() => undefined);
    this.#refusal = createImportPolicy({
      workspaceRoot: this.#workspaceRoot,
      home: this.home,
      indusHome: this.indusHome,
      trustedRoots,
    });
    this.#isOurs = ownerCheck(this.cwd);
  }

  /** Why a folder's own document is not read; undefined when it is. */
  candidateProblem(folder: string, path: string, file: FoundFile): string | undefined {
    return this.#leadsOut(folder, file) ?? this.#heldBack(path) ?? this.#heldBack(file.realPath);
  }

  /** Where a project keeps its rules: the working directory, and the workspace's root. The home folder is no project. */
  get projects(): readonly string[] {
    return [...new Set([this.#workspaceRoot, this.cwd])].filter((folder) => folder !== this.home);
  }

  /** Why a rule is not read; undefined when it is. Where it may lie was looked at when it was found: it must still lie there. */
  ruleProblem({ path, realPath }: Pick<RuleFile, "path" | "realPath">, file: FoundFile): string | undefined {
    if (file.realPath !== realPath) return "its path now leads to a different file than when it was found";
    return this.#heldBack(path) ?? this.#heldBack(realPath);
  }

  /** Why an imported file is not read; undefined when it is. */
  importProblem({ realPath }: FoundFile): string | undefined {
    return this.#refusal(realPath) ?? this.#heldBack(realPath);
  }

  /** The path that an import in the document `from` means. */
  importedPath(target: string, from: string): string | undefined {
    if (target.includes("\0")) return undefined;
    if (target.startsWith("~/")) return join(this.home, target.slice(2));
    return isAbsolute(target) ? resolve(target) : resolve(dirname(from), target);
  }

  label(path: string): string {
    return documentLabel(path, this);
  }

  /** A candidate may be a link, but a repository's must not lead out of it. */
  #leadsOut(folder: string, file: FoundFile): string | undefined {
    const { realPath } = file;
    const isOfWorkspace = isInside(this.#workspaceRoot, folder);
    if (!isOfWorkspace && !this.#isOurs(file)) return "it belongs to another user";
    if (folder === this.home || folder === this.indusHome) return undefined;
    const real = realPathOf(folder);
    // A workspace folder that links outside the workspace contributes no documents of its own.
    if (isOfWorkspace && !isInside(this.#workspaceRoot, real)) return this.#refusal(realPath);
    return isInside(real, realPath) && !isSecretPath(relative(real, realPath))
      ? undefined
      : this.#refusal(realPath);
  }
}
