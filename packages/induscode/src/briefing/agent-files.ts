// The delegates of a session: the profiles of every folder in order, followed by the built-in ones.

import { dirname, join } from "node:path";
import { LookBudget } from "../store/look-budget.ts";
import { PROFILE_FILE, readAgentFile } from "./agent-file.ts";
import { modelProblem, withSessionModel } from "./asked-model.ts";
import { BUILTIN_AGENTS } from "./builtin-agents.ts";
import type { BriefingDiagnostic, MacroOrigin, SubagentLoad, SubagentProfile } from "./contract.ts";
import { isFolder, listFolder } from "./folder-entries.ts";
import { freeName, leadsOut, type ProductPlaces, productFolders } from "./places.ts";
import { realPathOf } from "./text-file.ts";

/** The folder for profiles. */
export const AGENTS_DIR = ".indus/agents";
/** That folder, and another product's own. */
export const AGENT_FOLDERS: readonly string[] = [AGENTS_DIR, ".claude/agents"];

const MAX_AGENTS = 1_000;
/** How many folders below its own an agent can be in, and how many folders are searched; both stop a tree that is no folder of agents. */
export const MAX_AGENT_FOLDERS = 4;
const MAX_FOLDERS = 500;

/**
 * The profiles of all places: project before home before built-in. For one name, the person's own wins, then the built-in
 * one, then a repository's: a repository's profile replaces nobody's. Never throws.
 */
export function gatherAgents(places: ProductPlaces): SubagentLoad {
  const profiles = new Map<string, SubagentProfile>();
  const diagnostics: BriefingDiagnostic[] = [];
  const loads = productFolders(places, AGENT_FOLDERS, "agents").map((folder) => ({
    ...discoverProfiles(folder.dir, folder.origin, folder.within, folder.look),
    packageName: folder.packageName,
  }));
  for (const load of loads) diagnostics.push(...load.diagnostics);
  const own = loads.filter(({ packageName }) => packageName === undefined).flatMap((load) => load.profiles);
  const taken = new Set([...own, ...BUILTIN_AGENTS].map(({ name }) => name));
  const found = [
    ...own,
    ...loads.flatMap(({ packageName, profiles: brought }) =>
      packageName === undefined ? [] : brought.map((profile) => freed(profile, packageName, taken)),
    ),
  ];
  for (const profile of found.toSorted((one, other) => rank(one) - rank(other))) {
    const { name } = profile;
    const first = profiles.get(name) ?? (profile.origin === "project" ? builtinCalled(name) : undefined);
    if (first === undefined) profiles.set(name, profile);
    else diagnostics.push(notUsed(profile, first));
  }
  const { kept, dropped } = fitListing(found.filter((profile) => profiles.get(profile.name) === profile));
  const builtins = BUILTIN_AGENTS.filter((builtin) => !kept.some(({ name }) => name === builtin.name));
  if (dropped[0]) {
    const message = `the model's list of delegates is full; omitted: ${dropped.map(({ name }) => name).join(", ")}`;
    diagnostics.push({ kind: "limit", path: dropped[0].source, message });
  }
  diagnostics.push(...kept.filter(({ name }) => builtinCalled(name)).map(inPlaceOfBuiltin));
  const usable = kept.map((profile) => {
    const { model, ...others } = profile;
    const problem = model === undefined ? undefined : modelProblem(model, profile.origin, places.aliases);
    if (model === undefined || problem === undefined) return profile;
    diagnostics.push(withSessionModel(profile.source, model, problem));
    return others;
  });
  return { profiles: [...usable, ...builtins], diagnostics };
}

/** A package's delegate takes nobody's place. */
function freed(profile: SubagentProfile, packageName: string, taken: Set<string>): SubagentProfile {
  const name = freeName(profile.name, packageName, taken.has(profile.name));
  taken.add(name);
  return { ...profile, name };
}

// The list of delegates is part of every request to the model.
const MAX_LISTING_BYTES = 16 * 1024;

/** The person's own come before a repository's, so that those cannot crowd them out. */
function fitListing(profiles: readonly SubagentProfile[]): {
  readonly kept: readonly SubagentProfile[];
  readonly dropped: readonly SubagentProfile[];
} {
  const fitting = new Set<SubagentProfile>();
  let bytes = 0;
  for (const profile of profiles.toSorted((one, other) => rank(one) - rank(other))) {
    const { name, purpose, when = "" } = profile;
    const more = Buffer.byteLength(name + purpose + when);
    if (bytes + more > MAX_LISTING_BYTES) continue;
    bytes += more;
    fitting.add(profile);
  }
  return {
    kept: profiles.filter((profile) => fitting.has(profile)),
    dropped: profiles.filter((profile) => !fitting.has(profile)),
  };
}

