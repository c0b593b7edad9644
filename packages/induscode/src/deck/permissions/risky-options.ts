// What programs that people allow with a star do besides their own work: options, words and subcommands with which they run another
// program, or write or read where nobody expects it (CVE-2025-54795, CVE-2025-64755 and their class).

import { setsQuietly } from "../shell/git-settings.ts";

export interface Risks {
  /** `--name` and `--name=value`, also abbreviated to a prefix of the name. */
  readonly long?: string;
  /** Letters after one dash, alone or among others. */
  readonly short?: string;
  /** The same, but only before the first word that is not an option. */
  readonly leading?: string;
  /** Options of one dash and many letters, alone or with `=value`. */
  readonly words?: string;
  /** Whether a word that is not an option is risky; `before` are the non-option words before it. */
  readonly argument?: (word: string, before: readonly string[]) => boolean;
  /** `inside`: no word names a place outside the workspace; `written`: none with a protected name either. Default: they can. */
  readonly places?: "inside" | "written" | "any";
  /** Only these, and options with their value after `=`, may precede the first word that is not an option. */
  readonly start?: string;
  /** Additional risks after a first word: a subcommand. */
  readonly after?: Readonly<Record<string, Risks>>;
  /** After `--` the words are for another program. */
  readonly endsAtDashes?: boolean;
  /** `tar xPf`: the first word is a bundle of letters, also without a dash. */
  readonly bundles?: boolean;
}

/** Subcommands that are another program's work. */
const first =
  (names: string) =>
  (word: string, before: readonly string[]): boolean =>
    before.length === 0 && names.split(" ").includes(word);

const any =
  (names: string) =>
  (word: string): boolean =>
    names.split(" ").includes(word);

const INSIDE: Risks = { places: "inside" };
const WRITTEN: Risks = { places: "written" };

const GIT: Risks = {
  long:
    "attr-source commit-filter config config-env contents editor env-filter exec exec-path ext-diff extcmd file git-dir " +
    "index-filter msg-filter namespace no-index open-files-in-pager output output-directory paginate parent-filter " +
    "pathspec-from-file receive-pack reference separate-git-dir setup super-prefix tag-name-filter template textconv " +
    "tree-filter unsafe-paths upload-pack work-tree",
  short: "FOox",
  leading: "Ccp",
  argument: (word, before) =>
    /^(?:ext|fd|file):/.test(word) ||
    first(
      "citool cvsserver daemon difftool filter-branch for-each-repo gui hook http-backend imap-send instaweb maintenance " +
        "merge-index mergetool p4 quiltimport receive-pack remote-ext remote-fd send-email shell svn upload-archive " +
        "upload-pack web--browse credential credential-cache credential-store",
    )(word, before),
  places: "inside",
  after: {
    bisect: { argument: any("run view visualize") },
    submodule: { argument: any("foreach") },
    config: {
      long: "edit global rename-section system",
      short: "ef",
      argument: (word, [, ...before]) =>
        any("edit rename-section")(word) || !before.every((each) => VERBS.test(each) || setsQuietly(each)),
    },
    clone: { short: "cu", places: "written" },
    ...each("archive bundle fast-export format-patch init mv worktree", WRITTEN),
    // Their words are as often texts or patterns as places.
    ...each("commit grep log notes shortlog tag", { places: "any" }),
  },
};

const VERBS = /^(?:get|set|unset|list)$/;

const AWK: Risks = {
  long: "debug dump-variables exec file include inplace load pretty-print profile source",
  short: "DEdefilop",
  argument: (word) => /system|getline|close|[|>@]/.test(word),
};

const PACKAGES: Risks = {
  long:
    "browser cache call config cwd dir editor git global global-dir globalconfig init location logs-dir modules-folder " +
    "node-options pack-destination prefix registry script-shell shell shell-mode store-dir use-yarnrc userconfig viewer",
  short: "Ccg",
  argument: first("c config create dlx edit exec explore global init innit link ln plugin policies set x"),
  start: "-s --silent -v --version -y --yes --if-present",
  places: "inside",
  endsAtDashes: true,
};

const NPX: Risks = { ...PACKAGES, argument: () => false, places: "any" };

const PIP: Risks = {
  long:
    "cache-dir config-settings editor extra-index-url find-links global-option index-url log prefix proxy python root src " +
    "target trusted-host user",
  short: "ift",
  argument: first("config"),
  start:
    "-q --quiet -v --verbose -V --version --isolated --no-input --disable-pip-version-check --require-virtualenv",
  places: "inside",
};

