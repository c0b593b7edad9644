// What an MCP server lists, page by page, unread: a server that does not know the question has none.

import { type Client, ProtocolError } from "@modelcontextprotocol/client";
import type { AddonHostServices } from "../../kit/contract.ts";
import { isTable, kindOf } from "../table-value.ts";
import { realAnswer } from "./mcp-stand-ins.ts";

/** The host's deadlines apply. */
export const NO_TIMEOUT_MS: number = 2 ** 31 - 1;
const MAX_PAGES = 64;
const METHOD_NOT_FOUND = -32_601;

/** The lists that servers have, with the key of the entries. */
const LISTS = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
} as const;

export type ListMethod = keyof typeof LISTS;

/** Rejects with what is wrong with an answer. */
export async function listAll(
  client: Client,
  method: ListMethod,
  { diagnostic }: Pick<AddonHostServices, "diagnostic">,
  timeout: number = NO_TIMEOUT_MS,
): Promise<readonly unknown[]> {
  const key = LISTS[method];
  const found: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await ask(client, method, { cursor, timeout });
    if (answer === undefined) return found;
    const { [key]: entries, nextCursor } = isTable(answer) ? answer : {};
    if (!Array.isArray(entries))
      throw new Error(`the server's answer to ${method} has no list of ${key}: it is ${kindOf(entries)}`);
    found.push(...entries);
    if (typeof nextCursor !== "string" || nextCursor === cursor) return found;
    cursor = nextCursor;
  }
  diagnostic("warning", `its server lists its ${key} on more than ${MAX_PAGES} pages; the rest is left out`);
  return found;
}

async function ask(
  client: Client,
  method: ListMethod,
  { cursor, timeout }: { readonly cursor: string | undefined; readonly timeout: number },
): Promise<unknown> {
  try {
    const params = cursor === undefined ? {} : { cursor };
    return realAnswer(await client.request({ method, params }, { timeout }));
  } catch (error) {
    if (error instanceof ProtocolError && error.code === METHOD_NOT_FOUND) return undefined;
    throw error;
  }
}
