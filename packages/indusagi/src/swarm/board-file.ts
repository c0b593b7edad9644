// The steps of a board in one file. Every decision is made under the file's lock, on an up-to-date board.

import { join } from "node:path";
import { isoNow, nowMs as wallMs } from "../core/clock.ts";
import { describeError, errorCode } from "../core/faults.ts";
import { type BoardLog, openBoardLog } from "./board-log.ts";
import { BoardState } from "./board-state.ts";
import { type Activity, type BoardEntry, BoardError } from "./contract.ts";

/** The name of the board's file in its folder. */
export const BOARD_FILE = "board.jsonl";

export interface FileBoardDeps {
  /** Created if missing. */
  readonly folder: string;
  /**
   * Runs `work` exclusively among all processes that use this path. Rejects if another process keeps the lock. `isMine` returns
   * false once another process has taken the lock over, for instance because this one was suspended for long.
   */
  readonly withLock: <T>(path: string, work: (isMine: () => boolean) => T) => Promise<T>;
  /** The maximum size of its file; unlimited if absent. */
  readonly maxBytes?: number;
  /** Wall clock in milliseconds since 1970; for tests. */
  readonly nowMs?: () => number;
}

/** How often a step is retried when its lock is taken over in the middle. */
const ATTEMPTS = 5;

export interface FileStep<T> {
  /** Who performs it. */
  readonly by: string;
  readonly acts: readonly Activity[];
  /** What the caller gets, computed from the board after the step. */
  readonly answer: (after: BoardState) => T;
}

export class BoardFile {
  readonly nowMs: () => number;
  readonly #folder: string;
  readonly #withLock: FileBoardDeps["withLock"];
  readonly #path: string;
  readonly #log: BoardLog;
  #state = new BoardState();
  #entries: BoardEntry[] = [];

  /** Throws the system's error if the folder cannot be created. */
  constructor({ folder, withLock, maxBytes, nowMs = wallMs }: FileBoardDeps) {
    this.nowMs = nowMs;
    this.#folder = folder;
    this.#withLock = withLock;
    this.#path = join(folder, BOARD_FILE);
    this.#log = openBoardLog(this.#path, maxBytes);
  }

  /** The board as it is now. */
  current(): BoardState {
    this.#log.refresh(
      (entry) => this.#take(entry),
      () => {
        this.#state = new BoardState();
        this.#entries = [];
      },
    );
    return this.#state;
  }

  /** What happened so far. */
  entries(): readonly BoardEntry[] {
    this.current();
    return this.#entries;
  }

  /** Decides under the lock and stores the decision; starts again if the lock was taken over meanwhile. */
  async change<T>(decide: (now: BoardState) => FileStep<T>): Promise<T> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const done = await this.#locked((isMine) => {
        const { by, acts, answer } = decide(this.current());
        if (acts.length > 0) {
          const at = isoNow(this.nowMs());
          const entry: BoardEntry = { seq: this.#state.lastSeq + 1, at, by, acts };
          if (!this.#log.append(entry, isMine)) return undefined;
          this.#take(entry);
        }
        return { value: answer(this.#state) };
      });
      if (done) return done.value;
    }
    throw new BoardError(
      "lock_timeout",
      `the board in ${this.#folder} was not changed: its lock was taken over ${ATTEMPTS} times; try again`,
    );
  }

  #take(entry: BoardEntry): void {
    this.#state.apply(entry);
    this.#entries.push(entry);
  }

  async #locked<T>(work: (isMine: () => boolean) => T): Promise<T> {
    try {
      return await this.#withLock(`${this.#path}.lock`, work);
    } catch (error) {
      if (error instanceof BoardError) throw error;
      const kind = errorCode(error) === undefined ? "lock_timeout" : "unreachable"; // the system's errors have a code
      throw new BoardError(kind, `the board in ${this.#folder} was not changed: ${describeError(error)}`, {
        cause: error,
      });
    }
  }
}
