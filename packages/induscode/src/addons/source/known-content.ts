// Remembers what each addon's folder contained when it was last read, so that a start reads only those in which something may have
// changed. As in git's index, what the system says of an entry stands for its bytes: docs/decisions/029.

import { rmSync } from "node:fs";
import { basename, dirname, relative } from "node:path";
import { isTable, nowMs } from "indusagi/core";
import { HOME_FILES, homePath } from "../../store/home-files.ts";
import { readJsonIfGood } from "../../store/json.ts";
import { replaceFile } from "../../store/replace-file.ts";
import { noteUse, removeUnused } from "../../store/unused-entries.ts";
import { type AddonSource, MANIFEST_FILENAME } from "../contract.ts";
import { entriesOf, hashAddon, originOf } from "./content-hash.ts";
import { changedMs, digestOf, isMarked, marksOf } from "./entry-marks.ts";

/** Each hash is {@link hashAddon}'s, and throws what that throws. */
export interface KnownContent {
  /** To decide about an addon: files of packages that are installed in it count as they were, for as long as nothing runs. */
  readonly hash: (source: AddonSource) => string;
  /** Just before it runs: every file counts as it is. */
  readonly hashToRun: (source: AddonSource) => string;
  /** After a load: whether the file that says what the addon is has stayed the one with this hash. A load goes by no other. */
  readonly stillHas: (source: AddonSource, hash: string) => boolean;
}

/** Two changes of an entry can have the same time if they are this close, whatever the file system and its clock. */
const SAME_TIME_MS = 2_000;

/** Some names in a folder and the digest of their marks. */
interface Part {
  /** As one text, which is parsed in a fraction of the time that a list takes. */
  readonly names: string;
  readonly marks: string;
}

/** A folder in one of an installed package, which is another one after each installation. */
const IN_PACKAGE = /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/@][^/]*\//;
/** No name contains it. */
const BETWEEN = "\0";

interface Content {
  readonly hash: string;
  /** The folder itself, every folder and file outside of installed packages, and the folder of each of these. */
  readonly own: Part;
  /** What is in the folders of installed packages: most of a large addon. */
  readonly installed: Part;
}

export function createKnownContent({ home }: { readonly home: string }): KnownContent {
  /** What is compared after the load. */
  const looks = new Map<AddonSource, { readonly hash: string; readonly marks: string | undefined }>();
  const marksOfFile = ({ root, path }: AddonSource): string | undefined =>
    partOf(root, [path === root ? MANIFEST_FILENAME : relative(root, path)])?.marks;

  return {
    hash(source) {
      looks.delete(source);
      const { hash, isKnown } = look(source.root, ["own"]);
      if (isKnown) looks.set(source, { hash, marks: marksOfFile(source) });
      return hash;
    },
    hashToRun: ({ root }) => look(root, ["own", "installed"]).hash,
    stillHas(source, hash) {
      const before = looks.get(source);
      looks.delete(source);
      if (before?.hash !== hash || before.marks === undefined) return hashAddon(source.root) === hash;
      return before.marks === marksOfFile(source);
    },
  };

  /** `isKnown`: whatever changes from now on will have other marks. */
  function look(
    root: string,
    parts: readonly ("installed" | "own")[],
  ): { readonly hash: string; readonly isKnown: boolean } {
    // A single file is read as quickly as what is known of it.
    if (!isMarked(root)) return { hash: hashAddon(root), isKnown: false };
    const path = homePath(home, "addonContent", digestOf(root));
    const known = contentAt(path);
    if (known && parts.every((part) => isAsKnown(root, known[part]))) {
      noteUse(path);
      return { hash: known.hash, isKnown: true };
    }
    const startedMs = nowMs();
    const hash = hashAddon(root);
    const content = contentOf(root, hash, startedMs - SAME_TIME_MS);
    tryToRecord(path, content);
    return { hash, isKnown: content !== undefined };
  }
}

function isAsKnown(root: string, { names, marks }: Part): boolean {
  return partOf(root, names === "" ? [] : names.split(BETWEEN))?.marks === marks;
}

function partOf(root: string, names: readonly string[]): (Part & { readonly changedMs: number }) | undefined {
  const marks = marksOf(root, names);
  return marks && { names: names.join(BETWEEN), marks: digestOf(marks), changedMs: changedMs(marks) };
}

/** Undefined if something in it changed so late that a further change need not show. */
function contentOf(root: string, hash: string, beforeMs: number): Content | undefined {
  const own = [""];
  const installed: string[] = [];
  for (const { name, kind } of entriesOf(root)) {
    const isInstalled = kind === "folder" ? IN_PACKAGE.test(name) : originOf({ name }) === "installed";
    (isInstalled ? installed : own).push(name);
  }
  const [first, second] = [partOf(root, own), partOf(root, installed)];
  if (!first || !second || Math.max(first.changedMs, second.changedMs) >= beforeMs) return undefined;
  return { hash, own: first, installed: second };
}

function contentAt(path: string): Content | undefined {
  const { maxBytes, version } = HOME_FILES.addonContent;
  const found = readJsonIfGood(path, maxBytes);
  if (!isTable(found) || found.version !== version || typeof found.hash !== "string") return undefined;
  const [own, installed] = [parsePart(found.own), parsePart(found.installed)];
  return own && installed && { hash: found.hash, own, installed };
}

function parsePart(value: unknown): Part | undefined {
  if (!isTable(value) || typeof value.names !== "string" || typeof value.marks !== "string") return undefined;
  return { names: value.names, marks: value.marks };
}

/** What is recorded is never of before. A home that cannot be written costs time: each start reads, or what is to run is refused. */
function tryToRecord(path: string, content: Content | undefined): void {
  try {
    if (content) record(path, content);
    else rmSync(path, { force: true });
  } catch {
    return;
  }
}

function record(path: string, { hash, ...content }: Content): void {
  const { version } = HOME_FILES.addonContent;
  const [own, installed] = [content.own, content.installed].map(({ names, marks }) => ({ names, marks }));
  replaceFile(path, JSON.stringify({ version, hash, own, installed }));
  removeUnused(dirname(path), basename(path));
}
