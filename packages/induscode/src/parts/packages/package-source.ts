// What `indus add` is given: where a package comes from, in the words of other package managers.

import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { argumentWords } from "../../addons/kinds/argument-words.ts";

/** Where a package comes from. `text` is the source as the lock file keeps it: paths are absolute. */
export type PackageSource = { readonly text: string } & (
  | { readonly kind: "folder" | "archive"; readonly path: string }
  /** Of a registry: a name with a range; or the address of an archive. */
  | { readonly kind: "npm"; readonly spec: string }
  /** A repository, with the commit, the branch or the tag and the folder in it as npm writes them: `#REF::path:FOLDER`. */
  | { readonly kind: "git"; readonly spec: string }
  /** A plugin that a marketplace lists. */
  | { readonly kind: "plugin"; readonly plugin: string; readonly marketplace: string }
  /** The command line of an MCP server, as its documentation has it. */
  | { readonly kind: "server"; readonly words: readonly string[] }
  /** A file in which an agent lists MCP servers; one of them, or all. */
  | { readonly kind: "config"; readonly path: string; readonly server: string | undefined }
  /** A file of an agent's settings with hooks. */
  | { readonly kind: "hooks"; readonly path: string }
  /** An MCP server that is reached over HTTP. */
  | { readonly kind: "address"; readonly url: string }
);

/** The forms of a source, for messages and the guide. */
export const SOURCE_FORMS: readonly string[] = [
  "./folder",
  "./archive.tgz",
  "npm:NAME@RANGE",
  "git+https://HOST/REPOSITORY#REF",
  "github:OWNER/NAME",
  "PLUGIN@MARKETPLACE",
  "marketplace:OWNER/NAME",
  "mcp:'npx -y NAME'",
  "https://HOST/mcp",
  ".mcp.json",
  ".claude/settings.json",
];

const ARCHIVE = /\.(?:tgz|tar\.gz|tar)$/i;
/** `.mcp.json`, `.mcp.json#tickets`. */
const CONFIG = /^([^#]+\.(?:jsonc?|toml))(?:#(.+))?$/s;
/** Settings of the agent whose hooks are understood; its MCP servers are elsewhere. */
const SETTINGS = /(?:^|\/)\.claude\/settings(?:\.local)?\.json$|(?:^|\/)hooks\.json$/;
/** Of a code host: an owner and a name. */
const SHORT_GIT = /^(github|gitlab|bitbucket):(.*)$/s;
const GIT = /^(?:git\+(?:https|ssh|file)|git|ssh):|^git@|^(?:github|gitlab|bitbucket):|\.git(?:#.*)?$/;

/** The source that `text` names; otherwise what is wrong with it. Relative paths are relative to `base`. */
export function parseSource(text: string, base: string): PackageSource | { readonly problem: string } {
  const [, scheme, rest = ""] = /^(npm|mcp):(.*)$/s.exec(text) ?? [];
  if (scheme === "npm") return rest === "" ? unknown(text) : { kind: "npm", spec: rest, text };
  if (scheme === "mcp") return parseServer(rest, text);
  const [, codeHost, repository = ""] = SHORT_GIT.exec(text) ?? [];
  if (codeHost !== undefined && !/^[^/]+\/[^/]/.test(repository))
    return { problem: `${text} names no repository: expected ${codeHost}:OWNER/NAME` };
  if (GIT.test(text)) return { kind: "git", spec: text, text };
  if (/^https?:\/\//.test(text)) return parseAddress(text);
  const [, plugin, marketplace] = /^([\w.-]+)@([\w.-]+)$/.exec(text) ?? [];
  // Whatever is called so in the folder: that may be anybody's.
  if (plugin !== undefined && marketplace !== undefined && !ARCHIVE.test(text) && !CONFIG.test(text))
    return { kind: "plugin", plugin, marketplace, text };
  if (SETTINGS.test(text) && existsSync(resolve(base, text)))
    return { kind: "hooks", path: resolve(base, text), text: resolve(base, text) };
  const [, file = "", server] = CONFIG.exec(text) ?? [];
  if (file !== "" && existsSync(resolve(base, file)))
    return {
      kind: "config",
      path: resolve(base, file),
      server,
      text: configText(resolve(base, file), server),
    };
  const path = resolve(base, text);
  if (!existsSync(path)) return unknown(text);
  return { kind: ARCHIVE.test(path) ? "archive" : "folder", path, text: path };
}

/** How a server of a file is kept in the lock file. */
export function configText(path: string, server: string | undefined): string {
  return server === undefined ? path : `${path}#${server}`;
}

function parseServer(line: string, text: string): PackageSource | { readonly problem: string } {
  const read = argumentWords(line);
  if (!read.ok) return { problem: `${text}: ${read.problem}` };
  if (read.words.length === 0)
    return { problem: `${text}: expected the command line of a server, such as mcp:'npx -y NAME'` };
  return { kind: "server", words: read.words, text: serverText(read.words) };
}

/** How the command line of a server is kept in the lock file, however it was quoted. */
export function serverText(words: readonly string[]): string {
  const quoted = words.map((word) => {
    if (/^[^\s'"\\]+$/.test(word)) return word;
    return word.includes("'") ? `"${word.replace(/["\\]/g, "\\$&")}"` : `'${word}'`;
  });
  return `mcp:${quoted.join(" ")}`;
}

function parseAddress(text: string): PackageSource | { readonly problem: string } {
  const url = URL.parse(text);
  if (url === null) return { problem: `${text} is not a URL` };
  if (ARCHIVE.test(url.pathname)) return { kind: "npm", spec: text, text };
  return { kind: "address", url: text, text };
}

function unknown(text: string): { readonly problem: string } {
  const forms = `there is nothing at ${text}, and ${text} is none of ${SOURCE_FORMS.join(", ")}`;
  return { problem: [forms, ...meanings(text)].join(". ") };
}

/** What somebody who types a name can mean. */
function meanings(text: string): readonly string[] {
  if (/^[\w-][\w.-]*\/[\w.-]+$/.test(text))
    return [
      `For the repository of that name on GitHub: indus add github:${text}, or indus marketplace add ${text} if it lists plugins`,
    ];
  if (!/^(?:@[\w.-]+\/)?[\w-][\w.-]*(?:@[^/]+)?$/.test(text)) return [];
  const onNpm = `For the package of that name on npm: indus add npm:${text}`;
  if (text.includes("@")) return [onNpm];
  return [onNpm, `For a plugin of a marketplace that you have: indus add ${text}@MARKETPLACE`];
}

/** A name for what comes from a source, made of letters that an addon's name may have; undefined if nothing is left of it. */
export function nameFor(subject: string): string | undefined {
  const [scope = "", own] = subject.startsWith("@") ? subject.slice(1).split("/") : [];
  return plainName(own ?? basename(subject)) ?? plainName(scope);
}

/** Every server of tools has these words in its name; what is left tells it from others. */
const GENERIC = /(?:^|[-_.])(?:mcp|server|modelcontextprotocol)(?=$|[-_.])/gi;

function plainName(text: string): string | undefined {
  const name = text
    .replace(ARCHIVE, "")
    .replace(/\.git$/, "")
    .replace(GENERIC, "")
    .split(/[^A-Za-z0-9._]/)
    .filter((word) => /[A-Za-z0-9]/.test(word))
    .join("-")
    .replace(/__+/g, "_");
  const [from, to] = [name.search(/[A-Za-z0-9]/), name.search(/[A-Za-z0-9][^A-Za-z0-9]{0,100}$/)];
  return from < 0 || to < 0 ? undefined : name.slice(from, to + 1).toLowerCase();
}
