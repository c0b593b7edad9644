import type { PartRow } from "../../cli/subcommand-row.ts";

/** Plan mode. */
export const planPart: PartRow = {
  name: "plan",
  commands: async () => (await import("./commands.ts")).PLAN_COMMANDS,
};
