// Which ignore files apply at a place: those of the folders from the repository's root down to it, nearest first, and last the
// repository's `info/exclude`. The user's own files outside the repository do not apply.

import { dirname, join, relative, resolve, sep } from "node:path";
import { errorCode } from "../../core/faults.ts";
import type { DirChild, Fs } from "../kernel/contract.ts";
import { type IgnoreRule, type IgnoreRules, parseIgnoreRules, ruleVerdict } from "./ignore-rules.ts";

/** The rules that apply inside one folder. */
export interface IgnoreScope {
  readonly links: RuleLink | undefined;
  /** The folder's path segments below the top that {@link openIgnoreScope} found. */
  readonly segments: readonly string[];
  /** Whether the walk started inside a repository. */
  readonly isInRepository: boolean;
}

interface RuleLink {
  readonly rules: readonly IgnoreRule[];
  /** How many of an entry's segments lead to the folder with these rules. */
  readonly depth: number;
  /** The rules to try if these do not match. */
  readonly next: RuleLink | undefined;
}

/** What a folder itself adds to the rules that apply inside it. */
export interface FolderRules {
  readonly own: readonly IgnoreRule[];
  readonly exclude: readonly IgnoreRule[];
  /** The rules of outer folders do not apply inside a repository. */
  readonly isRepositoryRoot: boolean;
  /** See {@link IgnoreRules}; also false if there is an ignore file that is skipped. */
  readonly isPlain: boolean;
}

const IGNORE_FILE = ".gitignore";
const REPOSITORY_MARKS: readonly string[] = [".git", ".jj"];

// Every file of the tree is tested against each rule; git's own templates have 10 KB at most.
const MAX_IGNORE_FILE_BYTES = 65_536;

const NO_RULES: IgnoreRules = { rules: [], isPlain: true };
const PASSED_OVER: IgnoreRules = { rules: [], isPlain: false };

/**
 * The rules of the folders above `root`, up to the root of its repository; none if it is not in a repository. The rules of
 * `root` itself come with its listing. Records in `survey` whether ripgrep interprets all of them as git does.
 */
export async function openIgnoreScope(
  fs: Fs,
  root: string,
  survey: { isPlain: boolean },
): Promise<IgnoreScope> {
  const real = await fs.realPath(root);
  const marked = new Map<string, readonly DirChild[]>();
  for (const folder of [real, ...foldersAbove(real)]) marked.set(folder, await marksIn(fs, folder));
  const [top] = [...marked].find(([, marks]) => marks.some(isRepositoryMark)) ?? [];
  const rulesOf = async (folder: string): Promise<FolderRules> => {
    const rules = await readFolderRules(fs, folder, marked.get(folder) ?? []);
    survey.isPlain &&= rules.isPlain;
    return rules;
  };
  let scope: IgnoreScope = { links: undefined, segments: [], isInRepository: top !== undefined };
  for (const folder of foldersAbove(top ?? real)) await rulesOf(folder); // they do not apply, but ripgrep reads them
  if (top === undefined || top === real) return scope;
  for (const name of relative(top, real).split(sep))
    scope = enterFolder(applyRules(scope, await rulesOf(join(top, ...scope.segments))), name);
  return scope;
}

/** The scope inside a folder, once its own rules are known. */
export function applyRules(scope: IgnoreScope, rules: FolderRules): IgnoreScope {
  const depth = scope.segments.length;
  let links = rules.isRepositoryRoot ? undefined : scope.links;
  if (rules.exclude.length > 0) links = { rules: rules.exclude, depth, next: links };
  if (rules.own.length > 0) links = { rules: rules.own, depth, next: links };
  return { ...scope, links };
}

/** The scope of a subfolder, before its own rules. */
export function enterFolder(scope: IgnoreScope, name: string): IgnoreScope {
  return { ...scope, segments: [...scope.segments, name] };
}

export function isIgnored(scope: IgnoreScope, child: DirChild): boolean {
  const { name, isDirectory } = child;
  for (let link = scope.links; link !== undefined; link = link.next) {
    const { rules, depth } = link;
    const verdict = ruleVerdict(rules, { name, isDirectory, folders: scope.segments, depth });
    if (verdict !== undefined) return verdict === "ignored";
  }
  return false;
}

