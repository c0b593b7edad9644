// What checkpoints do in a session.

import { basename } from "node:path";
import type { JoinSession } from "../../cli/part.ts";
import { sessionFolder } from "../../conductor/sessions.ts";
import { sessionIn } from "../../session/session-here.ts";
import { settingOf } from "../../settings/setting-row.ts";
import { CHECKPOINTS } from "./checkpoints-setting.ts";
import { createLazyCheckpoints } from "./lazy-checkpoints.ts";

export const joinWithCheckpoints: JoinSession = (scope) => {
  const { conductor, cwd, home, settings, isInWorktree, notices } = sessionIn(scope);
  const kept = settingOf(settings, CHECKPOINTS) ?? "edits";
  if (kept === "off" || isInWorktree) return undefined; // the worktree's branch keeps its changes
  const { tell } = notices;
  const looksAtAll = kept === "all";
  const folder = basename(sessionFolder(home, cwd));
  const checkpoints = createLazyCheckpoints(
    looksAtAll,
    async () => (await import("./checkpoints.ts")).createCheckpoints({ cwd, home, folder, looksAtAll, tell }),
    tell,
  );
  conductor.subscribe(
    (event) => event.kind === "entry" && event.entry.type === "request" && checkpoints.meanwhile(),
    { pieces: false },
  );
  return {
    beforeChange: checkpoints.before,
    turn: checkpoints,
    entered(entries) {
      const changes = entries.flatMap((entry) => (entry.type === "checkpoint" ? entry.files : []));
      checkpoints.wrote(changes.map(({ path }) => path));
    },
    close: checkpoints.close,
  };
};
