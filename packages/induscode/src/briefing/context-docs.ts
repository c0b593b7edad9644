// The instructions people leave for agents: AGENTS.md, CLAUDE.md and their imports. Reads files and
// never throws: what cannot be used becomes a diagnostic, and the rest is used.

import { createHash } from "node:crypto";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { brief, clamp, isInside } from "indusagi/core";
import { LookBudget } from "../store/look-budget.ts";
import type { BriefingDiagnostic, BriefingDiagnosticKind, ContextDoc } from "./contract.ts";
import { documentLabel } from "./document-label.ts";
import { createImportPolicy, isSecretPath } from "./import-policy.ts";
import { scanImports } from "./import-scan.ts";
import { describeInvisible } from "./invisible-text.ts";
import { type FoundFile, findFile, readTextFile, realPathOf, realPlace } from "./text-file.ts";
import { ancestors, findWorkspaceRoot, ownerCheck } from "./workspace-root.ts";

export const DEFAULT_MAX_IMPORT_DEPTH = 5;
export const DEFAULT_MAX_BYTES_PER_DOC = 40_000;
/** About 25,000 tokens for all documents together. */
export const DEFAULT_MAX_TOTAL_BYTES = 100_000;

/** Absolute paths, and limits that default to the constants above. */
export interface ContextDocsOptions {
  readonly cwd: string;
  readonly home: string;
  /** The product's own home folder; its `AGENTS.md` counts too; default `<home>/.indus`. */
  readonly indusHome?: string;
  /** Folders outside the workspace that imports may reach. */
  readonly trustedRoots?: readonly string[];
  readonly maxImportDepth?: number;
  readonly maxBytesPerDoc?: number;
  readonly maxTotalBytes?: number;
  /** Why a file must not be read before the person accepts it; undefined for most. */
  readonly heldBack?: ((realPath: string) => string | undefined) | undefined;
}

export interface ContextDocsLoad {
  readonly docs: readonly ContextDoc[];
  readonly diagnostics: readonly BriefingDiagnostic[];
}

/** Which document of which folder was shown, and a digest of its text. */
export interface ShownDoc {
  /** Absolute, without links. */
  readonly source: string;
  /** The folder that was visited. */
  readonly folder: string;
  readonly digest: string;
}

/** A document added by a visit to its folder. */
export interface FolderDoc extends ContextDoc, ShownDoc {}

export interface FolderDocsLoad extends ContextDocsLoad {
  readonly docs: readonly FolderDoc[];
}

