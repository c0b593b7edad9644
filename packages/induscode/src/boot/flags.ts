// One table drives the parser and the help (seed lineage: one declarative flag table).

import { parseArgs } from "node:util";
import { AUTHOR_KINDS } from "../addons/author/addon-templates.ts";
import { PERMISSION_MODES } from "../deck/permissions/modes.ts";
import { THINKING_LEVELS } from "./thinking-levels.ts";

type FlagKind = "boolean" | "string" | "list";

interface FlagRow {
  readonly name: string;
  readonly short?: string;
  readonly kind: FlagKind;
  /** Shown in help for flags that take a value. */
  readonly value?: string;
  readonly group: "Output" | "Model" | "Session" | "Permissions" | "Other";
  readonly summary: string;
  /** The only values it takes. */
  readonly choices?: readonly string[];
}

export const FLAGS = [
  {
    name: "print",
    short: "p",
    kind: "boolean",
    group: "Output",
    summary: "run one task, print the answer, end",
  },
  {
    name: "json",
    kind: "boolean",
    group: "Output",
    summary: "like --print, with every entry and delta as a line of JSON",
  },
  {
    name: "output-schema",
    kind: "string",
    value: "file",
    group: "Output",
    summary: "with --print or --json: let the last answer be JSON that fits this schema",
  },
  {
    name: "plain",
    kind: "boolean",
    group: "Output",
    summary: "the line-by-line console (the default for now)",
  },
  {
    name: "rich",
    kind: "boolean",
    group: "Output",
    summary: "the rich console: a screen with an editor, diffs and a status line",
  },
  {
    name: "model",
    short: "m",
    kind: "string",
    value: "provider/id",
    group: "Model",
    summary: "the model to use",
  },
  {
    name: "thinking",
    kind: "string",
    value: "level",
    group: "Model",
    summary: "how hard the model thinks",
    choices: THINKING_LEVELS,
  },
  {
    name: "fallback-model",
    kind: "list",
    value: "provider/id",
    group: "Model",
    summary: "stands in while the model cannot answer; repeatable",
  },
  {
    name: "max-turns",
    kind: "string",
    value: "n",
    group: "Model",
    summary: "model calls for one task (default 1000)",
  },
  {
    name: "max-cost",
    kind: "string",
    value: "dollars",
    group: "Model",
    summary: "stop before the next model call once so much was spent",
  },
  {
    name: "record",
    kind: "string",
    value: "file",
    group: "Model",
    summary: "write the model's turns to a cassette",
  },
  {
    name: "cassette",
    kind: "string",
    value: "file",
    group: "Model",
    summary: "let a cassette play the model",
  },
  {
    name: "rehearse",
    kind: "boolean",
    group: "Model",
    summary: "watch a recorded model repair real code with real tools",
  },
  {
    name: "system",
    kind: "string",
    value: "text",
    group: "Model",
    summary: "use this system prompt instead of the composed one",
  },
  {
    name: "append-system",
    kind: "string",
    value: "text",
    group: "Model",
    summary: "add this behind the system prompt",
  },
  { name: "cwd", kind: "string", value: "folder", group: "Session", summary: "the working directory" },
  {
    name: "continue",
    short: "c",
    kind: "boolean",
    group: "Session",
    summary: "go on with the newest session of this folder",
  },
  {
    name: "resume",
    short: "r",
    kind: "string",
    value: "id",
    group: "Session",
    summary: "go on with this session",
  },
  {
    name: "permission-mode",
    kind: "string",
    value: "mode",
    group: "Permissions",
    summary: "what passes without a question (default acceptEdits)",
    choices: PERMISSION_MODES,
  },
  {
    name: "allow",
    kind: "list",
    value: "rule",
    group: "Permissions",
    summary: "allow a tool, e.g. 'bash(npm test)'; repeatable",
  },
  {
    name: "deny",
    kind: "list",
    value: "rule",
    group: "Permissions",
    summary: "forbid a tool; beats every other rule; repeatable",
  },
  {
    name: "grant",
    kind: "list",
    value: "addon",
    group: "Permissions",
    summary: "trust this addon for this run, by id or content hash; repeatable",
  },
  {
    name: "addon",
    kind: "list",
    value: "path",
    group: "Other",
    summary: "load this addon as well, from any place; you are asked whether you trust it; repeatable",
  },
  {
    name: "timing",
    kind: "boolean",
    group: "Other",
    summary: "with `indus addons`: how long addons took to start and to answer",
  },
  {
    name: "kind",
    kind: "string",
    value: "kind",
    group: "Other",
    summary: "with `indus addon new`: what the addon is written in",
    choices: AUTHOR_KINDS,
  },
  {
    name: "user",
    kind: "boolean",
    group: "Other",
    summary: "with `indus addon new`: an addon of yours, for every folder",
  },
  {
    name: "verbose",
    kind: "boolean",
    group: "Other",
    summary: "at the start, say one by one what was found and is not used",
  },
  { name: "help", short: "h", kind: "boolean", group: "Other", summary: "show this help" },
  { name: "version", short: "v", kind: "boolean", group: "Other", summary: "show the version" },
] as const satisfies readonly FlagRow[];

