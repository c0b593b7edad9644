// The command line of an MCP server, as its documentation has it: what it fetches is installed once and pinned instead, and what cannot be
// says so.

import { existsSync, lstatSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { assignedCommand } from "../../addons/author/imported-command.ts";
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
  bun: ["x"],
};
const PYTHON_FETCHERS: readonly string[] = ["uvx", "pipx", "uv"];
const CONTAINERS: readonly string[] = ["docker", "podman"];
/** With a value of their own. */
const VALUE_FLAGS = new Set(["-c", "--call", "--registry", "--cache"]);
const PACKAGE_FLAG = /^(?:-p|--package)(?:=(.*))?$/s;

/** `base`: what its relative paths are relative to. `isUnconfined`: no sandbox is in the way of what a program fetches or starts. The variables that the line sets for its program are not looked at. */
export function readServerCommand(
  line: readonly string[],
  base: string,
  isUnconfined: boolean = false,
): ServerCommand {
  const { words } = assignedCommand(line);
  const [program = "", ...args] = words;
  const name = basename(program).replace(/\.(?:cmd|exe)$/, "");
  const verbs = Object.hasOwn(FETCHERS, name) ? FETCHERS[name] : undefined;
  if (verbs !== undefined && (verbs.length === 0 || verbs.includes(args[0] ?? "")))
    return readFetched(args.slice(verbs.length), words);
  if (isUnconfined && [...PYTHON_FETCHERS, ...CONTAINERS, "deno"].includes(name))
    return { kind: "program", words };
  if (PYTHON_FETCHERS.includes(name)) {
    const fetched = pythonPackage(name, args);
    return none(`${name} fetches Python packages, ${installedFirst(fetched, `"lib/bin/${fetched}"`)}`);
  }
  if (CONTAINERS.includes(name))
    return none(
      `${name} starts a container, which the sandbox cannot confine: --unconfined lets it run outside of the sandbox, with all that you may do; or run it yourself with an HTTP port, and indus add http://127.0.0.1:PORT/mcp`,
    );
  if (name === "env")
    return none(
      `${words.join(" ")}: of env, only variables are understood: write NAME=VALUE before the server's command, or use --env NAME=VALUE`,
    );
  if (name === "deno") return none(denoProblem(args));
  const plain = name.replace(/^python[\d.]*$/, "python");
  const interpreter = Object.hasOwn(INTERPRETERS, plain) ? INTERPRETERS[plain] : undefined;
  const { kind, word } = interpreter === undefined ? NO_FILE : readInterpreted(args, interpreter);
  if (kind === "module") {
    const [top = ""] = word.split(".");
    return none(`${name} -m starts a Python module, ${installedFirst(top, `"-m", ${JSON.stringify(word)}`)}`);
  }
  if (kind === "script") {
    const path = resolve(base, word);
    if (existsSync(path)) return readScript(path, words, word);
    return none(`${words.join(" ")}: there is no ${path}`);
  }
  if (program.includes(sep)) {
    const path = resolve(base, program);
    if (!existsSync(path)) return none(`${program}: there is no ${path}`);
    return isSystems(path) ? { kind: "program", words } : readScript(path, words, program);
  }
  if (isUnconfined || program === "node" || findProgram(program) !== undefined)
    return { kind: "program", words };
  return none(
    `${program}: this program is not in the system's folders, and a server in the sandbox sees no others. Give its path, and indus copies its folder; or --unconfined lets it run outside of the sandbox, with all that you may do`,
  );
}

/** What an interpreter's own arguments are. */
interface Interpreter {
  /** Options that have a value of their own. */
  readonly valued: ReadonlySet<string>;
  /** Options whose value is a program's text: there is no file. */
  readonly text: ReadonlySet<string>;
  /** Before a script's name. */
  readonly verb?: string;
}

const NODE_VALUED = "-r --require --import --loader --experimental-loader -C --conditions";
const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  node: { valued: new Set(NODE_VALUED.split(" ")), text: new Set(["-e", "--eval", "-p", "--print"]) },
  python: { valued: new Set(["-W", "-X"]), text: new Set(["-c"]) },
  bun: { valued: new Set(["-r", "--preload"]), text: new Set(["-e", "--eval"]), verb: "run" },
};

interface Interpreted {
  readonly kind: "script" | "module" | "none";
  readonly word: string;
}

const NO_FILE: Interpreted = { kind: "none", word: "" };

/** What is interpreted. */
function readInterpreted(args: readonly string[], { valued, text, verb }: Interpreter): Interpreted {
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    const next = args[at + 1];
    if (text.has(word)) return NO_FILE;
    if (word === "-m" && next !== undefined) return { kind: "module", word: next };
    if (valued.has(word)) at++;
    else if (!word.startsWith("-") && (at > 0 || word !== verb)) return { kind: "script", word };
  }
  return NO_FILE;
}

/** `uvx --from PACKAGE NAME`, `uv tool run NAME`, `uv run NAME`, `pipx run NAME`. */
function pythonPackage(name: string, args: readonly string[]): string {
  const from = args.indexOf("--from");
  const words = from < 0 ? args : args.slice(from + 1);
  const found = words.find(
    (word) => !word.startsWith("-") && (name === "uvx" || !/^(?:tool|run)$/.test(word)),
  );
  return found ?? "NAME";
}

/** How a program in Python comes into a folder that the sandbox shows it. `words` start it there, behind `python3`. */
function installedFirst(name: string, words: string): string {
  return `which indus does not install: pip install --target FOLDER/lib ${name}, write FOLDER/manifest.toml with id = "NAME", [run] mcp = ["python3", ${words}] and [run.env] PYTHONPATH = "lib", and indus add FOLDER; or --unconfined lets it run outside of the sandbox, with all that you may do`;
}

function denoProblem(args: readonly string[]): string {
  const what = args.find((word) => !word.startsWith("-") && word !== "run");
  const why = "deno fetches what its program imports, which the sandbox prevents";
  const [, spec] = /^npm:\/?(.+)$/.exec(what ?? "") ?? [];
  if (spec !== undefined) return `${why}: this one is on npm, so indus add "mcp:npx -y ${spec}"`;
  return `${why}: make one file of it (deno compile -A -o FOLDER/server ${what ?? "SCRIPT"}), and indus add mcp:FOLDER/server`;
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
