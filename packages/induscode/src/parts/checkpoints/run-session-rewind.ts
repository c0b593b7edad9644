// `indus session rewind <id>`: takes files and conversation back to before a line, from outside the session.

import { basename } from "node:path";
import { homeFolder, printable } from "indusagi/core";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { EXIT_FAULT, EXIT_OK, EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { VERSION } from "../../cli/version.ts";
import { entriesBefore, forkLog } from "../../conductor/fork.ts";
import { LogError, openLog, type SessionLog } from "../../conductor/log.ts";
import { createSessionId, sessionFolder, sessionPath } from "../../conductor/sessions.ts";
import { readSession } from "../../session/logs/logged-session.ts";
import { findSession } from "../../session/logs/session-log.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { settingOf } from "../../settings/setting-row.ts";
import { indusHome } from "../../store/home.ts";
import { isLockHeld } from "../../store/lock.ts";
import { CHECKPOINTS } from "./checkpoints-setting.ts";
import { type RewindWish, rewind } from "./rewind-report.ts";

export interface RewindFlags {
  readonly to?: string | undefined;
  readonly undo?: boolean | undefined;
  readonly yes?: boolean | undefined;
  readonly "files-only"?: boolean | undefined;
  readonly "conversation-only"?: boolean | undefined;
}

export async function runSessionRewind(line: Invocation<RewindFlags>): Promise<number> {
  const { flags, words, env } = line;
  const home = indusHome(env);
  const cwd = workingDirectory(line);
  const folder = sessionFolder(home, cwd);
  const path = sessionPath(folder, findSession(folder, words[2]));
  const id = basename(path, ".jsonl");
  if (isLockHeld(`${path}.lock`))
    throw new Problem(`the session ${id} is open in another process: use /rewind there, or end it first`);
  const entries = readSession(path, "rewound");
  const { settings } = await loadSettings(home, cwd, line.parts);
  const kept = settingOf(settings, CHECKPOINTS) ?? "edits";
  let log: SessionLog | undefined;
  try {
    const { text, isDone } = await rewind(
      {
        home,
        personHome: homeFolder(env),
        cwd,
        kept,
        sessionId: id,
        entries,
        usage: `To see what going back to before your line N would change: indus session rewind ${id} --to N. To go back, add --yes.`,
        fork(back) {
          const forkId = createSessionId();
          const kept = entriesBefore(entries, back)?.kept ?? [];
          ({ log } = forkLog(kept, id, {
            id: forkId,
            path: sessionPath(folder, forkId),
            cwd,
            version: VERSION,
          }));
          return { sessionId: forkId };
        },
        async note(entry) {
          log ??= openLog(path).log;
          log.append(entry);
          await log.flush();
        },
      },
      wishOf(flags),
    );
    process.stdout.write(printable(`${text}\n`));
    if (isDone && flags.to !== undefined && !flags.yes)
      process.stdout.write("Nothing was changed. To go back, add --yes\n");
    return isDone ? EXIT_OK : EXIT_FAULT;
  } catch (error) {
    if (error instanceof LogError) throw new Problem(error.message);
    throw error;
  } finally {
    log?.close();
  }
}

function wishOf({ to, undo, yes, ...only }: RewindFlags): RewindWish {
  const part = only["files-only"] ? "files" : only["conversation-only"] ? "conversation" : "both";
  if (only["files-only"] && only["conversation-only"])
    throw new Problem(
      "--files-only and --conversation-only cannot be combined: omit both flags to restore files and conversation",
      EXIT_USAGE,
    );
  if (part !== "both" && to === undefined) throw new Problem(`--${part}-only needs --to`, EXIT_USAGE);
  if (undo && to !== undefined)
    throw new Problem("--undo and --to cannot be combined: --undo takes back the last rewind", EXIT_USAGE);
  if (undo) return { kind: "undo" };
  if (to === undefined) return { kind: "list" };
  if (!/^[1-9]\d{0,5}$/.test(to))
    throw new Problem(`--to needs the number of one of your lines, from 1; got "${to}"`, EXIT_USAGE);
  return { kind: yes ? "apply" : "show", turn: Number(to), part };
}
