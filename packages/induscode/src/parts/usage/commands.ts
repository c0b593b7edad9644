// What sessions used, in a console.

import type { Command } from "../../feature/command.ts";
import { sessionIn } from "../../session/session-here.ts";
import { inHome } from "../../store/home.ts";
import { PRICES, USAGE_KEYS } from "./usage-keys.ts";

export const USAGE_COMMANDS: readonly Command[] = [
  {
    name: "cost",
    summary: "show the cost of this session so far",
    run: async ({ handles, say }) => {
      const { costTable } = await import("./cost-table.ts");
      const session = sessionIn(handles.session);
      say(costTable(session.conductor.status().costs, inHome(PRICES, session)).join("\n"));
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
      const { table, uncounted = [] } = usageReport(sessionIn(handles.session), by);
      say([...table, uncounted].flat().join("\n"));
    },
  },
];