const DOCKER: Risks = {
  long:
    "cap-add cgroup-parent cidfile config context device host iidfile ipc metadata-file mount output pid privileged secret " +
    "security-opt ssh tlscacert tlscert tlskey uts volume volumes-from",
  short: "Hov",
  argument: first("context plugin swarm"),
  start: "-D --debug --version",
  after: each("build buildx compose cp export import load save", WRITTEN),
};

export const RISKS: Readonly<Record<string, Risks>> = {
  git: GIT,
  find: { words: "-delete -exec -execdir -files0-from -fls -fprint -fprint0 -fprintf -ok -okdir" },
  fd: { long: "base-directory exec exec-batch search-path", short: "Xx" },
  rg: { long: "hostname-bin pre search-zip", short: "z" },
  sort: { long: "compress-program files0-from output temporary-directory", short: "To" },
  tar: {
    long:
      "absolute-names add-file checkpoint-action directory files-from info-script new-volume-script rmt-command " +
      "rsh-command to-command transform use-compress-program xform",
    short: "CFIPT",
    bundles: true,
    argument: (word) => word.includes(":"), // on another machine, through a program that connects to it
    places: "written",
  },
  sed: {
    long: "expression file in-place",
    short: "efi",
    argument: (word, before) => before.length === 0 && !isPlainSed(word),
  },
  awk: AWK,
  gawk: AWK,
  mawk: AWK,
  npm: PACKAGES,
  npx: NPX,
  pnpm: PACKAGES,
  yarn: PACKAGES,
  node: {
    long:
      "build-sea build-snapshot env-file env-file-if-exists eval experimental-config-file experimental-loader " +
      "experimental-sea-config import inspect inspect-brk loader openssl-config print require test-global-setup test-reporter",
    short: "epr",
    places: "inside",
  },
  pytest: INSIDE,
  pip: PIP,
  pip3: PIP,
  make: {
    long: "directory eval file include-dir makefile",
    short: "CEIf",
    argument: (word) => word.includes("="),
  },
  cmake: { words: "-C -E -P -install", places: "inside" },
  cargo: {
    long: "artifact-dir config lockfile-path manifest-path open out-dir root target-dir",
    short: "CZ",
    argument: (word, before) =>
      first("install login uninstall")(
        word,
        before.filter((each) => !each.startsWith("+")),
      ),
    start: "-q --quiet -v -vv --verbose -V --version --frozen --locked --offline",
    places: "inside",
  },
  go: {
    words:
      "-C -asmflags -exec -gccgoflags -gcflags -ldflags -modfile -o -overlay -pkgdir -toolexec -vettool -w",
    argument: first("bug install"),
    places: "inside",
  },
  docker: DOCKER,
  podman: DOCKER,
  ssh: { short: "EFISow" },
  scp: { short: "oFSDJ", places: "written" },
  rsync: {
    long:
      "backup-dir config daemon files-from log-file only-write-batch partial-dir password-file read-batch remote-option " +
      "rsh rsync-path temp-dir write-batch",
    short: "eMT",
    places: "written",
  },
  curl: {
    // A separate value after an option counts as one word too many.
    long:
      "config cookie-jar data data-ascii data-binary data-raw data-urlencode dump-header form form-string json libcurl " +
      "netrc-file next output output-dir preproxy proxy remote-name remote-name-all stderr trace trace-ascii " +
      "unix-socket upload-file url",
    short: "DEFHKOQTbcdowx",
    argument: (_word, before) => before.length > 0,
  },
  wget: {
    long:
      "append-output body-data body-file config content-disposition default-page directory-prefix execute hsts-file " +
      "input-file load-cookies output-document output-file post-data post-file rejected-log save-cookies use-askpass warc-file",
    short: "OPaeio",
    argument: (word) => /\/\.[^/]*$/.test(word), // it is written under that name
  },
  zip: { long: "unzip-command", short: "T", places: "written" },
  split: { long: "filter", places: "written" },
  ...each(
    "chgrp chmod chown cp csplit dd gunzip gzip install ln mkdir mkfifo mv patch rm rmdir shred tee touch truncate unlink unzip",
    WRITTEN,
  ),
};

function each(names: string, risks: Risks): Readonly<Record<string, Risks>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, risks]));
}

/** A script that prints, deletes, quits or replaces: nothing that runs, reads or writes. */
export function isPlainSed(script: string): boolean {
  if (/^(?:\d+|\$)?(?:,(?:\d+|\$))?[pdq=]$/.test(script)) return true;
  return /^s([/|#,:])(?:(?!\1|\\|\n).)*\1(?:(?!\1|\\|\n).)*\1[gIipm0-9]*$/.test(script);
}
