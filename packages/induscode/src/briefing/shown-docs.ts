// Which documents a session has been given, so that none is given twice.

import { createHash } from "node:crypto";

/** Which document of which folder was shown, and a digest of its text. */
export interface ShownDoc {
  /** Absolute, without links. */
  readonly source: string;
  /** The folder that was visited. */
  readonly folder: string;
  readonly digest: string;
}

/** What was already given. */
export class GivenDocs {
  readonly files: Set<string>;
  readonly folders: Set<string>;
  readonly texts: Set<string>;
  bytes: number;

  constructor(before?: GivenDocs) {
    this.files = new Set(before?.files);
    this.folders = new Set(before?.folders);
    this.texts = new Set(before?.texts);
    this.bytes = before?.bytes ?? 0;
  }
}

/** What a session remembers of its documents, from one reading to the next. */
export class DocsMemory {
  /** From the start. */
  #atStart = new GivenDocs();
  /** The same, and what visits added. */
  given: GivenDocs = new GivenDocs();
  /** Real paths of everything ever read, even if forgotten since. */
  readonly read = new Set<string>();
  /** Imports that do not exist yet; they will be read once they do. */
  readonly awaited = new Set<string>();
  /** Folders with documents, most recently visited last. */
  readonly visited = new Set<string>();
  /** Real paths of the rules about what was visited. */
  readonly rules = new Set<string>();
  /** Digests of what an earlier process showed. */
  readonly #recalled = new Map<string, string>();

  /** What is given by now is from the start: forgetting the visits keeps it. */
  keepStart(): void {
    this.#atStart = new GivenDocs(this.given);
  }

  forgetVisits(): void {
    this.given = new GivenDocs(this.#atStart);
    this.#recalled.clear();
  }

  recall(shown: Iterable<ShownDoc>): void {
    this.forgetVisits();
    this.visited.clear();
    this.rules.clear();
    for (const doc of shown) {
      this.visit(doc.folder);
      this.#remember(doc);
    }
  }

  /** After {@link recall}: rules belong to no folder that was visited. */
  recallRules(shown: Iterable<ShownDoc>): void {
    for (const doc of shown) {
      this.rules.add(doc.source);
      this.#remember(doc);
    }
  }

  #remember({ source, digest }: ShownDoc): void {
    this.#recalled.set(source, digest);
    this.read.add(source);
  }

  isRecalled({ source, digest }: ShownDoc): boolean {
    return this.#recalled.get(source) === digest;
  }

  visit(folder: string): void {
    this.visited.delete(folder);
    this.visited.add(folder);
  }
}

export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, DIGEST_LENGTH);
}

const DIGEST_LENGTH = 32;
