// A server on the loopback that speaks all four wires, answers from a script, and refuses with 400 what the real provider would
// refuse. It signs each thought and requires the proofs back.

import { createHash } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { WireName } from "../../../packages/indusagi/src/llmgateway/wires/table.ts";
import { type CachedWire, type CacheUse, createPromptCache } from "../prompt-cache.ts";
import { countedWire, countRefusal } from "./counts.ts";
import { createIssued, type Issued, type Loose, REFUSALS } from "./rules.ts";

/** What the model answers. */
export interface StrictTurn {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: unknown }[];
  /** Sent before the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of it: the connection breaks in the middle of the answer, or the request is rejected for now. */
  readonly trouble?: "cut" | "busy";
}

export interface StrictServer {
  readonly url: string;
  /** Every accepted request. */
  readonly bodies: readonly Loose[];
  readonly headers: readonly Readonly<Record<string, unknown>>[];
  readonly paths: readonly string[];
  /** Every refusal, in order. */
  readonly refusals: readonly string[];
  /** How much of each request a prompt cache would have held. */
  readonly cache: readonly CacheUse[];
  /** Every accepted count request. */
  readonly counts: readonly Loose[];
  readonly close: () => Promise<void>;
}

const CACHED: Readonly<Record<WireName, CachedWire>> = {
  chat: "openai",
  gemini: "gemini",
  messages: "anthropic",
  responses: "responses",
};

function wireOf(path: string): WireName | undefined {
  if (path.endsWith("/chat/completions")) return "chat";
  if (path.endsWith("/responses")) return "responses";
  if (path.endsWith("/messages") || path.endsWith(":streamRawPredict")) return "messages";
  return path.endsWith(":streamGenerateContent?alt=sse") ? "gemini" : undefined;
}

/** Starts the server; `script` is called for each accepted request, `isAllowed` says whether its headers are accepted. */
export async function startStrictServer(
  script: (index: number, body: Loose) => StrictTurn,
  isAllowed: (headers: IncomingHttpHeaders) => boolean = () => true,
  countOf?: (body: Loose) => number | undefined,
): Promise<StrictServer> {
  const counts: Loose[] = [];
  const bodies: Loose[] = [];
  const headers: Readonly<Record<string, unknown>>[] = [];
  const paths: string[] = [];
  const refusals: string[] = [];
  const uses: CacheUse[] = [];
  const issued = createIssued();
  const cache = createPromptCache();
  let index = 0;
  const server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      const path = request.url ?? "";
      const counted = countOf && countedWire(path);
      const wire = counted ?? wireOf(path);
      if (!wire) return refuse(response, 404, `no such path ${request.url}`);
      if (!isAllowed(request.headers)) {
        refusals.push("not authenticated");
        return refuse(response, 401, "Request had invalid authentication credentials.");
      }
      const body = JSON.parse(Buffer.concat(chunks as Buffer[]).toString("utf8")) as Loose;
      const problem = (counted ? countRefusal : refusalOn)(wire, body, issued, path);
      if (problem !== undefined) {
        refusals.push(problem);
        return refuse(response, 400, problem);
      }
      if (counted) {
        counts.push(body);
        const count = countOf?.(body);
        if (count === undefined) return undefined; // no answer comes
        response.writeHead(200, { "content-type": "application/json" });
        return response.end(
          JSON.stringify(wire === "gemini" ? { totalTokens: count } : { input_tokens: count }),
        );
      }
      bodies.push(body);
      headers.push(request.headers);
      paths.push(path);
      uses.push(cache.take({ wire: CACHED[wire], body }));
      const at = index++;
      const turn = script(at, body);
      if (turn.trouble === "busy") return refuse(response, 429, "slow down", { "retry-after-ms": "5" });
      const frames = FRAMES[wire](proven(turn, at), issued, Math.ceil((uses.at(-1)?.total ?? 0) / 4));
      response.writeHead(200, { "content-type": "text/event-stream", ...turn.headers });
      if (turn.trouble !== "cut") return response.end(frames.join(""));
      response.write(frames.slice(0, Math.ceil(frames.length / 2)).join(""));
      return setImmediate(() => response.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    headers,
    paths,
    refusals,
    cache: uses,
    counts,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const refusalOn: typeof countRefusal = (wire, ...asked) => REFUSALS[wire](...asked);

function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ error: { message, type: "invalid_request_error" } }));
}

interface ProvenTurn {
  readonly at: number;
  readonly thinking: string | undefined;
  readonly proof: string;
  readonly text: string | undefined;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
}

function proven({ thinking, text, calls = [] }: StrictTurn, at: number): ProvenTurn {
  const proof = createHash("sha256").update(`${at} ${thinking}`).digest("base64");
  return { at, thinking, proof, text, calls: calls.map((call, n) => ({ ...call, id: `call_${at}_${n}` })) };
}

