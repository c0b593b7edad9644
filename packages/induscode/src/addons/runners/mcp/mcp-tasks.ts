// A tool of an MCP server that can only be called as a task (revision 2025-11-25): the server answers with the task at once, and with its
// result when that is there.

import { type Client, ProtocolError } from "@modelcontextprotocol/client";
import { delay, type JsonObject } from "indusagi/core";
import type { ToolRunContext } from "../../kit/contract.ts";
import { isTable, type Table } from "../table-value.ts";
import { NO_TIMEOUT_MS } from "./mcp-lists.ts";
import { realAnswer } from "./mcp-stand-ins.ts";

/** How long the server keeps the task: as long as any call may take. */
const KEPT_MS = 3_600_000;
const POLL_MS = { least: 250, usual: 1_000, most: 10_000 } as const;
const INTERNAL_ERROR = -32_603;

/** The result of the call, as the server gives it. */
export async function callAsTask(
  client: Client,
  name: string,
  args: JsonObject,
  { signal, progress }: Pick<ToolRunContext, "signal" | "progress">,
): Promise<unknown> {
  const options = { signal, timeout: NO_TIMEOUT_MS };
  const params = { name, arguments: args, task: { ttl: KEPT_MS } };
  const begun = realAnswer(await client.request({ method: "tools/call", params }, options));
  const task = isTable(begun) && isTable(begun.task) ? begun.task : undefined;
  if (task === undefined) return begun; // it answered at once
  const { taskId } = task;
  if (typeof taskId !== "string") throw new ProtocolError(INTERNAL_ERROR, "the server's task has no id");
  const ended = new AbortController();
  const cancel = (): void => void ask(client, "tasks/cancel", taskId, {}).catch(() => undefined);
  signal.addEventListener("abort", cancel, { once: true });
  const telling = tell(task);
  try {
    return await ask(client, "tasks/result", taskId, options);
  } finally {
    ended.abort();
    signal.removeEventListener("abort", cancel);
    await telling;
  }

  /** What it is doing meanwhile; a call that is slow to say so is none the worse. */
  async function tell(first: Table): Promise<void> {
    try {
      for (let state = first; ; ) {
        await delay(pauseOf(state), ended.signal);
        const found = await ask(client, "tasks/get", taskId as string, { signal: ended.signal });
        const before = state;
        state = isTable(found) ? found : {};
        if (!TOLD.every((field) => state[field] === before[field])) progress(wordsOf(state));
      }
    } catch {
      return; // the result says what there is to say
    }
  }
}

/** A task in which none of these changes makes no progress. */
const TOLD = ["status", "statusMessage", "lastUpdatedAt"] as const;

function wordsOf({ status, statusMessage }: Table): string {
  return [status, statusMessage].filter((text) => typeof text === "string").join(": ");
}

function pauseOf({ pollInterval }: Table): number {
  const wanted = typeof pollInterval === "number" ? pollInterval : POLL_MS.usual;
  return Math.min(Math.max(wanted, POLL_MS.least), POLL_MS.most);
}

type TaskMethod = "tasks/get" | "tasks/result" | "tasks/cancel";

async function ask(
  client: Client,
  method: TaskMethod,
  taskId: string,
  options: { readonly signal?: AbortSignal },
): Promise<unknown> {
  return client.request({ method, params: { taskId } }, ANYTHING, { ...options, timeout: NO_TIMEOUT_MS });
}

/** The library knows no result of these questions: whatever comes is read here. */
const ANYTHING = {
  "~standard": {
    version: 1,
    vendor: "indus",
    validate: (value: unknown) => ({ value }),
  },
} as const;