/** What the listed `folder` adds. Never rejects because of an unreadable ignore file, which is skipped. */
export async function readFolderRules(
  fs: Fs,
  folder: string,
  children: readonly DirChild[],
): Promise<FolderRules> {
  const ignoreFile = children.find((child) => child.name === IGNORE_FILE);
  const mark = children.find(isRepositoryMark);
  const own = ignoreFile === undefined ? NO_RULES : await readRules(fs, folder, ignoreFile);
  const exclude = mark === undefined ? NO_RULES : await readExclude(fs, join(folder, ".git"));
  return {
    own: own.rules,
    exclude: exclude.rules,
    isRepositoryRoot: mark !== undefined,
    isPlain: own.isPlain && exclude.isPlain,
  };
}

// Like git, follows no links: one could lead out of the repository or to an endless device.
async function readRules(fs: Fs, folder: string, child: DirChild): Promise<IgnoreRules> {
  if (child.isDirectory) return NO_RULES;
  return child.isSymlink ? PASSED_OVER : readRuleFile(fs, join(folder, child.name));
}

async function readRuleFile(fs: Fs, path: string): Promise<IgnoreRules> {
  try {
    const bytes = await fs.readBytes(path, { start: 0, maxBytes: MAX_IGNORE_FILE_BYTES + 1 });
    if (bytes.length > MAX_IGNORE_FILE_BYTES) return PASSED_OVER;
    return parseIgnoreRules(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return PASSED_OVER;
  }
}

/** `.git` is a folder, or in a linked worktree a file that names one; `commondir` there leads to the shared folder. */
async function readExclude(fs: Fs, dotGit: string): Promise<IgnoreRules> {
  const children = await readDirIfAny(fs, dotGit);
  if (children.length > 0) return readInfo(fs, dotGit);
  const gitFolder = await readPointer(fs, dotGit, /^gitdir: (.+)/);
  if (gitFolder === undefined) return NO_RULES;
  const common = await readPointer(fs, join(gitFolder, "commondir"), /(.+)/);
  const { rules } = await readInfo(fs, common ?? gitFolder);
  return { rules, isPlain: rules.length === 0 }; // ripgrep does not find all of these
}

async function readInfo(fs: Fs, gitFolder: string): Promise<IgnoreRules> {
  const folder = join(gitFolder, "info");
  const child = (await readDirIfAny(fs, folder)).find(({ name }) => name === "exclude");
  return child === undefined ? NO_RULES : readRules(fs, folder, child);
}

const MAX_POINTER_BYTES = 4_096;

/** The path contained in a one-line file, resolved against the file's folder. */
async function readPointer(fs: Fs, path: string, line: RegExp): Promise<string | undefined> {
  try {
    const bytes = await fs.readBytes(path, { start: 0, maxBytes: MAX_POINTER_BYTES });
    const target = line.exec(Buffer.from(bytes).toString("utf8"))?.[1];
    return target === undefined ? undefined : resolve(dirname(path), target.trim());
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

function isRepositoryMark({ name }: DirChild): boolean {
  return REPOSITORY_MARKS.includes(name);
}

/** Only the children that {@link readFolderRules} looks for: a folder above can have any number of others. */
async function marksIn(fs: Fs, folder: string): Promise<readonly DirChild[]> {
  const marks: DirChild[] = [];
  for (const name of [IGNORE_FILE, ...REPOSITORY_MARKS]) {
    const mark = await childIfAny(fs, folder, name);
    if (mark !== undefined) marks.push(mark);
  }
  return marks;
}

function foldersAbove(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [] : [above, ...foldersAbove(above)];
}

// A scope, or the modes of the folders above, may deny access: then there is nothing for us.
async function childIfAny(fs: Fs, folder: string, name: string): Promise<DirChild | undefined> {
  const path = join(folder, name);
  try {
    if (!(await fs.exists(path))) return undefined; // cheaper than the error of a failed stat
    const { isDirectory, isSymlink } = await fs.stat(path);
    return { name, isDirectory: isDirectory && !isSymlink, isSymlink };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

async function readDirIfAny(fs: Fs, path: string): Promise<readonly DirChild[]> {
  try {
    return await fs.readDir(path);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}
