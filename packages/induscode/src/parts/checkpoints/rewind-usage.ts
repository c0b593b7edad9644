// `indus session rewind`, in the table of subcommands.

import { addedUsages } from "../../cli/subcommand-row.ts";

export const rewindUsage = addedUsages({
  name: "session",
  usages: [
    {
      words: "rewind <id>",
      summary: "go back to before one of your lines",
      flags: ["to", "files-only", "conversation-only", "undo", "yes"],
      writes: ["session"],
    },
  ],
  flags: [
    { name: "to", kind: "string", value: "line", summary: "the line to go back before" },
    { name: "files-only", kind: "boolean", summary: "with --to: restore only files, not the conversation" },
    {
      name: "conversation-only",
      kind: "boolean",
      summary: "with --to: restore only the conversation, not files",
    },
    { name: "undo", kind: "boolean", summary: "undo the last rewind" },
    { name: "yes", kind: "boolean", summary: "do it without asking" },
  ],
  load: async () => (await import("./run-session-rewind.ts")).runSessionRewind,
});
