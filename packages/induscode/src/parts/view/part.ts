// A session in the browser, while it goes on.

import { type PartRow, subcommand } from "../../cli/subcommand-row.ts";

export const viewPart: PartRow = {
  name: "view",
  subcommands: [
    subcommand({
      name: "view",
      summary: "a session in the browser",
      usages: [
        {
          words: "[id]",
          summary: "serve a read-only page on this machine that follows a session, until you end it",
        },
      ],
      fault: "the session was not found",
      load: async () => (await import("./run-view.ts")).runView,
    }),
  ],
};
