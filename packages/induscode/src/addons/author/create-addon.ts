// `indus addon new`: writes a small working addon where addons are looked for. It never overwrites anything.

import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { MANIFEST_FILENAME } from "../contract.ts";
import { deriveAddonId, discoverAddons } from "../source/discover.ts";
import { isAddonId } from "../source/manifest.ts";
import { exists } from "../source/on-disk.ts";
import { type AuthorKind, TEMPLATES, underName } from "./addon-templates.ts";
import { leadsOut } from "./outside-link.ts";

export interface CreateOptions {
  readonly kind: AuthorKind;
  /** Where addons are looked for: `<workspace>/.indus/addons`, or the home folder's `addons`. Created if missing. */
  readonly folder: string;
  /** `folder` must not resolve to a path outside this one: a repository's link must not choose where files are written. */
  readonly within: string;
  /** The folder of the templates. */
  readonly templates: string;
}

export type CreatedAddon =
  | {
      readonly ok: true;
      /** What `check`, `test` and `dev` take: a folder or a file. */
      readonly path: string;
      readonly files: readonly string[];
    }
  | { readonly ok: false; readonly problem: string };

/** Writes the addon. Throws the system's error if writing fails. */
export function createAddon(name: string, { kind, folder, within, templates }: CreateOptions): CreatedAddon {
  const problem = nameProblem(name) ?? leadsOut(folder, within);
  if (problem !== undefined) return { ok: false, problem };
  const files = TEMPLATES[kind].map((file) => ({
    source: join(templates, kind, file.path),
    target: join(folder, underName(file.path, name)),
    file,
  }));
  const taken = takenBy(folder, name) ?? files.find(({ target }) => exists(target))?.target;
  if (taken !== undefined) return { ok: false, problem: takenProblem(taken) };
  for (const { source, target, file } of files) {
    mkdirSync(dirname(target), { recursive: true });
    const bytes = readFileSync(source);
    const content = file.isBinary ? bytes : underName(bytes.toString("utf8"), name);
    writeFileSync(target, content, { flag: "wx" });
    if (file.isExecutable) chmodSync(target, 0o755); // the umask reduces the mode given at creation
  }
  const [first] = files;
  const isFolder = first !== undefined && dirname(first.target) !== folder;
  const path = isFolder ? dirname(first.target) : (first?.target ?? folder);
  return { ok: true, path, files: files.map(({ target }) => target) };
}

/** Whoever else uses the machine has no business with what an addon is told. */
const PRIVATE = 0o600;

/** Writes an addon that is a manifest. Throws the system's error if writing fails. */
export function writeAddon(
  name: string,
  manifest: string,
  { folder, within }: Pick<CreateOptions, "folder" | "within">,
): CreatedAddon {
  const taken = takenBy(folder, name);
  const problem = nameProblem(name) ?? leadsOut(folder, within) ?? (taken && takenProblem(taken));
  if (problem !== undefined) return { ok: false, problem };
  const path = join(folder, name);
  const file = join(path, MANIFEST_FILENAME);
  mkdirSync(path, { recursive: true });
  writeFileSync(file, manifest, { flag: "wx", mode: PRIVATE });
  return { ok: true, path, files: [file] };
}

function nameProblem(name: string): string | undefined {
  if (isAddonId(name)) return undefined;
  return `"${name}" is not an addon name: use at most 100 letters, digits, . _ -, beginning with a letter or digit, and not like a content hash`;
}

function takenProblem(path: string): string {
  return `${path} already exists: choose another name, or remove it first`;
}

/** An existing entry in the folder with this id, of any kind; two addons with one id cannot both be loaded. */
function takenBy(folder: string, name: string): string | undefined {
  const found = discoverAddons(folder).found.find(
    (path) => deriveAddonId(path).toLowerCase() === name.toLowerCase(),
  );
  if (found !== undefined) return found;
  // A folder of that name that is not an addon yet.
  return listNames(folder).includes(name) ? join(folder, name) : undefined;
}

function listNames(folder: string): readonly string[] {
  return exists(folder) ? readdirSync(folder) : [];
}
