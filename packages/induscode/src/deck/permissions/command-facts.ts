// A command plus facts from the machine: where its files really are, and whether git would run something. Loaded with the first command
// that is decided, together with the shell's grammar.

import { resolve } from "node:path";
import type { CommandReading, ShellPart } from "../shell/contract.ts";
import { placesOf } from "../shell/expand-word.ts";
import type { GitFiles } from "../shell/git-place.ts";
import { type GitVerdicts, keptGitMayRun } from "../shell/git-verdicts.ts";
import { looksOf } from "../shell/harmless.ts";
import { readCommand } from "../shell/read-command.ts";
import { unnamedRisk } from "./command-risks.ts";
import type { WalkDeps } from "./folder-walk.ts";
import { createMentions, type Mentioned, type MentionFacts } from "./mentioned-places.ts";
import { hidesHost, namedHosts } from "./named-hosts.ts";
import { namedPlaces, outputsOf, placesIn, readingsOf, readsList, writesNamed } from "./named-places.ts";
import type { Around, ChangesBelow, ReadsBelow } from "./reads-below.ts";
import type { CommandFacts, PartFacts, ResolvedAccess } from "./resolved.ts";

/** Settings by which a star also stands for hidden names, or for names in another case. */
const LOOSE = /dotglob|GLOBIGNORE|nocaseglob|globdots/i;

interface FileAccess extends ResolvedAccess {
  readonly access: { readonly kind: "read" | "write"; readonly path: string };
}

export interface CommandFactsDeps {
  readonly home: string;
  readonly realPath: (path: string) => Promise<string>;
  /** Absent where nothing may be looked up: git commands are then asked about. */
  readonly files?: GitFiles | undefined;
  /** Whether the decision depends on what git may run in its repository, which takes some milliseconds to find out. */
  readonly asksGit: boolean;
  readonly gitVerdicts: GitVerdicts;
  /** Whether a rule that denies or asks is about files: otherwise nobody asks where the words of an unknown program lead. */
  readonly hasFileRules: boolean;
  /** Whether a rule that denies or asks is about reading this file; absent: no folder is looked through for such files. */
  readonly isRuled?: ((path: string) => boolean) | undefined;
  /** The same for changing it. */
  readonly isGuarded?: ((path: string) => boolean) | undefined;
}

/** Reads a command line and looks up what it names. */
export async function commandFacts(
  command: string,
  cwd: string,
  deps: CommandFactsDeps,
): Promise<CommandFacts> {
  const { parts, handedOn, ...reading } = readCommand(command, { cwd, home: deps.home });
  const known = new Map<string, Promise<PartFacts>>();
  const below = await belowIn({ parts, handedOn }, { ...deps, cwd, isLoose: LOOSE.test(command) });
  const mentions = deps.hasFileRules ? createMentions(command) : () => NOTHING_MENTIONED;
  return {
    ...reading,
    riskOf: unnamedRisk,
    parts: await Promise.all(
      parts.map(async (part, at) => {
        // A loop runs the same command many times: what it names is looked up, and matched, once.
        const { words, ...others } = part;
        const values = words.map(({ text, value, globs }) => value ?? `\x01${text}\x01${globs}`); // no word has such a character
        const key = [...values, JSON.stringify(others)].join("\0");
        const same = known.get(key);
        if (same) {
          const { named: _, inScripts: __, ...rest } = await same;
          return rest;
        }
        const inner = parts.slice(at + 1, at + 1 + (part.inner ?? 0));
        const source = sourceOf(parts.slice(part.pipe ?? at, at));
        const found = Promise.all([
          partFacts(part, { mentions, cwd }, deps),
          below(part, inner, source),
        ]).then(([facts, reads]) => ({ ...facts, ...reads }));
        known.set(key, found);
        return found;
      }),
    ),
  };
}

/** Programs that only leave out lines, or change their order. */
const FILTERS = /^(?:[ef]?grep|head|sort|tac|tail|uniq)$/;

/** Of what stands before a command in its pipe: the first, if its lines come through. */
function sourceOf([first, ...others]: readonly ShellPart[]): ShellPart | undefined {
  const isFilter = (part: ShellPart): boolean =>
    FILTERS.test(part.words[0]?.value ?? "") && looksOf(part)?.files.length === 0;
  return others.every(isFilter) ? first : undefined;
}

interface BelowDeps extends CommandFactsDeps {
  readonly cwd: string;
  readonly isLoose: boolean;
}

/** For each command of a line, what it reads and changes below folders; `inner` are the commands that it runs, `source` prints what it gets from its pipe. */
async function belowIn(
  line: Pick<CommandReading, "parts" | "handedOn">,
  { files, isRuled, isGuarded, realPath, isLoose, cwd }: BelowDeps,
): Promise<
  (
    part: ShellPart,
    inner: readonly ShellPart[],
    source: ShellPart | undefined,
  ) => Promise<ReadsBelow & ChangesBelow>
