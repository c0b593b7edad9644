// Names whose files act by themselves later: the next start, the next git command, the next shell (CVE-2026-25725 and its
// class). One table for both guards: an agent's edit of one is asked about even where edits are allowed, and an addon writes
// none. Names that the product itself loads are held against the loaders by a test.

import { trimEndOf } from "indusagi/core";

/** What a file of this name is, as the end of "which …". */
export type Acts = "agents read as instructions" | "configures tools that run by themselves";

/** What agents read as words to follow; some carry settings and programs too, and those are below. */
const INSTRUCTIONS: readonly string[] = [
  ...["AGENTS.md", "AGENTS.local.md", "AGENTS.override.md", "AGENT.md"],
  ...["CLAUDE.md", "CLAUDE.local.md", "INDUSAGI.md", "GEMINI.md", "QWEN.md"],
  ...[".goosehints", ".cursorrules", ".windsurfrules", ".clinerules", ".roorules", ".rules"],
];

const TOOLS: readonly string[] = [
  // what agents load: settings, servers to start, addons, skills, commands, delegates
  ...[".indus", ".indusagi", ".agents", ".claude", ".codex", ".cursor", ".gemini", ".opencode", ".goose"],
  ...[".qwen", ".kiro", ".windsurf", ".roo", ".continue", ".junie", ".amazonq", ".crush", ".aider.conf.yml"],
  ...[".mcp.json", "opencode.json", "opencode.jsonc", "crush.json", ".crush.json"],
  // git, and what hooks into it
  ...[".git", ".gitmodules", ".gitattributes", ".gitconfig", ".githooks", ".husky"],
  ...[".pre-commit-config.yaml", ".pre-commit-hooks.yaml", "lefthook.yml", ".lefthook.yml"],
  // what runs on a server with its secrets
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
 * What in a `.git` chooses what git runs or where it looks. The rest of it git itself writes with every commit, and a command in
 * the sandbox may too.
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

/** A folder with a HEAD of its own may become a repository that git obeys. Only the file: folders are called so, too. */
const FILES_ONLY: readonly string[] = ["HEAD"];

/** Every name of the table, as it is usually spelled. */
export const PROTECTED_NAMES: readonly string[] = [...INSTRUCTIONS, ...TOOLS, ...FILES_ONLY];

const BY_FOLDED: ReadonlyMap<string, Acts> = new Map([
  ...TOOLS.map((name) => [fold(name), "configures tools that run by themselves"] as const),
  ...INSTRUCTIONS.map((name) => [fold(name), "agents read as instructions"] as const),
]);
const FOLDED_FILES: ReadonlySet<string> = new Set(FILES_ONLY.map(fold));
const PROTECTED_ENDINGS: readonly string[] = [".code-workspace"];

/** What is protected about a path below `root`, at any depth, as any file system might spell it; undefined for others. */
export function protectedBelow(root: string, path: string): Acts | undefined {
  const segments = path.slice(root.length).split("/");
  const acts = segments.map((segment, index) => protectedName(segment, index < segments.length - 1));
  return acts.find((each) => each === "configures tools that run by themselves") ?? acts.find(Boolean);
}

/** The same about one name in a folder. */
export function protectedName(name: string, isFolder: boolean): Acts | undefined {
  const folded = fold(name);
  const isTool =
    !isFolder && (FOLDED_FILES.has(folded) || PROTECTED_ENDINGS.some((ending) => folded.endsWith(ending)));
  return isTool ? "configures tools that run by themselves" : BY_FOLDED.get(folded);
}

// A volume that ignores case, invisible characters (CVE-2014-9390), or trailing dots and blanks, must not open a way round.
// Every name of the table is ASCII, so there is nothing else to fold.
function fold(name: string): string {
  const lower = name.toLowerCase().replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "");
  return trimEndOf(lower, (character) => character === "." || character === " ");
}
