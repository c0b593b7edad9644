// The memory limit really bounds what programs use, however they allocate it; the twin goes on to 320 MB.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rows } from "../../../../../tests/support/long-form.ts";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { isOwnKernels, LANDLOCKS, levelOf, sandboxAt } from "../../../../../tests/support/test-levels.ts";
import { run } from "../../../../../tests/support/test-run.ts";
import { NODE, PYTHON } from "../../../../../tests/support/test-scene.ts";

const LIMIT_MB = 96;
const TWIN_MB = 320;

/** Allocates 16 MB at a time with `take`, and prints the total, up to 320. */
function nodeProgram(setUp: string, take: string): string {
  return [
    'import { writeSync } from "node:fs";',
    setUp,
    "for (let mb = 16; mb <= 320; mb += 16) {",
    take,
    '  writeSync(1, mb + "\\n");',
    "}",
  ].join("\n");
}

/** Each touches what it allocates, so that the memory is really used and not just reserved. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "buffers.mjs": nodeProgram("const kept = [];", "  kept.push(Buffer.alloc(16 * 2 ** 20, 1));"),
  "heap.mjs": nodeProgram(
    "const kept = [];",
    "  for (let i = 0; i < 16; i++) kept.push(new Array(2 ** 17).fill(mb + 0.5));",
  ),
  "wasm.mjs": nodeProgram(
    "const memory = new WebAssembly.Memory({ initial: 0, maximum: 65536 });",
    "  memory.grow(256);\n  new Uint8Array(memory.buffer).fill(1, (mb - 16) * 2 ** 20);",
  ),
  "bytes.py": `
kept = []
for mb in range(16, 321, 16):
    kept.append(b"x" * (16 * 2**20))
    print(mb, flush=True)
`,
  "blocks.c": `
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  for (int mb = 16; mb <= 320; mb += 16) {
    char *block = malloc(16 << 20);
    if (!block) return 1;
    memset(block, mb, 16 << 20);
    printf("%d %p\\n", mb, (void *)block);
    fflush(stdout);
  }
  return 0;
}
`,
};

const COMPILER = ["/usr/bin/cc", "/usr/bin/gcc"].find((path) => existsSync(path));

function argvOf(folder: string, program: string): readonly string[] {
  if (program.endsWith(".mjs")) return [NODE, join(folder, program)];
  if (program.endsWith(".py")) return [PYTHON ?? "", join(folder, program)];
  const built = join(folder, "blocks");
  const { status, stderr } = spawnSync(COMPILER ?? "", ["-o", built, join(folder, program)], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  return [built];
}

function lastMb(output: string): number {
  return Number.parseInt(output.trim().split("\n").at(-1) || "0", 10);
}

/** How far the program gets unconfined: measured once for all levels. */
const twins = new Map<string, number>();
async function twinMb(program: string, argv: readonly string[], folder: string): Promise<number> {
  const mb = twins.get(program) ?? lastMb((await run(argv, { cwd: folder })).stdout);
  twins.set(program, mb);
  return mb;
}

const levels = rows(["bubblewrap", ...LANDLOCKS, "node-permissions", "none"], isOwnKernels);

describe.each(levels)("%s", (level) => {
  const sandbox = sandboxAt(level);

  const few = ["heap.mjs", "bytes.py", "blocks.c"];
  it.for(rows(Object.keys(PROGRAMS), (name) => few.includes(name)))(
    "bounds %s",
    async (program, { skip }) => {
      const isNode = program.endsWith(".mjs");
      skip(sandbox.levelFor({ isNode }) !== levelOf(level), `${level} is not in force here for it`);
      skip(program.endsWith(".py") && PYTHON === undefined, "no python3");
      skip(program.endsWith(".c") && COMPILER === undefined, "no C compiler");
      const folder = createFolder(PROGRAMS);
      const argv = argvOf(folder, program);
      const { argv: command } = sandbox.confine(argv, {
        ...{ readable: [folder, NODE], writable: [], protected: [], mayStartProcesses: false, isNode },
        maxMemoryBytes: LIMIT_MB * 1024 ** 2,
      });
      expect(await twinMb(program, argv, folder)).toBe(TWIN_MB);
      const confined = await run(command, { cwd: folder });
      expect(confined.status).not.toBe(0);
      expect(lastMb(confined.stdout)).toBeGreaterThan(0);
      // V8 returns some of what it reserved at start, so a Node program can get a little further.
      expect(lastMb(confined.stdout)).toBeLessThanOrEqual(LIMIT_MB + (isNode ? 64 : 0));
    },
  );
});