type Row = (typeof FLAGS)[number];
type ValueOf<R> = R extends { kind: "boolean" }
  ? boolean
  : R extends { kind: "list" }
    ? readonly string[]
    : string;
type FlagName = Row["name"];

/** What the person typed. A flag that was not given is absent. */
export type Flags = { readonly [N in FlagName]?: ValueOf<Extract<Row, { name: N }>> };

export interface CommandLine {
  readonly flags: Flags;
  /** What stands beside the flags, `@file` tokens left out. */
  readonly words: readonly string[];
  /** The paths of the `@file` tokens. */
  readonly attachments: readonly string[];
}

export type ParsedCommandLine =
  | ({ readonly ok: true } & CommandLine)
  | { readonly ok: false; readonly problem: string };

/** Reads the command line. Total: a mistake is a `problem` in one line, for exit code 2. */
export function parseCommandLine(argv: readonly string[]): ParsedCommandLine {
  try {
    const { values, tokens } = parseArgs({
      args: [...argv],
      options: parserOptions(),
      strict: true,
      allowPositionals: true,
      tokens: true,
    });
    for (const row of FLAGS as readonly FlagRow[]) {
      const value = values[row.name];
      if (row.choices && typeof value === "string" && !row.choices.includes(value)) {
        return { ok: false, problem: `--${row.name} takes ${row.choices.join(", ")}; got "${value}"` };
      }
      if (row.kind !== "boolean" && (value === "" || (Array.isArray(value) && value.includes("")))) {
        return { ok: false, problem: `--${row.name} needs a value: --${row.name} <${row.value}>` };
      }
    }
    const words: string[] = [];
    const attachments: string[] = [];
    let ended = false; // behind `--` an @ is only a letter
    for (const token of tokens) {
      if (token.kind === "option-terminator") ended = true;
      if (token.kind !== "positional") continue;
      if (!ended && /^@./.test(token.value)) attachments.push(token.value.slice(1));
      else words.push(token.value);
    }
    return { ok: true, flags: values as Flags, words, attachments };
  } catch (error) {
    const [problem = "the command line could not be read"] = (error as Error).message.split(". ");
    return { ok: false, problem };
  }
}

function parserOptions(): Record<string, { type: "boolean" | "string"; short?: string; multiple?: boolean }> {
  return Object.fromEntries(
    (FLAGS as readonly FlagRow[]).map(({ name, short, kind }) => [
      name,
      {
        type: kind === "boolean" ? "boolean" : "string",
        multiple: kind === "list",
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );
}

/** What `--help` prints. */
export function helpText(): string {
  const rows = (FLAGS as readonly FlagRow[]).map((row) => ({ ...row, usage: usageOf(row) }));
  const width = Math.max(...rows.map(({ usage }) => usage.length));
  const groups = [...new Set(rows.map(({ group }) => group))].map((group) => {
    const lines = rows
      .filter((row) => row.group === group)
      .map(({ usage, summary, choices }) => {
        const told = choices ? `${summary}: ${choices.join(", ")}` : summary;
        return `  ${usage.padEnd(width)}  ${told}`;
      });
    return [`${group}:`, ...lines].join("\n");
  });
  return [
    "indus: a terminal coding agent whose extensions are safe",
    "",
    "  indus [flags] [task] [@file ...]     talk to the agent in this folder",
    "  indus -p [flags] [task] [@file ...]  run one task; the task may also come from standard input",
    "  indus session verify [id]            rebuild every request of a session from its log and compare",
    "  indus prompt [--json]                the system prompt, part by part, with what each costs and where it came from",
    "  indus skills check [folder]          hold skills against the rules of their format",
    "  indus agents [--json]                who work can be handed to in this folder, and what each may use",
    "  indus models [filter] [--json]       the models that are known: limits, prices, and for which a key is here",
    "  indus auth list|login|logout [provider]  keys of providers that are stored in your home, for models alone",
    "  indus doctor [--json]                what this machine and this folder give, and what lies there and is not used",
    "  indus addons [--json]                what each feature of this folder contributes, and why not",
    "  indus addons explain <event>         who handles an event, in order",
    "  indus addons restart <id>            let an addon out of quarantine",
    "  indus addons accept <path>           read what appeared while an addon could write",
    "  indus addons revoke <id>             take the trust in an addon back",
    "  indus addon new <name> --kind <kind> write a small addon that works, to start from",
    "  indus addon check <path> [--json]    hold an addon against the rules, its registration included",
    "  indus addon test <path> [--json]     run an addon offline against its cassette and its expectations",
    "  indus addon types [--user]           write anew what an editor needs to understand addons",
    "  indus addon dev <path>               a session with this addon, loaded again at each save",
    "",
    groups.join("\n\n"),
    "",
    "Models: set ANTHROPIC_API_KEY, or OPENAI_API_KEY, or OPENAI_BASE_URL for any OpenAI-compatible server.",
    "Settings: ~/.indus/settings.json. Sessions: ~/.indus/sessions. INDUS_HOME moves both.",
    "",
  ].join("\n");
}

function usageOf({ name, short, value }: FlagRow): string {
  const long = value === undefined ? `--${name}` : `--${name} <${value}>`;
  return short === undefined ? `    ${long}` : `-${short}, ${long}`;
}
