// From what the person granted an addon to what its process may reach (seed 000, the sandbox). Everything else that an
// addon may do goes through the host, which checks it there.

import { readFileSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import type { HostCapability } from "../../feature/contract.ts";
import type { AddonProgram } from "../remote/contract.ts";
import { confinedTo, denyAll, permitsEnv, type SandboxPolicy } from "../sandbox-policy.ts";
import type { SandboxSpec } from "./contract.ts";

/** What the program's process may reach with these grants. The workspace counts only with a grant of files. */
export function sandboxSpec(
  program: AddonProgram,
  grants: readonly HostCapability[],
  workspace: string,
): SandboxSpec {
  const may = filesGranted(grants);
  const root = realPath(workspace);
  return {
    readable: [...program.readable, ...(may.read ? [root] : [])],
    writable: may.write ? [root] : [],
    protected: may.write ? protectedIn(root, program) : [],
    mayStartProcesses: may.execute,
    isNode: program.isNode,
    maxMemoryBytes: program.maxMemoryBytes,
  };
}

/** The same as a policy: whose paths are permitted, and which variables are passed on. */
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
  const passed: Record<string, string> = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/nonexistent" };
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && permitsEnv(policy, name)) passed[name] = value;
  }
  return passed;
}

/** Language and time zone: what a program needs to write text that a person reads. Never PATH or HOME: they are fixed. */
const PASSED_VARIABLES: readonly string[] = ["LANG", "LC_ALL", "LC_CTYPE", "TZ"];

/**
 * Names at the workspace's root that something acts on later without asking who wrote them: git's hooks and settings, what
 * this and other agents read as instructions, settings and servers to start, what editors and shells run on opening.
 */
const PROTECTED_NAMES: readonly string[] = [
  ...[".git", ".gitmodules", ".gitattributes"],
  ...[".indus", ".indusagi", ".agents", ".claude", ".codex", ".cursor", ".gemini", ".mcp.json"],
  ...["AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md"],
  ...[".vscode", ".idea", ".devcontainer", ".devcontainer.json", ".envrc", ".husky", ".npmrc"],
  // Where the workspace is a home.
  ...[
    ".ssh",
    ".gnupg",
    ".config",
    ".local",
    ".gitconfig",
    ".profile",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
  ],
  ...[".bash_logout", ".zshrc", ".zshenv", ".zprofile", ".zlogin"],
];

/** The names, what those that exist really are, and the program's own files: it must not become what was not trusted. */
function protectedIn(root: string, program: AddonProgram): readonly string[] {
  const named = PROTECTED_NAMES.map((name) => join(root, name));
  const gitFolder = linkedGitFolder(join(root, ".git"));
  return [
    ...new Set([
      ...named,
      ...named.map(realPath),
      ...(gitFolder === undefined ? [] : [gitFolder]),
      ...program.readable,
    ]),
  ];
}

/** Where a `.git` that is a file says that the repository lies (a worktree, a submodule). */
function linkedGitFolder(path: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    // A folder, or nothing: then the name alone is protected.
    return undefined;
  }
  const target = /^gitdir: (.+)$/m.exec(text)?.[1];
  return target === undefined ? undefined : realPath(resolve(path, "..", target.trim()));
}

/** The real path of what exists, else the path itself. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

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