function issue({ thinking, proof, calls }: ProvenTurn, issued: Issued): void {
  if (thinking === undefined) return;
  issued.thoughts.set(proof, thinking);
  for (const { id } of calls) issued.proofOfCall.set(id, proof);
}

type Frames = (turn: ProvenTurn, issued: Issued, promptTokens: number) => readonly string[];

const FRAMES: Readonly<Record<WireName, Frames>> = {
  messages(turn, issued, promptTokens) {
    issue(turn, issued);
    const frames = [
      event({
        type: "message_start",
        message: { role: "assistant", content: [], usage: { input_tokens: promptTokens } },
      }),
    ];
    let index = 0;
    const block = (start: Loose, deltas: readonly Loose[]): void => {
      frames.push(event({ type: "content_block_start", index, content_block: start }));
      for (const delta of deltas) frames.push(event({ type: "content_block_delta", index, delta }));
      frames.push(event({ type: "content_block_stop", index: index++ }));
    };
    if (turn.thinking !== undefined)
      block({ type: "thinking", thinking: "", signature: "" }, [
        { type: "thinking_delta", thinking: turn.thinking },
        { type: "signature_delta", signature: turn.proof },
      ]);
    if (turn.text !== undefined) block({ type: "text", text: "" }, [{ type: "text_delta", text: turn.text }]);
    for (const { id, name, input } of turn.calls)
      block({ type: "tool_use", id, name, input: {} }, [
        { type: "input_json_delta", partial_json: JSON.stringify(input) },
      ]);
    const stop_reason = turn.calls.length > 0 ? "tool_use" : "end_turn";
    frames.push(event({ type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 20 } }));
    return [...frames, event({ type: "message_stop" })];
  },
  chat(turn, issued, promptTokens) {
    issue(turn, issued);
    const chunk = (delta: Loose, finish_reason: string | null = null): string =>
      event({ choices: [{ index: 0, delta, finish_reason }] });
    const frames = [chunk({ role: "assistant", content: "" })];
    if (turn.thinking !== undefined) frames.push(chunk({ reasoning_content: turn.thinking }));
    if (turn.text !== undefined) frames.push(chunk({ content: turn.text }));
    for (const [index, { id, name, input }] of turn.calls.entries())
      frames.push(
        chunk({
          tool_calls: [{ index, id, type: "function", function: { name, arguments: JSON.stringify(input) } }],
        }),
      );
    frames.push(chunk({}, turn.calls.length > 0 ? "tool_calls" : "stop"));
    frames.push(event({ choices: [], usage: { prompt_tokens: promptTokens, completion_tokens: 20 } }));
    return [...frames, "data: [DONE]\n\n"];
  },
  responses(turn, issued, promptTokens) {
    issue(turn, issued);
    const frames = [event({ type: "response.created", response: { status: "in_progress" } })];
    const output: Loose[] = [];
    const item = (last: Loose, more: Loose): void => {
      const output_index = output.length;
      frames.push(event({ type: "response.output_item.added", output_index, item: { ...last, ...more } }));
      frames.push(event({ type: "response.output_item.done", output_index, item: last }));
      output.push(last);
    };
    if (turn.thinking !== undefined) {
      const summary = [{ type: "summary_text", text: turn.thinking }];
      item(
        { type: "reasoning", id: `rs_${turn.proof}`, summary, encrypted_content: turn.proof },
        { summary: [], encrypted_content: undefined },
      );
    }
    if (turn.text !== undefined) {
      const content = [{ type: "output_text", text: turn.text, annotations: [] }];
      item({ type: "message", id: `msg_${turn.at}`, role: "assistant", content }, { content: [] });
    }
    for (const { id, name, input } of turn.calls)
      item(
        { type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: JSON.stringify(input) },
        { arguments: "" },
      );
    const usage = { input_tokens: promptTokens, output_tokens: 20 };
    return [
      ...frames,
      event({ type: "response.completed", response: { status: "completed", output, usage } }),
    ];
  },
  gemini(turn, issued, promptTokens) {
    issue(turn, issued);
    const parts: Loose[] = [];
    let signed = turn.thinking === undefined ? {} : { thoughtSignature: turn.proof };
    if (turn.thinking !== undefined) parts.push({ text: turn.thinking, thought: true });
    if (turn.text !== undefined) parts.push({ text: turn.text });
    for (const { name, input } of turn.calls) {
      parts.push({ functionCall: { name, args: input }, ...signed });
      signed = {};
    }
    const usageMetadata = { promptTokenCount: promptTokens, candidatesTokenCount: 20 };
    const chunk = (each: readonly Loose[], more: Loose = {}): string =>
      event({ candidates: [{ content: { role: "model", parts: each }, ...more }], usageMetadata });
    return [...parts.map((part) => chunk([part])), chunk([], { finishReason: "STOP" })];
  },
};

function event(data: Loose): string {
  const { type } = data;
  return `${typeof type === "string" ? `event: ${type}\n` : ""}data: ${JSON.stringify(data)}\n\n`;
}
