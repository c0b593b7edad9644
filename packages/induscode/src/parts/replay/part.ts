// A session played again, or made into a cassette.

import { OUTPUT } from "../../cli/flag-row.ts";
import { addedUsages, type PartRow } from "../../cli/subcommand-row.ts";

export const replayPart: PartRow = {
  name: "replay",
  usages: [
    addedUsages({
      name: "session",
      usages: [
        { words: "cassette <id>", summary: "save the model's answers as a cassette", flags: ["output"] },
      ],
      flags: [OUTPUT],
      load: async () => (await import("./run-session-cassette.ts")).runSessionCassette,
    }),
    addedUsages({
      name: "session",
      usages: [
        {
          words: "replay <id>",
          summary: "replay a session offline; show what differs, and why",
          flags: ["json", "addon", "grant", "settings", "allow", "deny", "permission-mode"],
        },
      ],
      flags: [
        { name: "settings", kind: "string", value: "file", summary: "settings to use instead of your own" },
      ],
      load: async () => (await import("./run-session-replay.ts")).runSessionReplay,
    }),
  ],
};
