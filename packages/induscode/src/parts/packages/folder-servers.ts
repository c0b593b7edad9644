// The MCP servers that a folder's files of other agents list: seen at a start, and offered once for each content. After a yes each start in
// the folder has them as if `--mcp-config` named the file; each is still asked about as the addon that it becomes.

import { realpathSync } from "node:fs";
import { extname, join } from "node:path";
import { describeError, isInside, printable, readBoundedFile } from "indusagi/core";
import { serversOf } from "../../addons/author/import-server.ts";
import type { Table } from "../../addons/author/imported-shapes.ts";
import { digestOf } from "../../addons/source/entry-marks.ts";
import { createTrust, type Trust } from "../../addons/source/trust.ts";
import type { Invocation } from "../../cli/invocation.ts";
import type { Dialogue } from "../../console/dialogue.ts";
import { printableLine } from "../../console/printable-line.ts";
import { gutter } from "../../console/question-lines.ts";
import type { LineLook } from "../../console/transcript-lines.ts";
import { hostOfUrl } from "../../feature/capabilities.ts";
import { indusHome } from "../../store/home.ts";
import { homePath } from "../../store/home-files.ts";
import { commentedJson } from "../../store/json.ts";
import { parseToml } from "../../store/toml.ts";
import { type LockedPackage, readLock } from "./package-lock.ts";
import { configText } from "./package-source.ts";
import { readServerCommand } from "./server-command.ts";
import { serverFilesIn, TEAM_LOCK } from "./server-files.ts";
import type { ServerList } from "./servers-for-run.ts";

export interface FolderFacts {
  /** The working directory, as a real path. */
  readonly cwd: string;
  /** Absent where nobody can be asked. */
  readonly console?: Pick<Dialogue, "look" | "confirm" | "leave"> | undefined;
}

export interface FolderServers {
  /** Those that are used, of each file. */
  readonly lists: readonly ServerList[];
  /** A line for each file that is not used because nobody said yes or no, and for what a team has. */
  readonly notices: readonly string[];
}

const MAX_BYTES = 256 * 1024;
const MAX_DEPTH = 50;
const MAX_LISTED = 20;

/** Asks about each file that has not been answered for. */
export async function folderServers(
  { env }: Pick<Invocation, "env">,
  { cwd, console }: FolderFacts,
): Promise<FolderServers> {
  const home = indusHome(env);
  const trust = createTrust({ home });
  const lists: ServerList[] = [];
  const unanswered: string[] = [];
  const notices: string[] = [];
  // A file that is damaged is no reason not to start.
  const locked = (path: string): ReadonlyMap<string, LockedPackage> => {
    try {
      return readLock(path);
    } catch (error) {
      notices.push(printable(describeError(error)));
      return new Map();
    }
  };
  const here = locked(homePath(home, "packagesLock"));
  const added = [...here.values()].map(({ source }) => source);
  for (const name of serverFilesIn(cwd)) {
    const read = await readServerFile(cwd, name).catch((error: unknown) => {
      notices.push(printable(`the MCP servers of ${name} are not used: ${describeError(error)}`));
    });
    if (!read) continue;
    const path = join(cwd, name);
    const servers = read.servers.filter(([server]) => !added.includes(configText(path, server)));
    if (servers.length === 0) continue;
    const hash = digestOf(`servers of ${path}\0${read.text}`);
    const isUsed = await answerFor({ name, path, hash, servers, cwd }, trust, console);
    if (isUsed === true) lists.push({ servers: Object.fromEntries(servers), base: cwd, said: path });
    else if (isUsed === undefined) unanswered.push(`${counted(servers)} of ${name}`);
  }
  if (unanswered.length > 0)
    notices.push(
      `not used: ${unanswered.join(", ")}. Start indus on a terminal in this folder to be asked about them, or name a file with --mcp-config`,
    );
  const missing = [...locked(join(cwd, TEAM_LOCK)).keys()].filter((name) => !here.has(name));
  if (missing.length > 0) notices.push(teamNotice(missing));
  return { lists, notices };
}

interface ReadFile {
  /** All that an answer is about: what is used is read from it, and from nothing that is there later. */
  readonly text: string;
  readonly servers: readonly (readonly [name: string, table: Table])[];
}

