// `indus export [id]`: a session as one page, as Markdown or as JSON, without the known secrets.

import { resolve } from "node:path";
import type { Invocation } from "../../cli/invocation.ts";
import { EXIT_OK } from "../../cli/problem.ts";
import { loggedSession } from "../../session/logs/logged-session.ts";
import { exportedText, formatOf, nameOf, writeExport } from "./exported.ts";

interface Own {
  readonly output?: string | undefined;
  readonly format?: string | undefined;
}

export async function runExport(line: Invocation<Own>): Promise<number> {
  const { flags, words, startedIn } = line;
  const { cwd, id, entries } = await loggedSession(line, words[1], "exported", { orDelegate: true });
  const format = flags.format ?? formatOf(flags.output);
  const text = await exportedText(entries, format);
  if (flags.output === "-") {
    process.stdout.write(text);
    return EXIT_OK;
  }
  const name = nameOf(id, format);
  const to = flags.output === undefined ? resolve(cwd, name) : resolve(startedIn, flags.output);
  process.stdout.write(`${writeExport(to, text, name)}\n`);
  return EXIT_OK;
}
