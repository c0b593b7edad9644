// `indus skills check [folder]`: checks every skill in a folder of skills against the strict rules of the format.

import { statSync } from "node:fs";
import { homeFolder, printable, resolvePath } from "indusagi/core";
import type { SkillRoot } from "../../briefing/contract.ts";
import { gatherSkillCards, loadSkillCards, skillRoots } from "../../briefing/skills.ts";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { EXIT_FAULT, EXIT_OK, Problem } from "../../cli/problem.ts";
import { printableLine } from "../../console/printable-line.ts";
import { packageTexts } from "../../session/features/package-texts.ts";
import { indusHome } from "../../store/home.ts";

export async function runSkills(line: Invocation): Promise<number> {
  const [, , folder] = line.words;
  const cwd = workingDirectory(line);
  const roots: readonly SkillRoot[] =
    folder === undefined
      ? await rootsHere(line)
      : [{ dir: folderAt(resolvePath(cwd, folder, homeFolder(line.env))), origin: "path" }];
  const outcomes = roots.flatMap(
    ({ dir, origin, ...bounds }) => loadSkillCards(dir, origin, { closed: true }, bounds).diagnostics,
  );
  for (const { kind, location, detail, warnings = [] } of outcomes) {
    process.stdout.write(printable(`${kind.padEnd(9)} ${location}${detail === "" ? "" : `: ${detail}`}\n`));
    for (const { text } of warnings) process.stdout.write(printable(`  ${text}\n`));
  }
  if (outcomes.length === 0) process.stdout.write("No skills here.\n");
  return outcomes.some(({ kind }) => kind === "invalid" || kind === "collision") ? EXIT_FAULT : EXIT_OK;
}

/** The output of `/skills`: the skills that a session here has. */
export async function skillsReport(line: Invocation): Promise<string> {
  const { cards, diagnostics } = gatherSkillCards(await rootsHere(line), { isLenient: true });
  const lines = [
    ...cards.map(({ name, description, location }) =>
      [name, printableLine(description, 100), `from ${printableLine(location)}`].join("  "),
    ),
    ...diagnostics
      .filter(({ kind }) => kind !== "loaded")
      .map(({ kind, location, detail }) => `  ! ${kind}: ${printableLine(`${location}: ${detail}`)}`),
  ];
  return lines.join("\n") || "No skills here.";
}

async function rootsHere(line: Invocation): Promise<readonly SkillRoot[]> {
  const home = indusHome(line.env);
  const { packages } = await packageTexts(home);
  return skillRoots({ cwd: workingDirectory(line), home: homeFolder(line.env), indusHome: home, packages });
}

/** A folder that a person specifies must exist; those that are searched by default need not. */
function folderAt(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw new Problem(`${path} is not a folder: expected a folder of skills`);
}
