// What is remembered about the person and a folder, as a feature reads and changes it.

export type MemoryScope = "project" | "user";

/** One remembered line. */
export interface MemoryEntry {
  readonly scope: MemoryScope;
  readonly text: string;
}

export interface MemoryReader {
  /** The last 50 entries that contain every word, ignoring case; without words, the last 50 of all. */
  readonly search: (words?: string, scope?: MemoryScope) => Promise<readonly MemoryEntry[]>;
}

/** Rejects an entry that cannot be kept as is: it must be one line, visible to a person, and not there already. */
export interface MemoryStore extends MemoryReader {
  readonly add: (text: string, scope?: MemoryScope) => Promise<void>;
  /** `old` is a whole entry; an empty text removes it. */
  readonly replace: (old: string, text: string, scope?: MemoryScope) => Promise<void>;
}
