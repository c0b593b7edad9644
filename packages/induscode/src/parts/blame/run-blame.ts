// `indus blame FILE[:LINE]` and `indus blame --commit REV`: which session wrote each line, by what logs and checkpoints say.

import { homeFolder, printable } from "indusagi/core";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { noticeLine } from "../../cli/notice-line.ts";
import { EXIT_OK, EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { learnKeptSecrets } from "../../session/kept-secrets.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { withStoredKeys } from "../../settings/stored-keys.ts";
import { indusHome } from "../../store/home.ts";
import { type BlameReport, blameCommit, blameFile } from "./blame-reports.ts";

interface Own {
  readonly commit?: string | undefined;
  readonly json?: boolean | undefined;
}

export async function runBlame(line: Invocation<Own>): Promise<number> {
  const { flags, words, env, secrets, parts } = line;
  const [, file] = words;
  if (file !== undefined && flags.commit !== undefined)
    throw new Problem(
      "FILE and --commit cannot be combined: --commit covers all files in a commit",
      EXIT_USAGE,
    );
  const home = indusHome(env);
  const cwd = workingDirectory(line);
  const { settings } = await loadSettings(home, cwd, parts);
  secrets.learnSettings(settings, env);
  learnKeptSecrets(home, secrets);
  secrets.learnEnvironment(withStoredKeys(env, home));
  const place = { home, cwd, env, personHome: homeFolder(env) };
  const report = await reportOf();
  if (flags.json)
    process.stdout.write(
      `${JSON.stringify(secrets.value({ ...report.json, notes: report.notes }), undefined, 2)}\n`,
    );
  else {
    process.stdout.write(secrets.text(printable(`${report.lines.join("\n")}\n`)));
    for (const note of report.notes) process.stderr.write(secrets.text(noticeLine(note)));
  }
  return EXIT_OK;

  function reportOf(): Promise<BlameReport> {
    if (flags.commit !== undefined) return blameCommit(flags.commit, place);
    if (file !== undefined) return blameFile(file, place);
    throw new Problem(
      "blame needs a file, or --commit with a revision. Usage: indus blame FILE[:LINE]",
      EXIT_USAGE,
    );
  }
}
