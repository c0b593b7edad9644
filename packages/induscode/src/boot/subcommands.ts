// The table of subcommands. A subcommand consists of a row and a file with its code; parser, help, completion, hints, and the pages on
// exit codes and on the home are derived from the rows. The code is loaded by whoever runs it.

import { AUTHOR_KINDS } from "../addons/author/addon-templates.ts";
import type { FlagRow } from "./flag-row.ts";
import type { FlagName } from "./flags.ts";
import { type Subcommand, subcommand } from "./subcommand-row.ts";

/** Flags that decide which features a folder has, and which of its addons run. */
const FEATURES = ["addon", "grant"] as const satisfies readonly FlagName[];
/** Those, and the flags that also affect a folder's prompt. */
const PROMPT = [...FEATURES, "system", "append-system"] as const satisfies readonly FlagName[];
const RULES = [
  "permission-mode",
  "allow",
  "deny",
  "sandbox",
  "network",
] as const satisfies readonly FlagName[];
/** The flags for what a crew's members work with. */
const MEMBERS = [
  ...PROMPT,
  ...(["model", "thinking", "fallback-model", "max-turns", "max-cost", "record", "cassette"] as const),
  ...RULES,
] as const satisfies readonly FlagName[];
/** The flags of a session that is not continued and has no task. */
const SESSION = [
  ...MEMBERS,
  ...(["plain", "verbose", "continue", "resume", "fork", "no-fork"] as const),
] as const satisfies readonly FlagName[];

const OUTPUT = {
  name: "output",
  short: "o",
  kind: "string",
  value: "file",
  summary: "where to; - is stdout",
} as const satisfies FlagRow;

