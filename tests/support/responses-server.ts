// A server on the loopback that implements the documented Responses API and refuses what the real one refuses: unknown
// fields, efforts that a model does not have, thoughts without what they led to, calls without outputs.

import { createHash } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Loose = Readonly<Record<string, unknown>>;

export interface ResponsesTurn {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: unknown }[];
}

export interface ResponsesServer {
  readonly url: string;
  readonly bodies: readonly Loose[];
  /** Every refusal, in order. */
  readonly refusals: readonly string[];
  /** Bytes of the prompt, and how many of them were the beginning of an earlier request with the same cache key. */
  readonly cache: { read: number; total: number };
  readonly close: () => Promise<void>;
}

const EFFORTS: Readonly<Record<string, readonly string[]>> = {
  "gpt-5.6-sol": ["none", "low", "medium", "high", "xhigh", "max"],
  "gpt-6.2-sol": ["low", "medium", "high", "xhigh", "max"],
  "gpt-6.1-sol": ["low", "medium", "high", "xhigh", "max"],
  "gpt-6-astra": ["low", "medium", "high", "xhigh", "max"],
  "gpt-5.5": ["none", "low", "medium", "high", "xhigh"],
  "gpt-5": ["minimal", "low", "medium", "high"],
};

const FIELDS: ReadonlySet<string> = new Set([
  ...["model", "stream", "store", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls"],
  ...["reasoning", "include", "prompt_cache_key", "max_output_tokens", "temperature", "text", "metadata"],
]);

const PARTS: Readonly<Record<string, readonly string[]>> = {
  user: ["input_text", "input_image", "input_file"],
  assistant: ["output_text", "refusal"],
};

/** Why the real server would answer 400; undefined for a body that it accepts. */
export function responsesRefusal(body: Loose): string | undefined {
  const unknown = Object.keys(body).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) return `Unknown parameter: '${unknown}'.`;
  const model = String(body.model);
  const { effort } = (body.reasoning ?? {}) as { readonly effort?: string };
  const efforts = EFFORTS[model];
  if (!efforts) return `The model '${model}' does not exist`;
  if (effort !== undefined && !efforts.includes(effort))
    return `Unsupported value: '${effort}' is not supported with the '${model}' model. Supported values are: ${efforts.join(", ")}.`;
  if (body.temperature !== undefined)
    return "Unsupported parameter: 'temperature' is not supported with this model.";
  for (const tool of (body.tools ?? []) as readonly Loose[]) {
    if (tool.type !== "function" || typeof tool.name !== "string")
      return "Missing required parameter: 'tools[0].name'.";
  }
  return inputRefusal(body.input as readonly Loose[], body.store === false);
}

function inputRefusal(input: readonly Loose[], isStateless: boolean): string | undefined {
  if (!Array.isArray(input) || input.length === 0) return "Missing required parameter: 'input'.";
  const open = new Set<string>();
  for (const [at, item] of input.entries()) {
    const after = input[at + 1];
    if (item.type === "reasoning") {
      if (!Array.isArray(item.summary)) return `Missing required parameter: 'input[${at}].summary'.`;
      if (isStateless && !item.encrypted_content)
        return `Item with id '${String(item.id)}' not found. Items are not persisted when \`store\` is set to false.`;
      const follows =
        after?.type === "function_call" || after?.type === "reasoning" || after?.role === "assistant";
      if (!follows)
        return `Item '${String(item.id)}' of type 'reasoning' was provided without its required following item.`;
    } else if (item.type === "function_call") {
      if (typeof item.arguments !== "string") return `Invalid type for 'input[${at}].arguments'.`;
      open.add(String(item.call_id));
    } else if (item.type === "function_call_output") {
      if (!open.delete(String(item.call_id)))
        return `No tool call found for function call output with call_id ${String(item.call_id)}.`;
    } else if (item.role === "user" || item.role === "assistant") {
      const allowed = PARTS[item.role] ?? [];
      const wrong = (item.content as readonly Loose[]).find(({ type }) => !allowed.includes(String(type)));
      if (wrong)
        return `Invalid value: '${String(wrong.type)}'. Supported values are: ${allowed.join(", ")}.`;
    } else return `Invalid value: 'input[${at}]'.`;
  }
  return open.size > 0 ? `No tool output found for function call ${[...open][0]}.` : undefined;
}

