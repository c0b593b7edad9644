// Completes `@server:` and part of a URI: the MCP servers with resources, and what one of them lists.

import { printable } from "indusagi/core";
import type { Completer } from "./contract.ts";
import { mentionAt, mentionOf } from "./files.ts";

export interface ResourceLists {
  readonly servers: () => readonly string[];
  readonly list: (server: string, signal: AbortSignal) => Promise<readonly string[]>;
}

const MOST_SHOWN = 50;

/** Asks a server once, when its name and the colon are typed; `lists` is undefined while there is no session. */
export function createResourceCompleter(lists: () => ResourceLists | undefined): Completer {
  const known = new Map<string, readonly string[]>();
  const closing = new AbortController();
  let listener: (() => void) | undefined;

  function urisOf(server: string, from: ResourceLists): readonly string[] {
    const uris = known.get(server);
    if (uris !== undefined) return uris;
    known.set(server, []);
    void from.list(server, closing.signal).then((found) => {
      known.set(server, found);
      listener?.();
    });
    return [];
  }

  return {
    look(text, cursor) {
      const mention = text.includes("@") ? mentionAt(text, cursor) : undefined;
      const from = mention && lists();
      if (!mention || !from) return undefined;
      const { typed } = mention;
      const servers = from.servers();
      const colon = typed.indexOf(":");
      const server = typed.slice(0, Math.max(colon, 0));
      const isServer = colon > 0 && servers.includes(server);
      const begun = isServer ? [] : servers.filter((name) => typed !== "" && name.startsWith(typed));
      if (!isServer && begun.length === 0) return undefined;
      const uris = isServer ? urisOf(server, from) : [];
      const wanted = typed.slice(colon + 1).toLowerCase();
      const items = isServer
        ? uris
            .filter((uri) => uri.toLowerCase().includes(wanted))
            .map((uri) => ({ shown: printable(uri), put: `${mentionOf(`${server}:${uri}`)} ` }))
        : begun.map((name) => ({
            ...{ shown: `${name}:`, detail: "resources of an MCP server" },
            ...{ put: `@${name}:`, opens: true },
          }));
      return { from: mention.from, to: cursor, items: items.slice(0, MOST_SHOWN) };
    },
    onMore(heard) {
      listener = heard;
    },
    close: () => closing.abort(),
  };
}
