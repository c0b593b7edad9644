// `indus addon import`: an addon of an MCP server that another agent's configuration names. Nothing is started, and what the server may
// reach is left to the person: a configuration does not say it.

import { hostOfUrl } from "../../feature/capabilities.ts";
import { isAddonId } from "../source/manifest.ts";
import { CODEX_TIMES, codexTimes, passedOn, variablesIn } from "./imported-codex.ts";
import { assignedCommand, importCommand, withVariables } from "./imported-command.ts";
import { keyNotes } from "./imported-keys.ts";
import {
  createImportedValues,
  hasReference,
  type ImportedValues,
  isSecretValue,
  type KeepSecret,
  variableFor,
} from "./imported-secrets.ts";
import { HEADER, isTable, type Note, type Table, VARIABLE } from "./imported-shapes.ts";

/** What the manifest says, and what the person still has to do; or why there is none. */
export type ImportedServer =
  | {
      readonly ok: true;
      readonly manifest: string;
      readonly notes: readonly string[];
      /** Words of its command line, and `NAME=value` of its variables, that the manifest has in another form: most are secrets. */
      readonly replaced: ReadonlyMap<string, string>;
    }
  | { readonly ok: false; readonly problem: string };

/** The keys under which agents list servers; without one of them, the file is the list itself. */
const LISTS: readonly (readonly string[])[] = [
  ["mcpServers"],
  ["servers"],
  ["mcp_servers"],
  ["mcp", "servers"],
  ["mcp"],
];

/** The servers in the value of a configuration file, by name. */
export function serversOf(config: unknown): Readonly<Record<string, Table>> {
  return Object.fromEntries(
    Object.entries(serversIn(config)).flatMap(([name, server]) => (isTable(server) ? [[name, server]] : [])),
  );
}

