// A worker on a board, in a process of its own: claims what is ready and finishes it, until nothing is left. It may be
// killed at any moment.
import { setTimeout as wait } from "node:timers/promises";
import { BoardError, createFileBoard } from "../../packages/indusagi/src/swarm/index.ts";
import { withLock } from "../../packages/induscode/src/store/lock.ts";

const [folder = "", name = "", leaseMs = "300"] = process.argv.slice(2);
const board = createFileBoard({ folder, withLock });
for (;;) {
  const claim = await board.claim(name, { leaseMs: Number(leaseMs) });
  if (claim) {
    await board
      .finish({ id: claim.ticket.id, token: claim.token }, "done", `by ${name}`)
      .catch((error: unknown) => {
        if (!(error instanceof BoardError && error.kind === "conflict")) throw error; // it took too long
      });
    continue;
  }
  const left = (await board.list()).filter(({ status }) => status !== "done");
  if (left.length === 0) break;
  await wait(10);
}
