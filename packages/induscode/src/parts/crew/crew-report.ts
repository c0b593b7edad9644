// The outcome of a crew's tickets, as Markdown or as a page. Text from members is fenced or escaped: none of it is markup, and viewing it
// fetches no picture.

import { formatDollars, printable } from "indusagi/core";
import type { Ticket } from "indusagi/swarm";
import { formatDuration } from "../../console/figures.ts";
import { escaped, framed } from "../export/frame.ts";
import { fenced, oneLine } from "../export/markdown.ts";

/** What there is to report. */
export interface CrewReport {
  readonly plan: string;
  /** How it ended, in one line. */
  readonly end: string;
  readonly tickets: readonly Ticket[];
}

const COLUMNS = ["", "ticket", "status", "who", "model calls", "tokens", "cost", "time"];

/** The rows of the ticket table, as text. */
function rowsOf({ tickets }: CrewReport): readonly (readonly string[])[] {
  return tickets.map(({ title, status, assignee = "", used }, at) => {
    const { turns = "", tokens = "", dollars = 0, durationMs } = used ?? {};
    const cost = dollars > 0 ? formatDollars(dollars) : "";
    const time = durationMs === undefined ? "" : formatDuration(durationMs);
    return [String(at + 1), title, status, assignee, String(turns), String(tokens), cost, time];
  });
}

export function crewMarkdown(report: CrewReport): string {
  const words = report.tickets.flatMap(({ title, brief, status, summary = "" }, at) => [
    `## ${at + 1}. ${oneLine(title)}`,
    ...(brief === "" ? [] : [fenced(brief, "")]),
    `${status}${summary === "" ? "" : ":"}`,
    ...(summary === "" ? [] : [fenced(summary, "")]),
  ]);
  const table = [
    `| ${COLUMNS.join(" | ").trim()} |`,
    `|${COLUMNS.map(() => "---|").join("")}`,
    ...rowsOf(report).map((row) => `| ${row.map(cell).join(" | ")} |`),
  ];
  return `${printable([`# ${oneLine(report.plan)}`, report.end, table.join("\n"), ...words].join("\n\n"))}\n`;
}

export function crewPage(report: CrewReport): string {
  const title = escaped(report.plan);
  const line = (tag: string, row: readonly string[]): string =>
    `<tr>${row.map((each) => `<${tag}>${escaped(each)}</${tag}>`).join("")}</tr>`;
  const words = report.tickets.map(
    ({ title, brief, status, summary = "" }, at) =>
      `<article class="turn"><h2>${at + 1} ${escaped(title)}</h2>${block(brief)}<p class="note">${status}</p>${block(summary)}</article>`,
  );
  const table = [line("th", COLUMNS), ...rowsOf(report).map((row) => line("td", row))];
  const head = `<header><h1>${title}</h1><p>${escaped(report.end)}</p></header>`;
  return framed(
    title,
    `${head}\n<main>\n<table>\n${table.join("\n")}\n</table>\n${words.join("\n")}\n</main>`,
  );
}

function block(text: string): string {
  return text === "" ? "" : `<pre tabindex="0">${escaped(text)}</pre>`;
}

function cell(text: string): string {
  return oneLine(text).replaceAll("|", "\\|");
}
