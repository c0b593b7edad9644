// A crew: delegates that work through a plan.

import { MEMBERS } from "../../cli/flag-groups.ts";
import { type PartRow, subcommand } from "../../cli/subcommand-row.ts";

export const crewPart: PartRow = {
  name: "crew",
  subcommands: [
    subcommand({
      name: "crew",
      summary: "delegates that work through a plan",
      flags: [
        {
          name: "new",
          kind: "boolean",
          summary: "start over; finished work is kept",
        },
        {
          name: "report",
          kind: "string",
          value: "file",
          summary: "write a report of the results: .md or .html",
        },
        { name: "board", kind: "string", value: "address", summary: "a board shared by several machines" },
      ],
      usages: [
        {
          words: "run <plan>",
          summary: "work through a plan, or continue it",
          flags: ["json", "new", "report", "board", ...MEMBERS],
          writes: ["crew"],
        },
        {
          words: "worker [delegate]",
          summary: "work on a board until told to stop",
          flags: ["board", ...MEMBERS],
          needs: ["board"],
        },
        { words: "drain", summary: "tell workers to stop", flags: ["board"], needs: ["board"] },
        { words: "status [plan]", summary: "show the status of each ticket", flags: ["json", "board"] },
        { words: "merge <plan>", summary: "merge its members' branches" },
        { words: "clean [worktree...]", summary: "commit and remove leftover worktrees" },
      ],
      fault: "a ticket, branch or worktree failed or is not finished",
      load: async () => (await import("./run-crew.ts")).runCrewCommand,
    }),
  ],
};