function rank({ origin }: SubagentProfile): number {
  return origin === "user" ? 0 : 1;
}

function builtinCalled(wanted: string): SubagentProfile | undefined {
  return BUILTIN_AGENTS.find(({ name }) => name === wanted);
}

/** A profile a repository tried to replace is reported at every start. */
function notUsed({ name, source, origin }: SubagentProfile, first: SubagentProfile): BriefingDiagnostic {
  const taken = first.origin === "builtin" ? "built in" : `already defined in ${first.source}`;
  const message = `${source} is not used: the delegate ${name} is ${taken}`;
  if (origin !== "project" || first.origin === "project") return { kind: "collision", path: source, message };
  return {
    kind: "refused",
    path: source,
    message: `${message}, and a repository cannot replace yours or the built-in ones`,
    instead: "rename it, or move it to ~/.indus/agents to make it yours",
  };
}

function inPlaceOfBuiltin({ name, source }: SubagentProfile): BriefingDiagnostic {
  const message = `the delegate ${name} is defined in ${source}, which replaces the built-in one`;
  return { kind: "collision", path: source, message };
}

/** An agent as other products write it. */
const OTHER_AGENT = /\.ya?ml$/i;

function ofAnotherFormat(path: string): BriefingDiagnostic {
  const message = `agent invalid: ${path} is not used: an agent is a Markdown or TOML file`;
  return { kind: "agent-invalid", path, message, instead: "write it as NAME.md" };
}

/** The profiles of one folder and those below it, sorted by file, or of one file; a bad file affects only itself. Never throws. */
export function discoverProfiles(
  dir: string,
  origin: MacroOrigin,
  within: readonly string[] | undefined = origin === "project"
    ? [realPathOf(dirname(dirname(dir)))]
    : undefined,
  look: LookBudget = LookBudget.unlimited(),
): SubagentLoad {
  const profiles: SubagentProfile[] = [];
  const diagnostics: BriefingDiagnostic[] = [];
  const entered = new Set<string>(); // real paths: links can lead in a circle
  let files = 0;
  let left = 0;
  if (isUsable(dir)) {
    if (PROFILE_FILE.test(dir)) read(dir);
    else walk(dir, 0);
  }
  const limited = (message: string): void => void diagnostics.push({ kind: "limit", path: dir, message });
  if (entered.size > MAX_FOLDERS)
    limited(`${dir} has more than ${MAX_FOLDERS} folders; the rest is not searched`);
  if (files > MAX_AGENTS) limited(`${dir} contains ${files} agents; only the first ${MAX_AGENTS} are read`);
  if (left > 0) limited(`${dir}: ${look.leftOut(left, "agent")}`);
  return { profiles, diagnostics };

  function isUsable(path: string): boolean {
    const problem = leadsOut(path, within);
    if (problem !== undefined)
      diagnostics.push({ kind: "refused", path, message: `${path} is not used: ${problem}` });
    return problem === undefined;
  }

  function walk(folder: string, depth: number): void {
    const realPath = realPathOf(folder);
    if (entered.has(realPath) || entered.size > MAX_FOLDERS) return;
    entered.add(realPath);
    const { entries, problem } = listFolder(folder, look);
    if (problem) diagnostics.push({ kind: problem.kind, path: folder, message: `${folder} ${problem.text}` });
    const folders = new Set(entries.filter((entry) => isFolder(entry, folder)));
    const other = entries.find(({ name }) => OTHER_AGENT.test(name));
    if (other !== undefined) diagnostics.push(ofAnotherFormat(join(folder, other.name)));
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (folders.has(entry) || !PROFILE_FILE.test(entry.name) || ++files > MAX_AGENTS || !isUsable(path))
        continue;
      if (look.hasText) read(path);
      else left++;
    }
    for (const { name } of folders) {
      const below = join(folder, name);
      if (depth === MAX_AGENT_FOLDERS) diagnostics.push(...tooDeep(below));
      else if (isUsable(below)) walk(below, depth + 1);
    }
  }

  function read(path: string): void {
    const agent = readAgentFile(path, origin, look);
    if (agent === undefined) return;
    if (agent.ok) {
      profiles.push(agent.profile);
      diagnostics.push(...agent.diagnostics);
    } else diagnostics.push({ kind: agent.fault.kind, path, message: agent.fault.message });
  }

  function tooDeep(path: string): readonly BriefingDiagnostic[] {
    if (leadsOut(path, within) !== undefined) return [];
    const { entries } = listFolder(path, look);
    if (!entries.some((entry) => PROFILE_FILE.test(entry.name) || isFolder(entry, path))) return [];
    const message = `agent invalid: ${path} is not searched: agents are read at most ${MAX_AGENT_FOLDERS} folders deep`;
    return [{ kind: "agent-invalid", path, message, instead: "move its files up" }];
  }
}
