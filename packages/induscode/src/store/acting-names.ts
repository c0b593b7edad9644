// The table of names that act: files and folders that a common tool runs something from, or obeys, without the person asking for the
// project's own code to run. What a build or test of the project runs anyway is not on it (package.json, Makefile, conftest.py), nor what
// only names a version. Each row says where that is documented.

interface ActingNames {
  /** The tool. */
  readonly of: string;
  readonly names: readonly string[];
  readonly source: string;
}

/** Files that agents follow as instructions; those that also carry settings and programs are below. */
export const INSTRUCTIONS: readonly ActingNames[] = [
  row("agents", ["AGENTS.md", "AGENTS.local.md"], "https://agents.md"),
  row("indus", ["INDUSAGI.md"], "docs/guide/files-read.md"),
  row("Amp", ["AGENT.md"], "https://ampcode.com/manual"),
  row("Codex", ["AGENTS.override.md"], "https://developers.openai.com/codex/guides/agents-md"),
  row("Claude Code", ["CLAUDE.md", "CLAUDE.local.md"], "https://code.claude.com/docs/en/memory"),
  row("Gemini CLI", ["GEMINI.md"], "https://github.com/google-gemini/gemini-cli"),
  row("Qwen Code", ["QWEN.md"], "https://github.com/QwenLM/qwen-code"),
  row("Warp", ["WARP.md"], "https://docs.warp.dev"),
  row("Crush", ["CRUSH.md"], "https://github.com/charmbracelet/crush"),
  row("Augment", [".augment-guidelines"], "https://docs.augmentcode.com"),
  row("Goose", [".goosehints"], "https://block.github.io/goose/docs/guides/using-goosehints"),
  row("Cursor", [".cursorrules"], "https://cursor.com/docs/context/rules"),
  row("Windsurf", [".windsurfrules"], "https://docs.windsurf.com/windsurf/cascade/memories"),
  row("Cline", [".clinerules"], "https://docs.cline.bot/features/cline-rules"),
  row("Roo Code", [".roorules"], "https://docs.roocode.com/features/custom-instructions"),
  row("Zed", [".rules"], "https://zed.dev/docs/ai/rules"),
];

/** Agents' settings, servers to start, addons, skills, commands and delegates. */
const AGENTS: readonly ActingNames[] = [
  row("indus", [".indus", ".indusagi"], "docs/guide/files-read.md"),
  row("agents", [".agents"], "https://agentskills.io"),
  row("Claude Code", [".claude", ".claude-plugin", ".mcp.json"], "https://code.claude.com/docs/en/settings"),
  row("Codex", [".codex", ".codex-plugin"], "https://developers.openai.com/codex"),
  row("Cursor", [".cursor"], "https://cursor.com/docs"),
  row("Gemini CLI", [".gemini", "gemini-extension.json"], "https://github.com/google-gemini/gemini-cli"),
  row("opencode", [".opencode", "opencode.json", "opencode.jsonc"], "https://opencode.ai/docs/config"),
  row("Goose", [".goose"], "https://block.github.io/goose"),
  row("Qwen Code", [".qwen"], "https://github.com/QwenLM/qwen-code"),
  row("Augment", [".augment"], "https://docs.augmentcode.com"),
  row("Trae", [".trae"], "https://docs.trae.ai"),
  row("Kiro", [".kiro"], "https://kiro.dev/docs"),
  row("Windsurf", [".windsurf"], "https://docs.windsurf.com"),
  row("Roo Code", [".roo"], "https://docs.roocode.com"),
  row("Continue", [".continue"], "https://docs.continue.dev/reference"),
  row("Junie", [".junie"], "https://www.jetbrains.com/help/junie/customize-guidelines.html"),
  row("Amazon Q", [".amazonq"], "https://docs.aws.amazon.com/amazonq"),
  row("Crush", [".crush", "crush.json", ".crush.json"], "https://github.com/charmbracelet/crush"),
  row("OpenHands", [".openhands"], "https://docs.openhands.dev"),
  row("Factory", [".factory"], "https://docs.factory.ai"),
  row("pi", [".pi"], "https://github.com/badlogic/pi-mono"),
  row("aider", [".aider.conf.yml"], "https://aider.chat/docs/config/aider_conf.html"),
];

