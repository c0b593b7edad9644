// Sessions: the list of them, what can be done with each, and the moves between and within them.

import { type PartRow, subcommand } from "../../cli/subcommand-row.ts";

export const sessionsPart: PartRow = {
  name: "sessions",
  subcommands: [
    subcommand({
      name: "session",
      summary: "sessions that have ended",
      usages: [
        {
          words: "verify [id]",
          summary: "rebuild each model request of a session from its log, and check it",
        },
      ],
      fault: "a log lost something or does not explain a request, files changed since, or a replay differs",
      load: async () => (await import("./run-verify.ts")).runVerify,
    }),
    subcommand({
      name: "sessions",
      summary: "the sessions of this folder",
      flags: [
        { name: "all", kind: "boolean", summary: "from every folder" },
        {
          name: "older-than",
          kind: "string",
          value: "age",
          summary: "unused for at least this long, e.g. 30d",
        },
      ],
      usages: [
        {
          words: "",
          summary: "list the newest sessions, what they cost and how they ended",
          flags: ["all", "json"],
        },
        {
          words: "search <words>",
          summary: "find the sessions that contain all of these words",
          flags: ["all", "json"],
        },
        { words: "rename <id> <title>", summary: "rename a session", flags: ["all"], writes: ["session"] },
        {
          words: "rm <id>",
          summary: "move a session to the trash",
          flags: ["all"],
          writes: ["trashedSession"],
        },
        {
          words: "restore <id>",
          summary: "restore a session from the trash",
          flags: ["all"],
          writes: ["session"],
        },
        {
          words: "prune",
          summary: "move old sessions to the trash, and delete sessions that were there for 30 days",
          flags: ["all", "older-than"],
          needs: ["older-than"],
          writes: ["trashedSession"],
        },
      ],
      fault: "the session was not found, or another process has it open",
      load: async () => (await import("./run-sessions.ts")).runSessions,
    }),
  ],
  commands: async () => (await import("./commands.ts")).SESSIONS_COMMANDS,
};
