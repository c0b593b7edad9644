// edit of 50 MB, read of 2 GB and the unified diff, compared with reading and writing the file and with git.
import { execFileSync } from "node:child_process";
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { editTool, readTool, renderUnifiedDiff } from "indusagi/capabilities";
import type { JsonObject } from "indusagi/core";
import {
  callTool,
  compare,
  heldMemoryMb,
  peakMemoryMb,
  readSoFarKb,
  type ToolFigure,
  timeMs,
} from "./tools-measure.ts";
import { createRandom } from "./tools-tree.ts";

const editBytes = 50_000_000;

export async function measureEdit(folder: string): Promise<readonly ToolFigure[]> {
  const path = join(folder, "large.ts");
  const line = (index: number): string =>
    `  const value${index} = compute(${index % 977}, "a line of ordinary length");\n`;
  const text = Array.from({ length: Math.ceil(editBytes / line(500_000).length) }, (_, index) =>
    line(index),
  ).join("");
  writeFileSync(path, text);
  const edit = editTool();
  const replace = (oldText: string, newText: string, replaceAll = false): JsonObject => ({
    path,
    oldText,
    newText,
    replaceAll,
  });
  // Each round changes the result of the previous one.
  const there = (from: string, to: string, replaceAll = false): (() => Promise<string>) => {
    let turn = 0;
    return () => {
      const input = turn++ % 2 ? replace(to, from, replaceAll) : replace(from, to, replaceAll);
      return callTool(edit, input, { cwd: folder });
    };
  };
  const cases: readonly { readonly name: string; readonly ours: () => Promise<string> }[] = [
    { name: "edit of 50 MB, one place", ours: there("value350000 = compute", "value350000 = settle") },
    { name: "edit of 50 MB, 700 places", ours: there("(976, ", "(9760, ", true) },
    {
      name: "edit of 50 MB, apart from whitespace",
      ours: there("const  value1000\n= compute(23", "const  value1000\n= settle(23"),
    },
  ];
  const figures: ToolFigure[] = [];
  for (const { name, ours } of cases) {
    const time = await compare(5, { base: () => readAndWrite(path), ours });
    figures.push({
      name: `${name} (base: read, write, fsync)`,
      unit: "ms",
      ...time,
      target: { kind: "times", limit: 3 },
    });
  }
  for (const [name, oldText] of [
    ["like nothing there", "zeppelin quartz"],
    ["like every line", "  const value = compute("],
    ["like one place", 'const value700000 = compute(468, "a line of another length");'],
  ] as const) {
    const miss = (): Promise<string> =>
      callTool(edit, replace(oldText, "x"), { cwd: folder, expectError: true });
    const times = [await timeMs(miss), await timeMs(miss), await timeMs(miss)];
    figures.push({
      name: `edit of 50 MB, no match: ${name}`,
      unit: "ms",
      ours: Math.min(...times),
      target: { kind: "atMost", limit: 2_000 },
    });
  }
  return figures;
}

/** The least that an edit of a text file must do to lose nothing in a crash. */
function readAndWrite(path: string): void {
  const text = readFileSync(path, "utf8");
  const temporary = `${path}.tmp`;
  const file = openSync(temporary, "w");
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  renameSync(temporary, path);
}

export async function measureRead(folder: string): Promise<readonly ToolFigure[]> {
  const path = join(folder, "huge.log");
  const row = `${"a line of a log, ninety-nine bytes and its end ".repeat(3).slice(0, 99)}\n`;
  const deepOffset = 640_000; // 64 MB into the file
  writeFileSync(path, row.repeat(deepOffset + 1_000));
  truncateSync(path, 2_000_000_000); // the rest is a hole: the file has its size but uses no space
  const read = readTool();
  const windowKb = async (offset: number): Promise<number> => {
    const before = readSoFarKb();
    const answer = await callTool(read, { path, offset, limit: 100 }, { cwd: folder });
    if (!answer.startsWith(`Showing lines ${offset}–${offset + 99} `))
      throw new Error(`read answered ${answer.slice(0, 99)}`);
    return readSoFarKb() - before;
  };
  const heldBefore = heldMemoryMb();
  const opening = await windowKb(1);
  const time = await timeMs(() => windowKb(1));
  const deep = await windowKb(deepOffset);
  const growth = peakMemoryMb() - heldBefore;
  return [
    {
      name: "read of 2 GB, first 100 lines: bytes read",
      unit: "KB",
      ours: opening,
      target: { kind: "atMost", limit: 8_192 },
    },
    { name: "read of 2 GB, first 100 lines", unit: "ms", ours: time },
    {
      name: "read of 2 GB, 100 lines at 64 MB: bytes read",
      unit: "KB",
      base: deepOffset / 10.24,
      ours: deep,
      target: { kind: "times", limit: 1.2 },
    },
    {
      name: "read of 2 GB, growth of memory",
      unit: "MB",
      ours: growth,
      target: { kind: "atMost", limit: 100 },
    },
  ];
}

const diffLines = 20_000;

export async function measureDiff(folder: string): Promise<readonly ToolFigure[]> {
  const random = createRandom(11);
  const closings = ["}", "", "  }", "    return result;", "    });"];
  // As in source code, every second line occurs in many places.
  const before = Array.from(
    { length: diffLines },
    (_, index) =>
      closings[Math.floor(random() * 2 * closings.length)] ?? `  const value${index} = compute(${index});`,
  );
  const changed = (share: number): readonly string[] =>
    before.flatMap((line) => {
      if (random() > share) return [line];
      const kind = random();
      return kind < 0.5
        ? [`${line} // ${Math.floor(random() * 1e6)}`]
        : kind < 0.75
          ? []
          : [line, "    added();"];
    });
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["2 % changed", changed(0.02)],
    ["30 % changed", changed(0.3)],
    ["nothing in common", before.map((line) => `${line}!`)],
  ];
  const figures: ToolFigure[] = [];
  for (const [name, after] of cases) {
    const paths = [join(folder, "before"), join(folder, "after")] as const;
    writeFileSync(paths[0], `${before.join("\n")}\n`);
    writeFileSync(paths[1], `${after.join("\n")}\n`);
    const time = await compare(9, {
      base: () => gitDiff(paths),
      ours: () => renderUnifiedDiff(readFileSync(paths[0], "utf8"), readFileSync(paths[1], "utf8")),
    });
    figures.push({
      name: `diff of 20,000 lines, ${name} (base: git)`,
      unit: "ms",
      ...time,
      target: { kind: "times", limit: 5 },
    });
  }
  return figures;
}

function gitDiff(paths: readonly [string, string]): void {
  try {
    execFileSync("git", ["diff", "--no-index", "--no-color", ...paths], {
      maxBuffer: 1e8,
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (error) {
    // Exit code 1 means that the files differ.
    if (!(error instanceof Error) || !("status" in error) || error.status !== 1) throw error;
  }
}
