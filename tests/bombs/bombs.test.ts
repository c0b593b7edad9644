// At least 60 bombs for each parser that foreign bytes reach, each through the product's own function with its own limits, in a
// process with little memory. Each ends, soon, with one short saying or none, and leaves the next ones as they are.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runtimeNode } from "../../scripts/setup.mjs";
import { isLong } from "../support/long-form.ts";
import type { Line } from "./child.ts";
import { PARSERS } from "./parsers.ts";

const CHILD = fileURLToPath(new URL("./child.ts", import.meta.url));
/** Each process reads so many corpora: starting one costs more than most of them, and than all of them in their short form. */
const CORPORA = isLong ? 24 : PARSERS.length;
const HEAP_MB = isLong ? 768 : 256;
/**
 * Computing time of the thread that everything else would wait for. Most take a millisecond, and none a tenth of this on any machine.
 * It goes with the square of the size: what is too slow in one form is so in the other.
 */
const MOST_MS = isLong ? 10_000 : 5_000;
/** Of what is told, whatever was in the file. */
const MOST_SAID = 4_200;

interface Read {
  readonly counts: ReadonlyMap<string, number>;
  readonly wrong: readonly string[];
}

async function readAll(names: readonly string[]): Promise<Read> {
  const child = spawn(
    runtimeNode(),
    ["--conditions=indus-source", `--max-old-space-size=${HEAP_MB}`, CHILD, ...names],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const counts = new Map<string, number>();
  const wrong: string[] = [];
  let at = "nothing";
  let isDone = false;
  for await (const line of createInterface({ input: child.stdout })) {
    const said = JSON.parse(line) as Line;
    if ("done" in said) isDone = true;
    else if ("parser" in said) {
      at = `${said.parser}: ${said.bomb}`;
      counts.set(said.parser, (counts.get(said.parser) ?? 0) + 1);
    } else {
      if (said.defect !== undefined) wrong.push(`${at}: ${said.defect}`);
      if (said.ms > MOST_MS) wrong.push(`${at}: ${said.ms} ms of computing`);
      if (said.said > MOST_SAID) wrong.push(`${at}: ${said.said} characters are told`);
    }
  }
  if (!isDone) wrong.push(`${at}: it ended the process`);
  return { counts, wrong };
}

const groups = Array.from({ length: Math.ceil(PARSERS.length / CORPORA) }, (_, at) =>
  PARSERS.slice(at * CORPORA, (at + 1) * CORPORA).map(({ name }) => name),
);

test.each(groups)(
  "bombs for %s and what follows it end soon, with a short saying or none",
  { timeout: 600_000 },
  async (...names) => {
    const { counts, wrong } = await readAll(names);
    expect(wrong).toEqual([]);
    const least = isLong ? 60 : 2;
    for (const name of names) expect([name, (counts.get(name) ?? 0) >= least]).toEqual([name, true]);
  },
);
