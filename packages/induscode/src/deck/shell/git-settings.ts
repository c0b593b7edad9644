// Whether git, asked to show something, would run a program that the repository names: a file system monitor, an external diff, a text
// converter, a signature program, a hook, a partial clone that fetches (CVE-2025-59536 and its class). Only settings that are known to
// run nothing are considered safe.

import { join } from "node:path";
import { type IndexNames, namesInIndex } from "./git-index.ts";
import {
  bytesOf,
  commonFolder,
  exists,
  type GitFiles,
  leadsElsewhere,
  type Repository,
  repositoryAt,
  textOf,
} from "./git-place.ts";

/** A longer index is not read. */
export const MAX_INDEX_BYTES = 33_554_432;

/** Settings that run nothing while git shows something, whatever their value. */
const QUIET =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|abbrev|quotepath|untrackedcache|commitgraph|compression|sharedrepository)|extensions\.(?:objectformat|refstorage)|(?:user|author|committer)\.(?:name|email|signingkey|useconfigonly)|remote\.(?:url|pushurl|fetch|push|tagopt|prune|gh-resolved)|branch\.(?:remote|merge|rebase|pushremote|description|vscode-merge-base|gh-merge-base|github-pr-owner-number)|init\.defaultbranch|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)|fetch\.prune|merge\.(?:conflictstyle|ff)|rebase\.(?:autostash|autosquash)|color\..*|gc\.auto|commit\.gpgsign|tag\.gpgsign|diff\.(?:algorithm|renames|mnemonicprefix|colormoved|noprefix)|rerere\.enabled|advice\..*|submodule\.active|lfs\.repositoryformatversion)$/;

/** Why git in this folder may run something; undefined if it would not. */
export async function gitMayRun(folder: string, files: GitFiles): Promise<string | undefined> {
  try {
    const place = await repositoryAt(await files.realPath(folder), files);
    if (place === undefined) return "this is not a git repository";
    if (typeof place === "string") return place;
    const common = await commonFolder(place.folder, files);
    const loud = await settingsMayRun(common, [place.folder], files);
    if (loud !== undefined) return loud;
    if (await exists(join(common, "hooks", "post-index-change"), files))
      return "the repository has a hook that git runs when it updates its index";
    if (await exists(join(common, "modules"), files))
      return "the repository has submodules, which have their own settings";
    return (await leadsElsewhere(place, common, files)) ?? (await leavesByIndex(place, common, files));
  } catch {
    return "indus cannot read the repository's settings";
  }
}

/**
 * Why git may run something because of this repository's own settings; undefined if it would not. `blanked` are settings that the caller
 * of git overrides, or that affect none of its commands.
 */
export async function settingsMayRun(
  common: string,
  folders: readonly string[],
  files: GitFiles,
  blanked?: RegExp,
): Promise<string | undefined> {
  const paths = ["config", "config.worktree"].map((name) => join(common, name));
  for (const path of new Set([...paths, ...folders.map((folder) => join(folder, "config.worktree"))])) {
    const text = await textOf(path, files);
    const loud = text === undefined ? undefined : loudSetting(text, blanked);
    if (loud !== undefined) return `the repository sets ${loud}, which may make git run a program`;
  }
  return undefined;
}

/** Whether `git config` can set this without making git run something that its own work does not need. */
export function setsQuietly(key: string): boolean {
  const [end, start] = [key.indexOf("."), key.lastIndexOf(".") + 1];
  return end > 0 && QUIET.test(`${key.slice(0, end)}.${key.slice(start)}`.toLowerCase());
}

/** Why git would look into another repository, whose settings it follows there, or outside; undefined if it would not. */
async function leavesByIndex(
  { top, folder }: Repository,
  common: string,
  files: GitFiles,
): Promise<string | undefined> {
  if (/objectformat/i.test((await textOf(join(common, "config"), files)) ?? ""))
    return "the repository uses extensions.objectformat, so indus cannot read its index";
  const index = await bytesOf(join(folder, "index"), MAX_INDEX_BYTES, files);
  if (index === undefined) return undefined;
  let names: IndexNames;
  try {
    names = namesInIndex(index);
  } catch {
    return "indus cannot read the repository's index";
  }
  for (const path of names.folders)
    if ((await files.realPath(join(top, path))) !== join(top, path))
      return `${path} is a folder in the repository's index, but a link on disk`;
  for (const path of names.nested)
    if (await exists(join(top, path, ".git"), files))
      return `the repository contains another repository in ${path}, which has its own settings`;
  return undefined;
}

/** The first setting that is not known to run nothing, or the first line that git may read differently. */
function loudSetting(text: string, blanked?: RegExp): string | undefined {
  let section = "";
  if (text.includes("\0")) return "a name or value with a NUL, where git ends it";
  if (/\\\r?(?:\n|$)/.test(text)) return "a value that continues on another line";
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
    const head = /^\[([\w-]+)(?: +"[^"\\]*")?\]$/.exec(line);
    if (head) {
      section = (head[1] ?? "").toLowerCase();
      continue;
    }
    const [, name] = /^([\w-]+)(?:[ \t]*=|$)/.exec(line) ?? [];
    if (name === undefined) return line.slice(0, 40);
    const setting = `${section}.${name.toLowerCase()}`;
    if (!QUIET.test(setting) && !blanked?.test(setting)) return setting;
  }
  return undefined;
}