/** The documents of one session. None is given twice, whether through a link, an import or a copy. */
export interface ContextDocs {
  /** The documents from the start: the person's own, then those of the folders from the file system's root to `cwd`. Call once, first. */
  readonly atStart: (look?: LookBudget) => ContextDocsLoad;
  /** The documents a tool's first visit to `path` adds: those of the folders between `cwd` and it. */
  readonly touched: (path: string) => FolderDocsLoad;
  /** The documents of the visited folders, read again, for a view that no longer shows them. */
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

// Leading blanks are trimmed before the clamp; no honest document starts with more than this.
const READ_AHEAD_BYTES = 65_536;
// Both only stop a hostile tree: a document of nothing but imports, or documents that import each other endlessly.
const MAX_IMPORTS_PER_DOC = 100;
const MAX_FILES = 256;
/** How many imports of a document that lead nowhere are named. */
const MAX_ABSENT = 5;

const WRITTEN_AS_PATH = /^(?:~|\.{0,2})\/|\.(?:md|mdx|txt)$/i;

/** A document, the path it was found at, and the candidate its imports lead back to. */
interface LoadedDoc extends FolderDoc {
  readonly file: string;
  readonly root: string;
}

interface Place {
  readonly folder: string;
  readonly root: string;
  readonly depth: number;
}

/** Finds the workspace root immediately; reads documents on request. */
export function createContextDocs(options: ContextDocsOptions): ContextDocs {
  const cwd = realPathOf(options.cwd);
  const home = realPathOf(options.home);
  const { indusHome = join(home, ".indus"), trustedRoots = [], heldBack = () => undefined } = options;
  const maxDepth = options.maxImportDepth ?? DEFAULT_MAX_IMPORT_DEPTH;
  const maxBytes = options.maxBytesPerDoc ?? DEFAULT_MAX_BYTES_PER_DOC;
  const maxTotal = options.maxTotalBytes ?? DEFAULT_MAX_TOTAL_BYTES;
  const workspaceRoot = findWorkspaceRoot(cwd, home);
  const refusal = createImportPolicy({ workspaceRoot, home, indusHome, trustedRoots });
  const isOurs = ownerCheck(cwd);
  let given = NOTHING;
  let seen = copyOf(NOTHING); // `given` plus what visits added
  const read = new Set<string>(); // everything ever read, even if forgotten since
  const awaited = new Set<string>(); // imports that do not exist yet; they will be read once they do
  const visited = new Set<string>(); // folders with documents, most recently visited last
  const recalled = new Map<string, string>(); // digests of what an earlier process showed
  let look = LookBudget.unlimited();
  let docs: LoadedDoc[] = [];
  let diagnostics: BriefingDiagnostic[] = [];

  return {
    atStart(startLook = look) {
      look = startLook;
      const load = collect(() => {
        loadFolder(indusHome, OWN_FILES);
        loadFolder(home);
        for (const folder of ancestors(cwd).toReversed()) loadFolder(folder);
      });
      look = LookBudget.unlimited(); // a visit adds no more than a few folders
      given = copyOf(seen);
      return { ...load, docs: load.docs.map(({ path, body }) => ({ path, body })) };
    },
    touched(path) {
      if (!isInside(cwd, path)) return { docs: [], diagnostics: [] };
      const between = ancestors(path).filter((folder) => folder !== cwd && isInside(cwd, folder));
      const load = collect(() => {
        for (const folder of between.toReversed()) loadFolder(folder);
      });
      const withDocs = between.filter(
        (folder) => visited.has(folder) || load.docs.some((doc) => doc.folder === folder),
      );
      for (const folder of withDocs.toReversed()) markVisited(folder);
      return load;
    },
    again() {
      seen = copyOf(given);
      recalled.clear();
      return collect(() => {
        for (const folder of visited) loadFolder(folder);
      });
    },
    recall(shown) {
      seen = copyOf(given);
      visited.clear();
      recalled.clear();
      for (const { source, folder, digest } of shown) {
        markVisited(folder);
        recalled.set(source, digest);
        read.add(source);
      }
    },
    isDocument: (realPath) => read.has(realPath) || awaited.has(realPath),
    files: () => [...read, ...awaited],
  };

  function markVisited(folder: string): void {
    visited.delete(folder);
    visited.add(folder);
  }

  function collect(load: () => void): FolderDocsLoad {
    docs = [];
    diagnostics = [];
    load();
    const { kept, dropped } = fitBudget(docs, maxTotal - seen.bytes);
    for (const { body } of kept) seen.bytes += Buffer.byteLength(body);
    for (const { file } of dropped)
      tell("limit", file, `is omitted: context documents are limited to ${maxTotal} bytes in total`);
    return { docs: kept.map(({ file: _, root: __, ...doc }) => doc), diagnostics };
  }

  function loadFolder(folder: string, names: readonly string[] = CANDIDATE_FILES): void {
    if (seen.folders.has(folder)) return;
    seen.folders.add(folder);
    for (const name of names) {
      const override = name === "AGENTS.md" ? findFile(join(folder, OVERRIDE_FILE)) : undefined;
      const path = join(folder, override ? OVERRIDE_FILE : name);
      const file = override ?? findFile(path);
      if (!file) continue;
      const problem = refuseCandidate(folder, file) ?? heldBack(path) ?? heldBack(file.realPath);
      if (problem === undefined) load(path, file, { folder, root: path, depth: 0 });
      else tell("refused", path, `was not read: ${problem}`);
    }
  }

  /** A candidate may be a link, but a repository's must not lead out of it. */
  function refuseCandidate(folder: string, file: FoundFile): string | undefined {
    const { realPath } = file;
    if (!isInside(workspaceRoot, folder) && !isOurs(file)) return "it belongs to another user";
    if (folder === home || folder === indusHome) return undefined;
    const real = realPathOf(folder);
    // A workspace folder that links outside the workspace contributes no documents of its own.
    if (isInside(workspaceRoot, folder) && !isInside(workspaceRoot, real)) return refusal(realPath);
    return isInside(real, realPath) && !isSecretPath(relative(real, realPath))
      ? undefined
      : refusal(realPath);
  }

  function load(path: string, { realPath }: FoundFile, place: Place): void {
    if (seen.files.has(realPath) || seen.files.size > MAX_FILES) return;
    seen.files.add(realPath);
    read.add(realPath);
    if (seen.files.size > MAX_FILES) {
      tell("limit", path, `and everything after it are omitted: at most ${MAX_FILES} files are read`);
      return;
    }
    if (!look.hasText) {
      tell("limit", path, `is omitted: ${look.words}`);
      return;
    }
    const file = readTextFile(realPath, maxBytes + READ_AHEAD_BYTES, look);
    if (!file.ok) {
      tell("unreadable", path, `was not read: ${file.problem}`);
      return;
    }
    const text = file.text.trim();
    const body = clamp(text, { kind: "head", maxBytes, notice: () => "" });
    if (body.length < text.length || !file.isWhole)
      tell("limit", path, `is longer than ${maxBytes} bytes: only its beginning is used`);
    if (body === "") return;
    const { folder, root } = place;
    if (!seen.texts.has(body))
      add({ path: label(path), body, file: path, source: realPath, folder, digest: digestOf(body), root });
    loadImports(path, body, place); // even for a copy: its imports are relative to its own folder
  }

  function add(doc: LoadedDoc): void {
    const { body, file, source, digest } = doc;
    seen.texts.add(body);
    if (recalled.get(source) === digest) {
      seen.bytes += Buffer.byteLength(body); // already in view
      return;
    }
    const invisible = describeInvisible(body);
    if (invisible !== undefined)
      tell("invisible", file, `contains text that only the model can see (${invisible})`);
    docs.push(doc);
  }

  function loadImports(from: string, body: string, { folder, root, depth }: Place): void {
    const absent: string[] = [];
    const targets = scanImports(body);
    if (targets.length > MAX_IMPORTS_PER_DOC)
      tell(
        "limit",
        from,
        `has ${targets.length} imports: only the first ${MAX_IMPORTS_PER_DOC} are followed`,
      );
    for (const target of targets.slice(0, MAX_IMPORTS_PER_DOC)) {
      const path = resolveImport(target, dirname(from));
      const file = path === undefined ? undefined : findFile(path);
      if (path !== undefined && !file && awaited.size < MAX_FILES) awaited.add(realPlace(path));
      const isFile = path !== undefined && file && !file.stats.isDirectory();
      // Most apparent imports are names in a sentence (`@alice`).
      if (!isFile && WRITTEN_AS_PATH.test(target)) absent.push(`@${brief(target)}`);
      if (!isFile || seen.files.has(file.realPath)) continue;
      const problem = refusal(file.realPath) ?? heldBack(file.realPath);
      if (problem !== undefined) tell("refused", from, `imports @${target}, which was not read: ${problem}`);
      else if (depth < maxDepth) load(path, file, { folder, root, depth: depth + 1 });
      else tell("limit", from, `imports @${target}, which was not read: it is ${depth + 1} imports deep`);
    }
    if (absent.length > 0) {
      const more = absent.length > MAX_ABSENT ? [`${absent.length - MAX_ABSENT} more`] : [];
      tell(
        "absent",
        from,
        `imports what is no file: ${[...absent.slice(0, MAX_ABSENT), ...more].join(", ")}`,
      );
    }
  }

  function resolveImport(target: string, folder: string): string | undefined {
    if (target.includes("\0")) return undefined;
    if (target.startsWith("~/")) return join(home, target.slice(2));
    return isAbsolute(target) ? resolve(target) : resolve(folder, target);
  }

  function tell(kind: BriefingDiagnosticKind, path: string, what: string): void {
    diagnostics.push({ kind, path, message: `${label(path)} ${what}` });
  }

  function label(path: string): string {
    return documentLabel(path, { cwd, home });
  }
}

/** What was already given. */
interface Seen {
  readonly files: Set<string>;
  readonly folders: Set<string>;
  readonly texts: Set<string>;
  bytes: number;
}

const NOTHING: Seen = { files: new Set(), folders: new Set(), texts: new Set(), bytes: 0 };

function copyOf({ files, folders, texts, bytes }: Seen): Seen {
  return { files: new Set(files), folders: new Set(folders), texts: new Set(texts), bytes };
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, DIGEST_LENGTH);
}

const DIGEST_LENGTH = 32;

/** Keeps what is closest to the work: the last candidates first, each before its imports. The order is preserved. */
function fitBudget(
  docs: readonly LoadedDoc[],
  maxBytes: number,
): { readonly kept: readonly LoadedDoc[]; readonly dropped: readonly LoadedDoc[] } {
  const roots = [...new Set(docs.map(({ root }) => root))].reverse();
  const kept = new Set<LoadedDoc>();
  let bytesLeft = maxBytes;
  for (const doc of roots.flatMap((root) => docs.filter((one) => one.root === root))) {
    const bytes = Buffer.byteLength(doc.body);
    if (bytes > bytesLeft) continue;
    kept.add(doc);
    bytesLeft -= bytes;
  }
  return { kept: docs.filter((doc) => kept.has(doc)), dropped: docs.filter((doc) => !kept.has(doc)) };
}
