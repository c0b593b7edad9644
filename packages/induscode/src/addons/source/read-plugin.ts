// A plugin of another agent, as its folder describes it: `.claude-plugin/plugin.json`, or the `plugin.json` of Agent Plugins. Nothing of it is
// run. What cannot be used costs that one part, by name.

import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { briefValue, describeError, isInside, isTable } from "indusagi/core";
import { commentedJson, readCommentedJson, readJsonText } from "../../store/json.ts";

import { MAX_PLUGIN_BYTES, type PluginParts, STYLES_OF_PLUGIN } from "./plugin-file.ts";

type Table = Readonly<Record<string, unknown>>;

export interface ReadPlugin {
  readonly parts: PluginParts;
  /** Its own description, and the files in which it lists its MCP servers; relative to its folder. */
  readonly manifest: string;
  readonly serverFiles: readonly string[];
  readonly version: string | undefined;
  readonly description: string | undefined;
}

const OWN_MANIFEST = ".claude-plugin/plugin.json";
const OPEN_MANIFEST = "plugin.json";

/** Places of texts, each with the folder that is read without being named. */
const TEXTS = {
  skills: "skills",
  commands: "commands",
  agents: "agents",
  outputStyles: STYLES_OF_PLUGIN,
} as const;
const HOOKS_FILE = "hooks/hooks.json";
/** Where a plugin lists its MCP servers. */
export const SERVER_FILES: readonly string[] = [".mcp.json", "mcp.json"];

/** What a plugin may bring that has no counterpart: the key, the place that is read without being named, and why not. */
const UNUSED: readonly (readonly [key: string, place: string, why: string])[] = [
  ["lspServers", ".lsp.json", "language servers are not started"],
  ["monitors", "monitors", "monitors are not started"],
  ["themes", "themes", "themes of that agent are not used"],
  ["workflows", "workflows", "workflows are not run"],
  ["channels", "channels", "channels are not used"],
  ["userConfig", "", "its settings (userConfig) are not supported, so they are empty"],
  ["dependencies", "", "plugins that it depends on are not added: add each yourself"],
  ["settings", "settings.json", "its settings do not apply"],
  ["extensions", "", "its parts for single products (extensions) are not used"],
  ["bin", "bin", "its programs (bin) are not on PATH; only its own hooks and servers can start them"],
];
const FACTS = new Set([
  ...["$schema", "name", "version", "description", "author", "homepage", "repository", "license", "keywords"],
  ...[
    "category",
    "tags",
    "strict",
    "displayName",
    "defaultEnabled",
    "hooks",
    "mcpServers",
    ...Object.keys(TEXTS),
  ],
  ...UNUSED.map(([key]) => key),
]);

/** Undefined for a folder that is no plugin. Throws an error that names the file and what is wrong with it. */
export function readPlugin(folder: string): ReadPlugin | undefined {
  const path = [OWN_MANIFEST, OPEN_MANIFEST].find((each) => existsSync(join(folder, each)));
  if (path === undefined) return undefined;
  const manifest = jsonIn(folder, path);
  const { name, version, description } = manifest;
  // Many programs have a plugin.json of their own; that of Agent Plugins says what it is.
  if (path === OPEN_MANIFEST && typeof manifest.$schema !== "string") return undefined;
  if (typeof name !== "string" || name.trim() === "")
    throw new Error(`${path}: expected "name", a string, found ${JSON.stringify(name) ?? "nothing"}`);
  const unused = UNUSED.flatMap(([key, place, why]) =>
    manifest[key] !== undefined || (place !== "" && existsSync(join(folder, place))) ? [why] : [],
  );
  const unknown = Object.keys(manifest).filter((key) => !FACTS.has(key));
  if (unknown.length > 0) unused.push(`${path} has unknown keys: ${unknown.join(", ")}`);
  const places = new Places(folder, unused, isExact(manifest));
  const servers = places.servers(manifest.mcpServers);
  return {
    version: typeof version === "string" ? version : undefined,
    description: typeof description === "string" ? description : undefined,
    manifest: path,
    serverFiles: servers.files.filter((file) => file !== path),
    parts: {
      name,
      skills: places.of("skills", manifest),
      commands: places.of("commands", manifest),
      agents: places.of("agents", manifest),
      outputStyles: places.of("outputStyles", manifest),
      hooks: places.hooks(manifest.hooks),
      mcpServers: servers.tables,
      unused,
    },
  };
}

/** A list that is not strict says all that a plugin brings, once it says any of it. */
function isExact(manifest: Table): boolean {
  return (
    manifest.strict === false &&
    [...Object.keys(TEXTS), "hooks", "mcpServers"].some((key) => manifest[key] !== undefined)
  );
}

/** What a folder may be instead of a plugin: a list of plugins, each with its place in it. */
export function pluginsListedIn(folder: string): readonly string[] {
  const path = ".claude-plugin/marketplace.json";
  if (!existsSync(join(folder, path))) return [];
  const { plugins } = jsonIn(folder, path);
  if (!Array.isArray(plugins)) return [];
  return plugins.flatMap((plugin) =>
    isTable(plugin) && typeof plugin.source === "string" ? [plugin.source] : [],
  );
}

