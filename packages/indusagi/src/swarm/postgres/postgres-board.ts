// The board of several machines: tables for the state, and a pg-boss queue for what is ready. A ticket has a job from the
// moment it is ready until it is finished. Claiming the ticket fetches the job; pg-boss counts the attempts and moves a job
// nobody finished to the dead letter queue. Steps on one board run one after the other, each in a transaction.

import type { Db } from "pg-boss";
import { abortable } from "../../core/abort.ts";
import { nowMs } from "../../core/clock.ts";
import { createId } from "../../core/ids.ts";
import {
  checkDeps,
  checkDrafts,
  checkedLease,
  checkedMove,
  checkedName,
  checkedText,
  checkedUse,
  envelopeOf,
  givenUp,
  MAX_LAPSES,
  noTicket,
  notFirst,
  overClaim,
  sumOfUse,
} from "../board-limits.ts";
import { RANK, refuseCircle } from "../board-state.ts";
import {
  type Activity,
  type Board,
  type BoardEntry,
  BoardError,
  type Claim,
  type ClaimKey,
  type ClaimOptions,
  type Envelope,
  type Ticket,
  type TicketPriority,
  type TicketStatus,
  type WorkUse,
} from "../contract.ts";
import { type Connection, connect, type Listening } from "./connection.ts";
import type { PostgresPlace } from "./place.ts";
import { CHANNEL, SCHEMA } from "./schema.ts";

