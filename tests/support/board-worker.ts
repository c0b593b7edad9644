// A worker on a board, in a process of its own: claims what is ready and finishes it, until nothing is left. It can be
// killed or stopped at any moment. Arguments: the board as JSON, its name, and the length of its leases.
import { setTimeout as wait } from "node:timers/promises";
import { BoardError } from "../../packages/indusagi/src/swarm/index.ts";
import { openBoard } from "./board-contest.ts";

const [place = "", name = "", leaseMs = "300"] = process.argv.slice(2);
const board = await openBoard(JSON.parse(place));
/** Another worker has claimed it, or the server disconnected this process while it was stopped: the next look shows which. */
const isOver = (error: unknown): boolean =>
  error instanceof BoardError && ["conflict", "unreachable", "lock_timeout"].includes(error.kind);
const signal = new AbortController().signal;
const parent = process.ppid;
while (process.ppid === parent) {
  try {
    const seen = await board.changed(0, { maxMs: 0, signal });
    const claim = await board.claim(name, { leaseMs: Number(leaseMs) });
    if (claim) {
      await board.finish({ id: claim.ticket.id, token: claim.token }, "done", `by ${name}`);
      continue;
    }
    const left = (await board.list()).filter(({ status }) => status !== "done" && status !== "failed");
    if (left.length === 0) break;
    await board.changed(seen, { maxMs: 500, signal });
  } catch (error) {
    if (!isOver(error)) throw error;
    await wait(10);
  }
}
await board.close();
