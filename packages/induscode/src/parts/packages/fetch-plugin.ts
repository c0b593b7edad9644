// A plugin of a marketplace: its list is fetched, and then the plugin, from where the list has it.

import { existsSync, mkdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describeError, isInside, nearest, readBoundedFile } from "indusagi/core";
import { Problem } from "../../cli/problem.ts";
import { commentedJson } from "../../store/json.ts";
import { MARKETPLACE_FILES, type Marketplace, readMarketplace } from "./marketplace-file.ts";
import type { NpmClient } from "./npm-client.ts";
import { type PackageSource, parseSource } from "./package-source.ts";
import { LIST } from "./staged-names.ts";
import { type FetchedPackage, type FetchOptions, isExactly, isFromRegistry } from "./staged-package.ts";

const MAX_LIST_BYTES: number = 4 * 1024 * 1024;

interface OpenOptions {
  /** An empty folder for what is fetched. */
  readonly staging: string;
  readonly base: string;
  readonly npm: () => Promise<NpmClient>;
}

/** Fetches a list. Throws a {@link Problem} if there is none at the source. */
export async function openMarketplace(said: string, options: OpenOptions): Promise<Marketplace> {
  try {
    return await fetchList(said, options);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(`the marketplace ${said} cannot be read: ${describeError(error)}`);
  }
}

async function fetchList(said: string, { staging, base, npm }: OpenOptions): Promise<Marketplace> {
  const source = listSource(said, base);
  if (source.kind === "address") {
    const content = await (await npm()).json(source.url);
    return readMarketplace(content, said, undefined);
  }
  if (source.kind === "config" || source.kind === "hooks")
    return readIn(dirname(source.path), said, source.path);
  if (source.kind === "folder") return readIn(source.path, said);
  const folder = join(staging, LIST);
  if (source.kind === "git") await (await npm()).clone(source.spec, folder);
  else if (source.kind === "npm" || source.kind === "archive") {
    const client = await npm();
    mkdirSync(folder);
    if (source.kind === "npm" && isFromRegistry(source.spec))
      await client.extract(await client.resolve(source.spec), folder);
    else await client.unpack(source.kind === "npm" ? source.spec : `file:${source.path}`, folder);
  } else throw new Problem(`${said} is not the location of a marketplace`);
  return readIn(folder, said);
}

/**
 * `OWNER/NAME` is a repository of GitHub, as where these lists come from, whatever the folder holds that the person is in: that may be anybody's.
 * Throws a {@link Problem} for what is no source, and for a bare name.
 */
export function listSource(said: string, base: string, named: Iterable<string> = []): PackageSource {
  if (/^[\w-][\w.-]*$/.test(said)) {
    const meant = nearest(said, named);
    const also = meant === undefined ? "" : `. Did you mean the marketplace ${meant}?`;
    throw new Problem(
      `${said} is only a name: write ./${said} for a folder or a file, or OWNER/NAME for a repository. A plugin of a marketplace that you have is PLUGIN@MARKETPLACE${also}`,
    );
  }
  const isRepository = /^[\w-][\w.-]*\/[\w.-]+$/.test(said);
  const source = parseSource(isRepository ? `github:${said}` : said, base);
  if ("problem" in source) throw new Problem(source.problem);
  return isRepository ? { ...source, text: said } : source;
}

function readIn(folder: string, said: string, file?: string): Marketplace {
  const path = file ?? MARKETPLACE_FILES.map((each) => join(folder, each)).find((each) => existsSync(each));
  if (path === undefined)
    throw new Problem(`${said} is not a marketplace: it has no ${MARKETPLACE_FILES[0]}`);
  const root = MARKETPLACE_FILES.find((each) => path.endsWith(`/${each}`));
  const whole = root === undefined ? folder : path.slice(0, -root.length - 1);
  return readMarketplace(
    commentedJson(readBoundedFile(path, MAX_LIST_BYTES).toString()),
    said,
    realpathSync(whole),
  );
}

/** Throws a {@link Problem} if the list has no such plugin, or if it cannot be had. */
export async function fetchPlugin(
  { plugin, marketplace }: Extract<PackageSource, { readonly kind: "plugin" }>,
  options: FetchOptions,
  bring: (source: PackageSource, pinned: FetchOptions["pinned"]) => Promise<FetchedPackage>,
): Promise<FetchedPackage> {
  const { plugins, folder = "" } = await openMarketplace(options.marketplace(marketplace), options);
  const row = plugins.find(({ name }) => name === plugin);
  if (row === undefined) {
    const meant = nearest(
      plugin,
      plugins.map(({ name }) => name),
    );
    throw new Problem(
      `the marketplace ${marketplace} has no plugin "${plugin}"${meant === undefined ? "" : `; did you mean "${meant}"?`}: indus marketplace list ${marketplace} shows all`,
    );
  }
  const { from, manifest } = row;
  if ("problem" in from) throw new Problem(`${plugin}@${marketplace} cannot be fetched: ${from.problem}`);
  requireBelow(from, folder);
  const { pinned } = options;
  const isListed = pinned === undefined || from.kind !== "npm" || isExactly(pinned.resolved, from.spec);
  if (!isListed) throw otherThanListed(from.text);
  const fetched = await bring(from, from.kind === "git" ? undefined : pinned);
  if (pinned !== undefined && fetched.resolved !== pinned.resolved) throw otherThanListed(fetched.resolved);
  const described = join(fetched.folder, ".claude-plugin/plugin.json");
  if (!existsSync(described) && !existsSync(join(fetched.folder, "plugin.json"))) {
    mkdirSync(dirname(described), { recursive: true });
    writeFileSync(described, JSON.stringify(manifest));
  }
  rmSync(join(options.staging, LIST), { recursive: true, force: true });
  const isBelow = from.kind === "folder";
  return { ...fetched, resolved: isBelow ? `${plugin}@${marketplace}` : fetched.resolved };

  function otherThanListed(listed: string): Problem {
    return new Problem(
      `${marketplace} now lists ${plugin} as ${listed}, but .indus/packages.lock says ${pinned?.resolved}. To update that file: indus update ${plugin}, then indus add ${plugin}@${marketplace} --team`,
    );
  }
}

/** A link below a list could lead to any folder of this machine, whoever put the list here. */
function requireBelow(from: PackageSource, folder: string): void {
  if (from.kind !== "folder") return;
  if (!existsSync(from.path) || !statSync(from.path).isDirectory())
    throw new Problem(`the marketplace's list is wrong: ${from.path} is not a folder`);
  if (!isInside(folder, realpathSync(from.path)))
    throw new Problem(`${from.path} leads out of its marketplace`);
}
