// The system prompt of a folder, and its skills.

import { PROMPT } from "../../cli/flag-groups.ts";
import { type PartRow, subcommand } from "../../cli/subcommand-row.ts";

export const promptPart: PartRow = {
  name: "prompt",
  subcommands: [
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
      load: async () => (await import("./run-prompt.ts")).runPrompt,
    }),
    subcommand({
      name: "skills",
      summary: "this folder's skills and your own",
      usages: [{ words: "check [folder]", summary: "check skills against the rules of their format" }],
      fault: "a skill breaks a rule, or two have the same name",
      load: async () => (await import("./run-skills.ts")).runSkills,
    }),
  ],
  commands: async () => (await import("./commands.ts")).PROMPT_COMMANDS,
};
