// Which addons the person trusts, and what each was granted: `trust.json` in the home folder, by content hash. Only the
// person's answer writes here; nothing in a repository can.

import { randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describeError, errorCode, nowMs } from "indusagi/core";
import type { FeatureId, HostCapability } from "../feature/contract.ts";
import { isHostCapability } from "./capability-kinds.ts";
import { withFileLock } from "./file-lock.ts";

/** One trusted content. */
export interface TrustGrant {
  /** SHA-256 in hexadecimal, see `content-hash.ts`. */
  readonly hash: string;
  /** `project:safety`. */
  readonly id: FeatureId;
  /** Where it lay when it was trusted; for people, trust does not depend on it. */
  readonly path: string;
  readonly granted: readonly HostCapability[];
  /** When, in ISO 8601 and UTC. */
  readonly at: string;
}

/** The grant store. Reading never rejects: a file that cannot be used counts as empty and is a problem to tell. */
export interface Trust {
  readonly lookup: (hash: string) => Promise<TrustGrant | undefined>;
  readonly list: () => Promise<readonly TrustGrant[]>;
  /** Stores a grant durably; replaces one of the same hash. Rejects when the home folder cannot be written. */
  readonly grant: (grant: Omit<TrustGrant, "at">) => Promise<void>;
  /** Removes the grants with this id (`safety`, `project:safety`), or whose hash begins so (8 digits at least); answers what was removed. */
  readonly revoke: (idOrPrefix: string) => Promise<readonly TrustGrant[]>;
  /** One line for each thing that was wrong with the file so far. */
  readonly problems: () => readonly string[];
}

const TRUST_FILENAME = "trust.json";
const MIN_PREFIX_LENGTH = 8;

type Grants = ReadonlyMap<string, TrustGrant>;

/** The store of one home folder. It reads the file once, and again under the lock before each change. */
export function createTrust({ home }: { readonly home: string }): Trust {
  const path = join(home, TRUST_FILENAME);
  const problems: string[] = [];
  let known: Promise<Grants> | undefined;
  const grants = (): Promise<Grants> => {
    known ??= open();
    return known;
  };

  return {
    lookup: async (hash) => (await grants()).get(hash),
    list: async () => [...(await grants()).values()],
    problems: () => problems,
    async grant(wanted) {
      const grant = { ...wanted, at: new Date(nowMs()).toISOString() };
      await change((stored) => stored.set(grant.hash, grant));
    },
    async revoke(idOrPrefix) {
      const removed: TrustGrant[] = [];
      await change((stored) => {
        removed.push(...[...stored.values()].filter((grant) => isMeant(grant, idOrPrefix)));
        for (const { hash } of removed) stored.delete(hash);
      });
      return removed;
    },
  };

  async function open(): Promise<Grants> {
    const read = readGrants(path);
    if (read.kind === "ok") return read.grants;
    if (read.kind === "unreadable") {
      problems.push(`${path} cannot be read (${read.problem}): no addon counts as trusted`);
      return new Map();
    }
    try {
      return await withFileLock(`${path}.lock`, readOrMoveAside);
    } catch (error) {
      problems.push(`${path} is damaged (${read.problem}) and stays: ${describeError(error)}`);
      return new Map();
    }
  }

  async function change(edit: (stored: Map<string, TrustGrant>) => void): Promise<void> {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const changed = await withFileLock(`${path}.lock`, (isMine) => {
      const stored = new Map(readOrMoveAside());
      edit(stored);
      writeGrants(path, stored, isMine);
      return stored;
    });
    known = Promise.resolve(changed);
  }

  /** Called under the lock. A damaged file is kept for the person, beside its place. */
  function readOrMoveAside(): Grants {
    const read = readGrants(path);
    if (read.kind === "ok") return read.grants;
    if (read.kind === "unreadable") throw new Error(`${path} cannot be read: ${read.problem}`);
    const aside = `${path}.damaged-${nowMs()}`;
    renameSync(path, aside);
    problems.push(
      `${path} was damaged (${read.problem}): no addon counts as trusted; it was moved to ${aside}`,
    );
    return new Map();
  }
}

function isMeant({ id, hash }: TrustGrant, idOrPrefix: string): boolean {
  const isId = id === idOrPrefix || id.slice(id.indexOf(":") + 1) === idOrPrefix;
  return isId || (idOrPrefix.length >= MIN_PREFIX_LENGTH && hash.startsWith(idOrPrefix));
}

type ReadGrants =
  | { readonly kind: "ok"; readonly grants: Grants }
  | { readonly kind: "unreadable" | "damaged"; readonly problem: string };

function readGrants(path: string): ReadGrants {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { kind: "ok", grants: new Map() };
    return { kind: "unreadable", problem: describeError(error) };
  }
  try {
    return { kind: "ok", grants: parseGrants(JSON.parse(text)) };
  } catch (error) {
    return { kind: "damaged", problem: describeError(error) };
  }
}

/** `{ "version": 1, "trusted": { "<hash>": { "id", "path", "granted", "at" } } }`. Throws where it is anything else. */
function parseGrants(content: unknown): Grants {
  if (!isObject(content) || content.version !== 1 || !isObject(content.trusted))
    throw new Error('expected "version": 1 and a table "trusted"');
  return new Map(
    Object.entries(content.trusted).map(([hash, entry]) => {
      if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error("a key is not a content hash");
      if (!isObject(entry)) throw new Error(`the entry of ${hash} is not a table`);
      const { id, path, granted, at } = entry;
      const isGood =
        isFeatureId(id) &&
        typeof path === "string" &&
        typeof at === "string" &&
        Array.isArray(granted) &&
        granted.every(isHostCapability);
      if (!isGood) throw new Error(`the entry of ${hash} is incomplete`);
      return [hash, { hash, id, path, granted, at }];
    }),
  );
}

/** Whole or not at all: written beside, flushed, renamed. */
function writeGrants(path: string, grants: Grants, isMine: () => boolean): void {
  const trusted = Object.fromEntries([...grants].map(([hash, { hash: _, ...entry }]) => [hash, entry]));
  const draft = `${path}.${randomUUID()}`;
  try {
    const file = openSync(draft, "wx", 0o600);
    try {
      writeFileSync(file, `${JSON.stringify({ version: 1, trusted }, null, 2)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (!isMine())
      throw new Error(`${path} was not changed: this process was stopped for too long; try again`);
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

function isFeatureId(value: unknown): value is FeatureId {
  return typeof value === "string" && /^(?:user|project|plugin):./.test(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
