import type { Part } from "../../cli/part.ts";

/** The console itself, and what no other part has taken yet. */
export const consolePart: Part = {
  name: "console",
  commands: async () => {
    const [{ CONSOLE_COMMANDS }, { SESSION_COMMANDS }, { OTHER_COMMANDS }] = await Promise.all([
      import("./commands.ts"),
      import("./session-commands.ts"),
      import("./console-commands.ts"),
    ]);
    return [...CONSOLE_COMMANDS, ...SESSION_COMMANDS, ...OTHER_COMMANDS];
  },
};
