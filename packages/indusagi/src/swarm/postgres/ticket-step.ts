// What a step does to a board's tickets, and to their jobs with them.

import { checkDeps, notFirst, overClaim, sumOfUse } from "../board-limits.ts";
import { RANK } from "../board-state.ts";
import {
  type Activity,
  BoardError,
  type ClaimKey,
  type TicketDraft,
  type TicketStatus,
  type WorkUse,
} from "../contract.ts";
import { earlierDeps, newTickets, refuseCircle } from "../new-tickets.ts";
import type { Tx } from "./board-steps.ts";
import { SCHEMA } from "./schema.ts";
import type { TicketQueue } from "./ticket-queue.ts";
import { asTicket, type TicketRow, TicketRows } from "./ticket-rows.ts";

const POST = `WITH draft AS (
    SELECT id, $4 + at - 1 AS n, title::json, brief::json, rank, agent, string_to_array(deps, ' ') AS deps
    FROM unnest($5::text[], $6::text[], $7::text[], $8::smallint[], $9::text[], $10::text[])
      WITH ORDINALITY AS d (id, title, brief, rank, agent, deps, at)),
  counted AS (UPDATE ${SCHEMA}.board SET tickets = tickets + (SELECT count(*) FROM draft) WHERE id = $1)
  INSERT INTO ${SCHEMA}.ticket (board, id, n, title, brief, rank, agent, deps, waits, posted_by, posted_at)
  SELECT $1, id, n, title, brief, rank, agent, deps,
    cardinality(deps) - (SELECT count(*) FROM ${SCHEMA}.ticket t
      WHERE t.board = $1 AND t.id = ANY(draft.deps) AND t.status = 'done'), $3, $2
  FROM draft`;

/** Everything that these depend on, directly or indirectly. */
const BEHIND = `WITH RECURSIVE behind AS (
    SELECT id, deps FROM ${SCHEMA}.ticket WHERE board = $1 AND id = ANY($2)
    UNION SELECT t.id, t.deps FROM behind b JOIN ${SCHEMA}.ticket t ON t.board = $1 AND t.id = ANY(b.deps))
  SELECT id, deps FROM behind`;

export class TicketStep extends TicketRows {
  readonly at: Date;
  readonly seq: number;
  readonly #db: Tx["db"];
  readonly #queue: TicketQueue;

  constructor(board: number, queue: TicketQueue, { db, sql, at, seq }: Tx) {
    super(board, sql);
    this.at = at;
    this.seq = seq;
    this.#db = db;
    this.#queue = queue;
  }

  /** The ticket of a claim that is still valid. */
  async claimed({ id, token }: ClaimKey): Promise<TicketRow> {
    const row = await this.one(id);
    if (row.status !== "claimed" || Number(row.token) !== token) throw overClaim(asTicket(row));
    return row;
  }

  /** Sets columns of a ticket; `$3` is the value. */
  async set(id: string, assignments: string, value: unknown): Promise<TicketRow> {
    const { rows } = await this.sql(
      `UPDATE ${SCHEMA}.ticket SET ${assignments} WHERE board = $1 AND id = $2 RETURNING *`,
      [this.board, id, value],
    );
    return rows[0];
  }

  async post(
    by: string,
    drafts: readonly TicketDraft[],
    isFirst: boolean,
  ): Promise<{ readonly acts: readonly Activity[]; readonly rows: readonly TicketRow[] }> {
    const { rows } = await this.sql(`SELECT tickets FROM ${SCHEMA}.board WHERE id = $1`, [this.board]);
    const there = Number(rows[0]?.tickets);
    if (isFirst && there > 0) throw notFirst();
    const posted = newTickets(drafts, there);
    await this.requireAll(earlierDeps(posted));
    refuseCircle(new Map(posted.map(({ id, deps }) => [id, deps])), () => []);
    const ids = posted.map(({ id }) => id);
    await this.sql(POST, [
      ...[this.board, this.at, by, there],
      ids,
      posted.map(({ title }) => JSON.stringify(title)),
      posted.map(({ brief }) => JSON.stringify(brief)),
      posted.map(({ priority }) => RANK[priority]),
      posted.map(({ agent }) => agent ?? null),
      posted.map(({ deps }) => deps.join(" ")),
    ]);
    await this.#settle(ids);
    const made = new Map((await this.of(ids)).map((row) => [row.id, row]));
    return {
      acts: posted.map((ticket) => ({ kind: "ticket_posted", ticket })),
      rows: ids.flatMap((id) => made.get(id) ?? []),
    };
  }

