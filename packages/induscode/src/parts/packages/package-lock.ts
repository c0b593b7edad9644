// `packages.lock`: which packages a person has, where each came from, and the content that was agreed to. A repository may have one of its
// own: what it names is offered, and checked against it.

import { beginningOf, describeError, errorCode, isTable } from "indusagi/core";
import { isAddonId, isHashPrefix, MAX_ID_LENGTH, MAX_START_SECONDS } from "../../addons/source/manifest.ts";
import { Problem } from "../../cli/problem.ts";
import { HOME_FILES } from "../../store/home-files.ts";
import { readJson } from "../../store/json.ts";
import { updateFile } from "../../store/replace-file.ts";

/** One package. */
export interface LockedPackage {
  readonly name: string;
  /** As it was given to `indus add`; the path of a folder or an archive is absolute. */
  readonly source: string;
  /** The folder that relative paths in a server's command line are relative to; absent where there can be none, and in a repository's file. */
  readonly base?: string | undefined;
  /** What that stood for: `name@version` of a registry, a commit, a path. */
  readonly resolved: string;
  readonly integrity?: string | undefined;
  /** Where it was built, if a registry says so. */
  readonly provenance?: string | undefined;
  /** The hash of its files, see `addons/source/content-hash`. */
  readonly content: string;
  /** What it asks for, in words. */
  readonly asks: readonly string[];
  /** Further lines of `indus add`, so that an update asks for the same. */
  readonly options?: PackageOptions | undefined;
  readonly isOff?: boolean | undefined;
  /** The package whose plugin brought it: it comes, changes and goes with that one. */
  readonly partOf?: string | undefined;
}

/** Each with those before it. */
export const FILE_ACCESS = ["read", "write", "execute"] as const;
export type FileAccess = (typeof FILE_ACCESS)[number];

/** What a person says beside the source of an MCP server, or of hooks. */
export interface PackageOptions {
  readonly files?: FileAccess | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly secrets?: readonly string[] | undefined;
  /** It may ask the person during a call. */
  readonly asks?: boolean | undefined;
  /** It may start a browser. */
  readonly browser?: boolean | undefined;
  /** It may use the session's model. */
  readonly sampling?: boolean | undefined;
  /** Its program runs outside of the sandbox. Nothing but the person's own words says so. */
  readonly unconfined?: boolean | undefined;
  /** Variables of a server's program. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** How long a server may take to start. */
  readonly startSeconds?: number | undefined;
}

const { maxBytes, version } = HOME_FILES.packagesLock;

/** Throws a {@link Problem} for what cannot be a package's name: it is a folder's, too. */
export function requireName(name: string): void {
  if (isAddonId(name)) return;
  const rule = `at most ${MAX_ID_LENGTH} letters, digits, . _ -, beginning with a letter or digit`;
  const found = isHashPrefix(name)
    ? ", and not only digits of a hash"
    : name.length > MAX_ID_LENGTH
      ? `, found ${name.length}`
      : "";
  throw new Problem(
    `${JSON.stringify(beginningOf(name, MAX_ID_LENGTH))} is not a package's name: expected ${rule}${found}; add --name NAME`,
  );
}

/** Those of the file, by name; none if there is no file. Throws a {@link Problem} if it is damaged. */
export function readLock(path: string): ReadonlyMap<string, LockedPackage> {
  let content: unknown;
  try {
    content = readJson(path, maxBytes);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return new Map();
    throw new Problem(`${path} cannot be read: ${(error as Error).message}`);
  }
  const packages = isTable(content) && content.version === version ? content.packages : undefined;
  if (!isTable(packages))
    throw new Problem(
      `${path} is damaged: expected "version": ${version} and a table "packages". Correct it, or remove it`,
    );
  return new Map(Object.entries(packages).map(([name, row]) => [name, parseRow(path, name, row)]));
}

/** Changes the file under its lock. Throws a {@link Problem} if it cannot be written. */
export async function changeLock(
  path: string,
  edit: (packages: Map<string, LockedPackage>) => void,
): Promise<void> {
  await writing(path, () => {
    const packages = new Map(readLock(path));
    edit(packages);
    const rows = [...packages.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
    const table = Object.fromEntries(rows.map(({ name, ...row }) => [name, row]));
    return `${JSON.stringify({ version, packages: table }, undefined, 2)}\n`;
  });
}

async function writing(path: string, change: () => string): Promise<void> {
  try {
    await updateFile(path, change);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(`${path} was not changed: ${describeError(error)}`);
  }
}

function parseRow(path: string, name: string, row: unknown): LockedPackage {
  if (isTable(row) && isAddonId(name)) {
    const { source, base, resolved, integrity, provenance, content, asks, options, isOff, partOf } = row;
    if (
      typeof source === "string" &&
      (base === undefined || typeof base === "string") &&
      typeof resolved === "string" &&
      (integrity === undefined || typeof integrity === "string") &&
      (provenance === undefined || typeof provenance === "string") &&
      typeof content === "string" &&
      /^[0-9a-f]{64}$/.test(content) &&
      isTexts(asks) &&
      (isOff === undefined || typeof isOff === "boolean") &&
      (partOf === undefined || typeof partOf === "string")
    )
      return {
        name,
        source,
        base,
        resolved,
        integrity,
        provenance,
        content,
        asks,
        options: parseOptions(options),
        isOff,
        partOf,
      };
  }
  throw new Problem(
    `${path}: the row of ${JSON.stringify(name)} is damaged: expected a package's name with "source", "resolved", "content" and "asks". Correct it, or remove the row`,
  );
}

function parseOptions(options: unknown): PackageOptions | undefined {
  if (!isTable(options)) return undefined;
  const { files, hosts, secrets, asks, browser, sampling, unconfined, env, startSeconds } = options;
  return {
    files: FILE_ACCESS.find((each) => each === files),
    hosts: isTexts(hosts) ? hosts : undefined,
    secrets: isTexts(secrets) ? secrets : undefined,
    asks: asks === true || undefined,
    browser: browser === true || undefined,
    sampling: sampling === true || undefined,
    unconfined: unconfined === true || undefined,
    env: isTextTable(env) ? env : undefined,
    startSeconds: isStartSeconds(startSeconds) ? startSeconds : undefined,
  };
}

/** What a manifest takes, too. */
export function isStartSeconds(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MAX_START_SECONDS;
}

function isTextTable(value: unknown): value is Readonly<Record<string, string>> {
  return isTable(value) && Object.values(value).every((each) => typeof each === "string");
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
