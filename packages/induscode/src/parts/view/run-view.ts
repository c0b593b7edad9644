// `indus view [ID]`: prints the address of the page, and serves it until a signal.

import { deferred } from "indusagi/core";
import type { Invocation } from "../../cli/invocation.ts";
import { EXIT_OK } from "../../cli/problem.ts";
import { stopOnSignals } from "../../cli/signals.ts";
import { loggedSession } from "../../session/logs/logged-session.ts";
import { followSession } from "./followed-session.ts";
import { servePage } from "./page-server.ts";

export async function runView(line: Invocation): Promise<number> {
  const { words, secrets } = line;
  const { path } = await loggedSession(line, words[1], "shown", { orDelegate: true });
  const session = followSession(path, secrets.value);
  const stopped = deferred<void>();
  const signals = stopOnSignals(stopped.resolve);
  const { address, close } = await servePage(session);
  process.stdout.write(
    `${address}\nOnly this machine reaches it, and only with this address. Ctrl-C ends it.\n`,
  );
  await stopped.promise;
  session.close();
  await close();
  signals.release();
  return EXIT_OK;
}
