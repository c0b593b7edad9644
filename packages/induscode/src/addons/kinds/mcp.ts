// An MCP server as an addon: `[run] mcp` of a manifest names its program, `[run] mcp-url` its address. `runners/mcp/mcp-addon` offers its
// tools, in a process of its own that is confined like any other addon's; the server's program runs in the same sandbox.

import { dirname } from "node:path";
import { credentialsIn, isCredentialName } from "indusagi/core";
import { covers, coversHost, coversPort, hostOfUrl, leavesSandbox } from "../../feature/capabilities.ts";
import type { HostCapability } from "../../feature/descriptor.ts";
import { type AddonSource, LoaderError, type McpServer } from "../contract.ts";
import { type AddonProgram, type CodeAddon, worksForPrograms } from "../process/contract.ts";
import { SERVER_START_MS } from "../process/first-exchange.ts";
import { bundledAddon, runnerFile } from "../runners/runner-file.ts";
import { systemBrowser } from "../sandbox/browser-places.ts";
import type { Sandbox } from "../sandbox/contract.ts";
import { NODE_RESERVED_BYTES } from "../sandbox/process-limits.ts";
import { type ProgramSearch, programOnPath } from "../sandbox/program-on-path.ts";
import { fetcherAdvice } from "../source/fetchers.ts";
import type { AddonDescriptor, RunDescriptor } from "../source/manifest.ts";
import { realPath } from "../source/on-disk.ts";
import { declaredParts } from "./declared-parts.ts";
import { findProgram } from "./find-program.ts";
import { findCommand } from "./process.ts";

/** Of each of its processes, beside what Node reserves. */
const DEFAULT_MEMORY_MB = 512;
const HTTPS_PORT = 443;
/** The variable of the folder of its own. */
const OWN_FOLDER = "HOME";
/** A server that is a program of Node may have a worker thread, for which as much is reserved as for the first. */
const ISOLATES = 2;
const NOT_COMPILED = "-";

type McpDescriptor = AddonDescriptor & {
  readonly run: Extract<RunDescriptor, { readonly kind: "mcp" }>;
};

interface ServerPlace {
  readonly workspace: string;
  /** The person's variables, for `${NAME:-text}`. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The addon of a manifest with `[run] mcp` or `mcp-url`. Throws a {@link LoaderError} if the rest of it does not fit. */
export function describeMcp(source: AddonSource, descriptor: McpDescriptor, place: ServerPlace): CodeAddon {
  const { id, run } = descriptor;
  if (id.includes("__") || id.endsWith("_")) {
    const detail = `the id ${JSON.stringify(id)} has "__" or ends in "_", so permission rules would take its tools for those of another MCP server: rename it`;
    throw new LoaderError({ kind: "invalid", path: source.path }, detail);
  }
  const problem = defaultProblem(run.server) ?? secretProblem(descriptor) ?? hostProblem(descriptor);
  if (problem !== undefined)
    throw new LoaderError({ kind: "invalid", path: source.path }, `[run]: ${problem}`);
  return {
    runtime: "mcp",
    source,
    id,
    hasDeclaredId: true,
    ...declaredParts(descriptor),
    runs: inWords(run.server),
    loginUrl: "url" in run.server ? run.server.url : undefined,
    warnings: withheldDefaults(run.server, place.env),
    ...("url" in run.server || asksToLeave(descriptor) ? {} : adviceOn(run.server.command)),
    program: async ({ grants }) => mcpProgram(source.root, run, { ...place, grants }),
  };
}

function mcpProgram(
  root: string,
  { server, memoryMb = DEFAULT_MEMORY_MB, startSeconds }: McpDescriptor["run"],
  { workspace, env, grants }: ServerPlace & { readonly grants: readonly HostCapability[] },
): AddonProgram {
  const runner = runnerFile("module-runner");
  const addon = bundledAddon("mcp-addon");
  const chosen = withDefaults(server, env);
  const search = leavesSandbox(grants) ? { path: env.PATH, workspace } : undefined;
  const found = "url" in chosen ? chosen : inWorkspace(chosen, { root, workspace, search });
  const roots = grants.some((grant) => grant.kind === "files" && (grant.read || grant.write))
    ? [workspace]
    : [];
  const writes = grants.some((grant) => grant.kind === "files" && grant.write);
  const mayAsk = grants.some((grant) => grant.kind === "ui" && grant.ask);
  const maySample = grants.some(({ kind }) => kind === "sampling");
  const startMs = startSeconds === undefined ? SERVER_START_MS : startSeconds * 1_000;
  return {
    runtime: "mcp",
    argv: [
      process.execPath,
      ...[runner.path, addon, dirname(addon), NOT_COMPILED],
      JSON.stringify({ server: found, cwd: root, roots, writes, mayAsk, maySample, startMs }),
    ],
    cwd: root,
    readable: [root, ...runner.readable, addon, process.execPath].map(realPath),
    isNode: false, // Node's permission flags would hold for the server's program, too
    maxMemoryBytes: memoryMb * 1024 * 1024 + ISOLATES * NODE_RESERVED_BYTES,
  };
}

/** What stands for the session's workspace, in the words of configurations of MCP servers. */
const WORKSPACE = /\$\{workspace(?:Folder|Root)\}/g;
/** And for the folder of a plugin, and for the one that it may write in. */
const PLUGIN_ROOT = /\$\{(?:CLAUDE_)?PLUGIN_ROOT\}/g;
const PLUGIN_DATA = /\$\{(?:CLAUDE_)?PLUGIN_DATA\}/g;

/** A variable of the person's, and what stands for it where it is not set or empty. */
const WITH_DEFAULT = /\$\{([A-Za-z_][A-Za-z0-9_]{0,99}):-([^{}]{0,4096})\}/g;

/** With what the person's variables have. One that holds a secret, whatever its name, counts as not set. */
function withDefaults(server: McpServer, env: ServerPlace["env"]): McpServer {
  const holds = holdsSecret(env);
  const chosen = (text: string): string =>
    text.replace(WITH_DEFAULT, (_, name: string, given: string) => {
      const value = env[name] ?? "";
      return value === "" || holds(value) ? given : value;
    });
  const inTable = (texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, chosen(text)]));
  return "url" in server
    ? { ...server, headers: inTable(server.headers) }
    : { ...server, command: server.command.map(chosen), env: inTable(server.env) };
}

