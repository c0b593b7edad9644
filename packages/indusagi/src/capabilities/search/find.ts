// find: filename search over a tree (seed 001, search: find).

import { basename, sep } from "node:path";
import { clamp } from "../../core/clamp.ts";
import { resolvePath } from "../../core/paths.ts";
import { ArgumentReader } from "../kernel/argument-reader.ts";
import type { DefinedTool, ToolContext } from "../kernel/contract.ts";
import { defineTool } from "../kernel/define-tool.ts";
import { failureResult, textResult } from "../kernel/results.ts";
import type { WalkEntry } from "./folder-level.ts";
import { openIgnoreScope } from "./ignore-scope.ts";
import { leftOutNotes, shownPath } from "./result-text.ts";
import { INCLUDE_IGNORED, type SearchToolOptions } from "./search-tool-options.ts";
import { createTurns } from "./turns.ts";
import { createTally, type WalkTally, walkInRuns } from "./walk.ts";
import { createWildcard } from "./wildcard.ts";

const DEFAULT_RESULT_CAP = 500;
const ABSOLUTE_RESULT_CAP = 10_000;
const RESULT_CAP = Math.min(DEFAULT_RESULT_CAP, ABSOLUTE_RESULT_CAP);

/** The tool. With `respectGitignore`, ignored files are left out and counted, and a call may include them. */
export function findTool({ respectGitignore = false }: SearchToolOptions = {}): DefinedTool {
  return defineTool({
    name: "find",
    description:
      "Find files and folders by name below a folder, regardless of case. A query with * or ? must cover the whole " +
      "name; any other query is a part of the name. A query with / is held against the path below the folder " +
      "instead. Skips .git and node_modules" +
      `${respectGitignore ? ", and what .gitignore files ignore" : ""}. ` +
      "Results are relative to the folder searched.",
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", description: "A glob such as *.test.ts, or a part of a name." },
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
      const path = args.text("path");
      const type = args.oneOf("type", ["file", "dir"]);
      const isFiltered = respectGitignore && !args.flag("includeIgnored");
      if (args.problem) return failureResult(args.problem);

      const root = resolvePath(context.cwd, path ?? ".");
      if (!(await context.fs.exists(root)))
        return failureResult(`Cannot search ${path ?? context.cwd}: there is no such path.`);

      const tally = createTally();
      const found: string[] = [];
      for await (const path of matchingPaths(context, { root, query, type, isFiltered, tally })) {
        if (found.push(path) > RESULT_CAP) break;
      }
      const lines = found.slice(0, RESULT_CAP).map(shownPath);
      if (lines.length === 0) lines.push(`Nothing under ${path ?? "."} is named like ${query}.`);
      if (found.length > RESULT_CAP)
        lines.push(`[stopped at ${RESULT_CAP} results: narrow the query or the path to see the rest]`);
      else lines.push(...leftOutNotes(tally));
      return textResult(clamp(lines.join("\n"), context.budget));
    },
  });
}

interface NameSearch {
  readonly root: string;
  readonly query: string;
  readonly type: "file" | "dir" | undefined;
  readonly isFiltered: boolean;
  readonly tally: WalkTally;
}

/** Paths below `root`, with slashes, in walk order; a dot for `root` itself when it is a file. */
async function* matchingPaths(
  { fs, signal }: ToolContext,
  { root, query, type, isFiltered, tally }: NameSearch,
): AsyncGenerator<string, void, undefined> {
  const { isForPath, matches } = createNameMatcher(query);
  if (!(await fs.stat(root)).isDirectory) {
    if (type !== "dir" && matches(isForPath ? "." : basename(root))) yield ".";
    return;
  }
  const prefix = root.endsWith(sep) ? root.length : root.length + 1;
  const pathOf = (entry: WalkEntry): string => entry.path.slice(prefix).replaceAll(sep, "/");
  const scope = isFiltered ? await openIgnoreScope(fs, root, tally) : undefined;
  const takeTurns = createTurns();
  for await (const run of walkInRuns({ fs, root, signal, scope, tally })) {
    for (const entry of run) {
      if (type !== undefined && entry.isDirectory !== (type === "dir")) continue;
      if (matches(isForPath ? pathOf(entry) : entry.name)) yield pathOf(entry);
    }
    await takeTurns();
  }
}

interface NameMatcher {
  /** Whether the query is held against the path below the root, and not against the name. */
  readonly isForPath: boolean;
  readonly matches: (text: string) => boolean;
}

function createNameMatcher(query: string): NameMatcher {
  const isForPath = query.includes("/");
  if (!/[*?]/.test(query)) {
    const part = query.toLowerCase();
    return { isForPath, matches: (text) => text.toLowerCase().includes(part) };
  }
  const wildcard = createWildcard(query);
  if (!query.includes("**/")) return { isForPath, matches: wildcard };
  // `**/` also stands for no folder at all.
  const withoutFolders = createWildcard(query.replaceAll("**/", ""));
  return { isForPath, matches: (text) => wildcard(text) || withoutFolders(text) };
}