export interface ImportOptions {
  /** Whether the addon's folder has a file already that its command line names. */
  readonly isThere?: ((path: string) => boolean) | undefined;
  /** How long its start may take, whatever the file says. */
  readonly startSeconds?: number | undefined;
  /** Keeps what only its owner should read; absent: the person sets a variable for each. */
  readonly keep?: KeepSecret | undefined;
  /** The secrets whose values the file itself has: none of the person's. */
  readonly own?: ReadonlySet<string> | undefined;
  /** Its program runs outside of the sandbox. */
  readonly isUnconfined?: boolean | undefined;
  /** The person's variables, for those in its address: which host that is, is granted once. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Of the value of a configuration file, the server that is called `name`. */
export function importServer(
  config: unknown,
  name: string,
  file: string,
  {
    isThere = () => false,
    startSeconds,
    isUnconfined = false,
    keep,
    own: written = new Set(),
    env: variables = {},
  }: ImportOptions = {},
): ImportedServer {
  const servers = serversIn(config);
  const found = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (!isTable(found)) {
    const names = Object.keys(servers).filter((each) => isTable(servers[each]));
    const known = names.length === 0 ? "it has none" : `it has ${names.slice(0, 20).join(", ")}`;
    return refused(`${file} has no MCP server called ${JSON.stringify(name)}: ${known}`);
  }
  if (!isAddonId(name))
    return refused(
      `${JSON.stringify(name)} cannot be an addon's name: rename it in ${file}, to letters, digits, . _ -`,
    );
  const notes: string[] = [];
  const note: Note = (text) => void notes.push(text);
  const from: Import = {
    name,
    file,
    server: found,
    values: createImportedValues(note, keep),
    notes,
    note,
    isThere,
    startSeconds,
    isUnconfined,
    written,
  };
  const url = found.httpUrl ?? found.url ?? found.serverUrl;
  if (typeof url === "string") return remote(withDefaults(url, variables), from);
  const { command, args = [] } = found;
  const words = Array.isArray(command) ? command : [command, ...(Array.isArray(args) ? args : [args])];
  if (words.length === 0 || !words.every((word) => typeof word === "string"))
    return refused(`the server ${name} in ${file} has neither a "command" with "args" nor a "url"`);
  const { words: own, env } = assignedCommand(words);
  return local(own, { ...from, server: withVariables(found, env) });
}

const LOCAL_KEYS = ["command", "args", "env", "environment", "env_vars"];
const REMOTE_KEYS = [
  ...["url", "httpUrl", "serverUrl", "headers", "http_headers", "env_http_headers", "bearer_token_env_var"],
];

/** What a manifest is made of, and what is said on the way. */
interface Import {
  readonly name: string;
  readonly file: string;
  readonly server: Table;
  readonly values: ImportedValues;
  readonly notes: readonly string[];
  readonly note: Note;
  readonly isThere: (path: string) => boolean;
  readonly startSeconds: number | undefined;
  readonly isUnconfined: boolean;
  readonly written: ReadonlySet<string>;
}

function local(words: readonly string[], from: Import): ImportedServer {
  const { isThere, name, file, server, values, notes, note, startSeconds, isUnconfined } = from;
  const given = takeTable(server.env, { pattern: VARIABLE, own: (key) => key, values, note });
  const env = { ...given, ...passedOn(server.env_vars, values, note) };
  const command = importCommand(words, name, values, isUnconfined ? () => undefined : note, isThere);
  const replaced = new Map<string, string>();
  for (const [at, word] of words.entries()) replace(replaced, word, command[at] ?? word);
  for (const [key, value] of Object.entries(isTable(server.env) ? server.env : {}))
    replace(replaced, `${key}=${String(value)}`, `${key}=${given[key] ?? ""}`);
  const times = codexTimes(server, note, startSeconds);
  keyNotes(server, [...LOCAL_KEYS, ...CODEX_TIMES]).forEach(note);
  const run = [`mcp = [${command.map(quoted).join(", ")}]`, ...times, ...table("run.env", env)];
  // The file may be a command line that somebody typed.
  const said = withoutSecrets(file, replaced);
  return { ok: true, manifest: manifestOf(from, said, run), notes, replaced };
}

/** A text in which those words may be, such as a command line, with what stands for them; also where they are quoted in it. */
export function withoutSecrets(text: string, replaced: ReadonlyMap<string, string>): string {
  return [...replaced].reduce(
    (rest, [word, instead]) =>
      [word, word.replace(/["\\]/g, "\\$&")].reduce(
        (each, form) => each.replaceAll(form, () => instead),
        rest,
      ),
    text,
  );
}

function replace(replaced: Map<string, string>, word: string, instead: string): void {
  if (word !== "" && word !== instead) replaced.set(word, instead);
}

function remote(url: string, from: Import): ImportedServer {
  const { name, file, server, values, notes, note, startSeconds } = from;
  const { type = server.transport } = server;
  if (type === "sse" || type === "ws")
    return refused(`the server ${name} in ${file} has the type ${type}; indus supports only streamable HTTP`);
  const parsed = URL.parse(url);
  if (!parsed?.hostname) return refused(`the "url" of the server ${name} in ${file} is not a URL`);
  if (type === undefined && server.url === url && (file === "settings.json" || /\/sse\/?$/.test(url)))
    note(
      `${url} may use the old SSE transport (in Gemini's settings, "url" means SSE and "httpUrl" streamable HTTP): indus supports only streamable HTTP`,
    );
  const own = (key: string): string => variableFor(name, key);
  const headers = {
    ...takeTable(server.headers ?? server.http_headers, { pattern: HEADER, own, values, note }),
    ...variablesIn(server.env_http_headers, values),
    ...(typeof server.bearer_token_env_var === "string"
      ? { Authorization: `Bearer ${values.request(server.bearer_token_env_var)}` }
      : {}),
  };
  const address = takeAddress(url, name, values);
  const replaced = new Map<string, string>();
  replace(replaced, url, address);
  const times = codexTimes(server, note, startSeconds);
  keyNotes(server, [...REMOTE_KEYS, ...CODEX_TIMES]).forEach(note);
  const run = [`mcp-url = ${quoted(address)}`, ...times, ...table("run.headers", headers)];
  const network = [
    'kind = "network"',
    `hosts = [${quoted(hostOfUrl(parsed))}]`,
    'purpose = "the MCP server"',
    'reason = "the MCP server is at this host"',
  ];
  const manifest = manifestOf(from, withoutSecrets(file, replaced), run, [network]);
  return { ok: true, manifest, notes, replaced };
}

interface TakeOptions extends Pick<Import, "values" | "note"> {
  /** What a name must be. */
  readonly pattern: RegExp;
  /** The variable of a secret under this name. */
  readonly own: (name: string) => string;
}

function takeTable(given: unknown, { pattern, own, values, note }: TakeOptions): Record<string, string> {
  const taken: Record<string, string> = {};
  for (const [name, value] of Object.entries(isTable(given) ? given : {})) {
    if (!pattern.test(name) || (typeof value !== "string" && typeof value !== "number")) {
      note(`${JSON.stringify(name)} is not imported: expected a name with a string or a number`);
      continue;
    }
    const text = values.take(name, String(value), own(name));
    if (text !== undefined) taken[name] = text;
  }
  return taken;
}

/** `${NAME:-text}` in an address, with what the variable has now. */
function withDefaults(url: string, env: NonNullable<ImportOptions["env"]>): string {
  return url.replace(
    /\$\{([A-Za-z_][A-Za-z0-9_]{0,99}):-([^{}]{0,4096})\}/g,
    (_, name: string, given: string) => {
      const value = env[name] ?? "";
      return value === "" || isSecretValue(name, value) ? given : value;
    },
  );
}

/** An address may have a key in it, and nobody else may read that. */
export function takeAddress(url: string, server: string, values: ImportedValues): string {
  return url.replace(/([?&])([^?=&#]{1,200})=([^&#]*)|\/([^/?#]{20,})/g, (whole, mark, key, value, part) => {
    const name = typeof key === "string" ? key : "url";
    const text: string = typeof value === "string" ? value : part;
    if (!hasReference(text) && !isSecretValue(name, text)) return whole;
    const taken = values.take(name, text, variableFor(server, name)) ?? text;
    return typeof key === "string" ? `${mark}${key}=${taken}` : `/${taken}`;
  });
}

function manifestOf(
  { name, values: { secrets }, written }: Pick<Import, "name" | "values" | "written">,
  file: string,
  run: readonly string[],
  requests: readonly (readonly string[])[] = [],
): string {
  const asked = [
    ...requests,
    ...[...secrets].map((id) => [
      'kind = "secret"',
      `id = ${quoted(id)}`,
      `reason = "${written.has(id) ? "its own, written out where the server is listed" : "its server reads it"}"`,
    ]),
  ];
  return [
    `id = ${quoted(name)}`,
    `description = ${quoted(`The MCP server ${name}, from ${file}.`)}`,
    "",
    "[run]",
    ...run,
    ...asked.flatMap((lines) => ["", "[[capability]]", ...lines]),
    "",
    "# It can reach nothing else. List what it needs here; you are shown the reason:",
    "# [[capability]]",
    '# kind = "files"           # and: read, write, execute = true',
    "# read = true",
    '# reason = "it searches the workspace"',
    "#",
    "# [[capability]]",
    '# kind = "network"',
    '# hosts = ["api.example.com"]',
    '# purpose = "its service"',
    '# reason = "it asks its service"',
    "",
  ].join("\n");
}

function table(name: string, values: Readonly<Record<string, string>>): readonly string[] {
  const lines = Object.entries(values).map(([key, value]) => `${key} = ${quoted(value)}`);
  return lines.length === 0 ? [] : ["", `[${name}]`, ...lines];
}

/** JSON's strings are TOML's. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

function serversIn(config: unknown): Table {
  for (const path of LISTS) {
    let found: unknown = config;
    for (const key of path) found = isTable(found) && Object.hasOwn(found, key) ? found[key] : undefined;
    if (isTable(found)) return { ...ofProjects(config), ...found };
  }
  return isTable(config) ? { ...config, ...ofProjects(config) } : {};
}

/** Those of single folders, in the state of an agent. */
function ofProjects(config: unknown): Table {
  const projects = isTable(config) && isTable(config.projects) ? Object.values(config.projects) : [];
  const lists = projects.flatMap((each) =>
    isTable(each) && isTable(each.mcpServers) ? [each.mcpServers] : [],
  );
  return Object.assign({}, ...lists) as Table;
}

function refused(problem: string): ImportedServer {
  return { ok: false, problem };
}
