// The tools' benchmark: each part in a process of its own, in a fresh folder, compared with its bare equivalent; one table.
// A missed target is printed plainly and is not an error. Arguments: part names; default: all.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { arch, cpus, platform, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { ToolFigure } from "./tools-measure.ts";

const parts = ["search", "edit", "read", "bash", "commands", "diff"] as const;
/** The tree, two files of 50 MB, and what a file system uses for 100,000 inodes. */
const neededBytes = 2e9;
/** A slower part is stopped and has no figures. */
const deadlineMs = 900_000;

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !parts.some((part) => part === name));
if (unknown.length > 0) throw new Error(`no part ${unknown.join(", ")}: there are ${parts.join(", ")}`);

const free = statfsSync(tmpdir());
if (free.bavail * free.bsize < neededBytes)
  throw new Error(`${tmpdir()} has ${free.bavail * free.bsize} bytes free, and ${neededBytes} are needed`);

const folder = mkdtempSync(join(tmpdir(), "indus-bench-tools-"));
try {
  const figures: ToolFigure[] = [];
  for (const part of parts.filter((name) => asked.length === 0 || asked.includes(name))) {
    process.stderr.write(`bench: ${part} ...\n`);
    figures.push(...(await measurePart(part)));
  }
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "?"}, ${platform()} ${arch()}`;
  console.log(`\n${machine}, Node ${process.versions.node}, the best of each figure's rounds\n`);
  console.log(toolTable(figures));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A part that fails is reported and left out of the table; the others continue, and the exit code is 1. */
async function measurePart(part: (typeof parts)[number]): Promise<readonly ToolFigure[]> {
  const program = fileURLToPath(new URL("tools-part.ts", import.meta.url));
  const args = ["--conditions=indus-source", program, part, join(folder, part)];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: deadlineMs });
    return JSON.parse(stdout) as readonly ToolFigure[];
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(
      `bench: ${part} FAILED: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    return [];
  }
}

function limitOf({ kind, limit }: NonNullable<ToolFigure["target"]>, unit: string): string {
  if (kind === "times") return `≤ ${limit} ×`;
  return kind === "more" ? `≤ base + ${limit} ${unit}` : `≤ ${limit} ${unit}`;
}

function toolTable(figures: readonly ToolFigure[]): string {
  const rows = figures.map(({ name, unit, base, ours, target }) => [
    name,
    base === undefined ? "" : amount(base, unit),
    amount(ours, unit),
    base === undefined ? "" : `${(ours / base).toFixed(2)} ×`,
    target === undefined ? "" : limitOf(target, unit),
    target === undefined ? "" : isMet({ base, ours, target }) ? "ok" : "MISSED",
  ]);
  const table = [["figure", "base", "ours", "ratio", "target", ""], ...rows];
  const widths =
    table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = table;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}

function isMet({
  base,
  ours,
  target,
}: Pick<Required<ToolFigure>, "ours" | "target"> & { base: number | undefined }) {
  const { kind, limit } = target;
  const from = base ?? Number.NaN;
  return ours <= (kind === "times" ? from * limit : kind === "more" ? from + limit : limit);
}

function amount(value: number, unit: string): string {
  return `${value < 20 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
