// The table of a session's flags: parser, help and completion are derived from it. Flags of a single subcommand are in its row in
// `subcommands`.

import { NETWORK_MODES, SANDBOX_MODES, START_MODES } from "../deck/permissions/modes.ts";
import { THINKING_LEVELS } from "../session/thinking-levels.ts";
import type { FlagRow, ValuesOf } from "./flag-row.ts";
import { PROMPT_ANSWERS } from "./prompt-answers.ts";

/** The value of a bare `-r`: the person chooses. */
export const ANY_SESSION = "?";

interface SessionFlagRow extends FlagRow {
  readonly group: "Output" | "Model" | "Session" | "Permissions" | "Other";
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
    summary: "the line-by-line console, for screen readers and logs",
  },
  {
    name: "rich",
    kind: "boolean",
    group: "Output",
    summary: "the rich console, which a terminal gets unless the settings say plain",
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
    bare: ANY_SESSION,
    group: "Session",
    summary: "go on with this session (id or file); without one: choose",
  },
  {
    name: "fork",
    kind: "boolean",
    group: "Session",
    summary: "with -c or -r: go on in a copy, and leave that session as it is",
  },
  {
    name: "no-fork",
    kind: "boolean",
    group: "Session",
    summary: "with -c or -r: refuse a session that another process has open",
  },
  {
    name: "permission-mode",
    kind: "string",
    value: "mode",
    group: "Permissions",
    summary: "what passes without a question (default auto)",
    choices: START_MODES,
  },
  {
    name: "permission-prompt",
    kind: "string",
    value: "answer",
    group: "Permissions",
    summary:
      "with -p and --json, of what would be asked: none goes on, deny exits with 3, fail stops at once",
    choices: PROMPT_ANSWERS,
  },
  {
    name: "sandbox",
    kind: "string",
    value: "mode",
    group: "Permissions",
    summary: "what the model's commands may write (default workspace-write in the mode auto, else off)",
    choices: SANDBOX_MODES,
  },
  {
    name: "network",
    kind: "string",
    value: "mode",
    group: "Permissions",
    summary: "what they reach in the sandbox (default off)",
    choices: NETWORK_MODES,
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
    name: "verbose",
    kind: "boolean",
    group: "Other",
    summary: "at the start, say one by one what was found and is not used",
  },
  { name: "help", short: "h", kind: "boolean", group: "Other", summary: "show this help" },
  { name: "version", short: "v", kind: "boolean", group: "Other", summary: "show the version" },
] as const satisfies readonly SessionFlagRow[];

/** The name of a flag that does not belong to a single subcommand. */
export type FlagName = (typeof FLAGS)[number]["name"];

/** What the person typed. A flag that was not given is absent. */
export type Flags = ValuesOf<typeof FLAGS>;

export interface CommandLine {
  readonly flags: Flags;
  /** What was typed other than flags and their values, without `@file` tokens. */
  readonly words: readonly string[];
  /** The paths of the `@file` tokens. */
  readonly attachments: readonly string[];
}
