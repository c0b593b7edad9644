// grep: content search over a tree.

import { relative } from "node:path";
import { clampLines } from "../../core/clamp.ts";
import { errorCode } from "../../core/faults.ts";
import { isInside, resolvePath } from "../../core/paths.ts";
import { shownPath } from "../../core/shown-path.ts";
import { describeFsFailure, describeUnsearchable } from "../files/describe-failure.ts";
import { ArgumentReader } from "../kernel/argument-reader.ts";
import type { DefinedTool, GrepQuery, GrepResult, ToolContext } from "../kernel/contract.ts";
import { defineTool } from "../kernel/define-tool.ts";
import { failureResult, textResult } from "../kernel/results.ts";
import { searchContent } from "./content-search.ts";
import { isBinary, SNIFF_BYTES } from "./line-match.ts";
import { showEachMatch } from "./long-line-hits.ts";
import { escapePattern, PatternError, parsePattern } from "./pattern.ts";
import { leftOutNotes } from "./result-text.ts";
import { INCLUDE_IGNORED, type SearchToolOptions } from "./search-tool-options.ts";

const DEFAULT_MAX_HITS = 200;
const ABSOLUTE_MAX_HITS = 5_000;

/** The tool. With `respectGitignore`, ignored files are left out and counted, and a call can include them. */
export function grepTool({ respectGitignore = false }: SearchToolOptions = {}): DefinedTool {
  return defineTool({
    name: "grep",
    description:
      "Search file contents for a regular expression (linear-time dialect: no look-around, no backreferences), line by " +
      "line, below a folder or in one file. Below a folder, skips .git, node_modules, links, binary files and files over " +
      `2 MiB${respectGitignore ? ", and whatever .gitignore files ignore" : ""}. ` +
      "Each hit is `path:line: text`.",
    parameters: {
      type: "object",
      properties: {
        pattern: { type: "string", description: "The regular expression, or plain text." },
        path: { type: "string", description: "Folder or file to search. Default: the working folder." },
        literal: { type: "boolean", description: "Treat the pattern as plain text. Default false." },
        flags: { type: "string", description: "Any of g, i, m, s, u, y. Use i to ignore case." },
        maxHits: { type: "integer", description: "Stop after this many hits. Default 200, at most 5000." },
        ...(respectGitignore && { includeIgnored: INCLUDE_IGNORED }),
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    run: async (input, context) => {
      const args = new ArgumentReader(input);
      const asked = args.requiredText("pattern");
      const source = args.flag("literal") ? escapePattern(asked) : asked;
      const path = args.path("path", "the working folder");
      const flags = args.text("flags");
      const maxHits = Math.min(args.positiveInt("maxHits") ?? DEFAULT_MAX_HITS, ABSOLUTE_MAX_HITS);
      const isFiltered = respectGitignore && !args.flag("includeIgnored");
      if (args.problem) return failureResult(args.problem);

      const root = resolvePath(context.cwd, path ?? ".", context.home);
      try {
        const problem = await describeUnsearchable(context.fs, root, path ?? context.cwd);
        if (problem) return failureResult(problem);
        const pattern = parsePattern(source, flags);
        const query: GrepQuery = {
          root,
          pattern: source,
          ignoreCase: pattern.ignoreCase,
          maxHits,
          respectGitignore: isFiltered,
          isFile: !(await context.fs.stat(root)).isDirectory,
        };
        const found = await searchContent(context.fs, query, context.signal);
        const result = { ...found, hits: await showEachMatch(context.fs, found.hits, pattern) };
        const notes = query.isFile ? await describeBinary(context, root) : [];
        return textResult([report(result, { query, asked }, context), ...notes].join("\n"));
      } catch (error) {
        if (error instanceof PatternError) return failureResult(error.message + adviceFor(error, asked));
        if (errorCode(error) === undefined) throw error;
        return failureResult(describeFsFailure("search", path ?? context.cwd, error));
      }
    },
  });
}

function adviceFor({ message, isSyntax }: PatternError, asked: string): string {
  if (!isSyntax) return "";
  const end = message.endsWith(".") ? "" : ".";
  return `${end} To search for this text, set literal to true, or escape it: ${escapePattern(asked)}`;
}

/** A note if the file at `root` is binary: its content may be text in a form that a pattern does not match. */
async function describeBinary({ fs, cwd }: ToolContext, root: string): Promise<readonly string[]> {
  if (!isBinary(await fs.readBytes(root, { start: 0, maxBytes: SNIFF_BYTES }))) return [];
  return [
    `[${shownPath(pathFor(cwd, root))} is binary (it has a NUL near its start); it was searched as text.]`,
  ];
}

interface Asked {
  readonly query: GrepQuery;
  /** The pattern as the model wrote it. */
  readonly asked: string;
}

function report(result: GrepResult, { query, asked }: Asked, context: ToolContext): string {
  const shown = (path: string): string => shownPath(pathFor(context.cwd, path));
  const lines = result.hits.map((hit) => `${shown(hit.path)}:${hit.line}: ${hit.text}`);
  if (lines.length === 0) lines.push(`No line under ${shown(query.root)} matches ${asked}.`);
  const notes = leftOutNotes(result);
  if (result.timedOut) notes.unshift("[timed out: not everything was searched. Narrow the path.]");
  if (result.truncated)
    notes.unshift(`[stopped at ${query.maxHits} hits: narrow the pattern or the path to see the rest]`);
  return [clampLines(lines.join("\n"), context.budget), ...notes].join("\n");
}

// Relative to the working folder, as every tool accepts paths.
function pathFor(cwd: string, path: string): string {
  return isInside(cwd, path) ? relative(cwd, path) || "." : path;
}
