import type { Part } from "../../cli/part.ts";

/** What a console has commands for and no other part has taken yet. */
export const consolePart: Part = {
  name: "console",
  commands: async () => (await import("./session-commands.ts")).SESSION_COMMANDS,
};
