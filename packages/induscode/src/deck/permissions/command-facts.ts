// A command plus facts from the machine: where its files really are, and whether git would run something. Loaded with the first command
// that is decided, together with the shell's grammar.

import { resolve } from "node:path";
import type { Looks, ShellPart } from "../shell/contract.ts";
import { placesOf } from "../shell/expand-word.ts";
import type { GitFiles } from "../shell/git-place.ts";
import { type GitVerdicts, keptGitMayRun } from "../shell/git-verdicts.ts";
import { looksOf } from "../shell/harmless.ts";
import { readCommand } from "../shell/read-command.ts";
import { type ChangedPlaces, changedPlaces } from "./changed-places.ts";
import { unnamedRisk } from "./command-risks.ts";
import { MAX_TEXT_CHARS, mentionedPlaces } from "./command-texts.ts";
import { withListedNames } from "./listed-names.ts";
import { hidesHost, namedHosts } from "./named-hosts.ts";
import { givenPlaces, outputsOf, placesIn, readingsOf, writesNamed } from "./named-places.ts";
import type { IsOwnFile } from "./removed-places.ts";
import type { CommandFacts, PartFacts, ResolvedAccess } from "./resolved-access.ts";
import { unnamedChanges, unnamedReads } from "./unnamed-files.ts";

interface FileAccess extends ResolvedAccess {
  readonly access: { readonly kind: "read" | "write"; readonly path: string };
}

export interface CommandFactsDeps {
  readonly home: string;
  /** bash runs the line. */
  readonly isBash?: boolean | undefined;
  readonly realPath: (path: string) => Promise<string>;
  /** Absent where nothing may be looked up: git commands are then asked about. */
  readonly files?: GitFiles | undefined;
  /** Absent: no file is known as the session's own. */
  readonly isOwn?: IsOwnFile | undefined;
  /** Whether the decision depends on what git may run in its repository, which takes some milliseconds to find out. */
  readonly asksGit: boolean;
  readonly gitVerdicts: GitVerdicts;
  /** Whether a rule that denies or asks is about files: otherwise nobody asks where the words of an unknown program lead. */
  readonly hasFileRules: boolean;
}

/** For the commands of one line. */
interface LineDeps extends CommandFactsDeps {
  readonly cwd: string;
  /** How much of their texts may still be looked through. */
  readonly texts: { left: number };
}

/** Reads a command line and looks up what it names. */
export async function commandFacts(
  command: string,
  cwd: string,
  deps: CommandFactsDeps,
): Promise<CommandFacts> {
  const { parts, ...reading } = readCommand(command, { cwd, home: deps.home, isBash: deps.isBash });
  const known = new Map<string, Promise<PartFacts>>();
  const line = { ...deps, cwd, texts: { left: MAX_TEXT_CHARS } };
  return {
    ...reading,
    riskOf: unnamedRisk,
    parts: await Promise.all(
      parts.map(async (part) => {
        // A loop runs the same command many times: what it names is looked up, and matched, once.
        const { words, ...others } = part;
        const values = words.map(({ text, value }) => value ?? `\x01${text}`); // no word has such a character
        const key = [...values, JSON.stringify(others)].join("\0");
        const same = known.get(key);
        if (same) {
          const { named: _, ...rest } = await same;
          return rest;
        }
        const found = partFacts(part, line);
        known.set(key, found);
        return found;
      }),
    ),
  };
}

async function partFacts(given: ShellPart, deps: LineDeps): Promise<PartFacts> {
  const { folders = [deps.cwd] } = given;
  // Rules about files go by what a line names.
  const looks = looksOf(deps.hasFileRules ? given : await withListedNames(given, deps.files));
  const mayOpen = await likelyOpened(given, { folders, onlyLooks: looks !== undefined }, deps);
  const opens = await Promise.all(
    given.files.map(async ({ kind, paths }) => {
      if (paths === undefined) return [{ access: { kind, path: "" } } as const];
      return allResolved(kind, paths, deps);
    }),
  );
  const changed =
    looks === undefined ? await changedPlaces(given, deps.files, deps.isOwn ?? (() => false)) : undefined;
  const part = {
    ...given,
    ...{ hosts: namedHosts(given), hidesHost: hidesHost(given), riskOf: unnamedRisk, opens: opens.flat() },
    ...(mayOpen.length === 0 ? {} : { mayOpen }),
    ...(looks === undefined && writesNamed(given) ? { writesNamed: true } : {}),
  };
  if (changed)
    return { ...part, ...(await naming(given, looks, deps)), ...(await changing(part, changed, deps)) };
  if (looks === undefined) return { ...part, ...(await naming(given, looks, deps)) };
  const places = looks.files.map((file) => placesOf(file, part.folders));
  if (places.includes(undefined)) return { ...part, ...(await naming(given, looks, deps)) };
  const paths = [...new Set(places.flatMap((each) => each ?? []))];
  const runs = looks.isGit
    ? await gitRuns(part, deps)
    : looks.needsFiles
      ? await otherThanFile(paths, deps)
      : undefined;
  const named = await naming(given, runs === undefined || looks.isGit ? looks : undefined, deps);
  if (runs !== undefined) return { ...part, runs, ...named };
  return { ...part, looks: await allResolved("read", paths, deps), ...named };
}

