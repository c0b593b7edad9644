// One cell of the matrix: a fresh workspace, a fresh process, one misbehaviour, and what it did to everybody else.

import { setPriority } from "node:os";
import { ifThere } from "../support/if-there.ts";
import { reach } from "./act.ts";
import type { Bench } from "./bench.ts";
import { type Cell, DEADLY } from "./hook-points.ts";
import { HOSTILE } from "./hostile-addon.ts";
import { programsOf, untilGone } from "./processes.ts";
import { createScene, type Heard } from "./scene.ts";

export interface CellResult {
  readonly elapsedMs: number;
  readonly deadlineMs: number;
  readonly isGoodAlive: boolean;
  /** Every line for the person and every answer to whoever called. */
  readonly heard: readonly Heard[];
  /** Those among them that name the addon. */
  readonly naming: readonly Heard[];
  /** How long processes of the addon outlived the misbehaviour; undefined where they stayed. */
  readonly goneAfterMs: number | undefined;
  /** How long the end of the session took. */
  readonly closeMs: number;
}

/** The longest that a process may be left, in milliseconds: the product's own five seconds, on the slowest machine. */
export const GONE_MS = 25_000;
const NAMES: RegExp = new RegExp(`\\b${HOSTILE}\\b`);
const LOWEST_PRIORITY = 19;

export async function runCell(cell: Cell, bench: Bench): Promise<CellResult> {
  const { kind, point, behaviour } = cell;
  const scene = createScene(bench, { ...cell, mayExecute: behaviour === "forks" });
  const watch = watchOver(scene.marker, {
    kills: behaviour === "is-killed",
    isBusy: kind === "wasm" && behaviour === "hangs",
  });
  try {
    const act = await reach(scene, cell, watch.begin);
    const sinceMs = performance.now();
    // A task that ignores its end goes when the session does.
    const isDeadly = DEADLY.has(behaviour) && point !== "task";
    const goneBefore = isDeadly ? await untilGone(scene.marker, GONE_MS) : undefined;
    const [closeMs, goneAfterClose] = await close(scene, sinceMs);
    const heard = [...scene.heard, ...act.told];
    return {
      elapsedMs: act.elapsedMs,
      deadlineMs: act.deadlineMs,
      isGoodAlive: act.isGoodAlive,
      heard,
      naming: heard.filter(({ owner, text }) => NAMES.test(owner) || NAMES.test(text)),
      goneAfterMs: isDeadly ? goneBefore : goneAfterClose,
      closeMs,
    };
  } finally {
    watch.stop();
    await scene.close();
  }
}

async function close(
  scene: { readonly close: () => Promise<void>; readonly marker: string },
  sinceMs: number,
): Promise<readonly [number, number | undefined]> {
  const before = performance.now();
  await scene.close();
  const closeMs = performance.now() - before;
  const gone = await untilGone(scene.marker, GONE_MS);
  return [closeMs, gone === undefined ? undefined : performance.now() - sinceMs];
}

interface Watch {
  /** From now on the addon is at the hook point, or on its way there. */
  readonly begin: () => void;
  readonly stop: () => void;
}

interface WatchOptions {
  /** Kills the program there: what an operator, or the kernel, may do to any process. */
  readonly kills: boolean;
  /** It spins: then it gets what the machine has left over. */
  readonly isBusy: boolean;
}

const LOOK_MS = 25;
/** Long enough for a running program to reach its point. */
const KILL_AFTER_MS = 100;

function watchOver(marker: string, { kills, isBusy }: WatchOptions): Watch {
  let begunMs: number | undefined;
  const look = (): void => {
    if (begunMs === undefined || (!kills && !isBusy)) return;
    const pids = programsOf(marker);
    if (isBusy) for (const pid of pids) ifThere(() => setPriority(pid, LOWEST_PRIORITY));
    if (kills && performance.now() - begunMs >= KILL_AFTER_MS)
      for (const pid of pids) ifThere(() => process.kill(pid, "SIGKILL"));
  };
  const timer = setInterval(look, LOOK_MS);
  return {
    begin: () => {
      begunMs ??= performance.now();
    },
    stop: () => clearInterval(timer),
  };
}
