// `marketplace.json`: a list of plugins, each with where it comes from. Somebody else wrote it, so a place of this machine counts only below the
// list itself.

import { join, resolve } from "node:path";
import { isInside, isTable } from "indusagi/core";
import { Problem } from "../../cli/problem.ts";
import type { PackageSource } from "./package-source.ts";

/** One plugin of a list. */
export interface ListedPlugin {
  readonly name: string;
  readonly description: string | undefined;
  readonly version: string | undefined;
  /** Below the list, or elsewhere; or why it cannot be had. */
  readonly from: PackageSource | { readonly problem: string };
  /** What its manifest would say, for a plugin that has none of its own. */
  readonly manifest: Readonly<Record<string, unknown>>;
}

export interface Marketplace {
  readonly name: string;
  readonly plugins: readonly ListedPlugin[];
  /** What relative places are below; undefined for a list that was fetched alone. */
  readonly folder: string | undefined;
}

/** Where the list is in its folder. */
export const MARKETPLACE_FILES: readonly string[] = [
  ".claude-plugin/marketplace.json",
  ".agents/plugins/marketplace.json",
  "marketplace.json",
];

/** `folder`: that of the list, a real path. Throws a {@link Problem}. */
export function readMarketplace(content: unknown, said: string, folder: string | undefined): Marketplace {
  if (!isTable(content) || typeof content.name !== "string" || !Array.isArray(content.plugins))
    throw new Problem(`${said} is not a marketplace: expected "name", a string, and "plugins", a list`);
  const { metadata } = content;
  const root = isTable(metadata) && typeof metadata.pluginRoot === "string" ? metadata.pluginRoot : ".";
  const below = folder === undefined ? undefined : { folder, root };
  return {
    name: content.name,
    folder,
    plugins: content.plugins.flatMap((row) => {
      if (!isTable(row) || typeof row.name !== "string") return [];
      const { source, category: _, tags: __, ...manifest } = row;
      return [
        {
          name: row.name,
          description: textOf(row.description),
          version: textOf(row.version),
          from: sourceOf(source, below),
          manifest,
        },
      ];
    }),
  };
}

interface Below {
  readonly folder: string;
  readonly root: string;
}

function sourceOf(source: unknown, below: Below | undefined): ListedPlugin["from"] {
  if (typeof source === "string") return placeBelow(source, below);
  if (!isTable(source)) return { problem: "it names no source" };
  const [kind, repo, url, path, name] = [
    source.source,
    source.repo,
    source.url,
    source.path,
    source.package,
  ].map(textOf);
  const ref = textOf(source.sha) ?? textOf(source.ref);
  switch (kind) {
    case "github":
      return repo !== undefined && /^[\w.-]+\/[\w.-]+$/.test(repo)
        ? gitSource(`github:${repo}`, ref, path)
        : { problem: 'expected "repo", OWNER/NAME' };
    case "url":
    case "git":
    case "git-subdir":
      if (url === undefined) return { problem: 'expected "url", a string' };
      if (/^https?:.*\.(?:tgz|tar\.gz|tar)$/i.test(url)) return { kind: "npm", spec: url, text: url };
      return fetchedAddress(url, ref, path);
    case "npm": {
      if (name === undefined) return { problem: 'expected "package", a string' };
      const spec = `${name}${source.version === undefined ? "" : `@${String(source.version)}`}`;
      return /^(?:@[\w.-]+\/)?[\w.-]+(?:@[^\s:/]+)?$/.test(spec)
        ? { kind: "npm", spec, text: `npm:${spec}` }
        : { problem: `${spec} is not a package of a registry` };
    }
    case "directory":
    case "file":
      return path === undefined ? { problem: 'expected "path", a string' } : placeBelow(path, below);
    default:
      return { problem: `indus does not support sources of the kind ${JSON.stringify(source.source)}` };
  }
}

function placeBelow(path: string, below: Below | undefined): ListedPlugin["from"] {
  if (below === undefined)
    return {
      problem: `${path} is a folder below its marketplace, but only the marketplace's file was fetched`,
    };
  const place = resolve(join(below.folder, below.root), path);
  if (!isInside(below.folder, place)) return { problem: `${path} leads out of its marketplace` };
  return { kind: "folder", path: place, text: place };
}

/** Nothing but what is reached over a network: another address would be one of this machine. */
function fetchedAddress(
  url: string,
  ref: string | undefined,
  path: string | undefined,
): ListedPlugin["from"] {
  if (/^[\w.-]+\/[\w.-]+$/.test(url)) return gitSource(`github:${url}`, ref, path);
  if (/^git@[\w.-]+:/.test(url)) return gitSource(`git+ssh://${url.replace(":", "/")}`, ref, path);
  if (!/^(?:git\+)?(?:https?|ssh):\/\//.test(url))
    return { problem: `${url} is not an address to fetch from` };
  return gitSource(url.startsWith("git+") ? url : `git+${url}`, ref, path);
}

/** With the commit, the branch or the tag, and the folder in the repository. */
function gitSource(address: string, ref: string | undefined, path: string | undefined): ListedPlugin["from"] {
  if (ref !== undefined && !/^[\w./-]+$/.test(ref)) return { problem: `${ref} names no commit` };
  const folder = path === undefined ? [] : [`path:${path.replace(/^(?:\.?\/)+/, "")}`];
  const wanted = [ref ?? "", ...folder].join("::");
  const spec = wanted === "" ? address : `${address}#${wanted}`;
  return { kind: "git", spec, text: spec };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
