// One reading of folders' documents and their imports. Never throws: what cannot be used becomes a diagnostic, and the rest is used.

import { join } from "node:path";
import { brief, clamp } from "indusagi/core";
import type { LookBudget } from "../store/look-budget.ts";
import type { BriefingDiagnostic, BriefingDiagnosticKind, ContextDoc } from "./contract.ts";
import { CANDIDATE_FILES, type DocumentReach, OVERRIDE_FILE } from "./document-reach.ts";
import { readFrontmatter } from "./frontmatter.ts";
import { scanImports } from "./import-scan.ts";
import { describeInvisible } from "./invisible-text.ts";
import type { RuleFile } from "./rule-files.ts";
import { type DocsMemory, digestOf, type ShownDoc } from "./shown-docs.ts";
import { type FoundFile, findFile, readTextFile, realPlace } from "./text-file.ts";

// Leading blanks are trimmed before the clamp; no honest document starts with more than this.
const READ_AHEAD_BYTES = 65_536;
// Both only stop a hostile tree: a document of nothing but imports, or documents that import each other endlessly.
const MAX_IMPORTS_PER_DOC = 100;
const MAX_FILES = 256;
/** How many imports of a document that lead nowhere are named. */
const MAX_ABSENT = 5;

const WRITTEN_AS_PATH = /^(?:~|\.{0,2})\/|\.(?:md|mdx|txt)$/i;

/** A document added by a visit to its folder. */
export interface FolderDoc extends ContextDoc, ShownDoc {}

export interface FolderDocsLoad {
  readonly docs: readonly FolderDoc[];
  readonly diagnostics: readonly BriefingDiagnostic[];
}

/** A document, the path it was found at, and the candidate its imports lead back to. */
interface LoadedDoc extends FolderDoc {
  readonly file: string;
  readonly root: string;
}

/** Which document an import was reached from, and how deep it is. */
interface Place {
  readonly folder: string;
  readonly root: string;
  readonly depth: number;
  /** It begins with a header, which is not for the model. */
  readonly hasHeader?: true;
}

export interface DocsLimits {
  readonly maxDepth: number;
  /** Of one document, and of all that a session is given. */
  readonly maxBytes: number;
  readonly maxTotal: number;
}

export class DocsReading {
  readonly #reach: DocumentReach;
  readonly #limits: DocsLimits;
  readonly #memory: DocsMemory;
  readonly #look: LookBudget;
  readonly #docs: LoadedDoc[] = [];
  readonly #diagnostics: BriefingDiagnostic[] = [];

  constructor(reach: DocumentReach, limits: DocsLimits, memory: DocsMemory, look: LookBudget) {
    this.#reach = reach;
    this.#limits = limits;
    this.#memory = memory;
    this.#look = look;
  }

  folder(folder: string, names: readonly string[] = CANDIDATE_FILES): void {
    const { folders } = this.#memory.given;
    if (folders.has(folder)) return;
    folders.add(folder);
    for (const name of names) {
      const override = name === "AGENTS.md" ? findFile(join(folder, OVERRIDE_FILE)) : undefined;
      const path = join(folder, override ? OVERRIDE_FILE : name);
      const file = override ?? findFile(path);
      if (!file) continue;
      const problem = this.#reach.candidateProblem(folder, path, file);
      if (problem === undefined) this.#load(path, file, { folder, root: path, depth: 0 });
      else this.#tell("refused", path, `was not read: ${problem}`);
    }
  }

  /** A rule, without its header. */
  rule(rule: RuleFile): void {
    const { path, base } = rule;
    const file = findFile(path);
    if (!file) return; // removed since it was found
    const problem = this.#reach.ruleProblem(rule, file);
    if (problem === undefined)
      this.#load(path, file, { folder: base, root: path, depth: 0, hasHeader: true });
    else this.#tell("refused", path, `was not read: ${problem}`);
  }

