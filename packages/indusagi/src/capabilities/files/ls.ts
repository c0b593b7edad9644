// ls: the immediate children of a folder.

import { join } from "node:path";
import { clampLines } from "../../core/clamp.ts";
import { errorCode } from "../../core/faults.ts";
import { resolvePath } from "../../core/paths.ts";
import { shownPath } from "../../core/shown-path.ts";
import { ArgumentReader } from "../kernel/argument-reader.ts";
import type { DefinedTool, DirChild, Fs } from "../kernel/contract.ts";
import { defineTool } from "../kernel/define-tool.ts";
import { failureResult, textResult } from "../kernel/results.ts";
import { undecodedNote } from "../search/result-text.ts";
import { createTurns } from "../search/turns.ts";
import { describeFsFailure } from "./describe-failure.ts";

const STATS_AT_ONCE = 64;

export function lsTool(): DefinedTool {
  return defineTool({
    name: "ls",
    description:
      "List a folder's immediate children: kind, size in bytes, name. Folders come first and end in /.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "The folder. Default: the working folder." },
        showHidden: { type: "boolean", description: "Also list names that begin with a dot. Default false." },
      },
      additionalProperties: false,
    },
    run: async (input, context) => {
      const args = new ArgumentReader(input);
      const path = args.path("path", "the working folder") ?? ".";
      const showHidden = args.flag("showHidden");
      if (args.problem) return failureResult(args.problem);

      const folder = resolvePath(context.cwd, path, context.home);
      try {
        const children = await context.fs.readDir(folder);
        const shown = showHidden ? children : children.filter((child) => !child.name.startsWith("."));
        const rows = (await describeAll(context.fs, folder, shown)).sort(compareRows);
        const notice = (omitted: number): string =>
          `\n[ls: ${omitted} bytes trimmed to stay within the output ceiling]\n`;
        const body = clampLines(render(rows), { ...context.budget, notice });
        const header = describeListing(path, rows.length, children.length - shown.length);
        const notes = undecodedNote(rows.map((row) => row.name));
        return textResult([header, ...(body === "" ? [] : [body]), ...notes].join("\n"));
      } catch (error) {
        if (errorCode(error) === undefined) throw error;
        if (errorCode(error) === "ENOTDIR")
          return failureResult(`Cannot list ${path}: it is not a directory. Use read.`);
        return failureResult(describeFsFailure("list", path, error));
      }
    },
  });
}

interface Row {
  readonly name: string;
  readonly kind: "dir" | "file" | "link" | "other";
  readonly size: number;
  readonly isDirectory: boolean;
}

async function describeAll(fs: Fs, folder: string, children: readonly DirChild[]): Promise<Row[]> {
  const rows: Row[] = [];
  const turn = createTurns();
  for (let at = 0; at < children.length; at += STATS_AT_ONCE) {
    const some = children.slice(at, at + STATS_AT_ONCE);
    rows.push(...(await Promise.all(some.map((child) => describeChild(fs, folder, child)))));
    await turn();
  }
  return rows;
}

async function describeChild(
  fs: Fs,
  folder: string,
  { name, isDirectory, isSymlink }: DirChild,
): Promise<Row> {
  if (isDirectory) return { name, kind: "dir", size: 0, isDirectory: true };
  try {
    const info = await fs.stat(join(folder, name));
    const kind = info.isSymlink ? "link" : info.isFile ? "file" : "other";
    return { name, kind, size: info.isDirectory ? 0 : info.size, isDirectory: info.isDirectory };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return { name, kind: isSymlink ? "link" : "other", size: 0, isDirectory: false }; // dangling, or removed in the meantime
  }
}

function compareRows(a: Row, b: Row): number {
  if (a.isDirectory !== b.isDirectory) return a.isDirectory ? -1 : 1;
  return compareText(a.name.toLowerCase(), b.name.toLowerCase()) || compareText(a.name, b.name);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function render(rows: readonly Row[]): string {
  const kindWidth = rows.reduce((width, row) => Math.max(width, row.kind.length), 0);
  const sizeWidth = rows.reduce((width, row) => Math.max(width, String(row.size).length), 0);
  return rows
    .map(
      ({ name, kind, size, isDirectory }) =>
        `${kind.padEnd(kindWidth)} ${String(size).padStart(sizeWidth)} ${shownPath(name)}${isDirectory ? "/" : ""}`,
    )
    .join("\n");
}

function describeListing(path: string, shown: number, hidden: number): string {
  const entries = `${shown} ${shown === 1 ? "entry" : "entries"} in ${shownPath(path)}`;
  return hidden > 0 ? `${entries} (${hidden} hidden omitted: set showHidden to list them)` : entries;
}
