import { statSync } from "node:fs";
import { readEntries } from "../../conductor/log-reader.ts";
import { turnChoices } from "../../conductor/turn-list.ts";

/** The lines in a session's log to choose from, for a console that asks at each keystroke; read again only when the log has grown. */
export function createTurnChoices(): (path: string) => readonly string[] {
  let known = { path: "", size: -1, choices: [] as readonly string[] };
  return (path) => {
    const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (known.path !== path || known.size !== size)
      known = { path, size, choices: size === 0 ? [] : turnChoices(readEntries(path).entries) };
    return known.choices;
  };
}