> {
  if (files === undefined || (isRuled ?? isGuarded) === undefined) return async () => ({});
  const { changesBelow, createSpread, readsBelow } = await import("./reads-below.ts");
  const { createTrackedFiles } = await import("./tracked-files.ts");
  const under = <Below>(
    isAbout: WalkDeps["isRuled"] | undefined,
    below: (part: ShellPart, around: Around, deps: WalkDeps) => Promise<Below>,
  ): ((part: ShellPart, around: Omit<Around, "spread" | "tracked">) => Promise<Below | undefined>) => {
    if (isAbout === undefined) return async () => undefined;
    const deps = { files, isRuled: isAbout, realPath, isLoose };
    const tracked = createTrackedFiles(files, isAbout);
    const spread = createSpread(line, tracked, deps);
    return (part, around) => below(part, { ...around, spread, tracked }, deps);
  };
  const reads = under(isRuled, readsBelow);
  const changes = under(isGuarded, changesBelow);
  return async (part, inner, source) => {
    const around = { cwd, inner, source, looks: looksOf(part) };
    return { ...(await reads(part, around)), ...(await changes(part, around)) };
  };
}

async function partFacts(
  given: ShellPart,
  {
    mentions,
    cwd,
  }: { readonly mentions: (part: ShellPart, facts: MentionFacts) => Mentioned; readonly cwd: string },
  deps: CommandFactsDeps,
): Promise<PartFacts> {
  const { folders = [cwd] } = given;
  const looks = looksOf(given);
  const mayOpen = await likelyOpened(given, { folders, onlyLooks: looks !== undefined }, deps);
  const part = {
    ...given,
    ...{ hosts: namedHosts(given), hidesHost: hidesHost(given), riskOf: unnamedRisk },
    ...(mayOpen.length === 0 ? {} : { mayOpen }),
  };
  const opens = (
    await Promise.all(
      part.files.map(async ({ kind, paths }) => {
        if (paths === undefined) return [{ access: { kind, path: "" } } as const];
        return allResolved(kind, paths, deps);
      }),
    )
  ).flat();
  const writes = looks === undefined && writesNamed(part);
  const mentioned = mentions(part, { onlyLooks: looks !== undefined, folders, writes });
  const naming = async (
    places: readonly string[],
    hidden?: string,
  ): Promise<Pick<PartFacts, "named" | "inScripts" | "hidesReads" | "hidesWrites">> => {
    const cut = mentioned.isCut ? "it has more text than is looked through" : undefined;
    const unseen = cut ?? hidden;
    return {
      named: [...(await written(places, deps)), ...mentioned.places],
      ...(mentioned.inScripts.length === 0 ? {} : { inScripts: mentioned.inScripts }),
      ...(unseen !== undefined && deps.isRuled ? { hidesReads: unseen } : {}),
      ...(cut === undefined ? {} : { hidesWrites: cut }),
    };
  };
  if (looks === undefined) {
    const { places, isCut } = namedPlaces(part, cwd);
    const unseen = isCut ? "its braces expand to too many files" : readsList(part);
    return { ...part, opens, ...(await naming(places, unseen)), ...(writes ? { writesNamed: true } : {}) };
  }
  const places = looks.files.map((file) => placesOf(file, part.folders));
  if (places.includes(undefined))
    return { ...part, opens, ...(await naming(placesIn(looks.files, folders))) };
  const paths = [...new Set(places.flatMap((each) => each ?? []))];
  const runs = looks.isGit
    ? await gitRuns(part, deps)
    : looks.needsFiles
      ? await otherThanFile(paths, deps)
      : undefined;
  if (runs !== undefined) return { ...part, opens, runs, ...(await naming(namedPlaces(part, cwd).places)) };
  const seen = await Promise.all(paths.map((path) => resolved("read", path, deps)));
  // `git show HEAD:file` shows what a file contained.
  const named = await naming(looks.isDeep ? namedPlaces(part).places : []);
  return { ...part, opens, looks: seen, ...named, ...(looks.isDeep ? { isDeep: true } : {}) };
}

const NOTHING_MENTIONED: Mentioned = { places: [], inScripts: [], isCut: false };

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

/** Paths as written and where they lead. */
async function written(paths: readonly string[], deps: CommandFactsDeps): Promise<readonly string[]> {
  if (!deps.hasFileRules) return paths;
  const all = await allResolved("read", paths, deps);
  return [...new Set(all.flatMap(({ access, realPath = access.path }) => [access.path, realPath]))];
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