/** A repository's file may be anything. */
async function readServerFile(cwd: string, name: string): Promise<ReadFile> {
  const path = join(cwd, name);
  if (!isInside(cwd, realpathSync(path))) throw new Error("it leads out of this folder");
  const text = readBoundedFile(path, MAX_BYTES).toString("utf8");
  const value = extname(name) === ".toml" ? await parseToml(text, MAX_DEPTH) : commentedJson(text);
  if (value === undefined) throw new Error("it is not JSON");
  return { text, servers: Object.entries(serversOf(value)).filter(([, table]) => isServer(table)) };
}

/** In a file of settings, other tables lie beside them. */
function isServer({ command, url, httpUrl, serverUrl }: Table): boolean {
  return (
    Array.isArray(command) || [command, url, httpUrl, serverUrl].some((each) => typeof each === "string")
  );
}

interface ServerFile {
  readonly name: string;
  readonly path: string;
  readonly hash: string;
  readonly servers: readonly (readonly [name: string, table: Table])[];
  readonly cwd: string;
}

/** Undefined if there is no answer. */
async function answerFor(
  file: ServerFile,
  trust: Trust,
  console: FolderFacts["console"],
): Promise<boolean | undefined> {
  const { name, path, hash } = file;
  if (await trust.lookup(hash)) return true;
  if (await trust.refusal(hash)) return false;
  if (console === undefined) return undefined;
  const answer = await console.confirm(question(file, console.look()));
  if (answer === undefined) {
    console.leave(); // that is not a no, which would be remembered
    return undefined;
  }
  const kept = { hash, id: `project:${name}` as const, path };
  if (answer === "yes") await trust.grant({ ...kept, granted: [] });
  else await trust.refuse(kept);
  return answer === "yes";
}

function question({ name, servers, cwd }: ServerFile, look: LineLook): readonly string[] {
  const more = servers.length - MAX_LISTED;
  return [
    `${look.style.warn("?")} Use the MCP servers of ${look.style.bold(name)} in this folder? Each is confined, and you are asked about each.`,
    ...servers
      .slice(0, MAX_LISTED)
      .flatMap(([server, table]) =>
        gutter("server", printableLine(serverInWords(server, table, cwd), 300), look),
      ),
    ...(more > 0 ? gutter("", `and ${more} more`, look) : []),
    "  [y] use them   [n] not these",
  ];
}

/** `tickets: npx -y tickets-mcp; package tickets-mcp; variables TOKEN`. */
function serverInWords(name: string, table: Table, cwd: string): string {
  const { command, args = [], env, environment, envFile, headers } = table;
  const words = [command, args].flat().filter((word) => typeof word === "string");
  const url = [table.httpUrl, table.url, table.serverUrl].find((each) => typeof each === "string");
  const at = url === undefined ? undefined : URL.parse(url);
  const fetched = words.length === 0 ? undefined : readServerCommand(words, cwd);
  const names = (value: unknown): string => Object.keys((value ?? {}) as object).join(", ");
  const parts = [
    words.length > 0 ? words.join(" ") : (url ?? "neither a command nor an address"),
    fetched?.kind === "package" ? `package ${fetched.spec}, fetched without its scripts` : "",
    at ? `host ${hostOfUrl(at)}` : "",
    names(env ?? environment) === "" ? "" : `variables ${names(env ?? environment)}`,
    typeof envFile === "string" ? `variables of the file ${envFile}` : "",
    names(headers) === "" ? "" : `headers ${names(headers)}`,
  ];
  return `${name}: ${parts.filter((part) => part !== "").join("; ")}`;
}

function teamNotice(missing: readonly string[]): string {
  const names = missing.slice(0, MAX_LISTED).map((name) => printableLine(name, 60));
  const more = missing.length > names.length ? ` and ${missing.length - names.length} more` : "";
  return `${TEAM_LOCK} names packages that you do not have: ${names.join(", ")}${more}. indus add adds them, and asks you about each`;
}

function counted(servers: readonly unknown[]): string {
  return `${servers.length} MCP server${servers.length === 1 ? "" : "s"}`;
}
