// `/export [FILE]`: the session in which it is typed, as `indus export` writes it.

import { existsSync } from "node:fs";
import { resolvePath } from "indusagi/core";
import { Problem } from "../../cli/problem.ts";
import { readSession } from "../../session/logs/logged-session.ts";
import type { SessionHere } from "../../session/session-here.ts";
import { exportedText, formatOf, nameOf, writeExport } from "./exported.ts";

type ExportedSession = Pick<SessionHere, "conductor" | "cwd" | "personHome" | "secrets">;

export async function exportHere(file: string, session: ExportedSession): Promise<string> {
  const { conductor, cwd, personHome, secrets } = session;
  const { sessionId, logPath } = conductor.status();
  if (!existsSync(logPath)) return "Nothing has been said in this session yet.";
  const format = formatOf(file);
  const name = nameOf(sessionId, format);
  const told: string[] = [];
  try {
    const entries = readSession(logPath, "exported", (line) => told.push(line));
    const text = await exportedText(secrets.value(entries), format);
    told.push(writeExport(resolvePath(cwd, file || name, personHome), text, name, "/export"));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    told.push(error.message);
  }
  return told.join("\n");
}