  /** Sets a ticket to a status other than `claimed`, with everything that follows from it. */
  async put(
    row: TicketRow,
    status: Exclude<TicketStatus, "claimed">,
    summary?: string,
    used?: WorkUse,
  ): Promise<TicketRow> {
    if (row.status === "claimed") await this.#queue.remove([row], this.#db);
    const { rows } = await this.sql(
      `UPDATE ${SCHEMA}.ticket SET status = $3, summary = coalesce($4, summary),
         used = coalesce($5, used), claimed_at = NULL, lease_until = NULL, token = 0,
         queued = queued AND status <> 'claimed'
       WHERE board = $1 AND id = $2 RETURNING *`,
      [
        ...[this.board, row.id, status, summary === undefined ? null : JSON.stringify(summary)],
        used === undefined ? null : JSON.stringify(sumOfUse(row.used ?? undefined, used)),
      ],
    );
    const isMoved = (row.status === "done") !== (status === "done");
    const later = isMoved
      ? await this.sql(
          `UPDATE ${SCHEMA}.ticket SET waits = waits + $3 WHERE board = $1 AND deps @> ARRAY[$2] RETURNING id`,
          [this.board, row.id, status === "done" ? -1 : 1],
        )
      : { rows: [] };
    await this.#settle([row.id, ...later.rows.map(({ id }) => id)]);
    return rows[0];
  }

  /** Claims a ready ticket for a member; undefined if it is not retried, because too many claims of it ended without a report. */
  async take(row: TicketRow, member: string, until: Date): Promise<TicketRow | undefined> {
    if (row.status === "claimed") await this.#queue.lapse(row, this.#db);
    const attempt = await this.#queue.start(row, this.#db);
    if (attempt === undefined && row.status === "open")
      throw new BoardError("damaged", `${row.id} is ready but has no job in the queue ${this.#queue.name}`);
    if (attempt === undefined) return undefined; // its job is a dead letter now
    const { rows } = await this.sql(
      `UPDATE ${SCHEMA}.ticket SET status = 'claimed', assignee = $3, token = $4, claimed_at = $5, lease_until = $6, attempt = $7
       WHERE board = $1 AND id = $2 RETURNING *`,
      [this.board, row.id, member, this.seq, this.at, until, attempt],
    );
    return rows[0];
  }

  async depend({ id, deps }: TicketRow, on: readonly string[]): Promise<TicketRow> {
    await this.requireAll(on);
    const all = [...new Set([...deps, ...on])];
    checkDeps(id, all.length);
    const { rows: behind } = await this.sql(BEHIND, [this.board, on]);
    const depsOf = new Map((behind as readonly TicketRow[]).map((row) => [row.id, row.deps]));
    refuseCircle(new Map([[id, all]]), (other) => depsOf.get(other) ?? []);
    await this.set(
      id,
      `deps = $3, waits = (SELECT count(*) FROM ${SCHEMA}.ticket other
         WHERE other.board = $1 AND other.id = ANY($3) AND other.status <> 'done')`,
      all,
    );
    await this.#settle([id]);
    return this.one(id);
  }

  /** Creates a job for each of these tickets that became ready, and deletes it for each that no longer is. */
  async #settle(ids: readonly string[]): Promise<void> {
    const { rows } = await this.sql(
      `UPDATE ${SCHEMA}.ticket SET queued = NOT queued
       WHERE board = $1 AND id = ANY($2) AND status <> 'claimed' AND queued <> (status = 'open' AND waits = 0)
       RETURNING id, n, rank, queued`,
      [this.board, ids],
    );
    await this.#queue.remove(
      rows.filter(({ queued }) => !queued),
      this.#db,
    );
    await this.#queue.add(
      rows.filter(({ queued }) => queued),
      this.#db,
    );
  }
}
