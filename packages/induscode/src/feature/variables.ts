// A command's variables, and those a feature may set without a grant: output appearance, language and time zone. Any other
// name can affect what runs (PATH, LD_PRELOAD, NODE_OPTIONS, GIT_SSH_COMMAND, BASH_ENV, PYTHONSTARTUP, PAGER, and more than
// a list can name), so this is a list of those that cannot.

const WORD = /^[\w.@-]{0,64}$/;
/** No slash: programs look up files by that name (CVE-2014-0475). */
const LOCALE = /^[\w.@:-]{0,256}$/;
/** `Europe/Berlin`, `CET-1CEST,M3.5.0,M10.5.0/3`; no `:file`, no `/file`, and no `..`. */
const ZONE = /^(?!\/)(?!.*\.\.)[\w+\-/.,<>]{0,128}$/;

const HARMLESS: Readonly<Record<string, RegExp>> = {
  CI: WORD,
  CLICOLOR: WORD,
  CLICOLOR_FORCE: WORD,
  COLORTERM: WORD,
  COLUMNS: WORD,
  FORCE_COLOR: WORD,
  LANG: LOCALE,
  LANGUAGE: LOCALE,
  LINES: WORD,
  NO_COLOR: WORD,
  TERM: WORD,
  TZ: ZONE,
};

/** Whether `feature` may set `name` to `value`, or unset it, without a grant. */
export function isHarmlessVariable(feature: string, name: string, value: string | undefined): boolean {
  if (name.startsWith(ownPrefix(feature)) && /^\w+$/.test(name)) return true;
  const form = /^LC_[A-Z]{1,20}$/.test(name) ? LOCALE : Object.hasOwn(HARMLESS, name) && HARMLESS[name];
  return form instanceof RegExp && (value === undefined || form.test(value));
}

/** `ADDON_MY_NOTES_` for `project:my-notes`. Ids are freely chosen, so an id alone would be unsafe as a prefix: `ld`, `git`. */
function ownPrefix(feature: string): string {
  const id = feature.slice(feature.lastIndexOf(":") + 1);
  return `ADDON_${id.toUpperCase().replace(/[^A-Z0-9]/g, "_")}_`;
}

/** A variable that differs between two environments; without a value it was removed. */
interface ChangedVariable {
  readonly name: string;
  readonly value?: string | undefined;
}

type Environment = Readonly<Record<string, string>>;

export function changedVariables(
  before: Environment = {},
  after: Environment = {},
): readonly ChangedVariable[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .filter((name) => valueIn(before, name) !== valueIn(after, name))
    .map((name) => ({ name, value: valueIn(after, name) }));
}

function valueIn(environment: Environment, name: string): string | undefined {
  return Object.hasOwn(environment, name) ? environment[name] : undefined;
}
