// Names of files that act by themselves later: at the next start, git command or shell (CVE-2026-25725 and its class). One
// table for both guards: an agent's edit of one needs a confirmation even where edits are allowed, and addons never write
// them. A test checks names that the product itself loads against the loaders.

import { isInside, trimEndOf } from "indusagi/core";

/** What a file with this name is; completes "which …". */
export type Acts = "agents read as instructions" | "configures tools that run automatically";

/** Files agents follow as instructions; those that also carry settings and programs are below. */
const INSTRUCTIONS: readonly string[] = [
  ...["AGENTS.md", "AGENTS.local.md", "AGENTS.override.md", "AGENT.md"],
  ...["CLAUDE.md", "CLAUDE.local.md", "INDUSAGI.md", "GEMINI.md", "QWEN.md"],
  ...[".goosehints", ".cursorrules", ".windsurfrules", ".clinerules", ".roorules", ".rules"],
];

const TOOLS: readonly string[] = [
  // loaded by agents: settings, servers to start, addons, skills, commands, delegates
  ...[".indus", ".indusagi", ".agents", ".claude", ".codex", ".cursor", ".gemini", ".opencode", ".goose"],
  ...[
    ".qwen",
    ".kiro",
    ".windsurf",
    ".roo",
    ".continue",
    ".junie",
    ".amazonq",
    ".crush",
    ".pi",
    ".aider.conf.yml",
  ],
  ...[".mcp.json", "opencode.json", "opencode.jsonc", "crush.json", ".crush.json"],
  ...[".claude-plugin", ".codex-plugin", "gemini-extension.json"],
  // git and its hooks
  ...[".git", ".gitmodules", ".gitattributes", ".gitconfig", ".githooks", ".husky"],
  ...[".pre-commit-config.yaml", ".pre-commit-hooks.yaml", "lefthook.yml", ".lefthook.yml"],
  // run on a server with its secrets
  ...[".github", ".gitlab-ci.yml", ".circleci", ".travis.yml", ".buildkite", ".drone.yml", ".woodpecker"],
  ...[".woodpecker.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", "Jenkinsfile"],
  // package managers and tool versions
  ...[".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn", ".pnpmfile.cjs", ".pnpmfile.mjs", "bunfig.toml"],
  ...[".cargo", ".bundle", ".mvn", ".pypirc", "pip.conf", ".condarc"],
  ...[".mise", ".mise.toml", "mise.toml", ".mise.local.toml", ".tool-versions", ".envrc"],
  // editors
  ...[".vscode", ".idea", ".zed", ".fleet", ".devcontainer", ".devcontainer.json"],
  ...[".vimrc", ".exrc", ".nvimrc", ".nvim.lua", ".dir-locals.el"],
  // the person's shell, keys and programs
  ...[".ssh", ".gnupg", ".config", ".local", ".aws", ".kube", ".docker", ".netrc", ".curlrc", ".wgetrc"],
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".inputrc"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".tmux.conf", ".screenrc"],
  ...[".xinitrc", ".xprofile", ".pam_environment"],
];

/**
 * The parts of a `.git` that decide what git runs or where it looks. Git writes the rest itself with every commit, and so
 * may a command in the sandbox.
 */
export const ACTING_GIT_PARTS: readonly string[] = [
  ...[
    "hooks",
    "config",
    "config.worktree",
    "commondir",
    "gitdir",
    "info",
    "modules",
    "worktrees",
    "rr-cache",
  ],
  "objects/info",
];

/** A folder with its own HEAD can become a repository that git obeys. Only for files: folders use that name, too. */
const FILES_ONLY: readonly string[] = ["HEAD"];

/** Every name in the table, in its usual spelling. */
export const PROTECTED_NAMES: readonly string[] = [...INSTRUCTIONS, ...TOOLS, ...FILES_ONLY];

const BY_FOLDED: ReadonlyMap<string, Acts> = new Map([
  ...TOOLS.map((name) => [fold(name), "configures tools that run automatically"] as const),
  ...INSTRUCTIONS.map((name) => [fold(name), "agents read as instructions"] as const),
]);
const FOLDED_FILES: ReadonlySet<string> = new Set(FILES_ONLY.map(fold));
const PROTECTED_ENDINGS: readonly string[] = [".code-workspace"];

/** Why a path below `root`, at any depth, is protected, in any spelling a file system may accept; undefined for others. */
export function protectedBelow(root: string, path: string): Acts | undefined {
  const segments = path.slice(root.length).split("/");
  const acts = segments.map((segment, index) => protectedName(segment, index < segments.length - 1));
  return acts.find((each) => each === "configures tools that run automatically") ?? acts.find(Boolean);
}

/** The same for a file that was reached by the path that was written: through a link, it acts under that name as well. */
export function protectedAs(root: string, realPath: string, written: string): Acts | undefined {
  return (
    protectedBelow(root, realPath) ?? (isInside(root, written) ? protectedBelow(root, written) : undefined)
  );
}

/** The same for one name in a folder. */
export function protectedName(name: string, isFolder: boolean): Acts | undefined {
  const folded = fold(name);
  const isTool =
    !isFolder && (FOLDED_FILES.has(folded) || PROTECTED_ENDINGS.some((ending) => folded.endsWith(ending)));
  return isTool ? "configures tools that run automatically" : BY_FOLDED.get(folded);
}

// A case-insensitive volume, invisible characters (CVE-2014-9390) or trailing dots and blanks must not open a way around.
// All names in the table are ASCII, so nothing else needs folding.
function fold(name: string): string {
  const lower = name.toLowerCase().replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "");
  return trimEndOf(lower, (character) => character === "." || character === " ");
}
