// Which addons the person trusts, what each was granted, and which were refused: `trust.json` in the home folder, by
// content hash. Only the person's answer writes here; nothing in a repository can.

import { lstatSync, realpathSync, renameSync, statSync } from "node:fs";
import { describeError, errorCode, isoNow, isTable, nowMs } from "indusagi/core";
import type { FeatureId, HostCapability } from "../../feature/descriptor.ts";
import { HOME_FILES, homePath } from "../../store/home-files.ts";
import { readJson } from "../../store/json.ts";
import { withLock } from "../../store/lock.ts";
import { updateFile } from "../../store/replace-file.ts";
import { TextError } from "../../store/text-error.ts";
import { keptAs } from "./addon-names.ts";
import { isHostCapability } from "./capability-kinds.ts";

/** One trusted content. */
export interface TrustGrant {
  /** SHA-256 in hexadecimal, see `content-hash.ts`. */
  readonly hash: string;
  /** `project:safety`. */
  readonly id: FeatureId;
  /** Its path when it was trusted; for people, trust does not depend on it. */
  readonly path: string;
  readonly granted: readonly HostCapability[];
  /** When, in ISO 8601 and UTC. */
  readonly at: string;
}

/** One content that the person refused. */
export type TrustRefusal = Omit<TrustGrant, "granted">;

/** The grant store. Reading never rejects: an unusable file counts as empty and is reported as a problem. */
export interface Trust {
  readonly lookup: (hash: string) => Promise<TrustGrant | undefined>;
  readonly list: () => Promise<readonly TrustGrant[]>;
  /** What the person answered `no` to, so that the question is not repeated. */
  readonly refusal: (hash: string) => Promise<TrustRefusal | undefined>;
  readonly listRefusals: () => Promise<readonly TrustRefusal[]>;
  /** Stores a grant durably; replaces one of the same hash. Rejects if the home folder cannot be written. */
  readonly grant: (grant: Omit<TrustGrant, "at">) => Promise<void>;
  /** Stores a refusal durably; removes a grant of the same hash. Rejects if the home folder cannot be written. */
  readonly refuse: (refusal: Omit<TrustRefusal, "at">) => Promise<void>;
  /**
   * Removes the grants and refusals with this name (`safety`, `project:safety`, its file or folder) or a hash that begins
   * so (at least 8 digits); returns what was removed.
   */
  readonly revoke: (idOrPrefix: string) => Promise<readonly TrustRefusal[]>;
  /** One line for each problem found in the file so far. */
  readonly problems: () => readonly string[];
}

const FILE = HOME_FILES.trust;
const MIN_PREFIX_LENGTH = 8;

interface Answers {
  readonly trusted: ReadonlyMap<string, TrustGrant>;
  readonly refused: ReadonlyMap<string, TrustRefusal>;
}

/** The answers while they are being changed. */
interface Draft {
  readonly trusted: Map<string, TrustGrant>;
  readonly refused: Map<string, TrustRefusal>;
}

const NO_ANSWERS: Answers = { trusted: new Map(), refused: new Map() };

/** The store of one home folder. It reads the file once, and again under the lock before each change. */
export function createTrust({ home }: { readonly home: string }): Trust {
  const path = throughLink(homePath(home, "trust"));
  const problems: string[] = [];
  let known: Promise<Answers> | undefined;
  const answers = (): Promise<Answers> => {
    known ??= open();
    return known;
  };

  return {
    lookup: async (hash) => (await answers()).trusted.get(hash),
    list: async () => [...(await answers()).trusted.values()],
    refusal: async (hash) => (await answers()).refused.get(hash),
    listRefusals: async () => [...(await answers()).refused.values()],
    problems: () => problems,
    async grant(wanted) {
      const grant = { ...wanted, at: isoNow() };
      await change(({ trusted, refused }) => {
        trusted.set(grant.hash, grant);
        refused.delete(grant.hash);
      });
    },
    async refuse(unwanted) {
      const refusal = { ...unwanted, at: isoNow() };
      await change(({ trusted, refused }) => {
        refused.set(refusal.hash, refusal);
        trusted.delete(refusal.hash);
      });
    },
    async revoke(idOrPrefix) {
      const removed: TrustRefusal[] = [];
      await change((draft) => {
        for (const stored of [draft.trusted, draft.refused]) {
          const meant = meantBy(idOrPrefix, [...stored.values()]);
          for (const { hash } of meant) stored.delete(hash);
          removed.push(...meant);
        }
      });
      return removed;
    },
  };

  async function open(): Promise<Answers> {
    const read = readAnswers(path);
    if (read.kind === "ok") return read.answers;
    if (read.kind === "unreadable") {
      problems.push(`${path} cannot be read (${read.problem}): no addon is trusted`);
      return NO_ANSWERS;
    }
    try {
      return await withLock(`${path}.lock`, readOrMoveAside);
    } catch (error) {
      problems.push(`${path} is damaged (${read.problem}) and was not moved aside: ${describeError(error)}`);
      return NO_ANSWERS;
    }
  }

  async function change(edit: (draft: Draft) => void): Promise<void> {
    let changed = NO_ANSWERS;
    await updateFile(path, () => {
      const { trusted, refused } = readOrMoveAside();
      const draft = { trusted: new Map(trusted), refused: new Map(refused) };
      edit(draft);
      changed = draft;
      return textOf(draft);
    });
    known = Promise.resolve(changed);
  }

  /** Called under the lock. A damaged file is kept for the person, next to the original path. */
  function readOrMoveAside(): Answers {
    const read = readAnswers(path);
    if (read.kind === "ok") return read.answers;
    if (read.kind === "unreadable") throw new Error(`${path} cannot be read: ${read.problem}`);
    const aside = `${path}.damaged-${nowMs()}`;
    renameSync(path, aside);
    problems.push(`${path} was damaged (${read.problem}): no addon is trusted; it was moved to ${aside}`);
    return NO_ANSWERS;
  }
}

