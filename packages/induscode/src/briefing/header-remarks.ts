// Reports what files from other agents ask for that is not supported here, in the same words for commands, skills and
// agents.

/** What has no effect, and what to use instead. */
interface Remark {
  readonly text: string;
  readonly instead: string;
}

/** Header keys that have a meaning in other products. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ["allowed-tools", "allow tools with permissions.allow in your settings, a file grants nothing"],
  ["model", "choose a model with /model or --model"],
  ["hooks", "handle events in an addon: indus addon new"],
]);

/** Undefined without keys. */
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

/** `${CLAUDE_PLUGIN_ROOT}` and the like, which another program would fill in; undefined when there is none. */
export function remarkOnVariables(text: string): Remark | undefined {
  const [first] = FOREIGN_VARIABLE.exec(text) ?? [];
  return first === undefined
    ? undefined
    : { text: `${first} is not expanded: the model reads it as written`, instead: "write the path" };
}

const FOREIGN_VARIABLE = /\$\{?(?:CLAUDE|GEMINI|CODEX|CURSOR|OPENCODE)_[A-Z][A-Z0-9_]{0,60}\}?/;
