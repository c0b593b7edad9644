// grep: content search over a tree (seed 001, search: grep).

import { relative } from "node:path";
import { clamp } from "../../core/clamp.ts";
import { isInside, resolvePath } from "../../core/paths.ts";
import { ArgumentReader } from "../kernel/argument-reader.ts";
import type { DefinedTool, Fs, GrepQuery, GrepResult, ToolContext } from "../kernel/contract.ts";
import { defineTool } from "../kernel/define-tool.ts";
import { failureResult, textResult } from "../kernel/results.ts";
import { PatternError, parsePattern, type SearchPattern } from "./pattern.ts";
import { filesBelow, portableGrep } from "./portable-grep.ts";

export const DEFAULT_MAX_HITS = 200;
export const ABSOLUTE_MAX_HITS = 5_000;

// Reading this many files here takes half as long as starting ripgrep (4 ms and 8), and starting grows with our memory.
const IN_PROCESS_FILES = 40;

export function grepTool(): DefinedTool {
  return defineTool({
    name: "grep",
    description:
      "Search file contents for a regular expression (linear-time dialect: no look-around, no backreferences), line by " +
      "line, below a folder or in one file. Skips .git, node_modules, binary files and files over 2 MiB. " +
      "Each hit is `path:line: text`.",
    parameters: {
      type: "object",
      properties: {
        pattern: { type: "string", description: "The regular expression, or plain text." },
        path: { type: "string", description: "Folder or file to search. Default: the working folder." },
        flags: { type: "string", description: "Any of g, i, m, s, u, y. Use i to ignore case." },
        maxHits: { type: "integer", description: "Stop after this many hits. Default 200, at most 5000." },
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    run: async (input, context) => {
      const args = new ArgumentReader(input);
      const source = args.requiredText("pattern");
      const path = args.text("path");
      const flags = args.text("flags");
      const maxHits = Math.min(args.positiveInt("maxHits") ?? DEFAULT_MAX_HITS, ABSOLUTE_MAX_HITS);
      if (args.problem) return failureResult(args.problem);

      const root = resolvePath(context.cwd, path ?? ".");
      if (!(await context.fs.exists(root)))
        return failureResult(`Cannot search ${path ?? context.cwd}: there is no such path.`);
      try {
        const pattern = parsePattern(source, flags);
        const query: GrepQuery = { root, pattern: source, ignoreCase: pattern.ignoreCase, maxHits };
        const result = await search(context, query, pattern);
        return textResult(report(result, query, context));
      } catch (error) {
        if (error instanceof PatternError) return failureResult(error.message);
        throw error;
      }
    },
  });
}

/**
 * A literal is first looked for here in the opening files: in a small tree that is all of them, and a text that is
 * everywhere fills the cap there. The rest, and every regular expression, goes to the native search where there is one.
 */
async function search(
  { fs, signal }: ToolContext,
  query: GrepQuery,
  pattern: SearchPattern,
): Promise<GrepResult> {
  const native = fs.search;
  if (native === undefined) return portableGrep(fs, query, { signal });
  if (pattern.literal !== undefined) {
    const opening = await openingFiles(fs, query.root, signal);
    const result = await portableGrep(fs, query, { signal, files: opening.files });
    if (opening.isAll || result.truncated) return result;
  }
  return (await native.grep(query, signal)) ?? portableGrep(fs, query, { signal });
}

interface OpeningFiles {
  readonly files: readonly string[];
  readonly isAll: boolean;
}

async function openingFiles(fs: Fs, root: string, signal: AbortSignal): Promise<OpeningFiles> {
  const files: string[] = [];
  for await (const path of filesBelow(fs, root, signal)) {
    if (files.length === IN_PROCESS_FILES) return { files, isAll: false };
    files.push(path);
  }
  return { files, isAll: true };
}

function report(result: GrepResult, query: GrepQuery, context: ToolContext): string {
  if (result.hits.length === 0)
    return `No line under ${shownPath(context.cwd, query.root)} matches ${query.pattern}.`;
  const lines = result.hits.map((hit) => `${shownPath(context.cwd, hit.path)}:${hit.line}: ${hit.text}`);
  if (result.truncated)
    lines.push(`[stopped at ${query.maxHits} hits: narrow the pattern or the path to see the rest]`);
  return clamp(lines.join("\n"), context.budget);
}

// Relative to the working folder, as every tool takes its paths.
function shownPath(cwd: string, path: string): string {
  return isInside(cwd, path) ? relative(cwd, path) || "." : path;
}
