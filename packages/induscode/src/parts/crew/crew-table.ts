// Who in a crew works on what, on a terminal: a table below the permanent lines, redrawn when it changes and once a second.

import { formatDollars, monotonicMs, nowMs } from "indusagi/core";
import type { Board, Ticket } from "indusagi/swarm";
import type { ConductorEvent } from "../../conductor/contract.ts";
import { headOf } from "../../console/columns.ts";
import { formatDuration, plural } from "../../console/figures.ts";
import { printableLine } from "../../console/printable-line.ts";

const DRAW_MS = 1_000;
const LOOK_MS = 2_000;
const DEFAULT_COLUMNS = 80;

interface Row {
  readonly title: string;
  readonly since: number;
  /** Only for members here: nothing is reported about the use of others. */
  readonly used?: { turns: number; cost: number };
}

export interface CrewTable {
  /** Prints a permanent line. */
  readonly say: (text: string) => void;
  /** A member has claimed a ticket or finished with it. */
  readonly work: (member: string, ticket: Ticket) => void;
  /** Everything that is being worked on elsewhere. */
  readonly workElsewhere: (tickets: readonly Ticket[]) => void;
  /** Counts what the members' models use. */
  readonly hear: (event: ConductorEvent) => void;
  /** Removes the table; output continues below. */
  readonly close: () => void;
}

type Terminal = Pick<NodeJS.WriteStream, "write" | "columns">;

/** `memberOf` maps a delegate's name to its member. */
export function createCrewTable(terminal: Terminal, memberOf: (agent: string) => string): CrewTable {
  const rows = new Map<string, Row>();
  let shown = 0;
  /** Writes permanent lines, and the table below them. */
  const draw = (staying = ""): void => {
    // One column stays free, so that no table line wraps.
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

/** Shows what others than these members have claimed on a board, until the returned function is called. */
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
      // whoever works reports that the board does not answer
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
