// Options that make a harmless program run another one, or write or read where nobody expects it. A rule with a star covers a
// command with such an option only if it names the option itself (CVE-2025-54795, CVE-2025-64755 and their class).

interface Risks {
  /** `--name` and `--name=value`, also by a beginning of the name. */
  readonly long?: string;
  /** Letters after one dash, alone or among others. */
  readonly short?: string;
  /** The same, but only before the first word that is not an option. */
  readonly leading?: string;
  /** Options of one dash and many letters, alone or with `=value`. */
  readonly words?: string;
  /** Whether a word that is not an option is risky; `index` counts such words. */
  readonly argument?: (word: string, index: number) => boolean;
  /** Behind `--` the words are for another program. */
  readonly endsAtDashes?: boolean;
  /** `tar xPf`: the first word is a bundle of letters, also without a dash. */
  readonly bundles?: boolean;
}

const AWK: Risks = {
  long: "debug exec file include inplace load",
  short: "DEfil",
  argument: (word) => /system|getline|close|[|>@]/.test(word),
};

const PACKAGES: Risks = {
  long: "call config cwd dir globalconfig node-options prefix registry script-shell shell-mode use-yarnrc userconfig",
  short: "Cc",
  endsAtDashes: true,
};

const RISKS: Readonly<Record<string, Risks>> = {
  git: {
    long:
      "commit-filter config config-env contents editor env-filter exec exec-path ext-diff extcmd file git-dir " +
      "index-filter msg-filter no-index open-files-in-pager output output-directory paginate parent-filter " +
      "pathspec-from-file receive-pack reference separate-git-dir setup tag-name-filter template textconv " +
      "tree-filter upload-pack work-tree",
    short: "FOox",
    leading: "Ccp",
    argument: (word) => /^(?:ext|fd|file):/.test(word),
  },
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
  },
  sed: {
    long: "expression file in-place",
    short: "efi",
    argument: (word, index) => index === 0 && !isPlainSed(word),
  },
  awk: AWK,
  gawk: AWK,
  mawk: AWK,
  npm: PACKAGES,
  npx: PACKAGES,
  pnpm: PACKAGES,
  yarn: PACKAGES,
  node: {
    long: "env-file eval experimental-loader import inspect inspect-brk loader print require",
    short: "epr",
  },
  make: {
    long: "directory eval file include-dir makefile",
    short: "CEIf",
    argument: (word) => word.includes("="),
  },
  cargo: { long: "config manifest-path target-dir", short: "CZ" },
  go: { words: "-C -exec -gcflags -ldflags -modfile -o -overlay -toolexec -vettool" },
  curl: {
    long:
      "config cookie-jar data data-ascii data-binary data-raw data-urlencode dump-header form form-string json libcurl " +
      "netrc-file next output output-dir preproxy proxy remote-name remote-name-all stderr trace trace-ascii " +
      "unix-socket upload-file url",
    short: "DFKOTcdox",
    argument: (_word, index) => index > 0,
  },
  wget: {
    long:
      "append-output body-file config directory-prefix execute input-file output-document output-file post-file " +
      "use-askpass",
    short: "OPaeio",
  },
};

/** Programs whose risky options are known. */
export const KNOWN_PROGRAMS: readonly string[] = Object.keys(RISKS);

/**
 * The first risky word of a command that a rule with these words and a star would cover without naming it; undefined where
 * there is none. A rule whose program is a star covers everything.
 */
export function unnamedRisk(wanted: readonly string[], words: readonly string[]): string | undefined {
  const [program = "", ...given] = words;
  const name = program.slice(program.lastIndexOf("/") + 1);
  const risks = Object.hasOwn(RISKS, name) ? RISKS[name] : undefined;
  if (!risks || /[*?]/.test(wanted[0] ?? "*")) return undefined;
  const named = wanted.slice(1);
  const end = risks.endsAtDashes ? given.indexOf("--") : -1;
  const looked = end < 0 ? given : given.slice(0, end);
  let plain = 0;
  for (const [index, word] of looked.entries()) {
    const isOption = /^-./.test(word);
    const stated = named.findIndex((each) => states(each, word));
    if (stated >= 0)
      named.splice(stated, 1); // it is named for one of them
    else if (isOption ? isRiskyOption(word, plain === 0, risks) : isRiskyWord(word, plain, risks))
      return word;
    else if (risks.bundles && index === 0 && hasLetter(word, risks.short)) return word;
    if (!isOption) plain++;
  }
  return undefined;
}

function isRiskyOption(
  word: string,
  isLeading: boolean,
  { long = "", short, leading, words = "" }: Risks,
): boolean {
  const option = word.split("=", 1)[0] ?? "";
  const ofOneDash = option.replace(/^--/, "-");
  if (words !== "") return words.split(" ").includes(ofOneDash);
  if (word.startsWith("--"))
    return option !== "--" && long.split(" ").some((each) => `--${each}`.startsWith(option));
  const letters = word.slice(1);
  return hasLetter(letters, short) || (isLeading && hasLetter(letters, leading));
}

function isRiskyWord(word: string, index: number, { argument }: Risks): boolean {
  return argument?.(word, index) ?? false;
}

function hasLetter(word: string, letters = ""): boolean {
  return [...word].some((letter) => letters.includes(letter));
}

/** Whether a word of the rule is this one, or its option with any value. */
function states(wanted: string, word: string): boolean {
  if (wanted === word) return true;
  return /^-.*=.*\*/.test(wanted) && wanted.split("=", 1)[0] === word.split("=", 1)[0];
}

/** A script that prints, deletes, quits or replaces: nothing that runs, reads or writes. */
function isPlainSed(script: string): boolean {
  if (/^(?:\d+|\$)?(?:,(?:\d+|\$))?[pdq=]$/.test(script)) return true;
  return /^s([/|#,:])(?:(?!\1|\\|\n).)*\1(?:(?!\1|\\|\n).)*\1[gIipm0-9]*$/.test(script);
}
