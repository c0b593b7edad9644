// Several processes work on one board while they are being killed and stopped.

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  type Board,
  createFileBoard,
  openPostgresBoard,
  type PostgresPlace,
} from "../../packages/indusagi/src/swarm/index.ts";
import { withLock } from "../../packages/induscode/src/store/lock.ts";

/** Where a board is, in a form that can be passed to another process. */
export type BoardWhere =
  | { readonly folder: string }
  | { readonly place: PostgresPlace; readonly name: string };

export async function openBoard(where: BoardWhere): Promise<Board> {
  if ("folder" in where) return createFileBoard({ folder: where.folder, withLock });
  return openPostgresBoard(where.place, where.name);
}

export interface Contest {
  readonly where: BoardWhere;
  readonly tickets: number;
  readonly workers: number;
  /** How many workers are killed, and how many are stopped for a while. */
  readonly kills: number;
  readonly stops: number;
  readonly leaseMs: number;
}

/** The result: each line of `problems` is something that went wrong. */
export interface ContestEnd {
  readonly problems: readonly string[];
  readonly kills: number;
  readonly stops: number;
  readonly looks: number;
}

const WORKER = join(import.meta.dirname, "board-worker.ts");

export async function runContest({
  where,
  tickets,
  workers,
  leaseMs,
  ...wanted
}: Contest): Promise<ContestEnd> {
  const board = await openBoard(where);
  await board.post("contest", ticketsOf(tickets));
  const problems: string[] = [];
  const running = new Map<ChildProcess, Promise<unknown>>();
  const launch = (): void => {
    const args = [
      "--conditions=indus-source",
      WORKER,
      JSON.stringify(where),
      `w${running.size}`,
      `${leaseMs}`,
    ];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
    running.set(
      child,
      new Promise((resolve) =>
        child.once("exit", (code, signal) => {
          if (code !== 0 && signal !== "SIGKILL") problems.push(`a worker ended with ${code ?? signal}`);
          resolve(code);
        }),
      ),
    );
  };
  try {
    for (let at = 0; at < workers; at++) launch();
    let [kills, stops, looks, last, turn] = [0, 0, 0, -1, 0];
    for (;;) {
      // Before the look at the board: the last worker may end in between, with everything done.
      const alive = [...running.keys()].filter(
        ({ exitCode, signalCode }) => exitCode === null && signalCode === null,
      );
      const all = await board.list(); // it can be read at any time
      const now = all.filter(({ status }) => status === "done").length;
      problems.push(
        ...all.filter(({ status }) => status === "failed").map(({ summary }) => `failed: ${summary}`),
      );
      if (now < last) problems.push(`${last} tickets were done, and then ${now}`);
      last = now;
      looks++;
      if (now < tickets && alive.length === 0)
        problems.push(`all workers ended with ${now} of ${tickets} done`);
      if (now === tickets || problems.length > 0) break;
      await wait(20 + ((turn * 37) % 50));
      const victim = alive[turn++ % alive.length];
      if (turn % 3 === 0 && stops < wanted.stops) {
        stops++;
        victim?.kill("SIGSTOP");
        // Sometimes longer than its lease: when it continues it is considered gone.
        setTimeout(() => victim?.kill("SIGCONT"), stops % 4 === 0 ? 1.5 * leaseMs : 30);
      } else if (kills < wanted.kills) {
        kills++;
        victim?.kill("SIGKILL");
        launch();
      }
    }
    if (problems.length === 0) await Promise.all(running.values());
    problems.push(...(await problemsOf(board, tickets)));
    return { problems, kills, stops, looks };
  } finally {
    for (const child of running.keys()) child.kill("SIGKILL");
    await board.close();
  }
}

/** Tickets with three dependencies each, except the first ones. */
export function ticketsOf(count: number): { key: string; title: string; deps: string[] }[] {
  return Array.from({ length: count }, (_, at) => ({
    key: `t${at}`,
    title: `ticket ${at}`,
    deps: at < 20 ? [] : [at - 10, at - 15, at - 20].map((dep) => `t${dep}`),
  }));
}

/** Where the board's own records contradict "each ticket once, and after all that it depends on". */
async function problemsOf(board: Board, tickets: number): Promise<readonly string[]> {
  const steps = await board.activity();
  const problems = steps.flatMap(({ seq }, at) =>
    seq === at + 1 ? [] : [`step ${seq} stands in place ${at + 1}`],
  );
  const done = steps.flatMap(({ acts }) =>
    acts.flatMap((act) => (act.kind === "ticket_done" ? [act.id] : [])),
  );
  if (done.length !== tickets || new Set(done).size !== tickets)
    problems.push(`${tickets} tickets: ${done.length} were done, ${new Set(done).size} different ones`);
  const at = new Map(done.map((id, index) => [id, index]));
  for (const { id, deps, status } of await board.list()) {
    if (status !== "done") problems.push(`${id} is ${status}`);
    for (const dep of deps)
      if ((at.get(dep) ?? Number.POSITIVE_INFINITY) > (at.get(id) ?? -1))
        problems.push(`${id} was done before ${dep}`);
  }
  return problems;
}
