// The Node that runs addons is the one that runs the host. The command brings one that is new enough; a program of
// somebody else's may run on an older one, on which everything but these processes works.

import type { CodeAddon } from "../process/contract.ts";

const NEEDED = [24, 15] as const;

/** Why this Node cannot run the code of such an addon; undefined when it can. */
export function runnerNodeProblem(
  { runtime }: Pick<CodeAddon, "runtime">,
  version: string = process.versions.node,
): string | undefined {
  if (runtime !== "module" && runtime !== "wasm") return undefined;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return undefined;
  return `its code needs Node ${NEEDED.join(".")} or later; this program runs on Node ${version}`;
}
