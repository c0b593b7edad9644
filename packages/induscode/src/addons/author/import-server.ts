// `indus addon import`: an addon of an MCP server that another agent's configuration names. Nothing is started, and what the server may
// reach is left to the person: a configuration does not say it.

import { isAddonId } from "../source/manifest.ts";

/** What the manifest says, and what the person still has to do; or why there is none. */
export type ImportedServer =
  | { readonly ok: true; readonly manifest: string; readonly notes: readonly string[] }
  | { readonly ok: false; readonly problem: string };

type Table = Readonly<Record<string, unknown>>;

/** The keys under which agents list servers; without one of them, the file is the list itself. */
const LISTS: readonly (readonly string[])[] = [
  ["mcpServers"],
  ["servers"],
  ["mcp_servers"],
  ["mcp", "servers"],
  ["mcp"],
];
/** Programs that fetch what they then run. */
const FETCHERS: readonly string[] = ["npx", "bunx", "uvx", "pipx", "docker", "podman"];
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;
const HEADER = /^[A-Za-z0-9-]{1,100}$/;

/** Of the value of a configuration file, the server that is called `name`. */
export function importServer(config: unknown, name: string, file: string): ImportedServer {
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
  const url = found.url ?? found.httpUrl ?? found.serverUrl;
  if (typeof url === "string") return remote(name, url, found, file);
  const { command, args = [] } = found;
  const words = Array.isArray(command) ? command : [command, ...(Array.isArray(args) ? args : [args])];
  if (words.length === 0 || !words.every((word) => typeof word === "string"))
    return refused(`the server ${name} in ${file} has neither a "command" with "args" nor a "url"`);
  return local(name, words, found, file);
}

function local(name: string, words: readonly string[], server: Table, file: string): ImportedServer {
  const env = valuesOf(server.env ?? server.environment, VARIABLE);
  const [program = "", ...args] = words;
  const notes = [
    ...env.notes,
    ...(server.cwd === undefined ? [] : ["it runs in the addon's folder: its cwd is not taken"]),
    ...words.flatMap((word) =>
      /\$\{/.test(word) ? [`${JSON.stringify(word)} is taken as it is: put the value there`] : [],
    ),
    ...(FETCHERS.includes(program) ? [fetcherNote(program, name, args)] : []),
  ];
  const run = [`mcp = [${words.map(quoted).join(", ")}]`, ...table("run.env", env.values)];
  return { ok: true, manifest: manifestOf(name, file, run, env.secrets), notes };
}

function fetcherNote(program: string, name: string, args: readonly string[]): string {
  const what = args.find((word) => !word.startsWith("-")) ?? "PACKAGE";
  const how =
    program === "npx"
      ? `npm install --prefix .indus/addons/${name} ${what}`
      : `install ${what} into the addon's folder`;
  return `${program} fetches a program at each start, which the sandbox does not let it: ${how}, and name its file in "mcp"`;
}

function remote(name: string, url: string, server: Table, file: string): ImportedServer {
  const { type } = server;
  if (type === "sse" || type === "ws")
    return refused(`the server ${name} in ${file} is of the type ${type}; indus speaks streamable HTTP`);
  const host = URL.parse(url)?.hostname;
  if (!host) return refused(`the "url" of the server ${name} in ${file} is not a URL`);
  const headers = valuesOf(server.headers ?? server.http_headers, HEADER);
  const notes = [
    ...headers.notes,
    ...(server.oauth === undefined ? [] : ["indus does not log in to it: give it a token in a header"]),
  ];
  const run = [`mcp-url = ${quoted(url)}`, ...table("run.headers", headers.values)];
  const network = [
    'kind = "network"',
    `hosts = [${quoted(host)}]`,
    'purpose = "the MCP server"',
    'reason = "its server is there"',
  ];
  return { ok: true, manifest: manifestOf(name, file, run, headers.secrets, [network]), notes };
}

interface Values {
  readonly values: Readonly<Record<string, string>>;
  /** The variables that they name. */
  readonly secrets: readonly string[];
  readonly notes: readonly string[];
}

/** `${NAME}` stays, for a secret; `${NAME:-text}` becomes the text. */
function valuesOf(given: unknown, names: RegExp): Values {
  const values: Record<string, string> = {};
  const secrets = new Set<string>();
  const notes: string[] = [];
  for (const [name, value] of Object.entries(isTable(given) ? given : {})) {
    if (!names.test(name) || (typeof value !== "string" && typeof value !== "number")) {
      notes.push(`${JSON.stringify(name)} is left out: it is no name with a text`);
      continue;
    }
    values[name] = String(value).replace(/\$\{([^}]{0,4096})\}/g, (whole, inner: string) => {
      const [variable = "", ...text] = inner.replace(/^env:/, "").split(":-");
      if (text.length > 0) return text.join(":-");
      if (VARIABLE.test(variable)) secrets.add(variable);
      else notes.push(`${whole} in ${name} is not known here: put the value there`);
      return `\${${variable}}`;
    });
  }
  return { values, secrets: [...secrets], notes };
}

function manifestOf(
  name: string,
  file: string,
  run: readonly string[],
  secrets: readonly string[],
  requests: readonly (readonly string[])[] = [],
): string {
  const asked = [
    ...requests,
    ...secrets.map((id) => ['kind = "secret"', `id = ${quoted(id)}`, 'reason = "its server reads it"']),
  ];
  return [
    `id = ${quoted(name)}`,
    `description = ${quoted(`The MCP server ${name}, from ${file}.`)}`,
    "",
    "[run]",
    ...run,
    ...asked.flatMap((lines) => ["", "[[capability]]", ...lines]),
    "",
    "# It may reach nothing else. What it needs stands here, and you are shown the reason:",
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

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refused(problem: string): ImportedServer {
  return { ok: false, problem };
}
