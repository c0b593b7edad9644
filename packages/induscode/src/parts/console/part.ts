import type { Part } from "../../cli/part.ts";

/** The console itself. */
export const consolePart: Part = {
  name: "console",
  commands: async () => (await import("./commands.ts")).CONSOLE_COMMANDS,
};
