// `/settings`: shows each setting, and writes one.

import type { SessionHere } from "../../session/session-here.ts";
import { settingsReport } from "../../settings/settings-report.ts";
import { UNSET, writeSetting } from "../../settings/write-setting.ts";

export async function settingsCommand(words: string, session: SessionHere): Promise<string> {
  const { settings, settingsTable: table, rules } = session;
  const [name = ""] = words.split(/\s/, 1);
  const value = words.slice(name.length).trim();
  if (value === "") return settingsReport({ settings, table, rules }, name);
  const written = await writeSetting(name, value, session);
  if (typeof written === "string") return written;
  const now =
    written.value === undefined ? `${UNSET}, so its default applies` : JSON.stringify(written.value);
  return `${name} is now ${name === "providers" ? "set" : now}, in ${written.path}. Sessions that start from now on use it.`;
}
