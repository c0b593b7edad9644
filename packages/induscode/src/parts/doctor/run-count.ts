// The report of `indus doctor --count FOLDER`.

import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { grouped, printable } from "indusagi/core";
import type { Invocation } from "../../cli/invocation.ts";
import { EXIT_OK, Problem } from "../../cli/problem.ts";
import { commandNameProblem } from "../../feature/registration/preflight.ts";
import { commandNamesOf } from "../../session/part-features.ts";
import { countFolder, type FolderCount, type KindCount } from "./count-folder.ts";

const MAX_REASONS = 20;
const MAX_PLACES = 8;

export async function runCount(given: string, line: Invocation): Promise<number> {
  const folder = resolve(line.startedIn, given);
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw new Problem(`${folder} is not a folder`);
  const taken = await commandNamesOf(line.parts);
  const count = countFolder(
    folder,
    (name, isOfPlugin) =>
      commandNameProblem(name) ??
      (!isOfPlugin && taken.has(name) ? `/${name} is built in: rename the file` : undefined),
  );
  const text = line.flags.json ? JSON.stringify(count, undefined, 2) : countLines(count).join("\n");
  process.stdout.write(`${line.flags.json ? text : printable(text)}\n`);
  return EXIT_OK;
}

const HOW_COUNTED =
  "Each file is counted as if it lay alone in a folder that indus reads. What is in another folder: copy it to .indus/skills, .indus/commands, " +
  ".indus/agents or .indus/output-styles. Not counted: node_modules, the files inside of a skill, and rules and other instructions.";

function countLines({ kinds, all, percent, percentUsed, isWhole }: FolderCount): readonly string[] {
  return [
    ...kinds.flatMap(kindLines),
    ...(isWhole
      ? []
      : [
          "The folder was not examined completely: it has more entries or levels than the limit, or a part that cannot be read.",
        ]),
    HOW_COUNTED,
    `Of ${grouped(all)}, ${percentUsed} % are used, and ${percent} % are used or reported.`,
  ];
}

function kindLines({
  kind,
  all,
  loads,
  remarks,
  told,
  silent,
  reasons,
  places,
}: KindCount): readonly string[] {
  const isText = kind !== "hooks" && kind !== "servers";
  const furtherPlaces = places.slice(MAX_PLACES);
  const inFurther = furtherPlaces.reduce((sum, place) => sum + place.all, 0);
  return [
    `${kind.padEnd(9)} ${all}: ${loads} used (${remarks} with a remark), ${told} reported as a problem, ${silent} ignored silently`,
    ...(isText
      ? places
          .slice(0, MAX_PLACES)
          .map(
            (place) => `  ${place.all} in ${place.place}${place.isRead ? "" : ", which indus does not read"}`,
          )
      : []),
    ...(isText && inFurther > 0 ? [`  ${inFurther} in ${furtherPlaces.length} further folders: --json`] : []),
    ...reasons
      .slice(0, MAX_REASONS)
      .flatMap(({ end, why, files: [first, ...others] }) => [
        `  ${others.length + 1} ${end}: ${why}`,
        `    ${first}${others.length > 0 ? `, and ${others.length} more: --json` : ""}`,
      ]),
    ...(reasons.length > MAX_REASONS ? [`  ${reasons.length - MAX_REASONS} further reasons: --json`] : []),
  ];
}
