// Who of a crew works on what, on a terminal: a table below the lines that stay, drawn anew as it changes and once a second.

import { formatDollars, monotonicMs, nowMs } from "indusagi/core";
import type { Board, Ticket } from "indusagi/swarm";
import type { ConductorEvent } from "../conductor/contract.ts";
import { headOf } from "../console/columns.ts";
import { formatDuration, plural } from "../console/figures.ts";
import { printableLine } from "../console/printable-line.ts";

const DRAW_MS = 1_000;
const LOOK_MS = 2_000;
const DEFAULT_COLUMNS = 80;

interface Row {
  readonly title: string;
  readonly since: number;
  /** Of a member here: what others do is not heard. */
  readonly used?: { turns: number; cost: number };
}

export interface CrewTable {
  /** A line that stays. */
  readonly say: (text: string) => void;
  /** A member has taken a ticket, or is done with it. */
  readonly work: (member: string, ticket: Ticket) => void;
  /** What is worked on elsewhere, all of it. */
  readonly workElsewhere: (tickets: readonly Ticket[]) => void;
  /** Counts what the members' models do. */
  readonly hear: (event: ConductorEvent) => void;
  /** Takes the table away; lines go on below. */
  readonly close: () => void;
}

type Terminal = Pick<NodeJS.WriteStream, "write" | "columns">;

/** `memberOf` is the member that a delegate is. */
export function createCrewTable(terminal: Terminal, memberOf: (agent: string) => string): CrewTable {
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
      if (status === "claimed")
        rows.set(member, { title, since: monotonicMs(), used: { turns: 0, cost: 0 } });
      else rows.delete(member);
    },
    workElsewhere(tickets) {
      if (!timer) return;
      for (const [member, { used }] of rows) if (!used) rows.delete(member);
      for (const { assignee = "", title, claimedAt = nowMs() } of tickets)
        rows.set(assignee, { title, since: monotonicMs() - Math.max(0, nowMs() - claimedAt) });
      draw();
    },
    hear(event) {
      if (event.kind !== "delegate" || event.event.kind !== "entry") return;
      const used = rows.get(memberOf(event.agent))?.used;
      if (!used) return;
      used.turns++;
      used.cost += event.event.entry.cost ?? 0;
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

/** Shows what is claimed on a board by others than these members, until the answer is called. */
export function showOthers(
  table: CrewTable,
  board: Pick<Board, "list">,
  own: ReadonlySet<string>,
): () => void {
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      const claimed = await board.list({ status: "claimed" });
      table.workElsewhere(claimed.filter(({ assignee = "" }) => !own.has(assignee)));
    } catch {
      // whoever works says that the board does not answer
    } finally {
      isLooking = false;
    }
  };
  void look();
  const timer = setInterval(() => void look(), LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function lineOf(member: string, { title, since, used }: Row): string {
  const figures = [
    ...(used ? [plural(used.turns, "turn")] : []),
    ...(used && used.cost > 0 ? [formatDollars(used.cost)] : []),
    formatDuration(monotonicMs() - since),
  ];
  return `▸ ${member}  ${figures.join(", ")}  ${title}`;
}
