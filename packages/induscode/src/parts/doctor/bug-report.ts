// `/bug`: a file with what a report of a bug needs.

import { release } from "node:os";
import { isoNow } from "indusagi/core";
import type { Invocation } from "../../cli/invocation.ts";
import { VERSION } from "../../cli/version.ts";
import { loggedEntries } from "../../session/logs/logged-entries.ts";
import type { SessionHere } from "../../session/session-here.ts";
import { homePath } from "../../store/home-files.ts";
import { replaceFile } from "../../store/replace-file.ts";

const LAST_ENTRIES = 200;
const MOST_OF_ENTRY = 4_000;

/** Writes what a bug report needs into the home; returns where. */
export function writeBugReport(
  session: Pick<SessionHere, "conductor" | "home" | "settings">,
  { env, secrets }: Pick<Invocation, "env" | "secrets">,
): string {
  const { conductor, home, settings } = session;
  const { model, logPath, contextTokens } = conductor.status();
  const stamp = isoNow().replace(/[-:.Z]/g, "");
  const entries = loggedEntries(session.conductor)
    .slice(-LAST_ENTRIES)
    .map((entry) => {
      const text = secrets.text(JSON.stringify(entry)); // a secret that is cut in two is no longer recognised
      return text.length <= MOST_OF_ENTRY
        ? entry
        : { cut: text.length, begins: text.slice(0, MOST_OF_ENTRY) };
    });
  const report = {
    indus: VERSION,
    node: process.version,
    system: `${process.platform} ${process.arch} ${release()}`,
    terminal: { TERM: env.TERM, COLORTERM: env.COLORTERM, TERM_PROGRAM: env.TERM_PROGRAM, LANG: env.LANG },
    model,
    contextTokens,
    settings: { ...settings, providers: settings.providers?.map(({ id, kind }) => ({ id, kind })) },
    log: logPath,
    entries,
  };
  const path = homePath(home, "bugReport", stamp);
  replaceFile(path, `${secrets.text(JSON.stringify(report, undefined, 2))}\n`);
  return `Written: ${path}\nKnown secrets are masked. It contains the end of this conversation: read it before you send it.`;
}
