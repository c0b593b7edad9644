// What sessions used, in a console.

import type { Command } from "../../feature/command.ts";
import { sessionIn } from "../../session/session-here.ts";
import { USAGE_KEYS } from "./usage-keys.ts";

export const USAGE_COMMANDS: readonly Command[] = [
  {
    name: "cost",
    summary: "show the cost of this session so far",
    run: async ({ handles, say }) => {
      const { costTable } = await import("./cost-table.ts");
      say(costTable(sessionIn(handles.session).conductor.status().costs).join("\n"));
    },
  },
  {
    name: "usage",
    summary: "sum up the tokens and costs of all sessions",
    argumentHint: `[${USAGE_KEYS.join("|")}]`,
    complete: () => USAGE_KEYS,
    run: async ({ args, handles, say }) => {
      const by = args === "" ? "day" : USAGE_KEYS.find((key) => key === args);
      if (by === undefined)
        return say(`Usage: /usage, or /usage with one of ${USAGE_KEYS.join(", ")}; got "${args}".`);
      const { usageReport } = await import("./run-usage.ts");
      const { table, uncounted = [] } = usageReport(sessionIn(handles.session).home, by);
      say([...table, uncounted].flat().join("\n"));
    },
  },
];
