// What an MCP server lists, page by page, unread: a server that does not know the question has none.

import { type Client, ProtocolError } from "@modelcontextprotocol/client";
import { isTable, kindOf } from "../table-value.ts";
import { realAnswer } from "./mcp-stand-ins.ts";
import { type Asking, askFreely } from "./mcp-start.ts";

/** The host's deadlines apply. */
export const NO_TIMEOUT_MS: number = 2 ** 31 - 1;
const MAX_PAGES = 64;
/** Of all pages: far above what anything here uses of a list. */
const MAX_ENTRIES = 20_000;
const METHOD_NOT_FOUND = -32_601;

/** The lists that servers have, with the key of the entries. */
const LISTS = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
} as const;

export type ListMethod = keyof typeof LISTS;

export interface ServerList {
  readonly entries: readonly unknown[];
  /** Why there may be more; undefined if this is all. */
  readonly cut: string | undefined;
}

/** Rejects with what is wrong with an answer. */
export async function listAll(
  client: Client,
  method: ListMethod,
  asking: Asking = askFreely,
): Promise<ServerList> {
  const key = LISTS[method];
  const entries: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 1; page <= MAX_PAGES && entries.length < MAX_ENTRIES; page++) {
    const question = page === 1 ? method : `${method} (page ${page})`;
    const answer = await asking(question, askPage(client, method, cursor));
    if (answer === undefined) return { entries, cut: undefined };
    const { [key]: found, nextCursor } = isTable(answer) ? answer : {};
    if (!Array.isArray(found))
      throw new Error(`the server's answer to ${question} has no list of ${key}: it is ${kindOf(found)}`);
    for (const entry of found) entries.push(entry);
    // Some servers send an empty one with their last page.
    if (typeof nextCursor !== "string" || nextCursor === "") return { entries, cut: undefined };
    if (cursors.has(nextCursor)) {
      const cut = `page ${page} of the server's ${key} points back to an earlier page: no further pages are read`;
      return { entries, cut };
    }
    cursors.add(nextCursor);
    cursor = nextCursor;
  }
  const most = `${MAX_PAGES} pages or ${MAX_ENTRIES} entries`;
  return { entries, cut: `the server's list of ${key} has more than ${most}: the rest is not read` };
}

async function askPage(client: Client, method: ListMethod, cursor: string | undefined): Promise<unknown> {
  try {
    const params = cursor === undefined ? {} : { cursor };
    return realAnswer(await client.request({ method, params }, { timeout: NO_TIMEOUT_MS }));
  } catch (error) {
    if (error instanceof ProtocolError && error.code === METHOD_NOT_FOUND) return undefined;
    throw error;
  }
}
