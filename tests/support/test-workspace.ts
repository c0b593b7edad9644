// A temporary folder and a way to call a tool in it. For tests only.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import {
  type LocalContextOptions,
  makeLocalContext,
} from "../../packages/indusagi/src/capabilities/backends/local.ts";
import type { DefinedTool } from "../../packages/indusagi/src/capabilities/kernel/contract.ts";
import type { JsonValue } from "../../packages/indusagi/src/core/schema/json-schema.ts";
import type { ToolOutcome } from "../../packages/indusagi/src/runtime/contract.ts";

export interface Workspace {
  readonly root: string;
  readonly path: (name: string) => string;
  /** Writes a file with the folders it needs; returns its path. */
  readonly put: (name: string, content: string | Uint8Array) => string;
  readonly call: (tool: DefinedTool, input: JsonValue, options?: LocalContextOptions) => Promise<ToolOutcome>;
}

/** A folder that is removed with the running test. */
export function createWorkspace(): Workspace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "capabilities-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const path = (name: string): string => join(root, name);
  return {
    root,
    path,
    put: (name, content) => {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), content);
      return path(name);
    },
    call: (tool, input, options) =>
      tool.invoke({ id: "call", name: tool.name, input }, makeLocalContext(root, options)),
  };
}

/** Longer than this blocks others, in milliseconds of computing: many times the longest legitimate piece of work. */
export const HELD_UP_MS = 1_000;

/**
 * The longest time, in milliseconds, for which `work` blocked the event loop: processor time of this thread, so that a busy
 * machine does not matter.
 */
export async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let last = process.threadCpuUsage();
  let longestMicros = 0;
  const tick = (): void => {
    const spent = process.threadCpuUsage(last);
    longestMicros = Math.max(longestMicros, spent.user + spent.system);
    last = process.threadCpuUsage();
  };
  const timer = setInterval(tick, 1);
  await work();
  tick();
  clearInterval(timer);
  return longestMicros / 1_000;
}