/** Starts a server that answers one turn after the other. */
export async function startResponsesServer(
  script: (index: number, body: Loose) => ResponsesTurn,
): Promise<ResponsesServer> {
  const bodies: Loose[] = [];
  const refusals: string[] = [];
  const cache = { read: 0, total: 0 };
  const kept = new Set<string>();
  let index = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.url !== "/v1/responses") return refuse(response, 404, `no such path ${request.url}`);
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Loose;
      const problem = responsesRefusal(body);
      if (problem !== undefined) {
        refusals.push(problem);
        return refuse(response, 400, problem);
      }
      bodies.push(body);
      count(body, kept, cache);
      return answer(response, script(index++, body), { body, index });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    refusals,
    cache,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(
    JSON.stringify({ error: { message, type: "invalid_request_error", param: null, code: null } }),
  );
}

/** The prompt, in the order in which it is cached; every prefix is kept, separately for each key. */
function count(body: Loose, kept: Set<string>, cache: { read: number; total: number }): void {
  const hash = createHash("sha256").update(String(body.prompt_cache_key));
  const parts = [...((body.tools ?? []) as unknown[]), body.instructions, ...(body.input as unknown[])];
  let total = 0;
  let read = 0;
  for (const part of parts) {
    const bytes = JSON.stringify(part) ?? "";
    total += Buffer.byteLength(bytes);
    const prefix = hash.update(bytes).update("\0").copy().digest("hex");
    if (kept.has(prefix)) read = total;
    kept.add(prefix);
  }
  cache.total += total;
  cache.read += read;
}

function answer(
  response: ServerResponse,
  turn: ResponsesTurn,
  { body, index }: { readonly body: Loose; readonly index: number },
): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type: string, more: Loose): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
  };
  const output: Loose[] = [];
  send("response.created", { response: { id: `resp_${index}`, status: "in_progress", output: [] } });
  const item = (first: Loose, last: Loose, between: (at: number) => void): void => {
    const at = output.length;
    send("response.output_item.added", { output_index: at, item: first });
    between(at);
    send("response.output_item.done", { output_index: at, item: last });
    output.push(last);
  };
  if (turn.thinking !== undefined) {
    const isAsked = ((body.include ?? []) as string[]).includes("reasoning.encrypted_content");
    const id = `rs_${index}`;
    const proof = isAsked ? { encrypted_content: `proof-${index}` } : {};
    const summary = [{ type: "summary_text", text: turn.thinking }];
    item({ type: "reasoning", id, summary: [] }, { type: "reasoning", id, summary, ...proof }, (at) =>
      send("response.reasoning_summary_text.delta", { item_id: id, output_index: at, delta: turn.thinking }),
    );
  }
  for (const [n, { name, input }] of (turn.calls ?? []).entries()) {
    const call = { type: "function_call", id: `fc_${index}_${n}`, call_id: `call_${index}_${n}`, name };
    const args = JSON.stringify(input);
    item({ ...call, arguments: "" }, { ...call, arguments: args, status: "completed" }, (at) =>
      send("response.function_call_arguments.delta", { item_id: call.id, output_index: at, delta: args }),
    );
  }
  if (turn.text !== undefined) {
    const message = { type: "message", id: `msg_${index}`, role: "assistant" };
    const content = [{ type: "output_text", text: turn.text, annotations: [] }];
    item({ ...message, content: [] }, { ...message, content, status: "completed" }, (at) =>
      send("response.output_text.delta", { item_id: message.id, output_index: at, delta: turn.text }),
    );
  }
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 60 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 10 },
  };
  send("response.completed", { response: { id: `resp_${index}`, status: "completed", output, usage } });
  response.end();
}
