// The command line of an MCP server, as its documentation has it: what it fetches is installed once and pinned instead, and what cannot be
// says so.

import { existsSync, lstatSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { findProgram } from "../../addons/kinds/find-program.ts";

/** What has to be brought for a server, and what then starts it. */
export type ServerCommand =
  /** `bin`: one of the package's commands; its only one, or the one that is called like it, if absent. */
  | {
      readonly kind: "package";
      readonly spec: string;
      readonly bin?: string;
      readonly args: readonly string[];
    }
  /** `words` start it in a copy of `folder`. */
  | { readonly kind: "script"; readonly folder: string; readonly words: readonly string[] }
  /** One of the system's programs. */
  | { readonly kind: "program"; readonly words: readonly string[] }
  | { readonly kind: "none"; readonly problem: string };

/** How many words of the fetcher come before what it fetches. */
const FETCHERS: Readonly<Record<string, readonly string[]>> = {
  npx: [],
  bunx: [],
  pnpx: [],
  pnpm: ["dlx"],
  yarn: ["dlx"],
  npm: ["exec"],
};
const PYTHON_FETCHERS: readonly string[] = ["uvx", "pipx", "uv"];
const CONTAINERS: readonly string[] = ["docker", "podman"];
/** With a value of their own. */
const VALUE_FLAGS = new Set(["-c", "--call", "--registry", "--cache"]);
const PACKAGE_FLAG = /^(?:-p|--package)(?:=(.*))?$/s;

/** `base`: what its relative paths are relative to. */
export function readServerCommand(words: readonly string[], base: string): ServerCommand {
  const [program = "", ...args] = words;
  const name = basename(program).replace(/\.(?:cmd|exe)$/, "");
  const verbs = FETCHERS[name];
  if (verbs !== undefined && (verbs.length === 0 || verbs.includes(args[0] ?? "")))
    return readFetched(args.slice(verbs.length), words);
  if (PYTHON_FETCHERS.includes(name))
    return none(
      `${name} fetches Python packages, which indus does not install: install it into a folder (pip install --target FOLDER/lib NAME), put a manifest.toml next to it, and indus add FOLDER`,
    );
  if (CONTAINERS.includes(name))
    return none(
      `${name} starts a container, which the sandbox cannot confine: run it yourself with an HTTP port, and indus add http://127.0.0.1:PORT/mcp`,
    );
  const script = args.find((word) => !word.startsWith("-"));
  if (/^(?:node|python3?|bun|deno)$/.test(name) && script !== undefined) {
    const path = resolve(base, script);
    if (existsSync(path)) return readScript(path, words, script);
    return none(`${words.join(" ")}: there is no ${path}`);
  }
  if (program.includes(sep)) {
    const path = resolve(base, program);
    if (!existsSync(path)) return none(`${program}: there is no ${path}`);
    return isSystems(path) ? { kind: "program", words } : readScript(path, words, program);
  }
  if (findProgram(program) !== undefined) return { kind: "program", words };
  return none(
    `${program}: this program is not in the system's folders, and a server in the sandbox sees no others. Give its path, and indus copies its folder`,
  );
}

function readFetched(args: readonly string[], words: readonly string[]): ServerCommand {
  let spec: string | undefined;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    const named = PACKAGE_FLAG.exec(word);
    if (named) {
      spec = named[1] ?? args[++at];
    } else if (word === "--") {
      return fetched(spec, args.slice(at + 1), words);
    } else if (VALUE_FLAGS.has(word)) at++;
    else if (!word.startsWith("-")) return fetched(spec, args.slice(at), words);
  }
  return spec === undefined ? fetched(undefined, [], words) : { kind: "package", spec, args: [] };
}

function fetched(spec: string | undefined, rest: readonly string[], words: readonly string[]): ServerCommand {
  const [first, ...args] = rest;
  if (first === undefined) return none(`${words.join(" ")} names no package`);
  return spec === undefined
    ? { kind: "package", spec: first, args }
    : { kind: "package", spec, bin: first, args };
}

/** The folder of the nearest package.json, else the script's own. */
function readScript(path: string, words: readonly string[], word: string): ServerCommand {
  const folder = packageFolder(dirname(path)) ?? (lstatSync(path).isDirectory() ? path : dirname(path));
  const inside = relative(folder, path);
  return {
    kind: "script",
    folder,
    words: words.map((each) => (each === word ? (word === words[0] ? `./${inside}` : inside) : each)),
  };
}

function packageFolder(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (existsSync(join(folder, ".git")) || folder === dirname(folder)) return undefined;
  }
}

function isSystems(path: string): boolean {
  return isAbsolute(path) && /^\/(?:usr\/)?(?:local\/)?s?bin\//.test(path);
}

function none(problem: string): ServerCommand {
  return { kind: "none", problem };
}