class Places {
  readonly #folder: string;
  readonly #unused: string[];
  readonly #isExact: boolean;

  /** `isExact`: nothing is read that the manifest does not name. */
  constructor(folder: string, unused: string[], isExact: boolean) {
    this.#folder = folder;
    this.#unused = unused;
    this.#isExact = isExact;
  }

  /** The folder of that name, and what the manifest names beside it; nothing twice. */
  of(kind: keyof typeof TEXTS, manifest: Table): readonly string[] {
    const named = textsIn(manifest[kind]);
    if (named === undefined) this.#unused.push(`"${kind}" is not a list of paths, and is not used`);
    const all = [...this.#own([TEXTS[kind]]), ...(named ?? []).flatMap((path) => this.#inside(kind, path))];
    const places = [...new Set(all)];
    return places.filter((place) => !places.some((other) => place !== other && isInside(other, place)));
  }

  hooks(given: unknown): Table {
    const own = this.#own([HOOKS_FILE]);
    const files = [...own, ...(isTable(given) ? [] : this.#files("hooks", given))];
    const found = files.flatMap((path) => this.#hooksIn(path));
    const merged = new Map<string, readonly unknown[]>();
    for (const table of isTable(given) ? [...found, eventsOf(given)] : found)
      for (const [event, groups] of Object.entries(table))
        if (Array.isArray(groups)) merged.set(event, [...(merged.get(event) ?? []), ...groups]);
        else this.#unused.push(`the hooks of ${event} are not a list, and are not used`);
    return Object.fromEntries(merged);
  }

  /** Its table of events. A file that cannot be read costs its hooks, and says so. */
  #hooksIn(path: string): readonly Table[] {
    const leave = (why: string): readonly Table[] => {
      this.#unused.push(`the hooks of ${path} are not used: ${why}`);
      return [];
    };
    try {
      const { value, problem } = readCommentedJson(join(this.#folder, path), MAX_PLUGIN_BYTES);
      if (problem !== undefined) this.#unused.push(`${path}: ${describeError(problem)}`);
      if (!isTable(value)) return leave(`expected an object of events, found ${briefValue(value)}`);
      if (value.hooks !== undefined && !isTable(value.hooks))
        return leave(`expected "hooks" to be an object of events, found ${briefValue(value.hooks)}`);
      const events = eventsOf(value);
      return Object.keys(events).length === 0 ? leave("it has none") : [events];
    } catch (error) {
      return leave(describeError(error));
    }
  }

  servers(given: unknown): { readonly tables: Table; readonly files: readonly string[] } {
    const own = this.#own(SERVER_FILES);
    const files = [...own, ...(isTable(given) ? [] : this.#files("mcpServers", given))];
    const tables = [...files.map((path) => jsonIn(this.#folder, path)), ...(isTable(given) ? [given] : [])];
    const all = Object.assign({}, ...tables.map((table) => table.mcpServers ?? table)) as Table;
    // Those that are not read because the list is exact say the same to nobody.
    return { tables: all, files: [...new Set([...SERVER_FILES, ...files])] };
  }

  /** Of the places that are read without being named, those that are there. */
  #own(places: readonly string[]): readonly string[] {
    return this.#isExact ? [] : places.filter((place) => existsSync(join(this.#folder, place)));
  }

  #files(key: string, given: unknown): readonly string[] {
    const named = textsIn(given);
    if (named === undefined) this.#unused.push(`"${key}" is neither a table nor a path, and is not used`);
    return (named ?? []).flatMap((path) => this.#inside(key, path));
  }

  /** A path in the plugin's folder that is there; a link is judged by whoever opens it. */
  #inside(key: string, path: string): readonly string[] {
    const absolute = resolve(this.#folder, path);
    const isThere = isInside(this.#folder, absolute) && existsSync(absolute);
    if (!isThere) this.#unused.push(`"${key}" names ${path}, which is not in its folder`);
    return isThere ? [relative(this.#folder, absolute)] : [];
  }
}

/** Event to groups: the table itself, or what lies in it under `hooks`, beside a text about them. */
function eventsOf(table: Table): Table {
  if (isTable(table.hooks)) return table.hooks;
  return Object.fromEntries(Object.entries(table).filter(([key]) => key !== "description"));
}

/** One path, or several; undefined for anything else. */
function textsIn(given: unknown): readonly string[] | undefined {
  const list: unknown = given === undefined ? [] : Array.isArray(given) ? given : [given];
  return (list as readonly unknown[]).every((item) => typeof item === "string")
    ? (list as readonly string[])
    : undefined;
}

function jsonIn(folder: string, path: string): Table {
  let content: unknown;
  try {
    content = commentedJson(readJsonText(join(folder, path), MAX_PLUGIN_BYTES));
  } catch (error) {
    throw new Error(`${path} cannot be read: ${describeError(error)}`);
  }
  if (isTable(content)) return content;
  throw new Error(`${path}: expected a JSON object`);
}
