// `indus session …`: operations on one session that is over.

import type { Invocation } from "../../cli/invocation.ts";
import type { RewindFlags } from "../checkpoints/run-session-rewind.ts";

type Own = RewindFlags & { readonly output?: string | undefined; readonly settings?: string | undefined };

export async function runSession(line: Invocation<Own>): Promise<number> {
  switch (line.words[1]) {
    case "rewind":
      return (await import("../checkpoints/run-session-rewind.ts")).runSessionRewind(line);
    case "cassette":
      return (await import("../replay/run-session-cassette.ts")).runSessionCassette(line);
    case "replay":
      return (await import("../replay/run-session-replay.ts")).runSessionReplay(line);
    default:
      return (await import("./run-verify.ts")).runVerify(line);
  }
}
