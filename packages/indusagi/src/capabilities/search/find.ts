// find: filename search over a tree.

import { basename, sep } from "node:path";
import { clampLines } from "../../core/clamp.ts";
import { errorCode } from "../../core/faults.ts";
import { resolvePath } from "../../core/paths.ts";
import { shownPath } from "../../core/shown-path.ts";
import { describeFsFailure } from "../files/describe-failure.ts";
import { ArgumentReader } from "../kernel/argument-reader.ts";
import type { DefinedTool, ToolContext } from "../kernel/contract.ts";
import { defineTool } from "../kernel/define-tool.ts";
import { failureResult, textResult } from "../kernel/results.ts";
import type { WalkEntry } from "./folder-level.ts";
import { openIgnoreScope } from "./ignore-scope.ts";
import { type Named, type NameQuery, parseNameQuery, QueryError } from "./name-query.ts";
import { leftOutNotes, undecodedNote } from "./result-text.ts";
import { INCLUDE_IGNORED, type SearchToolOptions } from "./search-tool-options.ts";
import { createTurns } from "./turns.ts";
import { createTally, type WalkTally, walkInRuns } from "./walk.ts";

const DEFAULT_RESULT_CAP = 500;
const ABSOLUTE_RESULT_CAP = 10_000;
const RESULT_CAP = Math.min(DEFAULT_RESULT_CAP, ABSOLUTE_RESULT_CAP);

/** The tool. With `respectGitignore`, ignored files are left out and counted, and a call can include them. */
export function findTool({ respectGitignore = false }: SearchToolOptions = {}): DefinedTool {
  return defineTool({
    name: "find",
    description:
      "Find files and folders by name below a folder, ignoring case. A query with *, ?, [ab] or {a,b} must match " +
      "the whole name; any other query matches part of the name. A query with / is matched against the path below the " +
      "folder instead. Skips .git and node_modules" +
      `${respectGitignore ? ", and whatever .gitignore files ignore" : ""}. ` +
      "Results are relative to the searched folder.",
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", description: "A glob such as *.test.{js,ts}, or a part of a name." },
        path: { type: "string", description: "Folder to search. Default: the working folder." },
        type: { type: "string", enum: ["file", "dir"], description: "Only files, or only folders." },
        ...(respectGitignore && { includeIgnored: INCLUDE_IGNORED }),
      },
      required: ["query"],
      additionalProperties: false,
    },
    run: async (input, context) => {
      const args = new ArgumentReader(input);
      const query = args.requiredText("query");
      const path = args.path("path", "the working folder");
      const type = args.oneOf("type", ["file", "dir"]);
      const isFiltered = respectGitignore && !args.flag("includeIgnored");
      if (args.problem) return failureResult(args.problem);

      const root = resolvePath(context.cwd, path ?? ".", context.home);
      try {
        if (!(await context.fs.exists(root)))
          return failureResult(`Cannot search ${path ?? context.cwd}: path not found.`);
        const tally = createTally();
        const found: string[] = [];
        const asked = parseNameQuery(query, context.home);
        const search = { root, query: asked, type, isFiltered, tally };
        for await (const match of matchingPaths(context, search)) {
          if (found.push(match) > RESULT_CAP) break;
        }
        const names = found.slice(0, RESULT_CAP);
        // A single file was searched: it is named as in the call.
        const lines = names.map((name) => shownPath(name === "." ? (path ?? ".") : name));
        if (lines.length === 0) lines.push(describeNothing(path ?? ".", query, asked));
        const notes =
          found.length > RESULT_CAP
            ? [`[stopped at ${RESULT_CAP} results: narrow the query or the path to see the rest]`]
            : leftOutNotes(tally);
        const listing = clampLines(lines.join("\n"), context.budget);
        return textResult([listing, ...undecodedNote(names), ...notes].join("\n"));
      } catch (error) {
        if (error instanceof QueryError) return failureResult(error.message);
        if (errorCode(error) === undefined) throw error;
        return failureResult(describeFsFailure("search", path ?? context.cwd, error));
      }
    },
  });
}

function describeNothing(path: string, query: string, { isAbsolute }: NameQuery): string {
  const below = " Only that folder is searched: set path to another one.";
  const isOutside = isAbsolute || query.split("/").includes("..");
  return `No name under ${shownPath(path)} matches ${query}.${isOutside ? below : unclosed(query)}`;
}

/** An unpaired bracket is taken literally, which is rarely what was meant. */
function unclosed(query: string): string {
  const pair = ["[]", "{}"].find(
    ([open = "", close = ""]) => query.lastIndexOf(open) > query.lastIndexOf(close),
  );
  if (pair === undefined) return "";
  return ` ${pair[0]} without ${pair[1]} is matched literally.`;
}

interface NameSearch {
  readonly root: string;
  readonly query: NameQuery;
  readonly type: "file" | "dir" | undefined;
  readonly isFiltered: boolean;
  readonly tally: WalkTally;
}

/** Paths below `root`, with slashes, in walk order; just a dot if `root` itself is a file. */
async function* matchingPaths(
  { fs, signal }: ToolContext,
  { root, query, type, isFiltered, tally }: NameSearch,
): AsyncGenerator<string, void, undefined> {
  if (!(await fs.stat(root)).isDirectory) {
    const own = { name: () => basename(root), path: () => ".", absolutePath: () => root };
    if (type !== "dir" && query.matches(own)) yield ".";
    return;
  }
  const prefix = root.endsWith(sep) ? root.length : root.length + 1;
  let entry: WalkEntry;
  const path = (): string => entry.path.slice(prefix).replaceAll(sep, "/");
  const asked: Named = { name: () => entry.name, path, absolutePath: () => entry.path.replaceAll(sep, "/") };
  const scope = isFiltered ? await openIgnoreScope(fs, root, tally) : undefined;
  const takeTurns = createTurns();
  for await (const run of walkInRuns({ fs, root, signal, scope, tally })) {
    for (entry of run) {
      if (type !== undefined && entry.isDirectory !== (type === "dir")) continue;
      if (query.matches(asked)) yield path();
    }
    await takeTurns();
  }
}
