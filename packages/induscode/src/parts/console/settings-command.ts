// `/settings`: shows each setting, and writes one.

import { NO_STYLE, unknownStyle } from "../../briefing/output-styles.ts";
import type { SessionHere } from "../../session/session-here.ts";
import { settingsReport } from "../../settings/settings-report.ts";
import { UNSET, writeSetting } from "../../settings/write-setting.ts";

/** The one that a running session follows. */
const STYLE = "outputStyle";

export async function settingsCommand(words: string, session: SessionHere): Promise<string> {
  const { settings, settingsTable: table, rules } = session;
  const [name = ""] = words.split(/\s/, 1);
  const value = words.slice(name.length).trim();
  if (value === "") return settingsReport({ settings, table, rules }, name);
  const problem = name === STYLE ? await styleProblem(value, session) : undefined;
  if (problem !== undefined) return `Nothing was written: ${problem}`;
  const written = await writeSetting(name, value, session);
  if (typeof written === "string") return written;
  const now =
    written.value === undefined ? `${UNSET}, so its default applies` : JSON.stringify(written.value);
  const said = `${name} is now ${name === "providers" ? "set" : now}, in ${written.path}.`;
  if (name !== STYLE) return `${said} Sessions that start from now on use it.`;
  const style = typeof written.value === "string" ? written.value : undefined;
  const problems = await session.outputStyles.choose(style);
  return [
    `${said} This session follows from its next request on.`,
    ...problems.map(({ message }) => message),
  ].join("\n");
}

/** Why no session would use that style. */
async function styleProblem(
  typed: string,
  { outputStyles }: Pick<SessionHere, "outputStyles">,
): Promise<string | undefined> {
  const name = /^"(.*)"$/s.exec(typed)?.[1] ?? typed;
  if (name === UNSET || name === NO_STYLE) return undefined;
  const { styles } = await outputStyles.list();
  return styles.some((style) => style.name === name) ? undefined : unknownStyle(name, styles);
}
