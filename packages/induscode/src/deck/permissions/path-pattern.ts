// The pattern of a rule on files, as globs over absolute paths. Claude's spelling (`Read(...)`) follows `.gitignore`; ours (`read(...)`)
// follows the shell. An allow rule uses only the reading of its own spelling; a rule that asks or denies uses both, and also matches what
// is below a folder that it names.

import { isInside, matchPathGlob, resolvePath } from "indusagi/core";

/** What a pattern is matched against: the places of one session. */
export interface PatternPlaces {
  /** The working directory, as a real path. */
  readonly root: string;
  /** The person's home folder. */
  readonly home: string;
  /** The real path, with links followed as far as it exists. Absent: every path is real. */
  readonly realPlace?: ((path: string) => string) | undefined;
  /** A worktree and the folder that it was made from: rules that ask or deny treat a path in one as the same path in the other. */
  readonly twins?: readonly [string, string] | undefined;
}

export type Twins = NonNullable<PatternPlaces["twins"]>;

/** `//x` is absolute in either spelling; `/x` is absolute in ours, and below the working directory in Claude's. */
export type Spelling = "own" | "claude";

export interface PathPattern {
  /** Whether an allow rule covers this real path. */
  readonly covers: (realPath: string) => boolean;
  /** Whether an ask or deny rule is about this path, ignoring case. */
  readonly touches: (path: string) => boolean;
}

export function pathPattern(pattern: string, spelling: Spelling, places: PatternPlaces): PathPattern {
  const alternatives = alternativesOf(pattern);
  const narrow = distinct(alternatives.flatMap((each) => narrowGlobs(each, spelling, places)));
  const wide = distinct(
    alternatives.flatMap((each) => wideGlobs(each, places)).map((glob) => glob.toLowerCase()),
  );
  return {
    covers: (path) => narrow.some((glob) => matchPathGlob(glob, path)),
    touches: (path) =>
      withTwin(path, places).some((each) => wide.some((glob) => matchPathGlob(glob, each.toLowerCase()))),
  };
}

function withTwin(path: string, { twins }: PatternPlaces): readonly string[] {
  const at = path.startsWith("/") ? (twins?.findIndex((folder) => isInside(folder, path)) ?? -1) : -1;
  const [from, to] = [twins?.[at], twins?.[1 - at]];
  return from === undefined || to === undefined ? [path] : [path, to + path.slice(from.length)];
}

/** Why no path can ever match, and what to write instead; undefined for a pattern that can match. */
export function pathPatternProblem(pattern: string): string | undefined {
  if (pattern.endsWith(":*"))
    return `":*" is for commands; for everything in a folder write ${pattern.slice(0, -2)}/**`;
  if (/^(domain|path):/.test(pattern)) return "a file rule takes a path, e.g. src/** or ~/.ssh/**";
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(pattern)) return "a file rule takes a path, not a URL";
  if (/^~[^/]/.test(pattern)) return "only ~/ is supported, for your own home folder";
  if (/^(\$\w|\$\{|%\w+%)/.test(pattern)) return "variables are not expanded; write ~/ or the path itself";
  if (pattern.startsWith("!"))
    return 'negation with "!" is not supported; write a rule of another kind instead';
  if (alternativesOf(pattern).length > MAX_ALTERNATIVES)
    return `it expands to more than ${MAX_ALTERNATIVES} patterns; write several rules`;
  const climbs = alternativesOf(pattern).some((each) => {
    const segments = each.split("/");
    const wild = segments.findIndex(isWild);
    return wild >= 0 && segments.slice(wild).includes("..");
  });
  return climbs ? '".." after a wildcard matches no path' : undefined;
}

const MAX_ALTERNATIVES = 64;

/** `a{b,c}` stands for `ab` and `ac`; a brace without a comma is an ordinary character. */
function alternativesOf(pattern: string): readonly string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [group, body = ""] = /\{([^{},]*,[^{}]*)\}/.exec(next) ?? [];
    if (group === undefined) done.push(next);
    else if (done.length + open.length > MAX_ALTERNATIVES) return Array(MAX_ALTERNATIVES + 1).fill(pattern);
    else open.push(...body.split(",").map((each) => (next as string).replace(group, () => each)));
  }
  return done.includes(pattern) ? done : [pattern, ...done]; // a name can contain braces
}

function narrowGlobs(pattern: string, spelling: Spelling, places: PatternPlaces): readonly string[] {
  const named = pattern.endsWith("/") || !isWild(pattern.split("/").at(-1) ?? "");
  return placed(pattern, spelling, places).flatMap((glob) => {
    const real = realGlob(glob, places);
    // Anyone may have made a link inside the working directory, so it covers nothing outside.
    const globs = isInside(places.root, prefixOf(glob)) ? [glob] : [glob, real];
    return globs.map((each) => (named ? `${each}/**` : each));
  });
}

/** Replaces each class with any one character: the safe reading. An unclosed class is skipped at once, so that it takes linear time. */
function withoutClasses(glob: string): string {
  return glob.replace(/\[[^\]/]+(?:\]|(?=\/)|$)/g, (run) => (run.endsWith("]") ? "?" : run));
}

function wideGlobs(pattern: string, places: PatternPlaces): readonly string[] {
  const both = [...placed(pattern, "own", places), ...placed(pattern, "claude", places)];
  return both
    .flatMap((glob) => [glob, realGlob(glob, places)])
    .flatMap((glob) => [glob, withoutClasses(glob)])
    .map((glob) => (glob.endsWith("/**") ? glob : `${glob}/**`));
}

/** The pattern as globs over absolute paths, in one spelling. */
function placed(pattern: string, spelling: Spelling, { root, home }: PatternPlaces): readonly string[] {
  const path = pattern.replace(/(?<=[^/])\/+$/, "");
  if (path === "~" || path.startsWith("~/")) return [under(home, path.slice(1))];
  if (path.startsWith("//")) return [under("/", path)];
  if (path.startsWith("/")) return [under(spelling === "own" ? "/" : root, path)];
  const isBareName = spelling === "claude" && !path.includes("/");
  return [under(root, isBareName ? `**/${path}` : path)];
}

/** Resolves `.` and `..` in the literal part of the pattern. */
function under(base: string, path: string): string {
  const segments = path.split("/").filter((segment) => segment !== "");
  const wild = segments.findIndex(isWild);
  const literal = wild < 0 ? segments : segments.slice(0, wild);
  const rest = (wild < 0 ? [] : segments.slice(wild)).filter((segment) => segment !== ".");
  return joined(resolvePath(base, `./${literal.join("/")}`), rest);
}

/** The same glob with its literal part as a real path. */
function realGlob(glob: string, { realPlace }: PatternPlaces): string {
  if (!realPlace) return glob;
  const prefix = prefixOf(glob);
  const rest = glob.slice(prefix.length).split("/").filter(Boolean);
  return joined(realPlace(prefix), rest);
}

function prefixOf(glob: string): string {
  const segments = glob.split("/");
  const wild = segments.findIndex(isWild);
  return (wild < 0 ? glob : segments.slice(0, wild).join("/")) || "/";
}

function joined(folder: string, rest: readonly string[]): string {
  return [folder === "/" ? "" : folder, ...rest].join("/") || "/";
}

function isWild(segment: string): boolean {
  return /[*?]/.test(segment);
}

function distinct(globs: readonly string[]): readonly string[] {
  return [...new Set(globs)];
}
