// What an editor needs to understand an addon. It is written next to the addons folder and never into it, where it would be
// hashed and taken for an addon. For TypeScript: a project file that maps `induscode/addons` to one file of declarations.
// For Python: stubs; Pyright looks for a package in the folder of the importing file and in each folder above it.

import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { readBoundedFile } from "indusagi/core";
import { HOME_FILES } from "../../store/home-files.ts";
import { replaceFile } from "../../store/replace-file.ts";
import { MANIFEST_FILENAME } from "../contract.ts";
import { discoverAddons } from "../source/discover.ts";
import { MAX_MANIFEST_BYTES } from "../source/manifest.ts";
import { exists } from "../source/on-disk.ts";
import { leadsOut } from "./outside-link.ts";

interface EditorTypesOptions {
  /** The folder above the addons: `<workspace>/.indus`, or the home folder. Created if missing. */
  readonly folder: string;
  /** `folder` must not resolve to a path outside this one. */
  readonly within: string;
  /** The declarations of `induscode/addons`. */
  readonly declarations: string;
  /** The folder that contains the Python package `induscode`. */
  readonly python: string;
}

export type EditorTypes =
  | {
      readonly ok: true;
      /** What was written, the types folder first. */
      readonly paths: readonly string[];
      /** What the person must know, one line each. */
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly problem: string };

/** The folder of the types, for both languages. */
const TYPES_FOLDER: string = basename(HOME_FILES.editorTypes.path);
/** The file that makes a folder a TypeScript project. */
export const PROJECT_FILE: string = HOME_FILES.editorProject.path;
const OURS = "// Written by `indus addon types`, which writes it anew. Without this line it is yours.";

/** Rewrites the types. Throws the system's error if writing fails. */
export function writeEditorTypes(options: EditorTypesOptions): EditorTypes {
  const { folder, within, declarations, python } = options;
  const types = join(folder, TYPES_FOLDER);
  const refusal =
    leadsOut(types, within) ?? linkProblem(folder) ?? linkProblem(types) ?? strangerProblem(types);
  if (refusal !== undefined) return { ok: false, problem: refusal };
  rmSync(types, { recursive: true, force: true }); // leave nothing of another version behind
  write(join(types, "addons.d.ts"), readFileSync(declarations, "utf8"));
  const kit = join(python, TYPES_FOLDER);
  for (const path of readdirSync(kit, { recursive: true, encoding: "utf8" })) {
    if (path.endsWith(".py")) write(join(types, `${path}i`), readFileSync(join(kit, path), "utf8"));
  }
  const project = join(folder, PROJECT_FILE);
  if (isOurs(project)) {
    write(project, projectFile(folder));
    return { ok: true, paths: [types, project], notes: [] };
  }
  const paths = JSON.stringify({ "induscode/addons": [`./${TYPES_FOLDER}/addons.d.ts`] });
  const note = `${project} is yours and was left unchanged: for the editor, add to its compilerOptions "paths": ${paths}`;
  return { ok: true, paths: [types], notes: [note] };
}

function projectFile(folder: string): string {
  const config = {
    compilerOptions: {
      target: "es2024",
      module: "preserve",
      moduleResolution: "bundler",
      // What Node shares with a browser's web worker: timers, URLs, signals. Its own modules are in @types/node.
      lib: ["es2024", "webworker"],
      types: hasNodeTypes(folder) ? ["node"] : [],
      strict: true,
      noEmit: true,
      allowJs: true,
      allowImportingTsExtensions: true,
      isolatedModules: true,
      skipLibCheck: true,
      paths: { "induscode/addons": [`./${TYPES_FOLDER}/addons.d.ts`] },
    },
    include: ["addons", `${TYPES_FOLDER}/addons.d.ts`],
    exclude: ["**/node_modules", ...webAssembly(join(folder, "addons")).map((path) => `addons/${path}`)],
  };
  return `${OURS}\n${JSON.stringify(config, undefined, 2)}\n`;
}

/** TypeScript resolves `types` in the node_modules of the folder and of every folder above it. */
function hasNodeTypes(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, "node_modules/@types/node/package.json"))) return true;
    if (at === dirname(at)) return false;
  }
}

/** Folders that contain AssemblyScript, a different language whose files also end with .ts. */
function webAssembly(addons: string): readonly string[] {
  return discoverAddons(addons)
    .found.filter((path) => {
      const manifest = join(path, MANIFEST_FILENAME);
      if (!existsSync(manifest)) return false;
      try {
        const text = readBoundedFile(manifest, MAX_MANIFEST_BYTES).toString("utf8");
        return /^[ \t]*wasm[ \t]*=/m.test(text);
      } catch {
        return false; // loading it will report what is wrong
      }
    })
    .map((path) => relative(addons, path));
}

function isOurs(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined || (found.isFile() && readFileSync(path, "utf8").startsWith(OURS));
}

/** The folder is deleted before it is rewritten, so it must be one that this command wrote. */
function strangerProblem(types: string): string | undefined {
  if (!exists(types) || existsSync(join(types, "addons.d.ts"))) return undefined;
  return `${types} exists and is not a folder of types: move it away first`;
}

function linkProblem(path: string): string | undefined {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink ? `${path} is a symlink: nothing is written through it` : undefined;
}

function write(path: string, text: string): void {
  replaceFile(path, text, { mode: 0o666 }); // permissions are left to the person's umask
}
