// Sessions that programs and other terminals reach: `indus serve` and `indus attach`.

import { MEMBERS } from "../../cli/flag-groups.ts";
import { type PartRow, subcommand } from "../../cli/subcommand-row.ts";
import { SERVE_FLAGS } from "./serve-flags.ts";

export const servePart: PartRow = {
  name: "serve",
  subcommands: [
    subcommand({
      name: "serve",
      summary: "sessions for programs and other terminals",
      flags: SERVE_FLAGS,
      usages: [
        {
          words: "",
          summary: "speak JSON-RPC on stdin and stdout, or at a socket",
          flags: ["socket", "idle", ...MEMBERS],
          bringsServers: true,
          writes: ["serve"],
        },
        {
          words: "start <task...>",
          summary: "run a task that continues when this terminal is closed; prints the session's id",
          flags: ["model", "permission-mode", "allow", "deny", "grant", "max-cost"],
          writes: ["serve"],
        },
        { words: "stop", summary: "end the server at the socket, with its sessions" },
      ],
      load: async () => (await import("./run-serve.ts")).runServe,
    }),
    subcommand({
      name: "attach",
      summary: "show a served session",
      usages: [
        {
          words: "[id]",
          summary: "show a served session here; Ctrl+D leaves it running",
          flags: ["plain", "rich"],
        },
      ],
      load: async () => (await import("./attach/run-attach.ts")).runAttach,
    }),
  ],
};