/** Version control and what hooks into it. */
const REPOSITORIES: readonly ActingNames[] = [
  row("git", [".git", ".gitmodules", ".gitattributes", ".gitconfig"], "https://git-scm.com/docs/git-config"),
  row("git", [".githooks"], "https://git-scm.com/docs/githooks"),
  row("Git LFS", [".lfsconfig"], "https://github.com/git-lfs/git-lfs"),
  row("Mercurial", [".hg", ".hgrc", ".hgsub"], "https://www.mercurial-scm.org/doc/hgrc.5.html"),
  row("Sapling", [".sl"], "https://sapling-scm.com/docs"),
  row("Jujutsu", [".jj"], "https://docs.jj-vcs.dev/latest/config"),
  row("Subversion", [".svn"], "https://svnbook.red-bean.com"),
  row("Bazaar and Breezy", [".bzr"], "https://www.breezy-vcs.org"),
  row("Darcs", ["_darcs"], "http://darcs.net/Using/Configuration"),
  row("Pijul", [".pijul"], "https://pijul.org/manual/configuration.html"),
  row(
    "Fossil",
    [".fossil-settings", ".fslckout", "_FOSSIL_"],
    "https://fossil-scm.org/home/doc/trunk/www/settings.wiki",
  ),
  row("husky", [".husky"], "https://typicode.github.io/husky"),
  row("pre-commit", [".pre-commit-config.yaml", ".pre-commit-hooks.yaml"], "https://pre-commit.com"),
  row(
    "Lefthook",
    ["lefthook", ".lefthook", "lefthook-local", ".lefthook-local"].flatMap((name) =>
      ["yml", "yaml", "toml", "json"].map((ending) => `${name}.${ending}`),
    ),
    "https://lefthook.dev/configuration",
  ),
  row("Overcommit", [".overcommit.yml"], "https://github.com/sds/overcommit"),
];

/** Run on a server with its secrets, or when a workspace is opened there. */
const SERVERS: readonly ActingNames[] = [
  row("GitHub", [".github"], "https://docs.github.com/en/actions"),
  row("GitLab", [".gitlab-ci.yml"], "https://docs.gitlab.com/ci/yaml"),
  row("Gitea", [".gitea"], "https://docs.gitea.com/usage/actions/overview"),
  row("Forgejo", [".forgejo"], "https://forgejo.org/docs/latest/user/actions"),
  row("SourceHut", [".build.yml", ".builds"], "https://man.sr.ht/builds.sr.ht"),
  row("CircleCI", [".circleci"], "https://circleci.com/docs"),
  row("Travis CI", [".travis.yml"], "https://docs.travis-ci.com"),
  row("Cirrus CI", [".cirrus.yml"], "https://cirrus-ci.org"),
  row("AppVeyor", ["appveyor.yml", ".appveyor.yml"], "https://www.appveyor.com/docs"),
  row("Semaphore", [".semaphore"], "https://docs.semaphoreci.com"),
  row("Buildkite", [".buildkite"], "https://buildkite.com/docs"),
  row("Drone", [".drone.yml"], "https://docs.drone.io"),
  row("Woodpecker", [".woodpecker", ".woodpecker.yml"], "https://woodpecker-ci.org/docs"),
  row("Azure", ["azure-pipelines.yml"], "https://learn.microsoft.com/azure/devops/pipelines"),
  row("Bitbucket", ["bitbucket-pipelines.yml"], "https://support.atlassian.com/bitbucket-cloud"),
  row("Jenkins", ["Jenkinsfile"], "https://www.jenkins.io/doc/book/pipeline/jenkinsfile"),
  row("Gitpod", [".gitpod.yml"], "https://www.gitpod.io/docs"),
  row("Firebase Studio", [".idx"], "https://firebase.google.com/docs/studio"),
  row("development containers", [".devcontainer", ".devcontainer.json"], "https://containers.dev"),
];