/** Whether a value has a credential of these variables in it, under whatever name. */
export function holdsSecret(env: ServerPlace["env"]): (value: string) => boolean {
  const secrets = credentialsIn(env).map(({ value }) => value);
  return (value) => secrets.some((secret) => value.includes(secret));
}

/** The variables that such texts name. */
function variablesWithDefault(server: McpServer): readonly string[] {
  const texts =
    "url" in server
      ? [server.url, ...Object.values(server.headers)]
      : [...server.command, ...Object.values(server.env)];
  const names = texts.flatMap((text) => [...text.matchAll(WITH_DEFAULT)].map(([, name = ""]) => name));
  return [...new Set(names)];
}

/** A credential is requested, and granted by its name. */
function defaultProblem(server: McpServer): string | undefined {
  const name = variablesWithDefault(server).find(isCredentialName);
  if (name === undefined) return undefined;
  return `\${${name}:-…} names a credential, which has no default: write \${${name}}, and add [[capability]] with kind = "secret" and id = ${JSON.stringify(name)}`;
}

function withheldDefaults(server: McpServer, env: ServerPlace["env"]): readonly string[] {
  const holds = holdsSecret(env);
  const withheld = variablesWithDefault(server).filter((name) => holds(env[name] ?? ""));
  return withheld.map(
    (name) =>
      `[run]: ${name} is not read, because its value holds a secret: its default is used. To hand it over, request it as a secret`,
  );
}

interface InWorkspace {
  readonly root: string;
  readonly workspace: string;
  /** Where a program that runs outside of the sandbox is looked for, too. */
  readonly search: ProgramSearch | undefined;
}

function inWorkspace(
  { command, env }: Extract<McpServer, { readonly command: readonly string[] }>,
  { root, workspace, search }: InWorkspace,
): McpServer {
  const placed = (text: string): string =>
    text
      .replace(WORKSPACE, () => workspace)
      .replace(PLUGIN_ROOT, () => root)
      .replace(PLUGIN_DATA, `\${${OWN_FOLDER}}`);
  const values = Object.entries(env).map(([name, value]) => [name, placed(value)] as const);
  return { command: commandOf(root, command.map(placed), search), env: Object.fromEntries(values) };
}

function asksToLeave({ capabilities }: McpDescriptor): boolean {
  return leavesSandbox(capabilities.map(({ capability }) => capability));
}