/** The file that a symlink leads to which the person put in its place, so that the link stays. */
function throughLink(path: string): string {
  try {
    return lstatSync(path).isSymbolicLink() && statSync(path).isFile() ? realpathSync(path) : path;
  } catch {
    return path; // there is no file, or the link leads nowhere
  }
}

function meantBy(idOrPrefix: string, answers: readonly TrustRefusal[]): readonly TrustRefusal[] {
  const named = keptAs(answers, idOrPrefix);
  if (named.length > 0 || idOrPrefix.length < MIN_PREFIX_LENGTH) return named;
  return answers.filter(({ hash }) => hash.startsWith(idOrPrefix));
}

type ReadAnswers =
  | { readonly kind: "ok"; readonly answers: Answers }
  | { readonly kind: "unreadable" | "damaged"; readonly problem: string };

function readAnswers(path: string): ReadAnswers {
  let content: unknown;
  try {
    content = readJson(path, FILE.maxBytes, { followsLinks: true });
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { kind: "ok", answers: NO_ANSWERS };
    const kind = error instanceof TextError ? "damaged" : "unreadable";
    return { kind, problem: describeError(error) };
  }
  try {
    return { kind: "ok", answers: parseAnswers(content) };
  } catch (error) {
    return { kind: "damaged", problem: describeError(error) };
  }
}

/**
 * `{ "version": 1, "trusted": { "<hash>": { "id", "path", "granted", "at" } }, "refused": { … } }`, where a refusal has no
 * "granted" and "refused" may be missing. Throws for anything else.
 */
function parseAnswers(content: unknown): Answers {
  if (!isTable(content) || content.version !== FILE.version || !isTable(content.trusted))
    throw new Error('expected "version": 1 and a table "trusted"');
  const { trusted, refused = {} } = content;
  if (!isTable(refused)) throw new Error('expected a table "refused"');
  return {
    trusted: parseEntries(trusted, (entry, refusal) => {
      const { granted } = entry;
      if (!Array.isArray(granted) || !granted.every(isHostCapability)) return undefined;
      return { ...refusal, granted };
    }),
    refused: parseEntries(refused, (_entry, refusal) => refusal),
  };
}

function parseEntries<Answer>(
  table: Readonly<Record<string, unknown>>,
  read: (entry: Readonly<Record<string, unknown>>, refusal: TrustRefusal) => Answer | undefined,
): ReadonlyMap<string, Answer> {
  return new Map(
    Object.entries(table).map(([hash, entry]) => {
      if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error("a key is not a content hash");
      if (!isTable(entry)) throw new Error(`the entry of ${hash} is not a table`);
      const { id, path, at } = entry;
      const isGood = isFeatureId(id) && typeof path === "string" && typeof at === "string";
      const answer = isGood ? read(entry, { hash, id, path, at }) : undefined;
      if (!answer) throw new Error(`the entry of ${hash} is incomplete`);
      return [hash, answer];
    }),
  );
}

function textOf(answers: Answers): string {
  const table = (stored: ReadonlyMap<string, TrustRefusal>) =>
    Object.fromEntries([...stored].map(([hash, { hash: _, ...entry }]) => [hash, entry]));
  const content = { version: FILE.version, trusted: table(answers.trusted), refused: table(answers.refused) };
  return `${JSON.stringify(content, null, 2)}\n`;
}

function isFeatureId(value: unknown): value is FeatureId {
  return typeof value === "string" && /^(?:user|project|plugin):./.test(value);
}