/** A command that changes only what it names: like one that looks at what it reads, and whose output goes to what it writes. */
async function changing(
  part: PartFacts,
  { reads, writes, isGit }: ChangedPlaces,
  deps: LineDeps,
): Promise<Pick<PartFacts, "looks" | "opens" | "runs">> {
  const runs = isGit ? await gitRuns(part, deps) : undefined;
  const opens = [...part.opens, ...(await allResolved("write", writes, deps))];
  if (runs !== undefined) return { runs, opens };
  return { looks: await allResolved("read", reads, deps), opens };
}

/** What it names, and why that may not be all; nothing if no rule asks. */
async function naming(
  part: ShellPart,
  looks: Looks | undefined,
  deps: LineDeps,
): Promise<Pick<PartFacts, "named" | "unnamedReads" | "unnamedChanges">> {
  if (!deps.hasFileRules) return {};
  const { folders = [deps.cwd], words } = part;
  const given =
    looks && !looks.isGit ? looks.files.map((file) => ({ text: file, value: file })) : words.slice(1);
  const own = givenPlaces(given, folders);
  const mentioned = mentionedPlaces(looks ? { ...part, words: [] } : part, folders, deps.texts);
  const around = {
    ...{ cwd: deps.cwd, looks, isCut: own.isCut || mentioned.isCut },
    isFile: (path: string) => isKind("isFile", path, deps),
    isFolder: (path: string) => isKind("isDirectory", path, deps),
  };
  const [resolved, reads, changes] = await Promise.all([
    allResolved("read", own.places, deps),
    unnamedReads(part, around),
    unnamedChanges(part, around),
  ]);
  const places = resolved.flatMap(({ access, realPath = access.path }) => [access.path, realPath]);
  return {
    named: [...new Set([...places, ...mentioned.places])],
    unnamedReads: reads,
    unnamedChanges: changes,
  };
}

/** Where nothing may be looked up, a place is taken for either. */
async function isKind(
  kind: "isFile" | "isDirectory",
  path: string,
  { files }: CommandFactsDeps,
): Promise<boolean> {
  if (files === undefined) return kind === "isDirectory";
  return (await files.stat(path).catch(() => undefined))?.[kind] === true;
}

async function gitRuns(
  { folders = [] }: ShellPart,
  { files, asksGit, gitVerdicts }: CommandFactsDeps,
): Promise<string | undefined> {
  if (files === undefined || !asksGit) return "the settings of the repository are unknown";
  for (const folder of folders) {
    const why = await keptGitMayRun(folder, files, gitVerdicts);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** Why a command that only looks at files may look at more. */
async function otherThanFile(
  paths: readonly string[],
  { files }: CommandFactsDeps,
): Promise<string | undefined> {
  for (const path of paths)
    if ((await files?.stat(path).catch(() => undefined))?.isFile !== true)
      return `${path} is not a file, and below a folder it follows links`;
  return undefined;
}

/** What the shell may open where it is not known what it opens, and what the program is told to write. */
async function likelyOpened(
  part: ShellPart,
  { folders, onlyLooks }: { readonly folders: readonly string[]; readonly onlyLooks: boolean },
  deps: CommandFactsDeps,
): Promise<readonly FileAccess[]> {
  if (!deps.hasFileRules) return [];
  const outputs = onlyLooks ? [] : allResolved("write", placesIn(outputsOf(part), folders), deps);
  const each = part.files.map(async ({ kind, word }) =>
    word === undefined ? [] : allResolved(kind, placesIn(readingsOf(word), folders), deps),
  );
  return (await Promise.all([outputs, ...each])).flat();
}

async function allResolved(
  kind: "read" | "write",
  paths: readonly string[],
  deps: CommandFactsDeps,
): Promise<readonly FileAccess[]> {
  return Promise.all(paths.map((path) => resolved(kind, path, deps)));
}

async function resolved(kind: "read" | "write", path: string, deps: CommandFactsDeps): Promise<FileAccess> {
  const access = { kind, path: resolve(path) };
  try {
    return { access, realPath: await deps.realPath(path) };
  } catch {
    return { access };
  }
}