function adviceOn([name = ""]: readonly string[]): Pick<CodeAddon, "advice"> {
  const advice = fetcherAdvice(name);
  return advice === undefined ? {} : { advice };
}

/** Many servers are scripts of Node: they get the one that is here. */
function commandOf(
  root: string,
  [name = "", ...args]: readonly string[],
  search: ProgramSearch | undefined,
): readonly string[] {
  if (name === "node") return [process.execPath, ...args];
  const onPath = search === undefined || name.includes("/") ? undefined : programOnPath(name, search);
  if (onPath !== undefined) return [onPath, ...args];
  const advice = findProgram(name) === undefined ? fetcherAdvice(name) : undefined;
  if (advice === undefined) return findCommand(root, "mcp", [name, ...args]);
  throw new LoaderError({ kind: "invalid", path: root }, `[run] mcp: there is no ${name} here. ${advice}`);
}

/** Why its server cannot have the network that it requires; undefined if it can. */
export function networkProblem(
  code: Pick<CodeAddon, "runtime" | "capabilities">,
  { levelFor }: Pick<Sandbox, "levelFor">,
): string | undefined {
  const needs =
    worksForPrograms(code) &&
    code.capabilities.some((each) => each.required && each.capability.kind === "network");
  if (!needs || levelFor({ isNode: false }) !== "landlock") return undefined;
  return "the program that it starts needs the network, which only the bubblewrap sandbox can provide; this machine has Landlock. Install bubblewrap, or set required = false for the network capability to run the program without a network";
}

/** Why it cannot have the browser that it requires; undefined if it can. */
export function browserProblem(
  code: Pick<CodeAddon, "capabilities">,
  { levelFor }: Pick<Sandbox, "levelFor">,
): string | undefined {
  const needs = code.capabilities.some((each) => each.required && each.capability.kind === "browser");
  if (!needs) return undefined;
  if (levelFor({ isNode: false }) === "landlock")
    return "it needs a browser, which works only in the sandbox bubblewrap; this machine has Landlock. Install bubblewrap";
  const { path, found = "there is none" } = systemBrowser();
  if (path !== undefined) return undefined;
  return `it needs a browser, and ${found}: install chromium (for instance: apt install chromium)`;
}

function inWords(server: McpServer): string {
  if ("url" in server) return `the MCP server at ${server.url}`;
  const variables = Object.entries(server.env).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const words = server.command.map((word) => JSON.stringify(word)).join(" ");
  return `the MCP server ${words}${variables.length === 0 ? "" : ` with ${variables.join(" ")}`}`;
}

/** `${NAME}` that would stay empty. */
function secretProblem({ run: { server }, capabilities }: McpDescriptor): string | undefined {
  const values = "url" in server ? [...Object.values(server.headers), server.url] : Object.values(server.env);
  const named = values.flatMap((value) =>
    [...withoutPlaces(value).matchAll(/\$\{([^}]{0,200})\}/g)].map(([, name = ""]) => name),
  );
  const requested = capabilities.map(({ capability }) => capability);
  const id = named.find((name) => name !== OWN_FOLDER && !covers(requested, { kind: "secret", id: name }));
  if (id === undefined) return undefined;
  return `\${${id}} stands for a secret that the manifest does not request: add [[capability]] with kind = "secret" and id = ${JSON.stringify(id)}`;
}

function withoutPlaces(value: string): string {
  return [WORKSPACE, PLUGIN_ROOT, PLUGIN_DATA, WITH_DEFAULT].reduce(
    (text, place) => text.replace(place, ""),
    value,
  );
}

function hostProblem({ run: { server }, capabilities }: McpDescriptor): string | undefined {
  if (!("url" in server)) return undefined;
  const url = new URL(server.url);
  const host = hostOfUrl(url);
  const hosts = capabilities.flatMap(({ capability }) =>
    capability.kind === "network" ? capability.hosts : [],
  );
  const isRequested = hosts.some((each) =>
    host === url.hostname
      ? coversHost(each, host) || coversPort(each, host, HTTPS_PORT)
      : coversPort(each, url.hostname, Number(host.slice(url.hostname.length + 1))),
  );
  if (isRequested) return undefined;
  return `"mcp-url" is at ${host}, which the manifest does not request: add [[capability]] with kind = "network" and hosts = [${JSON.stringify(host)}]`;
}
