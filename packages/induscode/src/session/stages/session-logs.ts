// Fifth stage: the log that the session writes, and where its later ones go.

import type { OpenedLog } from "../../conductor/log.ts";
import { openSessionLogs, type SessionLogs } from "../logs/session-log.ts";
import type { StartSettings } from "./settings.ts";

/** Throws a {@link Problem} if the requested session does not exist or is in use. */
export function openLogs({ options, secrets, notices, main, startedIn }: StartSettings): SessionLogs {
  const { flags, home, ui, keepLog = (log) => log } = options;
  const asksWhereToWrite = ui !== undefined;
  const logs = openSessionLogs(
    flags,
    { home, cwd: main, startedIn, secrets, asksWhereToWrite },
    notices.lines,
  );
  const kept = <Opened extends Pick<OpenedLog, "log">>(opened: Opened): Opened => ({
    ...opened,
    log: keepLog(opened.log),
  });
  return {
    ...kept(logs),
    next: () => keepLog(logs.next()),
    nextDelegate: () => keepLog(logs.nextDelegate()),
    openDelegate: (id) => kept(logs.openDelegate(id)),
    fork: (path, back) => kept(logs.fork(path, back)),
    open: (id, told) => kept(logs.open(id, told)),
  };
}
