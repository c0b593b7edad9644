// A model server on the loopback that speaks both real wires and plays a script, correctly or with faults. Clients reach it
// like a provider: over HTTP, with every byte on the wire.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What goes wrong. `after` counts the deltas of thinking, text and arguments that are sent before it does. */
export type Trouble =
  | {
      readonly kind: "status";
      readonly status: number;
      readonly message?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  | { readonly kind: "cut"; readonly after: number }
  /** The connection ends properly, but before the answer is complete. */
  | { readonly kind: "early_end"; readonly after: number }
  | { readonly kind: "malformed"; readonly after: number; readonly data?: string }
  | { readonly kind: "error_event"; readonly after: number; readonly type: string; readonly message: string }
  | { readonly kind: "slow_start"; readonly delayMs: number }
  /** Answers properly once the test allows it. */
  | { readonly kind: "held"; readonly until: Promise<unknown> }
  /** Sends `after` deltas and then nothing, keeping the connection open. */
  | { readonly kind: "silence"; readonly after: number };

/** One scripted turn. Without `trouble` it is answered properly. */
export interface ScriptedTurn {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly input: unknown }[];
  /** How many deltas each text is sent in; default 3. */
  readonly pieces?: number;
  readonly usage?: {
    readonly input?: number;
    readonly output?: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
    /** The part of `cacheWrite` that is kept for an hour. */
    readonly hourWrite?: number;
  };
  /** The wire's own stop reason; derived from `calls` by default. */
  readonly stop?: string;
  /** Frames per write to the socket; default 1, like a provider. */
  readonly framesPerWrite?: number;
  /** Sent verbatim, in place of everything that the fields above describe. */
  readonly frames?: readonly string[];
  readonly trouble?: Trouble | undefined;
  /** Sent before a stream. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type Wire = "anthropic" | "openai";

export interface RecordedRequest {
  readonly wire: Wire;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: string;
  /** Parsed on first access. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Turns in order, or a function of the request; a request after the last turn is answered with status 400. */
export type Script =
  | readonly ScriptedTurn[]
  | ((request: RecordedRequest, index: number) => ScriptedTurn | undefined);

export interface ModelServer {
  /** Without a version segment: `${url}/v1` is the OpenAI base URL, `url` the Anthropic one. */
  readonly url: string;
  readonly port: number;
  readonly requests: readonly RecordedRequest[];
  readonly close: () => Promise<void>;
}

export interface ModelServerOptions {
  /** Keep every request in `requests`; default true. */
  readonly record?: boolean;
  /** Served at `/v1/models`. */
  readonly models?: readonly string[];
  /** Context windows that it states there, as vLLM does. */
  readonly windows?: Readonly<Record<string, number>>;
}

/** Starts a server on a free loopback port. */
export async function startModelServer(
  script: Script,
  options: ModelServerOptions = {},
): Promise<ModelServer> {
  const { record = true, models = ["scripted"], windows = {} } = options;
  const requests: RecordedRequest[] = [];
  let index = 0;
  const turnFor = (request: RecordedRequest): ScriptedTurn => {
    const turn = typeof script === "function" ? script(request, index) : script[index];
    index++;
    return turn ?? { trouble: { kind: "status", status: 400, message: `the script has no turn ${index}` } };
  };

  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const wire = WIRE_BY_PATH[path.slice(Math.max(0, path.indexOf("/v1/")))]; // behind any base path
    if (path === "/v1/models")
      return sendJson(response, 200, {
        object: "list",
        data: models.map((id) => ({ id, max_model_len: windows[id] })),
      });
    if (!wire) return sendJson(response, 404, { error: { message: `no such path ${path}` } });
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const recorded = toRecord({ wire, path, request, chunks });
      if (record) requests.push(recorded);
      play(turnFor(recorded), wire, response);
    });
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const WIRE_BY_PATH: Readonly<Record<string, Wire>> = {
  "/v1/messages": "anthropic",
  "/v1/chat/completions": "openai",
};

