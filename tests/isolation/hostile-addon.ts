// Lays a hostile addon with its order into a workspace, next to a good one that comes after it in every dispatch.

import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { HOOK_EVENTS } from "../../packages/induscode/src/feature/events.ts";
import { orderedModule, type Programs, SOURCES } from "./build-programs.ts";
import type { Kind } from "./hook-points.ts";

/** What a hostile addon calls itself in its manifest. */
export const HOSTILE = "hostile";
/** What the good one stops every event with. */
export const GOOD_REASON = "the good addon looked";

export interface Order {
  readonly kind: Kind;
  readonly point: string;
  readonly behaviour: string;
  /** Grants it to start processes. */
  readonly mayExecute?: boolean;
}

/** The addon's folder, below the workspace's addons. */
export function layHostile(workspace: string, order: Order, programs: Programs): string {
  const { kind, point, behaviour, mayExecute = false } = order;
  const folder = join(workspace, ".indus/addons", HOSTILE);
  mkdirSync(folder, { recursive: true });
  const words = `${point} ${behaviour}`;
  if (kind === "module" || kind === "python") {
    const file = kind === "module" ? "hostile.ts" : "hostile.py";
    copyFileSync(join(SOURCES, file), join(folder, file));
    writeFileSync(join(folder, "order.txt"), words);
  } else if (kind === "process") copyFileSync(programs.process, join(folder, "hostile"));
  else writeFileSync(join(folder, "hostile.wasm"), orderedModule(programs.wasm, words));
  const capability = mayExecute
    ? '[[capability]]\nkind = "files"\nread = true\nexecute = true\nreason = "to show what its children can do"\n'
    : "";
  // Another content in each workspace: what one test puts in quarantine is none of the next one's business.
  const text = `# ${basename(workspace)}\nid = "${HOSTILE}"\n[run]\n${runLine(kind, point, behaviour)}\nmemory-mb = ${MEMORY_MB[kind]}\n${capability}`;
  writeFileSync(join(folder, "manifest.toml"), text);
  return folder;
}

/** As little as each kind starts with, so that who allocates without bound is soon stopped. */
const MEMORY_MB: Readonly<Record<Kind, number>> = { module: 96, python: 96, process: 64, wasm: 64 };

function runLine(kind: Kind, point: string, behaviour: string): string {
  switch (kind) {
    case "module":
      return 'module = "hostile.ts"';
    case "python":
      return 'python = "hostile.py"';
    case "process":
      return `command = ["./hostile", "${point}", "${behaviour}"]`;
    case "wasm":
      return 'wasm = "hostile.wasm"';
  }
}

/** A declarative addon that stops every event; its folder sorts after the hostile one. */
export function layGood(workspace: string): void {
  const folder = join(workspace, ".indus/addons/watching");
  mkdirSync(folder, { recursive: true });
  const gates = HOOK_EVENTS.map((event) => `[[gate]]\nevent = "${event}"\nreason = "${GOOD_REASON}"\n`);
  writeFileSync(join(folder, "manifest.toml"), `id = "watching"\n${gates.join("")}`);
}
