// The npm client's own libraries: they resolve, fetch and unpack what a registry, a git server or an archive has, with the person's npm
// settings (registry, proxies, certificates, tokens). No script of a package is run. Loaded with `indus add` and `indus update` alone.

import { createReadStream, existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Arborist from "@npmcli/arborist";
import Config from "@npmcli/config";
import definitions from "@npmcli/config/lib/definitions/index.js";
import { clone } from "@npmcli/git";
import { beginningOf, describeError, errorCode, isInside, isTable } from "indusagi/core";
import npa from "npm-package-arg";
import npmFetch, { json as fetchJson, pickRegistry } from "npm-registry-fetch";
import pacote, { type Manifest } from "pacote";
import { gitProblem } from "./git-problem.ts";
import { measureArchive, measureNeeds } from "./measure-needs.ts";
import { builtBy, NO_PROVENANCE } from "./provenance.ts";
import { LOST, MAX_MESSAGE, type Unpacked, unpack } from "./unpack.ts";

/** What a range, a reference or an address stands for now. */
export interface ResolvedPackage {
  readonly name: string;
  readonly version: string;
  /** Where exactly it comes from: with the commit, for git. */
  readonly resolved: string;
  readonly integrity: string | undefined;
  /** Where it was built, verified, or that nobody says; undefined for what comes from no registry. */
  readonly provenance: string | undefined;
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
  /** Unpacks an archive, at a path (`file:PATH`) or an address, into an empty folder. `resolved`: that path or address. */
  readonly unpack: (spec: string, folder: string) => Promise<Unpacked & { readonly resolved: string }>;
  /** Checks a repository out into a folder that is not there yet; `folder` is the one in it that is meant. */
  readonly clone: (
    spec: string,
    into: string,
  ) => Promise<{ readonly resolved: string; readonly folder: string }>;
  /** What is at an address. */
  readonly json: (url: string) => Promise<unknown>;
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

const FILE = "file:";

/** Of what is at an address. */
const MAX_JSON_BYTES: number = 16 * 1024 * 1024;

/** For all that one package needs. */
const MAX_INSTALL_MS: number = 10 * 60_000;

/** `neutral`: a folder whose `.npmrc`, if any, is the person's. `ends` ends what is being fetched. */
export async function createNpmClient(
  env: NodeJS.ProcessEnv,
  neutral: string,
  ends?: AbortSignal,
): Promise<NpmClient> {
  const config = new Config({
    npmPath: join(neutral, "npm"), // settings that an npm would bring itself
    argv: [process.execPath, "npm"],
    cwd: neutral,
    env,
    ...definitions,
  });
  await config.load();
  const options = { ...config.flat, ...OPTIONS, Arborist, signal: ends };
  return {
    async resolve(spec) {
      const { registry, type } = npa(spec, neutral);
      // To read the manifest of an archive at an address, npm unpacks all of it.
      const measured =
        type === "remote" ? await pacote.tarball.stream(spec, measureArchive, options) : undefined;
      const known = { ...options, fullMetadata: true, integrity: measured };
      const manifest = await pacote.manifest(spec, known);
      const { name, version, _resolved: resolved = spec, _integrity: integrity, bin = {} } = manifest;
      const provenance = registry ? await provenanceOf(manifest, options) : undefined;
      const commands = typeof bin === "string" ? { [name]: bin } : bin;
      return { name, version, resolved, integrity, provenance, bin: commands };
    },
    async extract({ resolved, integrity }, folder) {
      const how = { ...options, integrity };
      return (await pacote.tarball.stream(resolved, (archive) => unpack(archive, folder), how)).notes;
    },
    async unpack(spec, folder) {
      if (!spec.startsWith(FILE))
        return {
          ...(await pacote.tarball.stream(spec, (archive) => unpack(archive, folder), options)),
          resolved: spec,
        };
      const path = spec.slice(FILE.length);
      return { ...(await unpack(createReadStream(path), folder)), resolved: path };
    },
    async clone(spec, into) {
      const { type, hosted, fetchSpec, gitCommittish, gitSubdir } = npa(spec, neutral);
      const address = hosted?.https({ noGitPlus: true, noCommittish: true }) ?? fetchSpec;
      if (type !== "git" || typeof address !== "string") throw new Error(`${spec} is not a repository`);
      const ref = gitCommittish ?? undefined;
      const how = { ...options, gitShallow: hosted !== undefined };
      const commit = await clone(address, ref, into, how).catch((error: unknown) => {
        throw gitProblem(error, { address, ref, into });
      });
      const below = (gitSubdir ?? "").replace(/^\/+/, "");
      const folder = join(into, below);
      if (!existsSync(folder)) throw new Error(`the repository has no folder ${below}`);
      if (!isInside(realpathSync(into), realpathSync(folder)))
        throw new Error(`${below} leads out of the repository`);
      const place = below === "" ? "" : `::path:${below}`;
      return { resolved: `git+${address.replace(/^git\+/, "")}#${commit}${place}`, folder };
    },
    async json(url) {
      const { body } = await npmFetch(url, options);
      return JSON.parse(await boundedText(body, url));
    },
    async install(folder) {
      withoutDevelopment(folder);
      const late = AbortSignal.timeout(MAX_INSTALL_MS);
      const signal = ends === undefined ? late : AbortSignal.any([late, ends]);
      const lost = hearLost();
      try {
        const tree = new Arborist({ ...options, ...NO_PLACES, path: folder, signal });
        await tree.buildIdealTree({ ...OPTIONS });
        const needed = [...tree.idealTree.inventory.values()];
        refuseRepositories(needed);
        await measureNeeds(needed, (spec, take, integrity) =>
          pacote.tarball.stream(spec, take, { ...options, integrity, signal }),
        );
        await tree.reify({ ...OPTIONS });
        const [first] = lost.messages;
        if (first !== undefined) throw new Error(`a file of its dependencies cannot be written: ${first}`);
      } catch (error) {
        if (late.aborted)
          throw new Error(`installing its dependencies took longer than ${MAX_INSTALL_MS / 60_000} minutes`);
        if (!/^EALLOW(?:DIRECTORY|FILE)$/.test(errorCode(error) ?? "")) throw error;
        const { package: needed } = error as { readonly package?: string };
        throw needsPlace(needed);
      } finally {
        lost.stop();
      }
    },
  };
}

/** What npm's library logs, and otherwise ignores: files that it could not unpack, as on a full disk. It logs by an event of the process. */
function hearLost(): { readonly messages: readonly string[]; readonly stop: () => void } {
  const messages: string[] = [];
  const events: NodeJS.EventEmitter = process;
  const hear = (_level: string, ...[from, code, message]: readonly unknown[]): void => {
    if (from === "tar" && Object.hasOwn(LOST, String(code)) && messages.length === 0)
      messages.push(beginningOf(String(message), MAX_MESSAGE));
  };
  events.on("log", hear);
  return { messages, stop: () => void events.off("log", hear) };
}

/** npm's options have no word against the repositories of this machine alone. */
function refuseRepositories(nodes: Iterable<{ readonly resolved?: string | null }>): void {
  for (const { resolved } of nodes) if (/^git\+file:/i.test(resolved ?? "")) throw needsPlace(resolved);
}

function needsPlace(needed: string | null | undefined): Error {
  return new Error(
    `it needs ${needed}, a place on this machine: a package can depend only on published packages`,
  );
}

/** A server may send without end. */
async function boundedText(body: AsyncIterable<Buffer>, url: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_JSON_BYTES) throw new Error(`${url} has more than ${MAX_JSON_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
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

/** Throws for a package whose statement about its build, or whose signature, is not true. */
async function provenanceOf(
  { name, version, _attestations: attestations }: Manifest,
  options: Readonly<Record<string, unknown>>,
): Promise<string> {
  if (attestations === undefined) return NO_PROVENANCE;
  const spec = `${name}@${version}`;
  try {
    const keys = await registryKeys(spec, options);
    await pacote.manifest(spec, { ...options, ...keys, fullMetadata: true, verifyAttestations: true });
    const { pathname } = new URL(attestations.url);
    return builtBy(await fetchJson(pathname, { ...options, spec })) ?? NO_PROVENANCE;
  } catch (error) {
    throw new Error(
      `${spec}: its provenance does not verify (${describeError(error)}), so its origin is not certain. You can add its repository instead: indus add github:OWNER/NAME`,
    );
  }
}

/** What a registry signs with, under the name by which pacote looks for it. */
async function registryKeys(
  spec: string,
  options: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await fetchJson("/-/npm/v1/keys", { ...options, spec }).catch((error: unknown) => {
    if ((error as { readonly statusCode?: number }).statusCode === 404) return {}; // it signs nothing
    throw error;
  });
  const keys = isTable(answer) && Array.isArray(answer.keys) ? answer.keys.filter(isTable) : [];
  const { host, pathname } = new URL(pickRegistry(npa(spec, "."), options));
  const registry = `//${host}${pathname.endsWith("/") ? pathname.slice(0, -1) : pathname}`;
  const pem = (key: unknown): string => `-----BEGIN PUBLIC KEY-----\n${key}\n-----END PUBLIC KEY-----`;
  return { [`${registry}/:_keys`]: keys.map(({ key, ...row }) => ({ ...row, pemkey: pem(key) })) };
}
