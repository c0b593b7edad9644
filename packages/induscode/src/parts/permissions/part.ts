// What is allowed here, why, and what was answered for longer than a session.

import { RULES } from "../../cli/flag-groups.ts";
import { type PartRow, subcommand } from "../../cli/subcommand-row.ts";

export const permissionsPart: PartRow = {
  name: "permissions",
  subcommands: [
    subcommand({
      name: "why",
      summary: "what is allowed in this folder, and why",
      usages: [
        {
          words: "<call>",
          summary: "explain how a call would be decided, and by which rule, e.g. 'bash(git push)'",
          flags: ["json", ...RULES],
        },
      ],
      load: async () => (await import("./run-why.ts")).runWhy,
    }),
    subcommand({
      name: "permissions",
      summary: "permissions that you saved",
      flags: [
        { name: "all", kind: "boolean", summary: "from every folder" },
        { name: "yes", kind: "boolean", summary: "do it without asking" },
      ],
      usages: [
        {
          words: "list",
          isDefault: true,
          summary: "list the permissions that you saved for this folder and for all folders",
          flags: ["json", "all"],
        },
        { words: "explain <id>", summary: "explain what a saved permission covers, and where" },
        {
          words: "edit <id> <pattern>",
          summary: "let a saved permission cover commands that start like this, e.g. 'npm test *'",
          writes: ["permissions"],
        },
        { words: "rm <id>", summary: "remove a saved permission", writes: ["permissions"] },
        {
          words: "import [file]",
          summary:
            "import the rules from Claude Code's settings, by default ~/.claude/settings.json, after a question",
          flags: ["yes"],
          writes: ["settings"],
        },
      ],
      fault: "no saved permission has that id",
      load: async () => (await import("./run-permissions.ts")).runPermissions,
    }),
  ],
  commands: async () => (await import("./commands.ts")).PERMISSION_COMMANDS,
};
