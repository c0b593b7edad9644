// read: a text file with line numbers (seed 001, files: read).

import { basename } from "node:path";
import { clamp } from "../../core/clamp.ts";
import { errorCode } from "../../core/faults.ts";
import { resolvePath } from "../../core/paths.ts";
import { ArgumentReader } from "../kernel/argument-reader.ts";
import type { DefinedTool, Fs, FsEntryInfo } from "../kernel/contract.ts";
import { defineTool } from "../kernel/define-tool.ts";
import { failureResult, textResult } from "../kernel/results.ts";
import { describeFsFailure, describeNonFile } from "./describe-failure.ts";
import { findSpelling } from "./find-spelling.ts";
import { type LineWindow, readWindow, windowOf } from "./line-window.ts";
import { recordReadState } from "./read-state-gate.ts";

// A larger file is read in ranges and only the window is kept.
const WHOLE_FILE_BYTES = 4_194_304;

const GUTTER_WIDTH = 6;

export function readTool(): DefinedTool {
  return defineTool({
    name: "read",
    description:
      "Read a UTF-8 text file. Every line is shown behind its number and a tab. Give offset and limit to see a part " +
      "of a long file.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "The file, absolute or relative to the working folder." },
        offset: { type: "integer", minimum: 1, description: "First line to show, from 1. Default 1." },
        limit: { type: "integer", minimum: 1, description: "Number of lines to show. Default: all." },
      },
      required: ["path"],
      additionalProperties: false,
    },
    run: async (input, context) => {
      const args = new ArgumentReader(input);
      const path = args.requiredPath("path");
      const offset = args.positiveInt("offset") ?? 1;
      const limit = args.positiveInt("limit") ?? Number.POSITIVE_INFINITY;
      if (args.problem) return failureResult(args.problem);

      const { fs, budget, signal } = context;
      try {
        const found = await locate(fs, resolvePath(context.cwd, path));
        const nonFile = describeNonFile("read", path, found.info);
        if (nonFile) return failureResult(nonFile);
        const window =
          found.info.size > WHOLE_FILE_BYTES
            ? await readWindow(fs, found.path, {
                size: found.info.size,
                offset,
                limit,
                signal,
                maxBytes: budget.maxBytes,
                lineOverheadBytes: GUTTER_WIDTH + 2,
              })
            : windowOf(await fs.readText(found.path), { offset, limit });
        if (window.totalLines !== undefined && offset > Math.max(1, window.totalLines)) {
          return failureResult(
            `${path} has ${count(window.totalLines, "line")}, so there is none at offset ${offset}.`,
          );
        }
        await recordReadState(context, found.path, found.info);

        let trimmed = 0;
        const notice = (omitted: number): string => {
          trimmed = omitted;
          return `\n[read: ${count(omitted, "byte")} trimmed to stay within the output ceiling]\n`;
        };
        const body = clamp(numbered(window.lines, offset), { ...budget, notice });
        const header = [
          describeWindow(window, offset),
          ...(trimmed > 0 ? [`${count(trimmed, "byte")} trimmed: give offset and limit to see them.`] : []),
          ...(found.isOtherSpelling ? [`The file's name is ${JSON.stringify(basename(found.path))}.`] : []),
        ].join(" ");
        return textResult(body === "" ? header : `${header}\n${body}`);
      } catch (error) {
        if (errorCode(error) === undefined) throw error;
        return failureResult(describeFsFailure("read", path, error));
      }
    },
  });
}

interface Located {
  readonly path: string;
  readonly info: FsEntryInfo;
  readonly isOtherSpelling: boolean;
}

async function locate(fs: Fs, path: string): Promise<Located> {
  try {
    return { path, info: await fs.stat(path), isOtherSpelling: false };
  } catch (error) {
    const sibling = errorCode(error) === "ENOENT" ? await findSpelling(fs, path) : undefined;
    if (sibling === undefined) throw error;
    return { path: sibling, info: await fs.stat(sibling), isOtherSpelling: true };
  }
}

function describeWindow({ lines, totalLines, isLineCut }: LineWindow, offset: number): string {
  if (totalLines === 0) return "The file is empty.";
  const last = offset + lines.length - 1;
  const shown = `Showing lines ${offset}–${last} of ${totalLines ?? "a file too large to count"}.`;
  const cut = isLineCut ? " The line is longer than the output ceiling: its beginning is shown." : "";
  return shown + cut + describeRest(totalLines, last);
}

function describeRest(totalLines: number | undefined, last: number): string {
  if (totalLines === last) return "";
  const rest = totalLines === undefined ? "It goes on" : `${count(totalLines - last, "line")} remaining`;
  return ` ${rest}: continue with offset ${last + 1}.`;
}

function numbered(lines: readonly string[], offset: number): string {
  return lines.map((line, index) => `${String(offset + index).padStart(GUTTER_WIDTH)}\t${line}`).join("\n");
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}
