// What became of a crew's tickets, as Markdown. What members wrote stands in fences: nothing of it is markup, and no picture is
// fetched by whoever looks at it.

import { formatDollars, printable } from "indusagi/core";
import type { Ticket } from "indusagi/swarm";
import { formatDuration } from "../console/figures.ts";
import type { TicketUse } from "../session/crew.ts";
import { fenced, oneLine } from "./export/markdown.ts";

/** `used` is of this run: what earlier ones took is not known any more. */
export function crewReport(
  plan: string,
  end: string,
  used: readonly TicketUse[],
  all: readonly Ticket[],
): string {
  const rows = all.map((ticket, at) => {
    const own = used.filter((each) => each.ticket === ticket.id).at(-1);
    const figures = own
      ? [String(own.turns), own.cost > 0 ? formatDollars(own.cost) : "", formatDuration(own.durationMs)]
      : ["", "", ""];
    return `| ${[at + 1, cell(ticket.title), ticket.status, cell(ticket.assignee ?? ""), ...figures].join(" | ")} |`;
  });
  const words = all.flatMap(({ title, brief, status, summary = "" }, at) => [
    `## ${at + 1}. ${oneLine(title)}`,
    ...(brief === "" ? [] : [fenced(brief, "")]),
    `${status}${summary === "" ? "" : ":"}`,
    ...(summary === "" ? [] : [fenced(summary, "")]),
  ]);
  const table = [
    "| | ticket | status | who | model calls | cost | time |",
    "|---|---|---|---|---|---|---|",
    ...rows,
  ];
  return `${printable([`# ${oneLine(plan)}`, end, table.join("\n"), ...words].join("\n\n"))}\n`;
}

function cell(text: string): string {
  return oneLine(text).replaceAll("|", "\\|");
}
