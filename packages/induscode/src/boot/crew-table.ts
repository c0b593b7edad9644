// Who of a crew works on what, on a terminal: a table below the lines that stay, drawn anew as it changes and once a second.

import { formatDollars, monotonicMs } from "indusagi/core";
import type { Ticket } from "indusagi/swarm";
import type { ConductorEvent } from "../conductor/contract.ts";
import { headOf } from "../console/columns.ts";
import { formatDuration, plural } from "../console/figures.ts";
import { printableLine } from "../console/printable-line.ts";

const DRAW_MS = 1_000;
const DEFAULT_COLUMNS = 80;

interface Row {
  readonly title: string;
  readonly since: number;
  turns: number;
  cost: number;
}

export interface CrewTable {
  /** A line that stays. */
  readonly say: (text: string) => void;
  /** A member has taken a ticket, or is done with it. */
  readonly work: (member: string, ticket: Ticket) => void;
  /** Counts what the members' models do. */
  readonly hear: (event: ConductorEvent) => void;
  /** Takes the table away; lines go on below. */
  readonly close: () => void;
}

type Terminal = Pick<NodeJS.WriteStream, "write" | "columns">;

export function createCrewTable(terminal: Terminal): CrewTable {
  const rows = new Map<string, Row>();
  let shown = 0;
  /** Writes lines that stay, and the table below them. */
  const draw = (staying = ""): void => {
    // One column is left free, so that no line of the table takes two.
    const columns = (terminal.columns || DEFAULT_COLUMNS) - 1;
    const lines = [...rows].map(
      ([member, row]) => `${headOf(printableLine(lineOf(member, row)), columns)}\n`,
    );
    const up = shown > 0 ? `\x1b[${shown}A\r\x1b[J` : "";
    shown = lines.length;
    terminal.write(`${up}${staying}${lines.join("")}`);
  };
  let timer: NodeJS.Timeout | undefined = setInterval(() => rows.size > 0 && draw(), DRAW_MS);
  timer.unref();
  return {
    say: (text) => draw(`${printableLine(text)}\n`),
    work(member, { status, title }) {
      if (status === "claimed") rows.set(member, { title, since: monotonicMs(), turns: 0, cost: 0 });
      else rows.delete(member);
    },
    hear(event) {
      if (event.kind !== "delegate" || event.event.kind !== "entry") return;
      const row = rows.get(event.agent);
      if (!row) return;
      row.turns++;
      row.cost += event.event.entry.cost ?? 0;
      draw();
    },
    close() {
      clearInterval(timer);
      timer = undefined;
      rows.clear();
      draw();
    },
  };
}

function lineOf(member: string, { title, since, turns, cost }: Row): string {
  const figures = [
    plural(turns, "turn"),
    ...(cost > 0 ? [formatDollars(cost)] : []),
    formatDuration(monotonicMs() - since),
  ];
  return `▸ ${member}  ${figures.join(", ")}  ${title}`;
}
