import { existsSync } from "node:fs";
import { homeFolder, resolvePath, type SessionScope } from "indusagi/core";
import type { Invocation } from "../cli/invocation.ts";
import { noticeLine } from "../cli/notice-line.ts";
import { EXIT_USAGE, Problem } from "../cli/problem.ts";
import type { UserContent } from "../conductor/contract.ts";
import { parseLine } from "../console/parse-line.ts";
import { type AttachmentPlaces, readAttachments } from "../front/attachments.ts";
import { pipedTask } from "../front/piped-task.ts";
import { SERVER_RESOURCES } from "../session/server-resources.ts";

/** The task of a print run: the words of the command line, then standard input, then the attachments. */
export async function readTask({ words, attachments, env }: Invocation, cwd: string): Promise<UserContent> {
  const places = { cwd, personHome: homeFolder(env) };
  const { text, mentioned } = await pipedTask({ words, hasAttachments: attachments.length > 0, ...places });
  if (text === "" && attachments.length === 0) {
    throw new Problem('no task given: write indus -p "task", or pipe one in', EXIT_USAGE);
  }
  const files = attachments.filter((path) => !isResource(path, places));
  const attached = await readAttachments(files, places);
  return text === "" ? attached : [{ kind: "text", text }, ...attached, ...mentioned];
}

/** With the resources of MCP servers that the command line names with `@server:uri`. Throws a {@link Problem} for an unknown server. */
export async function withNamedResources(
  content: UserContent,
  { words, attachments, env }: Pick<Invocation, "words" | "attachments" | "env">,
  { cwd, session }: { readonly cwd: string; readonly session: SessionScope | undefined },
): Promise<UserContent> {
  const named = attachments.filter((path) => isResource(path, { cwd, personHome: homeFolder(env) }));
  const text = [...words, ...named.map((name) => `@${name}`)].join(" ");
  const resources = text.includes("@") ? session?.get(SERVER_RESOURCES) : undefined;
  if (!resources) return content;
  const servers = resources.servers();
  const unknown = named.find((name) => !servers.some((server) => name.startsWith(`${server}:`)));
  if (unknown !== undefined)
    throw new Problem(`@${unknown} is neither a file nor a resource of an MCP server in this session`);
  const { resourcesIn } = await import("../front/mentioned-resources.ts");
  const said: UserContent = [{ kind: "text", text }];
  const { attached, problems } = await resourcesIn(said, resources, new AbortController().signal);
  for (const problem of problems) process.stderr.write(noticeLine(problem));
  return [...content, ...attached];
}

/** Whether `@path` names a resource of an MCP server, and not a file. */
function isResource(path: string, { cwd, personHome }: AttachmentPlaces): boolean {
  return /^[A-Za-z0-9._-]+:./.test(path) && !existsSync(resolvePath(cwd, path, personHome));
}

/** Whether a task could be a command: only the session knows which exist. */
export function isCommandLine([first]: UserContent): boolean {
  return first?.kind === "text" && parseLine(first.text).kind === "command";
}
