// An MCP server as an addon: `[run] mcp` of a manifest names its program, `[run] mcp-url` its address. `runners/mcp/mcp-addon` offers its
// tools, in a process of its own that is confined like any other addon's; the server's program runs in the same sandbox.

import { dirname } from "node:path";
import { covers, coversHost, coversPort, hostOfUrl } from "../../feature/capabilities.ts";
import type { HostCapability } from "../../feature/descriptor.ts";
import { type AddonSource, LoaderError, type McpServer } from "../contract.ts";
import { type AddonProgram, type CodeAddon, worksForPrograms } from "../process/contract.ts";
import { SERVER_START_MS } from "../process/first-exchange.ts";
import { bundledAddon, runnerFile } from "../runners/runner-file.ts";
import { systemBrowser } from "../sandbox/browser-places.ts";
import type { Sandbox } from "../sandbox/contract.ts";
import { NODE_RESERVED_BYTES } from "../sandbox/process-limits.ts";
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

/** The addon of a manifest with `[run] mcp` or `mcp-url`. Throws a {@link LoaderError} if the rest of it does not fit. */
export function describeMcp(source: AddonSource, descriptor: McpDescriptor, workspace: string): CodeAddon {
  const { id, run } = descriptor;
  if (id.includes("__") || id.endsWith("_")) {
    const detail = `the id ${JSON.stringify(id)} has "__" or ends in "_", so permission rules would take its tools for those of another MCP server: rename it`;
    throw new LoaderError({ kind: "invalid", path: source.path }, detail);
  }
  const problem = secretProblem(descriptor) ?? hostProblem(descriptor);
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
    warnings: [],
    ...("url" in run.server ? {} : adviceOn(run.server.command)),
    program: async ({ grants }) => mcpProgram(source.root, run, { workspace, grants }),
  };
}

function mcpProgram(
  root: string,
  { server, memoryMb = DEFAULT_MEMORY_MB, startSeconds }: McpDescriptor["run"],
  { workspace, grants }: { readonly workspace: string; readonly grants: readonly HostCapability[] },
): AddonProgram {
  const runner = runnerFile("module-runner");
  const addon = bundledAddon("mcp-addon");
  const found = "url" in server ? server : inWorkspace(server, root, workspace);
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

function inWorkspace(
  { command, env }: Extract<McpServer, { readonly command: readonly string[] }>,
  root: string,
  workspace: string,
): McpServer {
  const placed = (text: string): string =>
    text
      .replace(WORKSPACE, () => workspace)
      .replace(PLUGIN_ROOT, () => root)
      .replace(PLUGIN_DATA, `\${${OWN_FOLDER}}`);
  const values = Object.entries(env).map(([name, value]) => [name, placed(value)] as const);
  return { command: commandOf(root, command.map(placed)), env: Object.fromEntries(values) };
}

function adviceOn([name = ""]: readonly string[]): Pick<CodeAddon, "advice"> {
  const advice = fetcherAdvice(name);
  return advice === undefined ? {} : { advice };
}

/** Many servers are scripts of Node: they get the one that is here. */
function commandOf(root: string, [name = "", ...args]: readonly string[]): readonly string[] {
  if (name === "node") return [process.execPath, ...args];
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
  return [WORKSPACE, PLUGIN_ROOT, PLUGIN_DATA].reduce((text, place) => text.replace(place, ""), value);
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
