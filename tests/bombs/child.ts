// Reads whole corpora in one process: `node child.ts NAME…`. Before each bomb it writes which one that is, and after it what came of
// it, so that whoever started it knows what ended it.

import { writeSync } from "node:fs";
import { isLong } from "../support/long-form.ts";
import type { Parser } from "./parser.ts";
import { PARSERS } from "./parsers.ts";

export type Line =
  | { readonly parser: string; readonly bomb: string }
  | { readonly ms: number; readonly defect?: string; readonly said: number }
  | { readonly done: true };

const say = (line: Line): void => void writeSync(1, `${JSON.stringify(line)}\n`);

/** In the short form every thirtieth, with each parser another one of thirty: each kind of bomb meets some parsers. */
function bombsOf({ name, bombs }: Parser): readonly (readonly [string, () => string | Uint8Array])[] {
  const from = PARSERS.findIndex((one) => one.name === name);
  return Object.entries(bombs).filter((_, at) => isLong || (at + from) % 30 === 0);
}

async function throwAt(name: string): Promise<void> {
  const parser = PARSERS.find((one) => one.name === name);
  if (parser === undefined) throw new Error(`there is no parser ${name}`);
  for (const [bomb, make] of bombsOf(parser)) {
    say({ parser: name, bomb });
    const input = make();
    const before = process.threadCpuUsage();
    let defect: string | undefined;
    let said: unknown;
    try {
      said = await parser.read(input);
    } catch (error) {
      defect = String(error instanceof Error ? error.stack : error).slice(0, 600);
    }
    const { user } = process.threadCpuUsage(before);
    if (({} as { readonly polluted?: unknown }).polluted !== undefined)
      defect = "it left a trace on Object.prototype";
    const length = said === undefined ? 0 : String(said).length;
    say({ ms: user / 1_000, ...(defect === undefined ? {} : { defect }), said: length });
  }
}

process.removeAllListeners("warning"); // a spoilt file is told so, once for each
for (const name of process.argv.slice(2)) await throwAt(name);
say({ done: true });
process.exit(0);
