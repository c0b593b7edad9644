// The command under a Node that reports its peak memory when it ends.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runtimeNode } from "../../scripts/setup.mjs";

/** The environment for it; the program is in `home`, and writes a number of KiB to `file`. */
export function measuredNode(home: string, file: string): Readonly<Record<string, string>> {
  const node = join(home, "measured-node");
  const program = fileURLToPath(new URL("peak-memory.cjs", import.meta.url));
  writeFileSync(node, `#!/bin/sh\nexec '${runtimeNode()}' --expose-gc --require '${program}' "$@"\n`, {
    mode: 0o755,
  });
  return { INDUS_NODE: node, PEAK_FILE: file };
}
