// find: filename search over a tree (seed 001, search: find).

import { relative, sep } from "node:path";
import { clamp } from "../../core/clamp.ts";
import { resolvePath } from "../../core/paths.ts";
import { ArgumentReader } from "../kernel/argument-reader.ts";
import type { DefinedTool, Fs } from "../kernel/contract.ts";
import { defineTool } from "../kernel/define-tool.ts";
import { failureResult, textResult } from "../kernel/results.ts";
import { type WalkEntry, walk } from "./walk.ts";
import { matchesWildcard } from "./wildcard.ts";

const DEFAULT_RESULT_CAP = 500;
const ABSOLUTE_RESULT_CAP = 10_000;
const RESULT_CAP = Math.min(DEFAULT_RESULT_CAP, ABSOLUTE_RESULT_CAP);

export function findTool(): DefinedTool {
  return defineTool({
    name: "find",
    description:
      "Find files and folders by name below a folder, regardless of case. A query with * or ? must cover the whole " +
      "name; any other query is a part of the name. A query with / is held against the path below the folder " +
      "instead. Skips .git and node_modules. Results are relative to the folder searched.",
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", description: "A glob such as *.test.ts, or a part of a name." },
        path: { type: "string", description: "Folder to search. Default: the working folder." },
        type: { type: "string", enum: ["file", "dir"], description: "Only files, or only folders." },
      },
      required: ["query"],
      additionalProperties: false,
    },
    run: async (input, context) => {
      const args = new ArgumentReader(input);
      const query = args.requiredText("query");
      const path = args.text("path");
      const type = args.oneOf("type", ["file", "dir"]);
      if (args.problem) return failureResult(args.problem);

      const { fs, signal, budget } = context;
      const root = resolvePath(context.cwd, path ?? ".");
      if (!(await fs.exists(root)))
        return failureResult(`Cannot search ${path ?? context.cwd}: there is no such path.`);

      const matches = createNameMatcher(query);
      const found: string[] = [];
      for await (const entry of entriesFrom(fs, root, signal)) {
        if (type !== undefined && entry.isDirectory !== (type === "dir")) continue;
        const shown = relative(root, entry.path).replaceAll(sep, "/") || ".";
        if (!matches(entry.name, shown)) continue;
        if (found.length === RESULT_CAP) {
          found.push(`[stopped at ${RESULT_CAP} results: narrow the query or the path to see the rest]`);
          break;
        }
        found.push(shown);
      }
      if (found.length === 0) return textResult(`Nothing under ${path ?? "."} is named like ${query}.`);
      return textResult(clamp(found.join("\n"), budget));
    },
  });
}

async function* entriesFrom(
  fs: Fs,
  root: string,
  signal: AbortSignal,
): AsyncGenerator<WalkEntry, void, undefined> {
  if ((await fs.stat(root)).isDirectory) {
    yield* walk({ fs, root, signal });
  } else {
    yield { path: root, name: root.slice(root.lastIndexOf(sep) + 1), isDirectory: false, isSymlink: false };
  }
}

type NameMatcher = (name: string, relativePath: string) => boolean;

function createNameMatcher(query: string): NameMatcher {
  const isPath = query.includes("/");
  if (!/[*?]/.test(query)) {
    const part = query.toLowerCase();
    return (name, path) => (isPath ? path : name).toLowerCase().includes(part);
  }
  if (!isPath) return (name) => matchesWildcard(query, name);
  // `**/` also stands for no folder at all.
  const globs = [query, query.replaceAll("**/", "")];
  return (_name, path) => globs.some((glob) => matchesWildcard(glob, path));
}
