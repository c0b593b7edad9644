// A board's pg-boss queue of what is ready. A ticket has a job from the moment it is ready until it is finished; pg-boss counts
// the attempts and moves a job nobody finished to the dead letter queue.

import type { Db, PgBoss } from "pg-boss";
import { MAX_LAPSES } from "../board-limits.ts";
import type { TicketRow } from "./ticket-rows.ts";

type Queued = Pick<TicketRow, "id" | "n" | "rank">;

const DAY_S = 86_400;
const FOREVER_S = 365 * DAY_S;
/** A ticket's job id. The job's priority is the ticket's rank among all, so it identifies the ticket too. */
const jobOf = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;
const PLACES = 10_000_000;
const placeOf = ({ rank, n }: Queued): number => (2 - rank) * PLACES + (PLACES - 1 - n);

export class TicketQueue {
  readonly name: string;
  readonly #boss: PgBoss;

  constructor(boss: PgBoss, board: number) {
    this.name = `board_${board}`;
    this.#boss = boss;
  }

  /** Does nothing if it is there. */
  async create(): Promise<void> {
    const deadLetter = `${this.name}_dead`;
    await this.#boss.createQueue(deadLetter, { retentionSeconds: FOREVER_S });
    await this.#boss.createQueue(this.name, {
      deadLetter,
      retryLimit: MAX_LAPSES - 1,
      retentionSeconds: FOREVER_S,
      expireInSeconds: DAY_S - 1, // a claim ends with its lease, which is stored in the ticket
    });
  }

  async add(tickets: readonly Queued[], db: Db): Promise<void> {
    if (tickets.length === 0) return;
    const jobs = tickets.map((each) => ({
      id: jobOf(each.n),
      data: { ticket: each.id },
      priority: placeOf(each),
    }));
    await this.#boss.insert(this.name, jobs, { db });
  }

  async remove(tickets: readonly Pick<Queued, "n">[], db: Db): Promise<void> {
    const jobs = tickets.map(({ n }) => jobOf(n));
    if (jobs.length > 0) await this.#boss.deleteJob(this.name, jobs, { db });
  }

  /** The ticket's claim ended without a report. */
  async lapse({ n, attempt }: Pick<TicketRow, "n" | "attempt">, db: Db): Promise<void> {
    await this.#boss.fail(
      this.name,
      { id: jobOf(n), retryCount: attempt },
      { message: "its claim ended" },
      { db },
    );
  }

  /** Starts the ticket's job, and returns which attempt it is; undefined if it has none. */
  async start(ticket: Queued, db: Db): Promise<number | undefined> {
    const place = placeOf(ticket);
    const [job] = await this.#boss.fetch(this.name, {
      minPriority: place,
      maxPriority: place,
      includeMetadata: true,
      // A job starts when its step began, and this step may have begun earlier and waited for that one.
      ignoreStartAfter: true,
      db,
    });
    return job?.retryCount;
  }
}
