// The npm client's own libraries: they resolve, fetch and unpack what a registry, a git server or an archive has, with the person's npm
// settings (registry, proxies, certificates, tokens). No script of a package is run. Loaded with `indus add` and `indus update` alone.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Arborist from "@npmcli/arborist";
import Config from "@npmcli/config";
import definitions from "@npmcli/config/lib/definitions/index.js";
import { errorCode } from "indusagi/core";
import pacote from "pacote";
import { unpack } from "./unpack.ts";

/** What a range, a reference or an address stands for now. */
export interface ResolvedPackage {
  readonly name: string;
  readonly version: string;
  /** Where exactly it comes from: with the commit, for git. */
  readonly resolved: string;
  readonly integrity: string | undefined;
  /** The commands that it brings, with their files. */
  readonly bin: Readonly<Record<string, string>>;
}

export interface NpmClient {
  readonly resolve: (spec: string) => Promise<ResolvedPackage>;
  /** Unpacks a package into an empty folder. Resolves to what of it was left out, one line each. */
  readonly extract: (
    resolved: Pick<ResolvedPackage, "resolved" | "integrity">,
    folder: string,
  ) => Promise<readonly string[]>;
  /** Installs what a folder's `package.json` needs at run time into its `node_modules`, by its lock file if it has one. */
  readonly install: (folder: string) => Promise<void>;
}

/** Nothing of a package is run, nothing is reported to anybody, and no project's settings apply: a repository may have written those. */
const OPTIONS = {
  ignoreScripts: true,
  audit: false,
  fund: false,
  progress: false,
  installLinks: true,
  omit: ["dev"],
} as const;

/** A package that needs a folder of this machine would bring that folder's files to where it can read them. */
const NO_PLACES = { allowDirectory: "none", allowFile: "none" } as const;

/** `neutral`: a folder whose `.npmrc`, if any, is the person's. */
export async function createNpmClient(env: NodeJS.ProcessEnv, neutral: string): Promise<NpmClient> {
  const config = new Config({
    npmPath: join(neutral, "npm"), // settings that an npm would bring itself
    argv: [process.execPath, "npm"],
    cwd: neutral,
    env,
    ...definitions,
  });
  await config.load();
  const options = { ...config.flat, ...OPTIONS, Arborist };
  return {
    async resolve(spec) {
      const manifest = await pacote.manifest(spec, { ...options, fullMetadata: true });
      const { name, version, _resolved: resolved = spec, _integrity: integrity, bin = {} } = manifest;
      return { name, version, resolved, integrity, bin: typeof bin === "string" ? { [name]: bin } : bin };
    },
    async extract({ resolved, integrity }, folder) {
      return pacote.tarball.stream(resolved, (archive) => unpack(archive, folder), { ...options, integrity });
    },
    async install(folder) {
      withoutDevelopment(folder);
      try {
        await new Arborist({ ...options, ...NO_PLACES, path: folder }).reify({ ...OPTIONS });
      } catch (error) {
        if (!/^EALLOW(?:DIRECTORY|FILE)$/.test(errorCode(error) ?? "")) throw error;
        const { package: needed } = error as { readonly package?: string };
        throw new Error(`it needs ${needed}, a place of this machine: only what is published can be needed`);
      }
    },
  };
}

/** What a package needs to be developed is not installed, and need not be resolved. */
function withoutDevelopment(folder: string): void {
  const path = join(folder, "package.json");
  const { devDependencies, workspaces, ...content } = JSON.parse(readFileSync(path, "utf8")) as Record<
    string,
    unknown
  >;
  if (devDependencies !== undefined || workspaces !== undefined)
    writeFileSync(path, JSON.stringify(content, undefined, 2));
}