interface Arrived {
  readonly wire: Wire;
  readonly path: string;
  readonly request: IncomingMessage;
  readonly chunks: readonly Buffer[];
}

function toRecord({ wire, path, request, chunks }: Arrived): RecordedRequest {
  let raw: string | undefined;
  let body: Record<string, unknown> | undefined;
  return {
    wire,
    path,
    headers: request.headers,
    get rawBody() {
      raw ??= Buffer.concat(chunks).toString("utf8");
      return raw;
    },
    get body() {
      body ??= JSON.parse(this.rawBody) as Record<string, unknown>;
      return body;
    },
  };
}

function play(turn: ScriptedTurn, wire: Wire, response: ServerResponse): void {
  const { trouble } = turn;
  if (trouble?.kind === "status") sendStatus(response, wire, trouble);
  else if (trouble?.kind === "slow_start") {
    const timer = setTimeout(() => sendStream(turn, wire, response), trouble.delayMs);
    response.on("close", () => clearTimeout(timer));
  } else if (trouble?.kind === "held") {
    void trouble.until.then(() => response.destroyed || sendStream(turn, wire, response));
  } else sendStream(turn, wire, response);
}

function sendStatus(response: ServerResponse, wire: Wire, trouble: Trouble & { kind: "status" }): void {
  const { status, message = "scripted trouble", headers = {}, body } = trouble;
  const type = ERROR_TYPES[status] ?? "api_error";
  const error = { type, message };
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(body ?? JSON.stringify(wire === "anthropic" ? { type: "error", error } : { error }));
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function sendStream(turn: ScriptedTurn, wire: Wire, response: ServerResponse): void {
  const { trouble, framesPerWrite = 1 } = turn;
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    ...turn.headers,
  });
  const { head, deltas, tail } = framesFor(turn, wire);
  if (!trouble || trouble.kind === "slow_start" || trouble.kind === "held") {
    writeFrames(response, [...head, ...deltas, ...tail], framesPerWrite);
    response.end();
    return;
  }
  if (trouble.kind === "status") return;
  writeFrames(response, [...head, ...deltas.slice(0, trouble.after)], framesPerWrite);
  switch (trouble.kind) {
    case "cut":
      // Let the frames leave first: the client must lose the connection, not the bytes before.
      setImmediate(() => response.destroy());
      return;
    case "early_end":
      response.end();
      return;
    case "silence":
      return;
    case "malformed":
      response.end(`data: ${trouble.data ?? '{"type":"content_block_delta","index":0,"delta":'}\n\n`);
      return;
    case "error_event": {
      const error = { type: trouble.type, message: trouble.message };
      response.end(wire === "anthropic" ? frame({ type: "error", error }, "error") : frame({ error }));
      return;
    }
  }
}

function writeFrames(response: ServerResponse, frames: readonly string[], perWrite: number): void {
  for (let at = 0; at < frames.length; at += perWrite) {
    response.write(perWrite === 1 ? frames[at] : frames.slice(at, at + perWrite).join(""));
  }
}

interface Frames {
  readonly head: readonly string[];
  readonly deltas: readonly string[];
  readonly tail: readonly string[];
}

// A turn that is played often (in benchmarks) is converted to frames only once.
const rendered: Record<Wire, WeakMap<ScriptedTurn, Frames>> = {
  anthropic: new WeakMap(),
  openai: new WeakMap(),
};

function framesFor(turn: ScriptedTurn, wire: Wire): Frames {
  if (turn.frames) return { head: [], deltas: turn.frames, tail: [] };
  const known = rendered[wire].get(turn);
  if (known) return known;
  const made = wire === "anthropic" ? anthropicFrames(turn) : openAiFrames(turn);
  rendered[wire].set(turn, made);
  return made;
}

function frame(data: unknown, event?: string): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

function pieces(text: string, count = 3): string[] {
  const size = Math.max(1, Math.ceil(text.length / count));
  const cut: string[] = [];
  for (let at = 0; at < text.length; at += size) cut.push(text.slice(at, at + size));
  return cut;
}

