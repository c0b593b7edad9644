// The resources of a session's MCP servers, for a person who names one: read through the boundary, like the model's calls.

import { type SessionKey, sessionKey } from "indusagi/core";
import type { UserContent } from "../conductor/contract.ts";
import type { Deck } from "../deck/contract.ts";
import { serverOf } from "../deck/offered-tools.ts";
import type { FeatureRegistry } from "../feature/registry.ts";

/** What a person can attach with `@server:uri`. */
export interface ServerResources {
  /** The servers that have resources. */
  readonly servers: () => readonly string[];
  /** The URIs that a server lists; none if it cannot say. */
  readonly list: (server: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Its content, or why there is none. */
  readonly read: (
    server: string,
    uri: string,
    signal: AbortSignal,
  ) => Promise<{ readonly content: UserContent } | { readonly problem: string }>;
}

/** Where a session keeps them. */
export const SERVER_RESOURCES: SessionKey<ServerResources> = sessionKey("server-resources");

export function createServerResources(
  { tools }: { readonly tools: () => FeatureRegistry["tools"] },
  deck: Pick<Deck, "run">,
): ServerResources {
  let reads = 0;
  const run = async (how: "list" | "read", server: string, input: object, signal: AbortSignal) => {
    const found = tools().find((each) => each.resources === how && serverOf(each) === server);
    if (!found) return undefined;
    return deck.run({ id: `resource-${++reads}`, name: found.tool.name, input: { ...input } }, signal);
  };
  return {
    servers: () => [...new Set(tools().flatMap((each) => (each.resources === "read" ? serverOf(each) : [])))],
    async list(server, signal) {
      const outcome = await run("list", server, {}, signal);
      if (outcome === undefined || outcome.isError) return [];
      return outcome.text.split("\n").flatMap((line) => /^(\S+) - /.exec(line)?.[1] ?? []);
    },
    async read(server, uri, signal) {
      const outcome = await run("read", server, { uri }, signal);
      if (outcome === undefined) return { problem: `there is no MCP server ${server} with resources` };
      const { text, images = [], isError } = outcome;
      if (isError) return { problem: text };
      const marks = `server=${JSON.stringify(server)} uri=${JSON.stringify(uri)}`;
      // What a server writes does not end its own frame.
      const framed = `<resource ${marks}>\n${text.replace(/<\/(?=resource)/gi, "<\\/")}\n</resource>`;
      return { content: [{ kind: "text", text: framed }, ...images] };
    },
  };
}
