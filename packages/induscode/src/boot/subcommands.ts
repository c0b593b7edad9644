// The table of subcommands. A subcommand consists of a row and a file with its code; parser, help, completion, hints, and the pages on
// exit codes and on the home are derived from the rows. The code is loaded by whoever runs it.

import { withUsages } from "../cli/command-words.ts";
import { FEATURES, PROMPT, RULES } from "../cli/flag-groups.ts";
import { type Subcommand, subcommand } from "../cli/subcommand-row.ts";
import { PARTS } from "./parts.ts";

const ROWS: readonly Subcommand[] = [
  subcommand({
    name: "prompt",
    summary: "the system prompt of this folder",
    usages: [
      {
        words: "",
        summary: "show the system prompt, part by part, with cost and origin",
        flags: ["json", ...PROMPT],
      },
    ],
    load: async () => (await import("../parts/prompt/run-prompt.ts")).runPrompt,
  }),
  subcommand({
    name: "skills",
    summary: "skills of this folder and of yours",
    usages: [{ words: "check [folder]", summary: "check skills against the rules of their format" }],
    fault: "a skill breaks a rule, or two have the same name",
    load: async () => (await import("../parts/prompt/run-skills.ts")).runSkills,
  }),
  subcommand({
    name: "agents",
    summary: "delegates of this folder",
    usages: [
      {
        words: "",
        summary: "the delegates that can be given work, and what each may use",
        flags: ["json"],
      },
    ],
    fault: "a file does not describe a delegate",
    load: async () => (await import("../parts/delegates/run-agents.ts")).runAgents,
  }),
  subcommand({
    name: "models",
    summary: "known models",
    usages: [
      {
        words: "[filter]",
        summary: "list the known models: limits, prices, and which have a key here",
        flags: ["json"],
      },
    ],
    load: async () => (await import("../parts/models/run-models.ts")).runModels,
  }),
  subcommand({
    name: "auth",
    summary: "stored provider keys",
    flags: [{ name: "file", kind: "boolean", summary: "in a file, even if there is a keyring" }],
    usages: [
      {
        words: "list",
        isDefault: true,
        summary: "list the providers that have a key, and where it comes from",
      },
      {
        words: "login <provider>",
        summary: "store a provider's key, for models only",
        flags: ["file"],
        writes: ["credentials"],
      },
      { words: "logout <provider>", summary: "remove a stored key", writes: ["credentials"] },
    ],
    fault: "the input is not a valid key, or none is stored",
    load: async () => (await import("../parts/auth/run-auth.ts")).runAuth,
  }),
  subcommand({
    name: "doctor",
    summary: "this machine and this folder",
    usages: [
      {
        words: "",
        summary: "check what this machine and this folder provide, and which files are not used",
        flags: ["json", "model", ...PROMPT],
      },
    ],
    load: async () => {
      const { runDoctor } = await import("../parts/doctor/run-doctor.ts");
      const { consoleFeatures } = await import("../parts/console/console-features.ts");
      return async (line) => runDoctor(line, await consoleFeatures(line.parts));
    },
  }),
  subcommand({
    name: "why",
    summary: "what is allowed here, and why",
    usages: [
      {
        words: "<call>",
        summary: "how a call is decided, e.g. 'bash(git push)', part by part, and by which rule",
        flags: ["json", ...RULES],
      },
    ],
    load: async () => (await import("../parts/permissions/run-why.ts")).runWhy,
  }),
  subcommand({
    name: "permissions",
    summary: "answers that you kept",
    flags: [{ name: "all", kind: "boolean", summary: "those of every folder" }],
    usages: [
      {
        words: "list",
        isDefault: true,
        summary: "list the saved permissions, here and everywhere",
        flags: ["json", "all"],
      },
      { words: "explain <id>", summary: "explain what a saved permission covers, and where" },
      {
        words: "edit <id> <pattern>",
        summary: "let a saved permission cover commands that start like this, e.g. 'npm test *'",
        writes: ["permissions"],
      },
      { words: "rm <id>", summary: "remove a saved permission", writes: ["permissions"] },
    ],
    fault: "no kept answer has that id",
    load: async () => (await import("../parts/permissions/run-permissions.ts")).runPermissions,
  }),
  subcommand({
    name: "completion",
    summary: "completion for your shell",
    usages: [{ words: "<shell>", summary: "print a script that completes indus in bash, zsh or fish" }],
    load: async () => (await import("../parts/completion/run-completion.ts")).runCompletion,
  }),
  subcommand({
    name: "help",
    summary: "help on one command or on all",
    usages: [
      {
        words: "[command] [verb]",
        summary: "the first page; everything, for the word all; or all about one command",
        flags: FEATURES,
      },
    ],
    load: async () => (await import("./run-help.ts")).runHelp,
  }),
];

export const SUBCOMMANDS: readonly Subcommand[] = withUsages(
  [...ROWS, ...PARTS.flatMap(({ subcommands = [] }) => subcommands)],
  PARTS.flatMap(({ usages = [] }) => usages),
);
