// The table of a session's flags: parser, help and completion are derived from it. Flags of a single subcommand are in its row in
// `subcommands`.

import { NETWORK_MODES, SANDBOX_MODES, START_MODES } from "../deck/permissions/modes.ts";
import { THINKING_LEVELS } from "../settings/thinking-levels.ts";
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
    summary: "run one task, print the answer, exit",
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
    summary: "with --print or --json: make the last answer JSON that matches this schema",
  },
  {
    name: "output-format",
    kind: "string",
    value: "format",
    group: "Output",
    summary:
      "for programs: text, json or stream-json; also accepts the flags that docs/guide/programs.md lists",
  },
  {
    name: "input-format",
    kind: "string",
    value: "format",
    group: "Output",
    summary: "for programs: text, or stream-json, by which they send tasks and answers",
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
    summary: "the rich console, the default on a terminal unless the settings say plain",
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
    summary: "used while the model cannot answer; repeatable",
  },
  {
    name: "max-turns",
    kind: "string",
    value: "n",
    group: "Model",
    summary: "maximum model calls for one task (default 1000)",
  },
  {
    name: "max-cost",
    kind: "string",
    value: "dollars",
    group: "Model",
    summary: "stop before the next model call once this much is spent",
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
    summary: "play the model's turns from a cassette",
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
    summary: "append this to the system prompt",
  },
  { name: "cwd", kind: "string", value: "folder", group: "Session", summary: "the working directory" },
  {
    name: "continue",
    short: "c",
    kind: "boolean",
    group: "Session",
    summary: "continue the newest session of this folder",
  },
  {
    name: "resume",
    short: "r",
    kind: "string",
    value: "id",
    bare: ANY_SESSION,
    group: "Session",
    summary: "continue this session (id or file); without an id: choose",
  },
  {
    name: "fork",
    kind: "boolean",
    group: "Session",
    summary: "with -c or -r: continue in a copy, without changing that session",
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
    summary: "what runs without asking (default auto)",
    choices: START_MODES,
  },
  {
    name: "permission-prompt",
    kind: "string",
    value: "answer",
    group: "Permissions",
    summary:
      "with -p or --json, when a question would be asked: deny (default) continues and exits with 3, none with 0, fail stops at once",
    choices: PROMPT_ANSWERS,
  },
  {
    name: "sandbox",
    kind: "string",
    value: "mode",
    group: "Permissions",
    summary: "what the model's commands may write (default: workspace-write in the mode auto, otherwise off)",
    choices: SANDBOX_MODES,
  },
  {
    name: "network",
    kind: "string",
    value: "mode",
    group: "Permissions",
    summary: "what sandboxed commands can reach (default off)",
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
    summary: "deny a tool; overrides every other rule; repeatable",
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
    summary: "also load the addon at this path; you are asked whether you trust it; repeatable",
  },
  {
    name: "mcp-config",
    kind: "list",
    value: "file or JSON",
    group: "Other",
    summary:
      "also use the MCP servers of this file, for this run; you are asked whether you trust each; repeatable",
  },
  {
    name: "verbose",
    kind: "boolean",
    group: "Other",
    summary: "at startup, list each thing that was found but is not used",
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