/** Package managers and what chooses programs by folder. */
const TOOL_CHAINS: readonly ActingNames[] = [
  row("npm", [".npmrc"], "https://docs.npmjs.com/cli/configuring-npm/npmrc"),
  row("Yarn", [".yarnrc", ".yarnrc.yml", ".yarn"], "https://yarnpkg.com/configuration/yarnrc"),
  row("pnpm", [".pnpmfile.cjs", ".pnpmfile.mjs"], "https://pnpm.io/pnpmfile"),
  row("Bun", ["bunfig.toml"], "https://bun.com/docs/runtime/bunfig"),
  row("Cargo", [".cargo"], "https://doc.rust-lang.org/cargo/reference/config.html"),
  row(
    "rustup",
    ["rust-toolchain", "rust-toolchain.toml"],
    "https://rust-lang.github.io/rustup/overrides.html",
  ),
  row("Bundler", [".bundle"], "https://bundler.io/man/bundle-config.1.html"),
  row("Maven", [".mvn"], "https://maven.apache.org/configure.html"),
  row("pip and twine", [".pypirc", "pip.conf"], "https://pip.pypa.io/en/stable/topics/configuration"),
  row("conda", [".condarc"], "https://docs.conda.io/projects/conda/en/latest/user-guide/configuration"),
  row(
    "mise",
    [".mise", ".mise.toml", "mise.toml", ".mise.local.toml", "mise.local.toml"],
    "https://mise.jdx.dev/configuration.html",
  ),
  row("asdf", [".tool-versions"], "https://asdf-vm.com/manage/configuration.html"),
  row("direnv", [".envrc", ".direnv"], "https://direnv.net/man/direnv.1.html"),
];

/** Editors and what they start. */
const EDITORS: readonly ActingNames[] = [
  row("VS Code", [".vscode"], "https://code.visualstudio.com/docs/editing/workspaces/workspace-trust"),
  row("JetBrains", [".idea"], "https://www.jetbrains.com/help/idea/project-security.html"),
  row("Fleet", [".fleet"], "https://www.jetbrains.com/help/fleet"),
  row("Zed", [".zed"], "https://zed.dev/docs/tasks"),
  row("Eclipse", [".externalToolBuilders"], "https://help.eclipse.org"),
  row("Vim", [".vimrc", "_vimrc", ".gvimrc", ".exrc"], "https://vimhelp.org/options.txt.html#'exrc'"),
  row("Vim's plugins", [".lvimrc", ".vim"], "https://github.com/embear/vim-localvimrc"),
  row("Neovim", [".nvimrc", ".nvim.lua"], "https://neovim.io/doc/user/options.html#'exrc'"),
  row(
    "Emacs",
    [".dir-locals.el", ".dir-locals-2.el"],
    "https://www.gnu.org/software/emacs/manual/html_node/emacs/Directory-Variables.html",
  ),
  row("Helix", [".helix"], "https://docs.helix-editor.com/languages.html"),
  row("Kate", [".kateproject"], "https://docs.kde.org"),
  row("YouCompleteMe", [".ycm_extra_conf.py"], "https://github.com/ycm-core/YouCompleteMe"),
  row("Haskell's language server", ["hie.yaml"], "https://github.com/haskell/hie-bios"),
];

