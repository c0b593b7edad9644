// Reference pages are made from the tables they describe; this test keeps them fresh. To write them anew:
//   UPDATE_REFERENCE=1 npm test -- tests/reference.test.ts

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { EVENT_TRAITS, HOOK_EVENTS } from "../packages/induscode/src/feature/events.ts";

const PAGE = join(import.meta.dirname, "../docs/reference/events.md");

function eventsPage(): string {
  const rows = HOOK_EVENTS.map((event) => {
    const { group, guards, logged, meaning } = EVENT_TRAITS[event];
    return `| \`${event}\` | ${group} | ${guards ? "yes" : "no"} | ${meaning} | ${logged} |`;
  });
  return [
    "# Events",
    "",
    "Made from the table in `packages/induscode/src/feature/events.ts`. A feature observes, transforms or gates an event;",
    "a gate's stop is acted on where the column *stops* says yes, and only reported elsewhere. The events of a delegate's",
    "session carry its name besides, as `delegate`; its line is the objective that it was given.",
    "",
    "| event | payload | stops | when | what the log says of a change |",
    "|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

it("docs/reference/events.md is what the event table says", () => {
  if (process.env.UPDATE_REFERENCE) writeFileSync(PAGE, eventsPage());
  expect(readFileSync(PAGE, "utf8")).toBe(eventsPage());
});
