// Waiting for the next step of a board in PostgreSQL, which any machine may perform.

import { abortable } from "../../core/abort.ts";
import type { Board } from "../contract.ts";
import type { Connection, Listening } from "./connection.ts";
import { SCHEMA } from "./schema.ts";

export class BoardChanges {
  readonly #connection: Pick<Connection, "read" | "listen">;
  readonly #board: number;
  readonly #waiting = new Set<() => void>();
  #listening: Promise<Listening> | undefined;

  constructor(connection: Pick<Connection, "read" | "listen">, board: number) {
    this.#connection = connection;
    this.#board = board;
  }

  async after(seq: number, { maxMs, signal }: Parameters<Board["changed"]>[1]): Promise<number> {
    if (maxMs > 0) this.#listening ??= this.#listen();
    await this.#listening;
    // Listen first, then check: a change in between wakes this wait.
    let wake = (): void => undefined;
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#waiting.add(wake);
    const timer = setTimeout(wake, maxMs);
    try {
      const last = await this.#last();
      if (last > seq || maxMs <= 0) return last;
      await abortable(woken, signal);
      return await this.#last();
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(wake);
    }
  }

  async close(): Promise<void> {
    await (await this.#listening?.catch(() => undefined))?.close();
  }

  async #listen(): Promise<Listening> {
    try {
      return await this.#connection.listen((payload) => {
        if (payload === "" || payload.startsWith(`${this.#board}:`)) for (const wake of this.#waiting) wake();
      });
    } catch (error) {
      this.#listening = undefined; // the next one that waits tries again
      throw error;
    }
  }

  async #last(): Promise<number> {
    const { rows } = await this.#connection.read(`SELECT seq FROM ${SCHEMA}.board WHERE id = $1`, [
      this.#board,
    ]);
    return Number(rows[0]?.seq ?? 0);
  }
}
