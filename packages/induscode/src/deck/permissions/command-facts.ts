// A command plus facts from the machine: where its files really are, and whether git would run something. Loaded with the first command
// that is decided, together with the shell's grammar.

import type { Fs } from "indusagi/capabilities";
import type { ShellPart } from "../shell/contract.ts";
import { placesOf } from "../shell/expand-word.ts";
import { type GitFiles, gitMayRun } from "../shell/git-settings.ts";
import { looksOf } from "../shell/harmless.ts";
import { readCommand } from "../shell/read-command.ts";
import { unnamedRisk } from "./command-risks.ts";
import { hidesHost, namedHosts } from "./named-hosts.ts";
import { namedPlaces, writesNamed } from "./named-places.ts";
import type { ReadsBelow } from "./reads-below.ts";
import type { CommandFacts, PartFacts, ResolvedAccess } from "./resolved.ts";

export interface CommandFactsDeps {
  readonly home: string;
  readonly realPath: (path: string) => Promise<string>;
  /** Absent where nothing may be looked up: git commands are then asked about. */
  readonly files?: (GitFiles & Pick<Fs, "readDir">) | undefined;
  /** Whether a rule that denies or asks is about reading this file; absent: no folder is looked through for such files. */
  readonly isRuled?: ((path: string) => boolean) | undefined;
}

/** Reads a command line and looks up what it names. */
export async function commandFacts(
  command: string,
  cwd: string,
  deps: CommandFactsDeps,
): Promise<CommandFacts> {
  const { parts, ...reading } = readCommand(command, { cwd, home: deps.home });
  return {
    ...reading,
    riskOf: unnamedRisk,
    parts: await Promise.all(
      parts.map(async (part, at) => {
        const inner = parts.slice(at + 1, at + 1 + (part.inner ?? 0));
        const [facts, below] = await Promise.all([partFacts(part, deps), filesBelow(part, inner, deps)]);
        return { ...facts, ...below };
      }),
    ),
  };
}

async function filesBelow(
  part: ShellPart,
  inner: readonly ShellPart[],
  { files, isRuled, realPath, home }: CommandFactsDeps,
): Promise<ReadsBelow> {
  if (files === undefined || isRuled === undefined) return {};
  const { readsBelow } = await import("./reads-below.ts");
  return readsBelow(part, { inner, looks: looksOf(part) }, { files, isRuled, realPath, home });
}

async function partFacts(given: ShellPart, deps: CommandFactsDeps): Promise<PartFacts> {
  const part = { ...given, hosts: namedHosts(given), hidesHost: hidesHost(given), riskOf: unnamedRisk };
  const opens = (
    await Promise.all(
      part.files.map(async ({ kind, paths }) => {
        if (paths === undefined) return [{ access: { kind, path: "" } } as const];
        return Promise.all(paths.map((path) => resolved(kind, path, deps)));
      }),
    )
  ).flat();
  const looks = looksOf(part);
  if (looks === undefined) {
    const writes = writesNamed(part) ? { writesNamed: true } : {};
    return { ...part, opens, named: namedPlaces(part), ...writes };
  }
  const places = looks.files.map((file) => placesOf(file, part.folders));
  if (places.includes(undefined)) return { ...part, opens };
  const paths = [...new Set(places.flatMap((each) => each ?? []))];
  const runs = looks.isGit ? await gitRuns(part, deps) : undefined;
  if (runs !== undefined) return { ...part, opens, runs };
  const seen = await Promise.all(paths.map((path) => resolved("read", path, deps)));
  return { ...part, opens, looks: seen, ...(looks.isDeep ? { isDeep: true } : {}) };
}

async function gitRuns(
  { folders = [] }: ShellPart,
  { files }: CommandFactsDeps,
): Promise<string | undefined> {
  if (files === undefined) return "the settings of the repository are not known";
  for (const folder of folders) {
    const why = await gitMayRun(folder, files);
    if (why !== undefined) return why;
  }
  return undefined;
}

async function resolved(
  kind: "read" | "write",
  path: string,
  deps: CommandFactsDeps,
): Promise<ResolvedAccess> {
  try {
    return { access: { kind, path }, realPath: await deps.realPath(path) };
  } catch {
    return { access: { kind, path } };
  }
}
