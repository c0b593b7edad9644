import { MEMBERS } from "../../cli/flag-groups.ts";
import { type PartRow, subcommand } from "../../cli/subcommand-row.ts";

/** The Agent Client Protocol: editors drive sessions. */
export const acpPart: PartRow = {
  name: "acp",
  subcommands: [
    subcommand({
      name: "acp",
      summary: "serve an editor",
      usages: [
        {
          words: "",
          summary: "speak the Agent Client Protocol on stdin and stdout, for an editor that starts this",
          flags: MEMBERS,
          bringsServers: true,
        },
      ],
      load: async () => (await import("./run-acp.ts")).runAcp,
    }),
  ],
};
