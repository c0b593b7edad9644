// Reports what files from other agents ask for that is not supported here, in the same words for commands, skills and
// agents: keys of their headers, and forms in their text that another program would run or replace.

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

interface Form {
  readonly pattern: RegExp;
  /** Follows the form as it was found. */
  readonly text: string;
  readonly instead: string;
}

const RUN = {
  text: "is not run: the model reads it as text",
  instead: "ask the model in words to run the command and use its output",
};

const COMMANDS_IN_TEXT: readonly Form[] = [
  { pattern: /(?:^|(?<=\s))!`[^`\n]{1,200}`/, ...RUN },
  { pattern: /^```!/m, ...RUN },
];

const GEMINI_COMMAND: Form = {
  pattern: /!\{[^{}\n]{1,200}\}/,
  text: RUN.text,
  instead: "write it as !`command`",
};

const PLACEHOLDERS_OF_OTHERS: readonly Form[] = [
  {
    pattern: /\$ARGUMENTS\[\d{1,9}\]/,
    text: "is replaced with all arguments, but its number is not removed",
    instead: "write $1 for the first argument",
  },
  {
    pattern: /\$\{\d{1,9}(?::-[^{}\n]{0,200})?\}/,
    text: "is not replaced: the model reads it as written",
    instead: "write $1 for the first argument",
  },
  {
    pattern: /\{\{args\}\}/,
    text: "is not replaced: the model reads it as written",
    instead: "write {{arg.all}}",
  },
  {
    pattern: /@\{[^{}\n]{1,200}\}/,
    text: "is not replaced: the model reads it as written",
    instead: "write @path",
  },
];

/** What a command's text asks for in vain. */
export function remarksOnCommand(body: string): readonly Remark[] {
  return remarksOnForms(body, [GEMINI_COMMAND, ...PLACEHOLDERS_OF_OTHERS]);
}

/** What a skill's text asks for in vain. The model reads it as the file that it is, so nothing in it is replaced. */
export function remarksOnSkill(body: string): readonly Remark[] {
  return remarksOnForms(body, [
    ...COMMANDS_IN_TEXT,
    GEMINI_COMMAND,
    {
      pattern: /\$ARGUMENTS(?:\[\d{1,9}\])?(?!\w)/,
      text: "is not replaced: the person's words follow the skill's text",
      instead: "refer to the request in words",
    },
  ]);
}

function remarksOnForms(body: string, forms: readonly Form[]): readonly Remark[] {
  return forms.flatMap(({ pattern, text, instead }) => {
    const [found] = pattern.exec(body) ?? [];
    return found === undefined ? [] : [{ text: `${shown(found)} ${text}`, instead }];
  });
}

function shown(form: string): string {
  return form.length <= MAX_KEY_CHARS ? form : `${form.slice(0, MAX_KEY_CHARS)}…`;
}
