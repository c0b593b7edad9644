// Several processes work from one board while others kill and stop them: no ticket is lost, and none is done twice.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createFileBoard } from "../../packages/indusagi/src/swarm/index.ts";
import { withLock } from "../../packages/induscode/src/store/lock.ts";
import { isLong } from "../support/long-form.ts";

const [TICKETS, WORKERS, KILLS] = isLong ? [1_000, 8, 60] : [60, 3, 6];
const WORKER = join(import.meta.dirname, "../support/board-worker.ts");

it("each ticket is done exactly once, whoever is killed or stopped meanwhile", {
  timeout: 300_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "indus-board-"));
  const board = createFileBoard({ folder, withLock });
  await board.post(
    "test",
    // Each waits for up to three before it.
    Array.from({ length: TICKETS }, (_, at) => ({
      key: `t${at}`,
      title: `ticket ${at}`,
      deps: [at - 1, at - 7, at - 20].filter((dep) => dep >= 0 && at % 3 !== 0).map((dep) => `t${dep}`),
    })),
  );
  const running = new Map<ChildProcess, Promise<number | null>>();
  const launch = (): void => {
    const child = spawn(process.execPath, ["--conditions=indus-source", WORKER, folder, `w${running.size}`], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    running.set(child, new Promise((resolve) => child.once("exit", resolve)));
  };
  onTestFinished(() => {
    for (const child of running.keys()) child.kill("SIGKILL");
  });
  for (let at = 0; at < WORKERS; at++) launch();

  const done = async (): Promise<number> => (await board.list({ status: "done" })).length;
  let [kills, last] = [0, -1];
  while (kills < KILLS && (await done()) < TICKETS) {
    const now = await done(); // the board can be read at every moment
    expect(now).toBeGreaterThanOrEqual(last);
    last = now;
    const children = [...running.keys()].filter(
      ({ exitCode, signalCode }) => exitCode === null && signalCode === null,
    );
    const victim = children[kills++ % Math.max(1, children.length)];
    if (kills % 3 === 0) {
      victim?.kill("SIGSTOP");
      await new Promise((resolve) => setTimeout(resolve, 30));
      victim?.kill("SIGCONT");
    } else {
      victim?.kill("SIGKILL");
      launch();
    }
    await new Promise((resolve) => setTimeout(resolve, 20 + ((kills * 37) % 50)));
  }
  await Promise.all(running.values());

  const steps = await board.activity();
  const finished = steps.flatMap(({ acts }) =>
    acts.flatMap((act) => (act.kind === "ticket_done" ? [act.id] : [])),
  );
  expect(finished).toHaveLength(TICKETS);
  expect(new Set(finished).size).toBe(TICKETS);
  const at = new Map(finished.map((id, index) => [id, index]));
  for (const { id, deps } of await board.list())
    for (const dep of deps) expect(at.get(dep)).toBeLessThan(at.get(id) ?? -1);
});
