// The resources of MCP servers that a line names with `@server:uri`: they are sent with it.

import { printable, type SessionScope } from "indusagi/core";
import type { Conductor, UserContent } from "../conductor/contract.ts";
import { SERVER_RESOURCES, type ServerResources } from "../session/server-resources.ts";
import { mentionsIn } from "../tui/complete/files.ts";

const MOST_ATTACHED = 20;

/** With what the lines of a person name; what cannot be attached is an alert, and the line is sent without it. */
export function withResources(conductor: Conductor, session: SessionScope | undefined): Conductor {
  const resources = session?.get(SERVER_RESOURCES);
  if (!resources) return conductor;
  let stop = new AbortController();
  const attach = async (content: UserContent): Promise<UserContent> => {
    stop = new AbortController();
    const { attached, problems } = await resourcesIn(content, resources, stop.signal);
    for (const text of problems) conductor.announce({ kind: "alert", text });
    return [...content, ...attached];
  };
  const names = (content: UserContent): boolean => mentionedIn(content, resources).length > 0;
  return {
    ...conductor,
    submit: async (input) =>
      names(input.content)
        ? conductor.submit({ ...input, content: await attach(input.content) })
        : conductor.submit(input),
    steer(content) {
      if (names(content)) void attach(content).then(conductor.steer);
      else conductor.steer(content);
    },
    abort() {
      stop.abort();
      conductor.abort();
    },
  };
}

/** What the first text names. */
export async function resourcesIn(
  content: UserContent,
  resources: ServerResources,
  signal: AbortSignal,
): Promise<{ readonly attached: UserContent; readonly problems: readonly string[] }> {
  const mentioned = mentionedIn(content, resources);
  const problems: string[] = [];
  const attached: UserContent[number][] = [];
  for (const { server, uri } of mentioned.slice(0, MOST_ATTACHED)) {
    const read = await resources.read(server, uri, signal);
    if ("problem" in read) problems.push(printable(`@${server}:${uri} is not attached: ${read.problem}`));
    else attached.push(...read.content);
  }
  if (mentioned.length > MOST_ATTACHED)
    problems.push(`only the first ${MOST_ATTACHED} of ${mentioned.length} resources are attached`);
  return { attached, problems };
}

interface Mentioned {
  readonly server: string;
  readonly uri: string;
}

function mentionedIn(
  [first]: UserContent,
  resources: Pick<ServerResources, "servers">,
): readonly Mentioned[] {
  if (first?.kind !== "text" || !first.text.includes("@")) return [];
  const servers = new Set(resources.servers());
  return mentionsIn(first.text).flatMap((mention) => {
    const colon = mention.indexOf(":");
    const [server, uri] = [mention.slice(0, colon), mention.slice(colon + 1)];
    return colon > 0 && uri !== "" && servers.has(server) ? [{ server, uri }] : [];
  });
}
