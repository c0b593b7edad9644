// grep and find on 100,000 files, compared with ripgrep started directly with the same flags.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { rgPath } from "@vscode/ripgrep";
import { type DefinedTool, findTool, grepTool, localFs } from "indusagi/capabilities";
import type { JsonObject } from "indusagi/core";
import { callTool, compare, peakMemoryMb, type ToolFigure, timeMs } from "./tools-measure.ts";
import { makeTree, rareName, rareWord } from "./tools-tree.ts";

const rounds = 5;

const common = [
  "--no-config",
  "--no-ignore",
  "--hidden",
  "--color=never",
  "--glob=!.git/",
  "--glob=!node_modules/",
];
const contentFlags = [
  ...[...common, "--no-messages", "--no-heading", "--with-filename", "--line-number", "--null", "--text"],
  ...["--encoding=none", "--crlf", "--max-filesize=2097152", "--max-count=201", "--case-sensitive"],
];

interface Search {
  readonly name: string;
  readonly tool: DefinedTool;
  readonly input: JsonObject;
  readonly flags: readonly string[];
}

const pattern = `${rareWord.slice(0, 5)}\\w+Harb[a-z]+ = load\\(\\d+\\)`;
const searches: readonly Search[] = [
  {
    name: "grep, a text",
    tool: grepTool(),
    input: { pattern: rareWord },
    flags: [...contentFlags, `--regexp=${rareWord}`],
  },
  {
    name: "grep, an expression",
    tool: grepTool(),
    input: { pattern },
    flags: [...contentFlags, `--regexp=${pattern}`],
  },
  {
    name: "find",
    tool: findTool(),
    input: { query: rareName },
    flags: [...common, "--files", `--iglob=*${rareName}*`],
  },
];

// As on a platform without ripgrep.
const portableFs = { ...localFs(), search: { ...localFs().search, grep: () => Promise.resolve(undefined) } };

/** Creates the tree in `folder` and measures every search in it. */
export async function measureSearch(folder: string): Promise<readonly ToolFigure[]> {
  const cwd = join(folder, "tree");
  makeTree(cwd);
  const figures: ToolFigure[] = [];
  for (const search of searches) {
    const { name, tool, input, flags } = search;
    const base = (): Promise<unknown> =>
      promisify(execFile)(rgPath, [...flags, "--", cwd], { maxBuffer: 1e8 });
    const expectHits = async (fs = localFs()): Promise<void> => {
      const found = (await callTool(tool, input, { cwd, fs })).split("\n").length;
      if (found !== 100) throw new Error(`${name}: found ${found} places, expected 100`);
    };
    const own = await compare(rounds, { base, ours: () => expectHits() });
    figures.push({ name: `${name} (base: rg)`, unit: "ms", ...own, target: { kind: "times", limit: 1.3 } });
    if (tool.name === "grep") {
      const portable = await compare(2, { base, ours: () => expectHits(portableFs) });
      const limit = { kind: "times", limit: 6 } as const;
      figures.push({ name: `${name}, no ripgrep (base: rg)`, unit: "ms", ...portable, target: limit });
    }
  }
  const cancels: number[] = [];
  for (const { tool, input } of searches) {
    for (const fs of [localFs(), portableFs]) cancels.push(await cancelMs(tool, input, { cwd, fs }));
  }
  return [
    ...figures,
    {
      name: "search, cancelled (the slowest)",
      unit: "ms",
      ours: Math.max(...cancels),
      target: { kind: "atMost", limit: 200 },
    },
    { name: "search, peak memory", unit: "MB", ours: peakMemoryMb(), target: { kind: "atMost", limit: 300 } },
  ];
}

/** From the abort of a call, half way through, to its outcome. */
async function cancelMs(
  tool: DefinedTool,
  input: JsonObject,
  place: { readonly cwd: string; readonly fs: ReturnType<typeof localFs> },
): Promise<number> {
  const cancelAfterMs = (await timeMs(() => callTool(tool, input, place))) / 2;
  const abort = new AbortController();
  let abortedAt = Number.NaN;
  setTimeout(() => {
    abortedAt = performance.now();
    abort.abort();
  }, cancelAfterMs);
  await callTool(tool, input, { ...place, signal: abort.signal, expectError: true });
  return performance.now() - abortedAt;
}