/** Debuggers and interpreters that read a file of the folder in which they start. */
const INTERPRETERS: readonly ActingNames[] = [
  row("GDB", [".gdbinit"], "https://sourceware.org/gdb/current/onlinedocs/gdb.html/Auto_002dloading.html"),
  row("LLDB", [".lldbinit"], "https://lldb.llvm.org/man/lldb.html"),
  row("pdb", [".pdbrc"], "https://docs.python.org/3/library/pdb.html"),
  row("Python", [".pythonrc", ".pythonrc.py"], "https://docs.python.org/3/using/cmdline.html"),
  row("Perl's debugger", [".perldb"], "https://perldoc.perl.org/perldebug"),
  row("irb and Pry", [".irbrc", ".pryrc"], "https://docs.ruby-lang.org/en/master/IRB.html"),
  row(
    "R",
    [".Rprofile", ".Renviron"],
    "https://stat.ethz.ch/R-manual/R-devel/library/base/html/Startup.html",
  ),
  row("Octave", [".octaverc"], "https://docs.octave.org/latest/Startup-Files.html"),
  row("GHCi", [".ghci"], "https://downloads.haskell.org/ghc/latest/docs/users_guide/ghci.html"),
  row("OCaml", [".ocamlinit"], "https://ocaml.org/manual/toplevel.html"),
  row("IEx", [".iex.exs"], "https://hexdocs.pm/iex/IEx.html"),
];

/** Where the folder is a home: the person's shell, keys and programs. */
const HOMES: readonly ActingNames[] = [
  row(
    "bash",
    [".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases"],
    "https://www.gnu.org/software/bash/manual/html_node/Bash-Startup-Files.html",
  ),
  row(
    "shells",
    [".profile", ".inputrc", ".kshrc", ".cshrc", ".tcshrc", ".login", ".logout"],
    "https://www.gnu.org/software/bash/manual/html_node/Bash-Startup-Files.html",
  ),
  row(
    "zsh",
    [".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout"],
    "https://zsh.sourceforge.io/Doc/Release/Files.html",
  ),
  row("OpenSSH", [".ssh", ".rhosts", ".shosts"], "https://man.openbsd.org/sshd"),
  row("GnuPG", [".gnupg"], "https://www.gnupg.org/documentation/manuals/gnupg"),
  row("desktops", [".config", ".local"], "https://specifications.freedesktop.org/basedir-spec/latest"),
  row("X", [".xinitrc", ".xprofile", ".xsession", ".xsessionrc"], "https://www.x.org/releases/current/doc"),
  row("PAM", [".pam_environment"], "https://man7.org/linux/man-pages/man8/pam_env.8.html"),
  row("AWS", [".aws"], "https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html"),
  row("Kubernetes", [".kube"], "https://kubernetes.io/docs/concepts/configuration"),
  row("Docker", [".docker"], "https://docs.docker.com/reference/cli/docker"),
  row("curl", [".netrc", ".curlrc"], "https://curl.se/docs/manpage.html"),
  row("Wget", [".wgetrc"], "https://www.gnu.org/software/wget/manual"),
  row("tmux", [".tmux.conf"], "https://man.openbsd.org/tmux"),
  row("screen", [".screenrc"], "https://www.gnu.org/software/screen/manual"),
];

/** What configures tools that run by themselves, or runs with them. */
export const TOOLS: readonly ActingNames[] = [
  ...[...AGENTS, ...REPOSITORIES, ...SERVERS, ...TOOL_CHAINS],
  ...[...EDITORS, ...INTERPRETERS, ...HOMES],
];

/**
 * The parts of a repository's folder that decide what its tool runs or where it looks. The tool writes the rest itself with every commit,
 * and so may a command in the sandbox. Of any other folder in the table, everything acts.
 */
export const ACTING_PARTS: Readonly<Record<string, readonly string[]>> = {
  ".git": [
    ...["hooks", "config", "config.worktree", "commondir", "gitdir", "info", "modules", "worktrees"],
    ...["rr-cache", "objects/info"],
  ],
  ".hg": ["hgrc", "hgrc-not-shared", "sharedpath", "requires", "patches"],
  ".sl": ["config", "sharedpath", "requires"],
  ".jj": ["repo/config.toml", "workspace-config.toml", "repo/store/git_target", "repo/store/type"],
  _darcs: ["prefs"],
};

function row(of: string, names: readonly string[], source: string): ActingNames {
  return { of, names, source };
}