  /** What was read, as far as there is room for it. */
  result(): FolderDocsLoad {
    const { given } = this.#memory;
    const { maxTotal } = this.#limits;
    const { kept, dropped } = fitBudget(this.#docs, maxTotal - given.bytes);
    for (const { body } of kept) given.bytes += Buffer.byteLength(body);
    for (const { file } of dropped)
      this.#tell("limit", file, `is omitted: context documents are limited to ${maxTotal} bytes in total`);
    return { docs: kept.map(({ file: _, root: __, ...doc }) => doc), diagnostics: this.#diagnostics };
  }

  #load(path: string, { realPath }: FoundFile, place: Place): void {
    const { given, read } = this.#memory;
    const { maxBytes } = this.#limits;
    if (given.files.has(realPath) || given.files.size > MAX_FILES) return;
    given.files.add(realPath);
    read.add(realPath);
    if (given.files.size > MAX_FILES) {
      this.#tell("limit", path, `and everything after it are omitted: at most ${MAX_FILES} files are read`);
      return;
    }
    if (!this.#look.hasText) {
      this.#tell("limit", path, `is omitted: ${this.#look.words}`);
      return;
    }
    const file = readTextFile(realPath, maxBytes + READ_AHEAD_BYTES, this.#look);
    if (!file.ok) {
      this.#tell("unreadable", path, `was not read: ${file.problem}`);
      return;
    }
    const text = (place.hasHeader ? readFrontmatter(file.text, this.#look).body : file.text).trim();
    const body = clamp(text, { kind: "head", maxBytes, notice: () => "" });
    if (body.length < text.length || !file.isWhole)
      this.#tell("limit", path, `is longer than ${maxBytes} bytes: only its beginning is used`);
    if (body === "") return;
    const { folder, root } = place;
    if (!given.texts.has(body)) {
      const label = this.#reach.label(path);
      this.#add({ path: label, body, file: path, source: realPath, folder, digest: digestOf(body), root });
    }
    this.#loadImports(path, body, place); // even for a copy: its imports are relative to its own folder
  }

  #add(doc: LoadedDoc): void {
    const { body, file } = doc;
    const { given } = this.#memory;
    given.texts.add(body);
    if (this.#memory.isRecalled(doc)) {
      given.bytes += Buffer.byteLength(body); // already in view
      return;
    }
    const invisible = describeInvisible(body);
    if (invisible !== undefined)
      this.#tell("invisible", file, `contains text that only the model can see (${invisible})`);
    this.#docs.push(doc);
  }

  #loadImports(from: string, body: string, place: Place): void {
    const targets = scanImports(body);
    if (targets.length > MAX_IMPORTS_PER_DOC)
      this.#tell(
        "limit",
        from,
        `has ${targets.length} imports: only the first ${MAX_IMPORTS_PER_DOC} are followed`,
      );
    const absent: string[] = [];
    for (const target of targets.slice(0, MAX_IMPORTS_PER_DOC)) {
      const path = this.#reach.importedPath(target, from);
      const file = path === undefined ? undefined : findFile(path);
      if (path !== undefined && !file && this.#memory.awaited.size < MAX_FILES)
        this.#memory.awaited.add(realPlace(path));
      if (path !== undefined && file && !file.stats.isDirectory())
        this.#import(target, from, { path, file, place });
      // Most apparent imports are names in a sentence (`@alice`).
      else if (WRITTEN_AS_PATH.test(target)) absent.push(`@${brief(target)}`);
    }
    if (absent.length === 0) return;
    const more = absent.length > MAX_ABSENT ? [`${absent.length - MAX_ABSENT} more`] : [];
    const named = [...absent.slice(0, MAX_ABSENT), ...more].join(", ");
    this.#tell("absent", from, `imports paths that are not files: ${named}`);
  }

  #import(
    target: string,
    from: string,
    { path, file, place }: { readonly path: string; readonly file: FoundFile; readonly place: Place },
  ): void {
    if (this.#memory.given.files.has(file.realPath)) return;
    const depth = place.depth + 1;
    const notRead = `imports @${target}, which was not read`;
    const problem = this.#reach.importProblem(file);
    if (problem !== undefined) this.#tell("refused", from, `${notRead}: ${problem}`);
    else if (depth <= this.#limits.maxDepth) {
      const { folder, root } = place;
      this.#load(path, file, { folder, root, depth });
    } else this.#tell("limit", from, `${notRead}: it is ${depth} imports deep`);
  }

  #tell(kind: BriefingDiagnosticKind, path: string, what: string): void {
    this.#diagnostics.push({ kind, path, message: `${this.#reach.label(path)} ${what}` });
  }
}

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
