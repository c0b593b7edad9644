// What files that people bring from other agents ask for and nothing here does, in the same words for commands, skills and
// agents.

/** What has no effect, and what does it here. */
interface Remark {
  readonly text: string;
  readonly instead: string;
}

/** Keys of a header that mean something elsewhere. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ["allowed-tools", "permissions.allow in your settings lets tools pass, a file grants nothing"],
  ["model", "/model or --model chooses who answers"],
  ["hooks", "an addon handles events: indus addon new"],
]);

/** Undefined for no keys. */
export function remarkOnKeys(keys: readonly string[]): Remark | undefined {
  if (keys.length === 0) return undefined;
  const shown = keys.slice(0, MAX_KEYS).map((key) => key.slice(0, MAX_KEY_CHARS));
  const more = keys.length > MAX_KEYS ? [`${keys.length - MAX_KEYS} more`] : [];
  const instead = keys.flatMap((key) => INSTEAD.get(key) ?? []);
  return {
    text: `these keys have no effect: ${[...shown, ...more].join(", ")}`,
    instead: instead.length === 0 ? "remove them" : instead.join("; "),
  };
}

const MAX_KEYS = 20;
const MAX_KEY_CHARS = 80;

/** `${CLAUDE_PLUGIN_ROOT}` and its like, which another program would fill in; undefined where there is none. */
export function remarkOnVariables(text: string): Remark | undefined {
  const [first] = FOREIGN_VARIABLE.exec(text) ?? [];
  return first === undefined
    ? undefined
    : { text: `${first} is not filled in: the model reads it as it stands`, instead: "write the path" };
}

const FOREIGN_VARIABLE = /\$\{?(?:CLAUDE|GEMINI|CODEX|CURSOR|OPENCODE)_[A-Z][A-Z0-9_]{0,60}\}?/;
