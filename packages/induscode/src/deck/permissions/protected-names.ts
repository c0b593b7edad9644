// Names whose files act by themselves later: the next start, the next git command, the next shell (CVE-2026-25725 and its
// class). An agent's edit of one is never part of "edits inside the working directory".

const PROTECTED_NAMES: ReadonlySet<string> = new Set([
  // what agents and editors load
  ".indus",
  ".indusagi",
  ".claude",
  ".codex",
  ".cursor",
  ".gemini",
  ".agents",
  ".mcp.json",
  ".vscode",
  ".idea",
  ".devcontainer",
  // git, and what hooks into it; a folder with a HEAD of its own may become a repository that git obeys
  ".git",
  ".gitmodules",
  ".gitconfig",
  ".husky",
  ".pre-commit-config.yaml",
  ".github",
  "head",
  // package managers and tool versions
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".pnpmfile.cjs",
  ".cargo",
  ".mise.toml",
  ".envrc",
  // the person's shell and keys
  ".ssh",
  ".gnupg",
  ".config",
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
]);

/** Whether any segment of a path below `root` is protected, as any file system might spell it. */
export function isProtected(root: string, path: string): boolean {
  const segments = path.slice(root.length).split("/");
  // A case-insensitive volume, or one that drops trailing dots and blanks, must not open a way round.
  return segments.some((segment) => PROTECTED_NAMES.has(segment.toLowerCase().replace(/[. ]+$/, "")));
}
