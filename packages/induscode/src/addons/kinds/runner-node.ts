// Addons run on the same Node as the host. The command brings one that is new enough; an embedding program may run on an
// older one, where everything but these processes works.

import type { CodeAddon } from "../process/contract.ts";

const NEEDED = [24, 15] as const;

/** Why this Node cannot run the code of such an addon; undefined if it can. */
export function runnerNodeProblem(
  { runtime }: Pick<CodeAddon, "runtime">,
  version: string = process.versions.node,
): string | undefined {
  if (runtime === "python" || runtime === "process") return undefined;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return undefined;
  return `its code needs Node ${NEEDED.join(".")} or later; this program runs on Node ${version}`;
}
