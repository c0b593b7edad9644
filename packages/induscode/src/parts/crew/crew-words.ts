// What a crew says of its tickets, one line each.

import { formatDollars } from "indusagi/core";
import type { Ticket } from "indusagi/swarm";
import { type CrewEnd, dollarsOf } from "./crew.ts";

/** That a member began a ticket, or what became of it. */
export function progressOf(member: string, { status, title, summary = "" }: Ticket): string {
  if (status === "claimed") return `${member}  starts  ${title}`;
  if (status === "open") return `${member}  returns  ${title}: ${summary.split("\n", 1)[0]}`;
  return `${member}  ${status}  ${title}: ${summary.split("\n", 1)[0]}`;
}

/** A ticket of a status table. */
export function rowOf(
  { status, title, assignee, summary = "", deps }: Ticket,
  all: readonly Ticket[],
): string {
  const waits = all.filter((each) => deps.includes(each.id) && each.status !== "done");
  const [first = ""] = summary.split("\n", 1);
  const more =
    status === "open" && waits.length > 0
      ? `waits for ${waits.map((each) => each.title).join(", ")}`
      : [...(assignee === undefined ? [] : [assignee]), ...(first === "" ? [] : [first])].join(": ");
  return `${status.padEnd(7)}  ${title}${more === "" ? "" : `  (${more})`}`;
}

/** What a crew did, the tickets that are not done, and what to do next. */
export function endOf(end: CrewEnd, all: readonly Ticket[]): readonly string[] {
  const rest = all.filter(({ status }) => status !== "done");
  const ready = rest.some(({ status, deps }) => status === "open" && deps.every((id) => isDone(id, all)));
  const next = end.isStopped || ready ? ["run the same command to continue"] : [];
  return [countsOf(end, dollarsOf(all)), ...rest.map((ticket) => `  ${rowOf(ticket, all)}`), ...next];
}

/** `ofAll` is the cost of the plan's tickets so far, whoever did them. */
export function countsOf({ completed, failed, rounds, left, cost }: CrewEnd, ofAll = cost): string {
  const here = cost > 0 ? `, ${formatDollars(cost)}` : "";
  const all = formatDollars(ofAll);
  const money =
    ofAll > cost && all !== formatDollars(cost) ? `${here}, ${all} for the whole plan so far` : here;
  return `${completed} done, ${failed} failed, ${left} left (${rounds} ${rounds === 1 ? "round" : "rounds"}${money})`;
}

function isDone(id: string, all: readonly Ticket[]): boolean {
  return all.some((each) => each.id === id && each.status === "done");
}
