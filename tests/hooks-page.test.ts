// The guide to hooks says of every event what the product makes of it. `UPDATE_PAGES=1` writes the table anew.

import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import {
  HOOK_EVENT_ROWS,
  type HookMoment,
} from "../packages/induscode/src/addons/runners/hooks/hook-events.ts";
import { isHookEvent } from "../packages/induscode/src/feature/events.ts";
import { expectPageTable } from "./support/page-table.ts";

const PAGE = fileURLToPath(new URL("../docs/guide/hooks.md", import.meta.url));

/** A moment as an addon's author knows it. */
const OURS = (moment: HookMoment): string => {
  if (moment === "before a tool") return "an interceptor of `*`, on its way in";
  return `\`${moment === "after a tool" ? "tool:after" : moment}\``;
};
const WHOSE = { anybody: "", "the session": "", "a delegate": " of a delegate" } as const;

it("the guide has every event", () => {
  const rows = Object.entries(HOOK_EVENT_ROWS).map(([event, row]) =>
    "not" in row
      ? `| \`${event}\` | – | not used: ${row.not} |`
      : `| \`${event}\` | ${OURS(row.moment)}${WHOSE[row.of]} | ${row.does}${row.goesOn ? "; a hook that blocks it stops nothing, and you read its reason" : ""} |`,
  );
  expectPageTable(PAGE, "events", ["| event | in `indus` | what it does |", "|---|---|---|", ...rows]);
});

it("there are 33, and each that is used hangs on an event of ours", () => {
  expect(Object.keys(HOOK_EVENT_ROWS)).toHaveLength(33);
  const moments = Object.values(HOOK_EVENT_ROWS).flatMap((row) => ("not" in row ? [] : [row.moment]));
  const ours = moments.filter((moment) => !/^(?:before|after) a tool$/.test(moment));
  expect(ours.filter((moment) => !isHookEvent(moment))).toEqual([]);
});
