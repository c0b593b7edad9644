// `indus session …`: what is done with one session that is over.

import type { RewindFlags } from "./checkpoints/run-session-rewind.ts";
import type { Invocation } from "./working-directory.ts";

export async function runSession(line: Invocation<RewindFlags>): Promise<number> {
  if (line.words[1] === "rewind")
    return (await import("./checkpoints/run-session-rewind.ts")).runSessionRewind(line);
  return (await import("./run-verify.ts")).runVerify(line);
}
