// Shared by all parts of the tools' benchmark: one figure, one call of a tool, rounds side by side, this process's cost.
import { readFileSync } from "node:fs";
import { type DefinedTool, type LocalContextOptions, makeLocalContext } from "indusagi/capabilities";
import type { JsonObject } from "indusagi/core";

/** `base`: the bare equivalent, in the same run; absent if the target is an absolute amount. */
export interface ToolFigure {
  readonly name: string;
  readonly unit: "KB" | "MB" | "ms";
  readonly base?: number;
  readonly ours: number;
  /** At most `limit` times the base, at most `limit` more, or at most `limit`. */
  readonly target?: { readonly kind: "atMost" | "more" | "times"; readonly limit: number };
}

/** Calls a tool in `cwd`. Throws if it answers with an error that was not `expected`. */
export async function callTool(
  tool: DefinedTool,
  input: JsonObject,
  options: LocalContextOptions & { readonly cwd: string; readonly expectError?: boolean },
): Promise<string> {
  const { cwd, expectError = false, ...context } = options;
  const { output, isError } = await tool.invoke(
    { id: "bench", name: tool.name, input },
    makeLocalContext(cwd, context),
  );
  const text = typeof output === "string" ? output : JSON.stringify(output);
  if (isError !== expectError) throw new Error(`${tool.name} answered ${text.slice(0, 200)}`);
  return text;
}

export interface Compared {
  readonly base: number;
  readonly ours: number;
}

/**
 * The minimum in milliseconds of each side over some alternating rounds: on a shared machine other load only adds time. The
 * first round of each is not counted.
 */
export async function compare(
  rounds: number,
  sides: { readonly base: () => Promise<unknown> | unknown; readonly ours: () => Promise<unknown> | unknown },
): Promise<Compared> {
  let best: Compared = { base: Number.POSITIVE_INFINITY, ours: Number.POSITIVE_INFINITY };
  for (let round = 0; round <= rounds; round++) {
    const base = await timeMs(sides.base);
    const ours = await timeMs(sides.ours);
    if (round > 0) best = { base: Math.min(best.base, base), ours: Math.min(best.ours, ours) };
  }
  return best;
}

export async function timeMs(work: () => Promise<unknown> | unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** The high-water mark of this process's memory, in MB. NaN if the system has no /proc. */
export function peakMemoryMb(): number {
  return ownFact("status", /VmHWM:\s+(\d+) kB/) / 1024;
}

/** The memory that this process uses now, in MB. */
export function heldMemoryMb(): number {
  return process.memoryUsage.rss() / 1024 / 1024;
}

/** What this process has read so far through any descriptor, in KB. NaN if the system has no /proc. */
export function readSoFarKb(): number {
  return ownFact("io", /rchar: (\d+)/) / 1024;
}

function ownFact(file: string, pattern: RegExp): number {
  if (process.platform !== "linux") return Number.NaN;
  return Number(pattern.exec(readFileSync(`/proc/self/${file}`, "latin1"))?.[1] ?? Number.NaN);
}
