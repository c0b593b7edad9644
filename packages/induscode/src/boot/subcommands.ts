// The table of subcommands. A subcommand consists of a row and a file with its code; parser, help, completion, hints, and the pages on
// exit codes and on the home are derived from the rows. The code is loaded by whoever runs it.

import { withUsages } from "../cli/command-words.ts";
import { FEATURES, PROMPT } from "../cli/flag-groups.ts";
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