export const SUBCOMMANDS: readonly Subcommand[] = [
  subcommand({
    name: "session",
    summary: "sessions that are over",
    usages: [
      {
        words: "verify [id]",
        summary: "rebuild every request of a session from its log and compare",
      },
      {
        words: "rewind <id>",
        summary: "go back to before a line",
        flags: ["to", "undo", "yes"],
        writes: ["session"],
      },
      {
        words: "cassette <id>",
        summary: "the model's answers as a cassette",
        flags: ["output"],
      },
      {
        words: "replay <id>",
        summary: "play it again offline; what differs, and why",
        flags: ["json", "addon", "grant", "settings", "allow", "deny", "permission-mode"],
      },
    ],
    flags: [
      OUTPUT,
      { name: "settings", kind: "string", value: "file", summary: "in place of yours" },
      {
        name: "to",
        kind: "string",
        value: "line",
        summary: "before which line",
      },
      { name: "undo", kind: "boolean", summary: "undo the last rewind" },
      { name: "yes", kind: "boolean", summary: "do it" },
    ],
    fault: "a log lost something or does not explain a request, files changed since, or a replay differs",
    load: async () => (await import("./run-session.ts")).runSession,
  }),
  subcommand({
    name: "sessions",
    summary: "the sessions of this folder",
    flags: [
      { name: "all", kind: "boolean", summary: "those of every folder" },
      {
        name: "older-than",
        kind: "string",
        value: "age",
        summary: "how long nothing was said in them, e.g. 30d",
      },
    ],
    usages: [
      {
        words: "",
        summary: "the newest ones, what they cost and how they ended",
        flags: ["all", "json"],
      },
      {
        words: "search <words>",
        summary: "those that say all of these words",
        flags: ["all", "json"],
      },
      { words: "rename <id> <title>", summary: "give one a name", flags: ["all"], writes: ["session"] },
      { words: "rm <id>", summary: "move one to the trash", flags: ["all"], writes: ["trashedSession"] },
      { words: "restore <id>", summary: "take one out of the trash", flags: ["all"], writes: ["session"] },
      {
        words: "prune",
        summary: "move old ones to the trash, and what lay there for 30 days out of it",
        flags: ["all", "older-than"],
        needs: ["older-than"],
        writes: ["trashedSession"],
      },
    ],
    fault: "there is no such session, or another process has it open",
    load: async () => (await import("./run-sessions.ts")).runSessions,
  }),
  subcommand({
    name: "export",
    summary: "a session for others to read",
    flags: [
      OUTPUT,
      {
        name: "format",
        kind: "string",
        value: "format",
        summary: "default: the file's ending",
        choices: ["html", "markdown", "json"],
      },
    ],
    usages: [
      {
        words: "[id]",
        summary: "write it to a file",
        flags: ["output", "format"],
      },
    ],
    fault: "there is no such session",
    load: async () => (await import("./export/run-export.ts")).runExport,
  }),
  subcommand({
    name: "usage",
    summary: "tokens, cost and time",
    flags: [
      {
        name: "by",
        kind: "string",
        value: "what",
        summary: "a row for each",
        choices: ["day", "folder", "model", "addon"],
      },
      { name: "since", kind: "string", value: "age", summary: "not older, e.g. 30d" },
    ],
    usages: [
      {
        words: "",
        summary: "what all sessions used",
        flags: ["json", "by", "since"],
      },
    ],
    load: async () => (await import("./run-usage.ts")).runUsage,
  }),
  subcommand({
    name: "prompt",
    summary: "the system prompt of this folder",
    usages: [
      {
        words: "",
        summary: "the system prompt, part by part, with cost and origin",
        flags: ["json", ...PROMPT],
      },
    ],
    load: async () => (await import("./run-prompt.ts")).runPrompt,
  }),
  subcommand({
    name: "skills",
    summary: "skills of this folder and of yours",
    usages: [{ words: "check [folder]", summary: "check skills against the rules of their format" }],
    fault: "a skill breaks a rule, or has the name of another",
    load: async () => (await import("./run-skills.ts")).runSkills,
  }),
  subcommand({
    name: "agents",
    summary: "delegates of this folder",
    usages: [
      {
        words: "",
        summary: "who work can be handed to, and what each may use",
        flags: ["json"],
      },
    ],
    fault: "a file describes no delegate",
    load: async () => (await import("./run-agents.ts")).runAgents,
  }),
  subcommand({
    name: "crew",
    summary: "delegates that work through a plan",
    flags: [
      {
        name: "new",
        kind: "boolean",
        summary: "begin anew; what was done is kept",
      },
      {
        name: "report",
        kind: "string",
        value: "file",
        summary: "what became of all: .md or .html",
      },
      { name: "board", kind: "string", value: "address", summary: "a board of several machines" },
    ],
    usages: [
      {
        words: "run <plan>",
        summary: "work through a plan, or go on with it",
        flags: ["json", "new", "report", "board", ...MEMBERS],
        writes: ["crew"],
      },
      {
        words: "worker [delegate]",
        summary: "work on a board until asked to end",
        flags: ["board", ...MEMBERS],
        needs: ["board"],
      },
      { words: "drain", summary: "ask workers to end", flags: ["board"], needs: ["board"] },
      { words: "status [plan]", summary: "what became of each ticket", flags: ["json", "board"] },
      { words: "merge <plan>", summary: "take over its members' branches" },
      { words: "clean [worktree...]", summary: "put worktrees away, by a commit" },
    ],
    fault: "a ticket, branch or worktree failed or is left",
    load: async () => (await import("./run-crew.ts")).runCrewCommand,
  }),
  subcommand({
    name: "models",
    summary: "models that are known",
    usages: [
      {
        words: "[filter]",
        summary: "their limits, prices, and which have a key here",
        flags: ["json"],
      },
    ],
    load: async () => (await import("./run-models.ts")).runModels,
  }),
  subcommand({
    name: "auth",
    summary: "stored keys of providers",
    flags: [{ name: "file", kind: "boolean", summary: "in a file, where there is a keyring too" }],
    usages: [
      { words: "list", isDefault: true, summary: "which provider has a key, and where it comes from" },
      {
        words: "login <provider>",
        summary: "keep a provider's key for models alone",
        flags: ["file"],
        writes: ["credentials"],
      },
      { words: "logout <provider>", summary: "remove a stored key", writes: ["credentials"] },
    ],
    fault: "what was typed cannot be a key, or none is stored",
    load: async () => (await import("./run-auth.ts")).runAuth,
  }),
  subcommand({
    name: "doctor",
    summary: "this machine and this folder",
    usages: [
      {
        words: "",
        summary: "what this machine and this folder give, and what is found there and not used",
        flags: ["json", "model", ...PROMPT],
      },
    ],
    load: async () => (await import("./run-doctor.ts")).runDoctor,
  }),
  subcommand({
    name: "addons",
    summary: "features and addons of this folder",
    flags: [{ name: "timing", kind: "boolean", summary: "how long addons took" }],
    usages: [
      {
        words: "",
        summary: "what each feature of this folder contributes, and why not",
        flags: ["json", "timing", ...FEATURES],
      },
      { words: "explain <event>", summary: "who handles an event, in order", flags: FEATURES },
      { words: "restart <id>", summary: "let an addon out of quarantine", writes: ["quarantine"] },
      {
        words: "accept <path>",
        summary: "read what appeared while an addon could write",
        writes: ["heldNames"],
      },
      { words: "revoke <id>", summary: "take the trust in an addon back", writes: ["trust"] },
    ],
    fault: "nothing has that name",
    load: async () => (await import("./run-addons.ts")).runAddons,
  }),
  subcommand({
    name: "addon",
    summary: "write an addon",
    flags: [
      {
        name: "kind",
        kind: "string",
        value: "kind",
        summary: "what the addon is written in",
        choices: AUTHOR_KINDS,
      },
      { name: "user", kind: "boolean", summary: "an addon of yours, for every folder" },
      { name: "session", kind: "string", value: "id", summary: "against this session instead" },
    ],
    usages: [
      {
        words: "new <name>",
        summary: "write a small addon that works, to start from",
        flags: ["kind", "user"],
        needs: ["kind"],
        writes: ["addons", "editorProject"],
      },
      {
        words: "check <path>",
        summary: "check an addon against the rules, its registration included",
        flags: ["json"],
      },
      {
        words: "test <path>",
        summary: "run an addon offline against its cassette and its expectations",
        flags: ["json", "allow", "deny", "permission-mode", "thinking", "session"],
      },
      {
        words: "types",
        summary: "write anew what an editor needs to understand addons",
        flags: ["user"],
        writes: ["editorProject"],
      },
      {
        words: "dev <path>",
        summary: "a session with this addon, loaded again at each save",
        flags: SESSION,
      },
    ],
    fault: "the addon is not there, breaks a rule, or does not meet an expectation",
    load: async () => (await import("./run-addon.ts")).runAddon,
  }),
  subcommand({
    name: "why",
    summary: "what is allowed here, and because of what",
    usages: [
      {
        words: "<call>",
        summary: "what becomes of a call, e.g. 'bash(git push)', part by part, by which rule",
        flags: ["json", ...RULES],
      },
    ],
    load: async () => (await import("./run-why.ts")).runWhy,
  }),
  subcommand({
    name: "permissions",
    summary: "answers that you kept",
    flags: [{ name: "all", kind: "boolean", summary: "those of every folder" }],
    usages: [
      {
        words: "list",
        isDefault: true,
        summary: "what you always allow, here and everywhere",
        flags: ["json", "all"],
      },
      { words: "explain <id>", summary: "what one of them covers, and where" },
      {
        words: "edit <id> <pattern>",
        summary: "let it cover commands that begin so, e.g. 'npm test *'",
        writes: ["permissions"],
      },
      { words: "rm <id>", summary: "take it back", writes: ["permissions"] },
    ],
    fault: "no answer is kept by that name",
    load: async () => (await import("./run-permissions.ts")).runPermissions,
  }),
  subcommand({
    name: "completion",
    summary: "completion for your shell",
    usages: [{ words: "<shell>", summary: "print a script that completes indus in bash, zsh or fish" }],
    load: async () => (await import("./run-completion.ts")).runCompletion,
  }),
  subcommand({
    name: "help",
    summary: "help, of one command or of all",
    usages: [
      {
        words: "[command]",
        summary: "this page, or all of one command: its flags and its exit codes",
        flags: FEATURES,
      },
    ],
    load: async () => (await import("./run-help.ts")).runHelp,
  }),
];
