// From what the person granted an addon to what its process can reach. Everything else an addon can do goes
// through the host, which checks it there.

import type { HostCapability } from "../../feature/descriptor.ts";
import { type AddonProgram, worksForPrograms } from "../process/contract.ts";
import { realPath } from "../source/on-disk.ts";
import { type ProtectedPlaces, protectedPlaces } from "../source/protected-places.ts";
import type { SandboxSpec } from "./contract.ts";
import { confinedTo, denyAll, permitsEnv, type SandboxPolicy } from "./sandbox-policy.ts";
import { SYSTEM_PATH } from "./system-places.ts";

/**
 * What the program's process can reach with these grants. The workspace, a path that has had no link in it since the session began,
 * counts only with a grant for files: resolved again, it would be wherever a link leads now. `documents` returns real paths that agents
 * read as instructions, whatever their names, from those of protected names.
 */
export function sandboxSpec(
  program: AddonProgram,
  grants: readonly HostCapability[],
  workspace: string,
  documents: (names: readonly string[]) => readonly string[] = () => [],
): SandboxSpec {
  const may = filesGranted(grants);
  const hasBrowser = grants.some(({ kind }) => kind === "browser");
  const { paths, closed } = may.write ? protectedPlaces(workspace) : NOWHERE;
  const own = program.readable.map(realPath);
  return {
    readable: [...own, ...(may.read ? [workspace] : [])],
    writable: may.write ? [workspace] : [],
    // Its own files too: it must not turn itself into something that was not trusted.
    protected: may.write ? [...new Set([...paths, ...documents(paths), ...own])] : [],
    closed: closed.length > 0 ? closed : undefined,
    mayStartProcesses: may.execute || worksForPrograms(program) || hasBrowser,
    hasBrowser,
    isNode: program.isNode,
    maxMemoryBytes: program.maxMemoryBytes,
  };
}

const NOWHERE: ProtectedPlaces = { paths: [], closed: [] };

/** The same as a policy: which paths are permitted, and which variables are passed on. */
export function policyOf(grants: readonly HostCapability[], workspace: string): SandboxPolicy {
  const may = filesGranted(grants);
  const policy = may.read || may.write ? confinedTo(workspace) : denyAll();
  return { ...policy, envAllowlist: PASSED_VARIABLES };
}

/** The whole environment of an addon's process. */
export function addonEnvironment(
  policy: SandboxPolicy,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const passed: Record<string, string> = { PATH: SYSTEM_PATH, HOME: "/nonexistent" };
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && permitsEnv(policy, name)) passed[name] = value;
  }
  return passed;
}

/** The values of the granted secrets, by the names of their variables. */
export function secretVariables(
  grants: readonly HostCapability[],
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    grants.flatMap((grant) => {
      const value = grant.kind === "secret" ? env[grant.id] : undefined;
      return grant.kind === "secret" && value !== undefined ? [[grant.id, value]] : [];
    }),
  );
}

/** Language and time zone: what a program needs to write readable text. Never PATH or HOME: they are fixed. */
const PASSED_VARIABLES: readonly string[] = ["LANG", "LC_ALL", "LC_CTYPE", "TZ"];

interface FilesGranted {
  readonly read: boolean;
  readonly write: boolean;
  readonly execute: boolean;
}

function filesGranted(grants: readonly HostCapability[]): FilesGranted {
  const files = grants.filter((grant) => grant.kind === "files");
  return {
    read: files.some(({ read }) => read),
    write: files.some(({ write }) => write),
    execute: files.some(({ execute }) => execute),
  };
}
