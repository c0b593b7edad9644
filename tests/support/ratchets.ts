// What may only become less: measures of the sources, and the comparison of each with its list of what was there before.
import { posix } from "node:path";
import { type ESTree, parseSync, Visitor } from "rolldown/utils";
import type { SourceFiles } from "./import-graph.ts";

/** How much there is of each thing; the things beyond the limit only. */
export type Counts = Readonly<Record<string, number>>;

export const MOST_LINES = 120;
export const MOST_FILES = 40;

/** Names that many folders have, each for its own. */
const SHARED_NAMES = new Set([
  "contract.ts",
  "index.ts",
  "part.ts",
  "commands.ts",
  "in-session.ts",
  "README.md",
]);

/** The lines of each function above `MOST_LINES`, by `<file> <function>`. */
export function longFunctions(files: SourceFiles): Counts {
  const found: Record<string, number> = {};
  for (const [path, text] of files) {
    if (linesOf(text) <= MOST_LINES) continue;
    const names = new Map<ESTree.Node, string>();
    const nameValue = (key: ESTree.Node, value: ESTree.Node | null): void => {
      if (value && "name" in key && typeof key.name === "string") names.set(value, key.name);
    };
    const measure = (node: ESTree.Function | ESTree.ArrowFunctionExpression): void => {
      const lines = linesOf(text.slice(node.start, node.end));
      const key = `${path} ${node.id?.name ?? names.get(node) ?? "(unnamed)"}`;
      if (lines > MOST_LINES) found[key] = Math.max(lines, found[key] ?? 0);
    };
    new Visitor({
      VariableDeclarator: ({ id, init }) => nameValue(id, init),
      Property: ({ key, value }) => nameValue(key, value),
      MethodDefinition: ({ key, value }) => nameValue(key, value),
      PropertyDefinition: ({ key, value }) => nameValue(key, value),
      FunctionDeclaration: measure,
      FunctionExpression: measure,
      ArrowFunctionExpression: measure,
    }).visit(parse(path, text));
  }
  return found;
}

/** How many files each folder above `MOST_FILES` has, not those of its folders. */
export function fullFolders(paths: readonly string[]): Counts {
  return above(MOST_FILES, paths.map(posix.dirname));
}

/** How often each name is a file's, of those that several files have. */
export function repeatedNames(paths: readonly string[]): Counts {
  const names = paths.map((path) => posix.basename(path));
  return above(
    1,
    names.filter((name) => !SHARED_NAMES.has(name)),
  );
}

/** How many objects of each file have a property only on a condition: `...(x ? { x } : {})`, `...(x && { x })`. */
export function conditionalSpreads(files: SourceFiles): Counts {
  const places: string[] = [];
  for (const [path, text] of files) {
    if (!text.includes("...(")) continue;
    new Visitor({
      ObjectExpression: ({ properties }) => {
        for (const property of properties) {
          if (property.type === "SpreadElement" && isConditional(property.argument)) places.push(path);
        }
      },
    }).visit(parse(path, text));
  }
  return above(0, places);
}

function isConditional(value: ESTree.Expression): boolean {
  if (value.type === "ParenthesizedExpression") return isConditional(value.expression);
  if (value.type === "LogicalExpression") return value.operator === "&&";
  return value.type === "ConditionalExpression" && [value.consequent, value.alternate].some(isEmptyObject);
}

function isEmptyObject(value: ESTree.Expression): boolean {
  return value.type === "ObjectExpression" && value.properties.length === 0;
}

/** Each line that cites a document which the repository does not have, as `<file>:<line>: <text>`. */
export function citations(files: SourceFiles): readonly string[] {
  return [...files].flatMap(([path, text]) =>
    text
      .split("\n")
      .flatMap((line, at) =>
        /\bseeds? \d{3}\b|\bthe seed['’]s\b|[(]design\b|\bdesign\ssection\b/i.test(line)
          ? [`${path}:${at + 1}: ${line.trim()}`]
          : [],
      ),
  );
}

/** How what is found differs from its list, a line for each; an empty list if it does not. */
export function differences(listed: Counts, found: Counts): readonly string[] {
  return [...new Set([...Object.keys(listed), ...Object.keys(found)])].sort().flatMap((key) => {
    const was = listed[key] ?? 0;
    const is = found[key] ?? 0;
    if (is > was) return [`${key}: ${is}, at most ${was === 0 ? "none" : was}`];
    return is < was ? [`${key}: ${is === 0 ? "none" : is} now, listed with ${was}`] : [];
  });
}

/**
 * The list after what became less. What moved to another place under its own name (the function's, the file's, the folder's) moves
 * in the list; whatever else is more than before stays out.
 */
export function lessened(listed: Counts, found: Counts): Counts {
  const gone = Object.keys(listed).filter((key) => !(key in found));
  const kept = Object.entries(found).flatMap(([key, is]) => {
    const before = key in listed ? key : gone.find((old) => ownName(old) === ownName(key));
    return before === undefined ? [] : [[key, Math.min(is, listed[before] ?? 0)] as const];
  });
  return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The last word or part of a path: a function's, a file's, a folder's own name. */
const ownName = (key: string): string | undefined => key.split(/[ /]/).at(-1);

const linesOf = (text: string): number => text.split("\n").length;

function above(limit: number, all: readonly string[]): Counts {
  const counts: Record<string, number> = {};
  for (const each of all) counts[each] = (counts[each] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > limit));
}

function parse(path: string, text: string): ESTree.Program {
  const { program, errors } = parseSync(path, text, { lang: "ts" });
  if (errors[0] !== undefined) throw new Error(`${path}: ${errors[0].message}`);
  return program;
}