/** Opens the board of this name in a database, creating it if missing. Rejects with a `BoardError`. */
export async function openPostgresBoard(place: PostgresPlace, name: string): Promise<Board> {
  checkedName("board", name);
  const connection = await connect(place);
  try {
    return boardOf(connection, await idOf(connection, name));
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function idOf({ read, boss }: Connection, name: string): Promise<number> {
  await read(`INSERT INTO ${SCHEMA}.board (name) VALUES ($1) ON CONFLICT DO NOTHING`, [name]);
  const { rows } = await read(`SELECT id FROM ${SCHEMA}.board WHERE name = $1`, [name]);
  const id = Number(rows[0]?.id);
  await boss.createQueue(deadOf(id), { retentionSeconds: FOREVER_S });
  await boss.createQueue(queueOf(id), {
    deadLetter: deadOf(id),
    retryLimit: MAX_LAPSES - 1,
    retentionSeconds: FOREVER_S,
    expireInSeconds: DAY_S - 1, // a claim ends with its lease, which is stored in the ticket
  });
  return id;
}

const DAY_S = 86_400;
const FOREVER_S = 365 * DAY_S;
const queueOf = (board: number): string => `board_${board}`;
const deadOf = (board: number): string => `board_${board}_dead`;
/** A ticket's job id. The job's priority is the ticket's rank among all, so it identifies the ticket too. */
const jobOf = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;
const PLACES = 10_000_000;
const placeOf = (rank: number, n: number): number => (2 - rank) * PLACES + (PLACES - 1 - n);

interface Row {
  readonly id: string;
  readonly n: number;
  readonly title: string;
  readonly brief: string;
  readonly rank: number;
  readonly agent: string | null;
  readonly deps: readonly string[];
  readonly status: TicketStatus;
  readonly assignee: string | null;
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

function asTicket(row: Row): Ticket {
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

/** A step in progress. */
interface Tx {
  readonly db: Db;
  readonly sql: Db["executeSql"];
  readonly seq: number;
  /** The server's clock: the machines' own clocks can differ. */
  readonly at: Date;
}

interface Done<T> {
  readonly acts: readonly Activity[];
  readonly value: T;
}

/** Activities that can let a waiting process continue: not every step wakes everybody. */
const WAKES: ReadonlySet<Activity["kind"]> = new Set([
  "ticket_posted",
  "ticket_done",
  "ticket_failed",
  "ticket_opened",
  "ticket_released",
  "ticket_assigned",
  "message_sent",
]);

function boardOf({ boss, read, transaction, listen, close }: Connection, board: number): Board {
  const queue = queueOf(board);
  const step = <T>(by: string, decide: (tx: Tx) => Promise<Done<T>>): Promise<T> =>
    transaction(async (db) => {
      const sql: Db["executeSql"] = (text, values) => db.executeSql(text, values);
      const { rows } = await sql(
        `UPDATE ${SCHEMA}.board SET seq = seq + 1 WHERE id = $1 RETURNING seq, clock_timestamp() AS at`,
        [board],
      );
      const [seq, at] = [Number(rows[0]?.seq), rows[0]?.at as Date];
      const { acts, value } = await decide({ db, sql, seq, at });
      if (acts.length === 0) return { keep: false, value };
      await sql(
        `WITH kept AS (INSERT INTO ${SCHEMA}.step VALUES ($1, $2, $3, $4, $5))
         SELECT pg_notify($6, $7) WHERE $8`,
        [
          board,
          seq,
          at,
          by,
          JSON.stringify(acts),
          CHANNEL,
          `${board}:${seq}`,
          acts.some(({ kind }) => WAKES.has(kind)),
        ],
      );
      return { keep: true, value };
    });
  const rowsOf = async (sql: Db["executeSql"], ids: readonly string[]): Promise<readonly Row[]> =>
    (await sql(`SELECT * FROM ${SCHEMA}.ticket WHERE board = $1 AND id = ANY($2)`, [board, ids])).rows;
  const rowOf = async (sql: Db["executeSql"], id: string): Promise<Row> => {
    const [row] = typeof id === "string" && !id.includes("\0") ? await rowsOf(sql, [id]) : [];
    if (row) return row;
    throw noTicket(id);
  };
  const checkThere = async (sql: Db["executeSql"], ids: readonly string[]): Promise<void> => {
    const there = new Set((await rowsOf(sql, ids)).map(({ id }) => id));
    const missing = ids.find((id) => !there.has(id));
    if (missing !== undefined) throw noTicket(missing);
  };
  /** Creates a job for each of these tickets that became ready, and deletes it for each that no longer is. */
  const settle = async ({ sql, db }: Tx, ids: readonly string[]): Promise<void> => {
    const { rows } = await sql(
      `UPDATE ${SCHEMA}.ticket SET queued = NOT queued
       WHERE board = $1 AND id = ANY($2) AND status <> 'claimed' AND queued <> (status = 'open' AND waits = 0)
       RETURNING id, n, rank, queued`,
      [board, ids],
    );
    const gone = rows.filter(({ queued }) => !queued).map(({ n }) => jobOf(n));
    if (gone.length > 0) await boss.deleteJob(queue, gone, { db });
    const jobs = rows
      .filter(({ queued }) => queued)
      .map(({ id, n, rank }) => ({ id: jobOf(n), data: { ticket: id }, priority: placeOf(rank, n) }));
    if (jobs.length > 0) await boss.insert(queue, jobs, { db });
  };
  /** Sets a ticket to a status other than `claimed`, with everything that follows from it. */
  const put = async (
    tx: Tx,
    row: Row,
    status: TicketStatus,
    summary?: string,
    used?: WorkUse,
  ): Promise<Row> => {
    if (row.status === "claimed") await boss.deleteJob(queue, jobOf(row.n), { db: tx.db });
    const { rows } = await tx.sql(
      `UPDATE ${SCHEMA}.ticket SET status = $3, summary = coalesce($4, summary),
         used = coalesce($5, used), claimed_at = NULL, lease_until = NULL, token = 0,
         queued = queued AND status <> 'claimed'
       WHERE board = $1 AND id = $2 RETURNING *`,
      [
        ...[board, row.id, status, summary === undefined ? null : JSON.stringify(summary)],
        used === undefined ? null : JSON.stringify(sumOfUse(row.used ?? undefined, used)),
      ],
    );
    const isMoved = (row.status === "done") !== (status === "done");
    const later = isMoved
      ? await tx.sql(
          `UPDATE ${SCHEMA}.ticket SET waits = waits + $3 WHERE board = $1 AND deps @> ARRAY[$2] RETURNING id`,
          [board, row.id, status === "done" ? -1 : 1],
        )
      : { rows: [] };
    await settle(tx, [row.id, ...later.rows.map(({ id }) => id)]);
    return rows[0];
  };
  const claimed = async ({ sql }: Tx, { id, token }: ClaimKey): Promise<Row> => {
    const row: Row & { readonly token: string } = (await rowOf(sql, id)) as Row & { readonly token: string };
    if (row.status !== "claimed" || Number(row.token) !== token) throw overClaim(asTicket(row));
    return row;
  };
  /** A change that requires a valid claim on the ticket. */
  const withClaim = (claim: ClaimKey, work: (tx: Tx, row: Row) => Promise<Done<Row>>): Promise<Ticket> =>
    transactionFor(claim, async (tx, row) => {
      const { acts, value } = await work(tx, row);
      return { acts, value: asTicket(value) };
    });
  const transactionFor = async <T>(
    claim: ClaimKey,
    work: (tx: Tx, row: Row) => Promise<Done<T>>,
  ): Promise<T> => {
    // Read before the lock; the claim is checked under it, and an ended one never becomes valid again.
    const { assignee } = await rowOf(read, claim.id);
    return step(assignee ?? "nobody", async (tx) => work(tx, await claimed(tx, claim)));
  };
  const changeTicket = (
    by: string,
    id: string,
    work: (tx: Tx, row: Row) => Promise<{ readonly act: Activity; readonly row: Row }>,
  ): Promise<Ticket> =>
    step(checkedName("by", by), async (tx) => {
      const { act, row } = await work(tx, await rowOf(tx.sql, id));
      return { acts: [act], value: asTicket(row) };
    });
  const lastStep = async (): Promise<number> =>
    Number((await read(`SELECT seq FROM ${SCHEMA}.board WHERE id = $1`, [board])).rows[0]?.seq ?? 0);

  let listening: Promise<Listening> | undefined;
  const waiting = new Set<() => void>();
  const listenOn = async (): Promise<Listening> => {
    try {
      return await listen((payload) => {
        if (payload === "" || payload.startsWith(`${board}:`)) for (const wake of waiting) wake();
      });
    } catch (error) {
      listening = undefined; // the next one that waits tries again
      throw error;
    }
  };

  const take = (member: string, options: ClaimOptions): Promise<Claim | "again" | undefined> =>
    step<Claim | "again" | undefined>(member, async (tx) => {
      const { leaseMs } = options;
      const { rows } = await tx.sql(NEXT, [board, ...whichOf(options)]);
      const row: Row | undefined = rows[0];
      if (!row) return { acts: [], value: undefined };
      const { id, n, rank } = row;
      if (row.status === "claimed")
        await boss.fail(queue, { id: jobOf(n), retryCount: row.attempt }, { message: "its claim ended" }, tx);
      const at = placeOf(rank, n);
      const [job] = await boss.fetch(queue, {
        minPriority: at,
        maxPriority: at,
        includeMetadata: true,
        // A job starts when its step began, and this step may have begun earlier and waited for that one.
        ignoreStartAfter: true,
        db: tx.db,
      });
      if (!job && row.status === "open")
        throw new BoardError("damaged", `${id} is ready but has no job in the queue ${queue}`);
      if (!job) {
        // A dead letter now: too many claims of it expired without a report.
        const summary = givenUp(row.assignee ?? undefined);
        await put(tx, row, "failed", summary);
        return { acts: [{ kind: "ticket_failed", id, summary }], value: "again" };
      }
      const until = new Date(tx.at.getTime() + leaseMs);
      const taken = await tx.sql(
        `UPDATE ${SCHEMA}.ticket SET status = 'claimed', assignee = $3, token = $4, claimed_at = $5, lease_until = $6, attempt = $7
         WHERE board = $1 AND id = $2 RETURNING *`,
        [board, id, member, tx.seq, tx.at, until, job.retryCount],
      );
      return {
        acts: [{ kind: "ticket_claimed", id, member, leaseUntil: until.getTime() }],
        value: { ticket: asTicket(taken.rows[0]), token: tx.seq },
      };
    });

  return {
    post: async (by, drafts, { isFirst = false } = {}) =>
      step(checkedName("by", by), async (tx) => {
        const { rows } = await tx.sql(`SELECT tickets FROM ${SCHEMA}.board WHERE id = $1`, [board]);
        const there = Number(rows[0]?.tickets);
        if (isFirst && there > 0) throw notFirst();
        const ids = checkDrafts(drafts, there);
        const posted = drafts.map(({ key, title, brief = "", priority = "normal", deps = [], agent }) => ({
          id: (key === undefined ? undefined : ids.get(key)) ?? createId("tkt"),
          title,
          brief,
          priority,
          deps: [...new Set(deps.map((dep) => ids.get(dep) ?? dep))],
          agent,
        }));
        const own = new Set(posted.map(({ id }) => id));
        await checkThere(
          tx.sql,
          [...new Set(posted.flatMap(({ deps }) => deps))].filter((id) => !own.has(id)),
        );
        refuseCircle(new Map(posted.map(({ id, deps }) => [id, deps])), () => []);
        await tx.sql(POST, [
          ...[board, tx.at, by, there],
          posted.map(({ id }) => id),
          posted.map(({ title }) => JSON.stringify(title)),
          posted.map(({ brief }) => JSON.stringify(brief)),
          posted.map(({ priority }) => RANK[priority]),
          posted.map(({ agent }) => agent ?? null),
          posted.map(({ deps }) => deps.join(" ")),
        ]);
        await settle(tx, [...own]);
        const made = new Map((await rowsOf(tx.sql, [...own])).map((row) => [row.id, row]));
        return {
          acts: posted.map((ticket) => ({ kind: "ticket_posted", ticket })),
          value: posted.flatMap(({ id }) => {
            const row = made.get(id);
            return row ? [asTicket(row)] : [];
          }),
        };
      }),
    async list({ status, ready } = {}) {
      const { rows } = await read(
        `SELECT * FROM ${SCHEMA}.ticket WHERE board = $1 AND ($2::text IS NULL OR status = $2)
           AND ($3::boolean IS NULL OR $3 = (waits = 0 AND
             (status = 'open' OR (status = 'claimed' AND lease_until < clock_timestamp()))))
         ORDER BY n`,
        [board, status ?? null, ready ?? null],
      );
      return (rows as readonly Row[]).map(asTicket);
    },
    get: async (id) => asTicket(await rowOf(read, id)),
    async claim(member, options) {
      checkedName("member", member);
      checkedLease(options.leaseMs);
      for (;;) {
        // Finding nothing must not hold up anybody's step.
        if ((await read(NEXT, [board, ...whichOf(options)])).rows.length === 0) return undefined;
        const claim = await take(member, options);
        if (claim !== "again") return claim;
      }
    },
    renew: async (claim, leaseMs) => {
      await transactionFor(claim, async ({ sql, at }, { id }) => {
        const until = new Date(at.getTime() + leaseMs);
        await sql(`UPDATE ${SCHEMA}.ticket SET lease_until = $3 WHERE board = $1 AND id = $2`, [
          board,
          id,
          until,
        ]);
        return {
          acts: [{ kind: "ticket_renewed", id, leaseUntil: until.getTime() }],
          value: undefined,
        };
      });
    },
    finish: async (claim, status, summary, used) => {
      checkedText("summary", summary);
      const took = checkedUse(used);
      const kind = status === "done" ? "ticket_done" : "ticket_failed";
      return withClaim(claim, async (tx, row) => ({
        acts: [{ kind, id: row.id, summary, ...took }],
        value: await put(tx, row, status, summary, took.used),
      }));
    },
    release: async (claim, reason, used) => {
      const took = checkedUse(used);
      const why = reason === undefined ? {} : { summary: checkedText("reason", reason) };
      await withClaim(claim, async (tx, row) => ({
        acts: [{ kind: "ticket_released", id: row.id, ...why, ...took }],
        value: await put(tx, row, "open", reason, took.used),
      }));
    },
    move: async (by, id, to, reason) => {
      const act = checkedMove(id, to, reason);
      return changeTicket(by, id, async (tx, row) => ({ act, row: await put(tx, row, to, reason) }));
    },
    comment: async (by, id, text) => {
      checkedText("comment", text);
      return changeTicket(by, id, async ({ sql, at }, { comments }) => {
        const all = [...comments, { by, at: at.toISOString(), text }];
        const { rows } = await sql(
          `UPDATE ${SCHEMA}.ticket SET comments = $3 WHERE board = $1 AND id = $2 RETURNING *`,
          [board, id, JSON.stringify(all)],
        );
        return { act: { kind: "ticket_commented", id, text }, row: rows[0] };
      });
    },
    depend: async (by, id, on) =>
      changeTicket(by, id, async (tx, { deps }) => {
        await checkThere(tx.sql, on);
        const all = [...new Set([...deps, ...on])];
        checkDeps(id, all.length);
        const { rows: behind } = await tx.sql(BEHIND, [board, on]);
        const depsOf = new Map((behind as readonly Row[]).map((row) => [row.id, row.deps]));
        refuseCircle(new Map([[id, all]]), (other) => depsOf.get(other) ?? []);
        await tx.sql(
          `UPDATE ${SCHEMA}.ticket SET deps = $3, waits = (SELECT count(*) FROM ${SCHEMA}.ticket other
             WHERE other.board = $1 AND other.id = ANY($3) AND other.status <> 'done')
           WHERE board = $1 AND id = $2`,
          [board, id, all],
        );
        await settle(tx, [id]);
        return { act: { kind: "ticket_depends", id, on }, row: await rowOf(tx.sql, id) };
      }),
    assign: async (by, id, agent) => {
      const to = agent === undefined ? {} : { agent: checkedName("agent", agent) };
      return changeTicket(by, id, async ({ sql }) => {
        const { rows } = await sql(
          `UPDATE ${SCHEMA}.ticket SET agent = $3 WHERE board = $1 AND id = $2 RETURNING *`,
          [board, id, agent ?? null],
        );
        return { act: { kind: "ticket_assigned", id, ...to }, row: rows[0] };
      });
    },
    enrol: async (member) => {
      await step(checkedName("member", member), async ({ sql, seq }) => {
        const { rows } = await sql(
          `INSERT INTO ${SCHEMA}.reader AS r (board, name, is_member, up_to) VALUES ($1, $2, true, $3)
           ON CONFLICT (board, name) DO UPDATE SET is_member = true WHERE NOT r.is_member RETURNING 1`,
          [board, member, seq],
        );
        return { acts: rows.length === 0 ? [] : [{ kind: "member_spawned", member }], value: undefined };
      });
    },
    send: async (from, to, body) => {
      const envelope: Envelope = envelopeOf(from, to, body, nowMs());
      return step(from, async ({ sql, seq }) => {
        await sql(`INSERT INTO ${SCHEMA}.message VALUES ($1, $2, $3, $4, $5)`, [
          ...[board, seq, from, to],
          JSON.stringify(envelope),
        ]);
        return { acts: [{ kind: "message_sent", envelope }], value: envelope };
      });
    },
    poll: async (reader) => {
      checkedName("reader", reader);
      if ((await read(UNREAD, [board, reader])).rows.length === 0) return [];
      return step(reader, async ({ sql }) => {
        const { rows } = await sql(UNREAD, [board, reader]);
        if (rows.length === 0) return { acts: [], value: [] };
        const upTo = Number(rows.at(-1)?.seq);
        await sql(
          `INSERT INTO ${SCHEMA}.reader (board, name, up_to) VALUES ($1, $2, $3)
           ON CONFLICT (board, name) DO UPDATE SET up_to = $3`,
          [board, reader, upTo],
        );
        return {
          acts: [{ kind: "messages_read", reader, upTo }],
          value: rows.map(({ envelope }) => envelope as Envelope),
        };
      });
    },
    async activity({ after = 0, max = Number.POSITIVE_INFINITY } = {}) {
      const { rows } = await read(
        `SELECT * FROM ${SCHEMA}.step WHERE board = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
        [board, after, Number.isFinite(max) ? max : null],
      );
      return rows.map(
        ({ seq, at, by, acts }): BoardEntry => ({ seq: Number(seq), at: at.toISOString(), by, acts }),
      );
    },
    async changed(after, { maxMs, signal }) {
      if (maxMs > 0) listening ??= listenOn();
      await listening;
      // Listen first, then check: a change in between wakes this wait.
      let wake = (): void => undefined;
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      waiting.add(wake);
      const timer = setTimeout(wake, maxMs);
      try {
        const last = await lastStep();
        if (last > after || maxMs <= 0) return last;
        await abortable(woken, signal);
        return await lastStep();
      } finally {
        clearTimeout(timer);
        waiting.delete(wake);
      }
    },
    async close() {
      await (await listening?.catch(() => undefined))?.close();
      await close();
    },
  };
}

const whichOf = ({ agents, except = [] }: ClaimOptions): readonly unknown[] => [agents ?? null, except];

/** The next ticket for these agents, except some: open, or claimed with an expired lease. */
const NEXT = `SELECT * FROM (
  (SELECT * FROM ${SCHEMA}.ticket WHERE board = $1 AND status = 'open' AND waits = 0
     AND ($2::text[] IS NULL OR agent IS NULL OR agent = ANY($2)) AND id <> ALL($3) ORDER BY rank, n LIMIT 1)
  UNION ALL
  (SELECT * FROM ${SCHEMA}.ticket WHERE board = $1 AND status = 'claimed' AND waits = 0
     AND lease_until < clock_timestamp()
     AND ($2::text[] IS NULL OR agent IS NULL OR agent = ANY($2)) AND id <> ALL($3) ORDER BY rank, n LIMIT 1)
) ready ORDER BY rank, n LIMIT 1`;

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

const UNREAD = `SELECT seq, envelope FROM ${SCHEMA}.message
  WHERE board = $1 AND (recipient = $2 OR (recipient = '*' AND sender <> $2))
    AND seq > coalesce((SELECT up_to FROM ${SCHEMA}.reader WHERE board = $1 AND name = $2), 0)
  ORDER BY seq`;
