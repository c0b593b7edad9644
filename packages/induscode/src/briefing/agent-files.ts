// The delegates of a session: the profiles of every folder in their order, the built-in ones behind them (seed 000).

import { dirname, join } from "node:path";
import { PROFILE_FILE, readAgentFile } from "./agent-file.ts";
import { BUILTIN_AGENTS } from "./builtin-agents.ts";
import type { BriefingDiagnostic, MacroOrigin, SubagentLoad, SubagentProfile } from "./contract.ts";
import { listFolder } from "./folder-entries.ts";
import { leadsOut, type ProductPlaces, productFolders } from "./places.ts";
import { realPathOf } from "./text-file.ts";

/** Where profiles are kept (seed 000), and where another product keeps its own. */
export const AGENT_FOLDERS: readonly string[] = [".indus/agents", ".claude/agents"];

const MAX_AGENTS = 100;

/** The profiles of all places: project before home before built in, and of two with one name the first. Never throws. */
export function gatherAgents(places: ProductPlaces): SubagentLoad {
  const profiles = new Map<string, SubagentProfile>();
  const diagnostics: BriefingDiagnostic[] = [];
  for (const { dir, origin, within } of productFolders(places, AGENT_FOLDERS)) {
    const load = discoverProfiles(dir, origin, within);
    diagnostics.push(...load.diagnostics);
    for (const profile of load.profiles) {
      const first = profiles.get(profile.name);
      if (first === undefined) profiles.set(profile.name, profile);
      else {
        const message = `${profile.source} is not used: the delegate ${profile.name} is already ${first.source}`;
        diagnostics.push({ kind: "collision", path: profile.source, message });
      }
    }
  }
  const { kept, dropped } = fitListing([...profiles.values()]);
  const builtins = BUILTIN_AGENTS.filter((builtin) => !kept.some(({ name }) => name === builtin.name));
  if (dropped[0]) {
    const message = `the list of delegates for the model is full; ${dropped.map(({ name }) => name).join(", ")} are left out`;
    diagnostics.push({ kind: "limit", path: dropped[0].source, message });
  }
  diagnostics.push(...kept.filter(isBuiltinName).map(inPlaceOfBuiltin));
  return { profiles: [...kept, ...builtins], diagnostics };
}

// What the model reads of delegates is in every request.
const MAX_LISTING_BYTES = 16 * 1024;

/** The person's own before a repository's, which must not crowd them out. */
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

function isBuiltinName(profile: SubagentProfile): boolean {
  return BUILTIN_AGENTS.some(({ name }) => name === profile.name);
}

function inPlaceOfBuiltin({ name, source }: SubagentProfile): BriefingDiagnostic {
  const message = `the delegate ${name} is ${source}, in the place of the built-in one`;
  return { kind: "collision", path: source, message };
}

/** The profiles of one folder, one level deep, sorted by file; a bad file costs itself only (seed 000). Never throws. */
export function discoverProfiles(
  dir: string,
  origin: MacroOrigin,
  within: readonly string[] | undefined = origin === "project"
    ? [realPathOf(dirname(dirname(dir)))]
    : undefined,
): SubagentLoad {
  const profiles: SubagentProfile[] = [];
  const diagnostics: BriefingDiagnostic[] = [];
  const isUsable = (path: string): boolean => {
    const problem = leadsOut(path, within);
    if (problem !== undefined)
      diagnostics.push({ kind: "refused", path, message: `${path} is not used: ${problem}` });
    return problem === undefined;
  };
  if (!isUsable(dir)) return { profiles, diagnostics };
  const { entries, problem } = listFolder(dir);
  if (problem !== undefined)
    diagnostics.push({ kind: "unreadable", path: dir, message: `${dir} cannot be looked into: ${problem}` });
  const files = entries.filter((entry) => !entry.isDirectory() && PROFILE_FILE.test(entry.name));
  if (files.length > MAX_AGENTS) {
    const message = `${dir} holds ${files.length} agents; only the first ${MAX_AGENTS} are read`;
    diagnostics.push({ kind: "limit", path: dir, message });
  }
  for (const { name } of files.slice(0, MAX_AGENTS)) {
    const path = join(dir, name);
    if (!isUsable(path)) continue;
    const read = readAgentFile(path, origin);
    if (read === undefined) continue;
    if (read.ok) {
      profiles.push(read.profile);
      diagnostics.push(...read.diagnostics);
    } else diagnostics.push({ kind: read.fault.kind, path, message: read.fault.message });
  }
  return { profiles, diagnostics };
}
