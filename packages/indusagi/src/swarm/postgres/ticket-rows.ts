// A board's tickets as the table keeps them, read inside or outside of a step.

import type { Db } from "pg-boss";
import { noTicket } from "../board-limits.ts";
import { RANK } from "../board-state.ts";
import type {
  ClaimOptions,
  Ticket,
  TicketFilter,
  TicketPriority,
  TicketStatus,
  WorkUse,
} from "../contract.ts";
import { SCHEMA } from "./schema.ts";

export interface TicketRow {
  readonly id: string;
  readonly n: number;
  readonly title: string;
  readonly brief: string;
  readonly rank: number;
  readonly agent: string | null;
  readonly deps: readonly string[];
  readonly status: TicketStatus;
  readonly assignee: string | null;
  readonly token: string;
  readonly attempt: number;
  readonly claimed_at: Date | null;
  readonly lease_until: Date | null;
  readonly summary: string | null;
  readonly used: WorkUse | null;
  readonly comments: Ticket["comments"];
  readonly posted_by: string;
  readonly posted_at: Date;
}

const PRIORITIES = Object.keys(RANK) as readonly TicketPriority[];

export function asTicket(row: TicketRow): Ticket {
  return {
    id: row.id,
    title: row.title,
    brief: row.brief,
    priority: PRIORITIES.find((each) => RANK[each] === row.rank) ?? "normal",
    deps: row.deps,
    agent: row.agent ?? undefined,
    status: row.status,
    assignee: row.assignee ?? undefined,
    claimedAt: row.claimed_at === null ? undefined : row.claimed_at.getTime(),
    leaseUntil: row.lease_until === null ? undefined : row.lease_until.getTime(),
    summary: row.summary ?? undefined,
    used: row.used ?? undefined,
    comments: row.comments,
    postedBy: row.posted_by,
    postedAt: row.posted_at.toISOString(),
  };
}

/** The next ticket for these agents, except some: open, or claimed with an expired lease. */
const NEXT = `SELECT * FROM (
  (SELECT * FROM ${SCHEMA}.ticket WHERE board = $1 AND status = 'open' AND waits = 0
     AND ($2::text[] IS NULL OR agent IS NULL OR agent = ANY($2)) AND id <> ALL($3) ORDER BY rank, n LIMIT 1)
  UNION ALL
  (SELECT * FROM ${SCHEMA}.ticket WHERE board = $1 AND status = 'claimed' AND waits = 0
     AND lease_until < clock_timestamp()
     AND ($2::text[] IS NULL OR agent IS NULL OR agent = ANY($2)) AND id <> ALL($3) ORDER BY rank, n LIMIT 1)
) ready ORDER BY rank, n LIMIT 1`;

export class TicketRows {
  readonly board: number;
  readonly sql: Db["executeSql"];

  constructor(board: number, sql: Db["executeSql"]) {
    this.board = board;
    this.sql = sql;
  }

  async of(ids: readonly string[]): Promise<readonly TicketRow[]> {
    const { rows } = await this.sql(`SELECT * FROM ${SCHEMA}.ticket WHERE board = $1 AND id = ANY($2)`, [
      this.board,
      ids,
    ]);
    return rows;
  }

  async one(id: string): Promise<TicketRow> {
    const [row] = typeof id === "string" && !id.includes("\0") ? await this.of([id]) : [];
    if (row) return row;
    throw noTicket(id);
  }

  /** Throws unless the board has all of these. */
  async requireAll(ids: readonly string[]): Promise<void> {
    const there = new Set((await this.of(ids)).map(({ id }) => id));
    const missing = ids.find((id) => !there.has(id));
    if (missing !== undefined) throw noTicket(missing);
  }

  async next({ agents, except = [] }: Omit<ClaimOptions, "leaseMs">): Promise<TicketRow | undefined> {
    const { rows } = await this.sql(NEXT, [this.board, agents ?? null, except]);
    return rows[0];
  }

  async list({ status, ready }: TicketFilter): Promise<readonly TicketRow[]> {
    const { rows } = await this.sql(
      `SELECT * FROM ${SCHEMA}.ticket WHERE board = $1 AND ($2::text IS NULL OR status = $2)
         AND ($3::boolean IS NULL OR $3 = (waits = 0 AND
           (status = 'open' OR (status = 'claimed' AND lease_until < clock_timestamp()))))
       ORDER BY n`,
      [this.board, status ?? null, ready ?? null],
    );
    return rows;
  }
}
