// Entries among the addons that are not addons: reported, because whoever put them there may wonder why they have no effect.

import { lstatSync } from "node:fs";
import { basename } from "node:path";
import {
  ADDON_MANIFEST_FIELD,
  ENTRY_EXTENSIONS,
  MANIFEST_FILENAME,
  PYTHON_EXTENSION,
  PYTHON_INDEX,
} from "../contract.ts";

interface StrayEntry {
  /** Absolute. */
  readonly path: string;
  /** One line that names it. */
  readonly why: string;
  readonly instead: string;
  /** A tool left it behind, and nobody expects it to have an effect. */
  readonly isLeftover: boolean;
}

/** Belongs to the addons next to it, or is for people and their tools. */
const AT_HOME =
  /^(?:readme|license|licence|changelog|notice)\b|\.md$|\.(?:cassette\.jsonl|expect\.toml)$|^(?:package(?:-lock)?|tsconfig|pyrightconfig)\.json$/i;
const LEFTOVERS: Readonly<Record<string, string>> = {
  __pycache__: "a cache that Python made",
  node_modules: "a folder of packages that npm installed",
};

/** Describes an entry that is not an addon; undefined if it needs no mention. */
export function describeStray(path: string): StrayEntry | undefined {
  const name = basename(path);
  if (AT_HOME.test(name)) return undefined;
  const leftover = Object.hasOwn(LEFTOVERS, name) ? LEFTOVERS[name] : undefined;
  if (leftover !== undefined)
    return {
      path,
      why: `${path} is not an addon: it is ${leftover}`,
      instead: "remove it",
      isLeftover: true,
    };
  const { lacks, instead } = shapeOf(path);
  return { path, why: `${path} is not an addon: ${lacks}`, instead, isLeftover: false };
}

function shapeOf(path: string): { readonly lacks: string; readonly instead: string } {
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (info?.isDirectory())
    return {
      lacks: `a folder needs ${MANIFEST_FILENAME}, index.ts or index.js, ${PYTHON_INDEX}, or "${ADDON_MANIFEST_FIELD}" in its package.json`,
      instead: "add one of them, or move it out of the addons folder",
    };
  if (info?.isFile())
    return {
      lacks: `a file must end in one of ${[...ENTRY_EXTENSIONS, PYTHON_EXTENSION].join(", ")}`,
      instead: `put a program of another kind into a folder with a ${MANIFEST_FILENAME} (indus addon new NAME --kind process)`,
    };
  return { lacks: "it is neither a file nor a folder", instead: "remove it" };
}
