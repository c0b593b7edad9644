// Which files of a workplace a command opens for reading, from a trace of its system calls.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { builtCommand } from "./built.ts";
import { modelEnvironment, type Workplace } from "./indus.ts";
import { stopAtListedCalls } from "./system-trace.ts";

const OPEN = /\bopen(?:at2?)?\((?:[^",]+, )?"((?:[^"\\]|\\.)*)", (?:\{flags=)?([A-Z_|]+)/;
/** Not for reading: folders, handles that read nothing, and created files. */
const OTHER = /O_DIRECTORY|O_PATH|O_CREAT|O_WRONLY/;

export interface TracedWorkplace extends Pick<Workplace, "home" | "cwd"> {
  readonly env: Readonly<Record<string, string>>;
  readonly url: string;
}

/** Their names, with `~/` for the home; parts that differ between runs are SESSION, HASH and VERSION. */
export async function openedFiles(
  { home, cwd, env, url }: TracedWorkplace,
  args: readonly string[],
): Promise<readonly string[]> {
  const trace = join(home, "..", "trace");
  const options = [
    "-f",
    ...stopAtListedCalls(),
    "-qq",
    "-s",
    "4096",
    "-e",
    "signal=none",
    "-e",
    "trace=open,openat,openat2",
    "-o",
    trace,
  ];
  const child = spawn("strace", [...options, "--", builtCommand(), ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, ...modelEnvironment(url), ...env },
    stdio: "ignore",
  });
  await once(child, "exit");
  const text = readFileSync(trace, "utf8");
  rmSync(trace);
  const found = new Set<string>();
  for (const line of text.split("\n")) {
    const [, path = "", flags = ""] = OPEN.exec(line) ?? [];
    if (OTHER.test(flags)) continue;
    if (path.startsWith(`${home}/`)) found.add(plain(`~/${path.slice(home.length + 1)}`));
    else if (path.startsWith(`${cwd}/`)) found.add(plain(path.slice(cwd.length + 1)));
  }
  return [...found];
}

function plain(name: string): string {
  return name
    .replace(/(sessions)\/[^/]+\/[\w-]+(\.jsonl)/, "$1/FOLDER/SESSION$2")
    .replace(/compiled\/[^/]+\/[0-9a-f]{8}(?=$|\.)/, "compiled/VERSION/HASH")
    .replace(/[0-9a-f]{16,}/g, "HASH");
}
