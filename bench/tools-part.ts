// One part of the tools' benchmark, in a process of its own so that only its own memory counts: prints its figures as JSON.
import { mkdirSync, rmSync } from "node:fs";
import { measureBash } from "./tools-bash.ts";
import { measureCommands } from "./tools-commands.ts";
import { measureDiff, measureEdit, measureRead } from "./tools-files.ts";
import type { ToolFigure } from "./tools-measure.ts";
import { measureSearch } from "./tools-search.ts";

const measures: Readonly<Record<string, (folder: string) => Promise<readonly ToolFigure[]>>> = {
  search: measureSearch,
  edit: measureEdit,
  read: measureRead,
  bash: measureBash,
  commands: measureCommands,
  diff: measureDiff,
};

const [part = "", folder = ""] = process.argv.slice(2);
const measure = measures[part];
if (!measure)
  throw new Error(`no part ${JSON.stringify(part)}: there are ${Object.keys(measures).join(", ")}`);
mkdirSync(folder, { recursive: true });
try {
  const figures = await measure(folder);
  // Without figures that this system cannot provide.
  process.stdout.write(JSON.stringify(figures.filter(({ ours }) => !Number.isNaN(ours))));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
