// Which addons are in quarantine: `quarantine.json` in the home folder, by content hash, so that a changed addon starts
// afresh. The product adds an addon that failed too often; only the person takes one out.

import { statSync } from "node:fs";
import { describeError, errorCode, isoNow } from "indusagi/core";
import { HOME_FILES, homePath } from "../../store/home-files.ts";
import { readJson } from "../../store/json.ts";
import { updateFile } from "../../store/replace-file.ts";
import { keptAs } from "../source/addon-names.ts";

/** One addon that does not run. */
export interface QuarantineEntry {
  readonly hash: string;
  /** What it is called. */
  readonly id: string;
  /** Its path at that time; for people. */
  readonly path: string;
  /** The last of its faults. */
  readonly why: string;
  /** When, in ISO 8601 and UTC. */
  readonly at: string;
}

/** The store of one home folder. An unusable file counts as empty: then nothing is in quarantine. */
export interface Quarantine {
  /** Rereads the file when it has changed, so that a restart in another terminal is seen here. */
  readonly find: (hash: string) => QuarantineEntry | undefined;
  readonly list: () => readonly QuarantineEntry[];
  /** Rejects if the home folder cannot be written. */
  readonly add: (entry: Omit<QuarantineEntry, "at">) => Promise<void>;
  /** Removes every entry with this name or hash; returns the removed ones. */
  readonly release: (idOrHash: string) => Promise<readonly QuarantineEntry[]>;
}

const FILE = HOME_FILES.quarantine;

export function createQuarantine({ home }: { readonly home: string }): Quarantine {
  const path = homePath(home, "quarantine");
  let known: { readonly stamp: string; readonly entries: ReadonlyMap<string, QuarantineEntry> } | undefined;
  const entries = (): ReadonlyMap<string, QuarantineEntry> => {
    const stamp = stampOf(path);
    if (known?.stamp !== stamp) known = { stamp, entries: readEntries(path) };
    return known.entries;
  };
  return {
    find: (hash) => entries().get(hash),
    list: () => [...entries().values()],
    add: (entry) =>
      change((stored) => {
        stored.set(entry.hash, { ...entry, at: isoNow() });
      }),
    async release(idOrHash) {
      const released: QuarantineEntry[] = [];
      await change((stored) => {
        const named = stored.get(idOrHash) ? [] : keptAs([...stored.values()], idOrHash);
        for (const [hash, entry] of stored) {
          if (!named.includes(entry) && hash !== idOrHash) continue;
          released.push(entry);
          stored.delete(hash);
        }
      });
      return released;
    },
  };

  function change(edit: (stored: Map<string, QuarantineEntry>) => void): Promise<void> {
    return updateFile(path, () => {
      const stored = new Map(readEntries(path));
      edit(stored);
      const content = { version: FILE.version, quarantined: [...stored.values()] };
      return `${JSON.stringify(content, null, 2)}\n`;
    });
  }
}

function stampOf(path: string): string {
  const info = statSync(path, { throwIfNoEntry: false, bigint: true });
  return info ? `${info.mtimeNs} ${info.size} ${info.ino}` : "";
}

function readEntries(path: string): ReadonlyMap<string, QuarantineEntry> {
  try {
    const content = readJson(path, FILE.maxBytes);
    const list = (content as { readonly quarantined?: unknown } | null)?.quarantined;
    if (!Array.isArray(list)) throw new Error('expected a list "quarantined"');
    return new Map(list.filter(isEntry).map((entry) => [entry.hash, entry]));
  } catch (error) {
    if (errorCode(error) !== "ENOENT") process.emitWarning(`${path} is ignored: ${describeError(error)}`);
    return new Map();
  }
}

function isEntry(value: unknown): value is QuarantineEntry {
  const texts = value as Readonly<Record<string, unknown>> | null;
  return (
    typeof texts === "object" &&
    texts !== null &&
    ["hash", "id", "path", "why", "at"].every((key) => typeof texts[key] === "string")
  );
}