function anthropicFrames(turn: ScriptedTurn): Frames {
  const { thinking, text, calls = [], usage = {} } = turn;
  const deltas: string[] = [];
  let index = 0;
  const block = (content: unknown, parts: readonly unknown[]): void => {
    const here = index++;
    const frames = parts.map((delta) =>
      frame({ type: "content_block_delta", index: here, delta }, "content_block_delta"),
    );
    const start = frame(
      { type: "content_block_start", index: here, content_block: content },
      "content_block_start",
    );
    const stop = frame({ type: "content_block_stop", index: here }, "content_block_stop");
    deltas.push(start + (frames[0] ?? ""), ...frames.slice(1));
    deltas.push((deltas.pop() ?? "") + stop);
  };
  if (thinking !== undefined) {
    const parts = pieces(thinking, turn.pieces).map((each) => ({ type: "thinking_delta", thinking: each }));
    block({ type: "thinking", thinking: "", signature: "" }, [
      ...parts,
      { type: "signature_delta", signature: "sig-1" },
    ]);
  }
  if (text !== undefined) {
    block(
      { type: "text", text: "" },
      pieces(text, turn.pieces).map((each) => ({ type: "text_delta", text: each })),
    );
  }
  calls.forEach(({ id, name, input }, at) => {
    const json = typeof input === "string" ? input : JSON.stringify(input);
    const parts = pieces(json, turn.pieces).map((each) => ({ type: "input_json_delta", partial_json: each }));
    block({ type: "tool_use", id: id ?? `toolu_${at + 1}`, name, input: {} }, parts);
  });
  const start = {
    type: "message",
    id: "msg_1",
    role: "assistant",
    content: [],
    usage: {
      input_tokens: usage.input ?? 10,
      cache_read_input_tokens: usage.cacheRead ?? 0,
      cache_creation_input_tokens: usage.cacheWrite ?? 0,
      cache_creation: { ephemeral_1h_input_tokens: usage.hourWrite ?? 0 },
      output_tokens: 1,
    },
  };
  const stop = turn.stop ?? (calls.length > 0 ? "tool_use" : "end_turn");
  const end = {
    type: "message_delta",
    delta: { stop_reason: stop, stop_sequence: null },
    usage: { output_tokens: usage.output ?? 5 },
  };
  return {
    head: [
      frame({ type: "message_start", message: start }, "message_start"),
      frame({ type: "ping" }, "ping"),
    ],
    deltas,
    tail: [frame(end, "message_delta"), frame({ type: "message_stop" }, "message_stop")],
  };
}

function openAiFrames(turn: ScriptedTurn): Frames {
  const { thinking, text, calls = [], usage = {} } = turn;
  const deltas: string[] = [];
  const chunk = (delta: unknown, finish: string | null = null): string =>
    frame({
      id: "chatcmpl_1",
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  for (const each of pieces(thinking ?? "", turn.pieces)) deltas.push(chunk({ reasoning_content: each }));
  for (const each of pieces(text ?? "", turn.pieces)) deltas.push(chunk({ content: each }));
  calls.forEach(({ id, name, input }, index) => {
    const json = typeof input === "string" ? input : JSON.stringify(input);
    const call = {
      index,
      id: id ?? `call_${index + 1}`,
      type: "function",
      function: { name, arguments: "" },
    };
    const frames = pieces(json, turn.pieces).map((each) =>
      chunk({ tool_calls: [{ index, function: { arguments: each } }] }),
    );
    deltas.push(chunk({ tool_calls: [call] }) + (frames[0] ?? ""), ...frames.slice(1));
  });
  const counts = {
    prompt_tokens: (usage.input ?? 10) + (usage.cacheRead ?? 0),
    completion_tokens: usage.output ?? 5,
    prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
  };
  return {
    head: [chunk({ role: "assistant", content: "" })],
    deltas,
    tail: [
      chunk({}, turn.stop ?? (calls.length > 0 ? "tool_calls" : "stop")),
      frame({ id: "chatcmpl_1", object: "chat.completion.chunk", choices: [], usage: counts }),
      "data: [DONE]\n\n",
    ],
  };
}
