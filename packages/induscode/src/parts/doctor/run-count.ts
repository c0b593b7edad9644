// The report of `indus doctor --count FOLDER`.

import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { printable } from "indusagi/core";
import type { Invocation } from "../../cli/invocation.ts";
import { EXIT_OK, Problem } from "../../cli/problem.ts";
import { countFolder, type FolderCount } from "./count-folder.ts";

const MAX_REASONS = 20;

export function runCount(given: string, { flags, startedIn }: Invocation): number {
  const folder = resolve(startedIn, given);
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw new Problem(`${folder} is not a folder`);
  const count = countFolder(folder);
  const text = flags.json ? JSON.stringify(count, undefined, 2) : countLines(count).join("\n");
  process.stdout.write(`${flags.json ? text : printable(text)}\n`);
  return EXIT_OK;
}

function countLines({ kinds, all, percent, isWhole }: FolderCount): readonly string[] {
  return [
    ...kinds.flatMap(({ kind, all: found, loads, remarks, told, silent, reasons }) => [
      `${kind.padEnd(9)} ${found}: ${loads} used (${remarks} with a remark), ${told} reported as a problem, ${silent} ignored silently`,
      ...reasons.slice(0, MAX_REASONS).map(([why, number]) => `  ${number} ${why}`),
      ...(reasons.length > MAX_REASONS ? [`  ${reasons.length - MAX_REASONS} further reasons: --json`] : []),
    ]),
    ...(isWhole
      ? []
      : [
          "The folder was not examined completely: it has more entries or levels than the limit, or a part that cannot be read.",
        ]),
    `${percent} % of ${all} are used or reported.`,
  ];
}
