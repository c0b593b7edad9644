// The process of a WebAssembly addon: node wasm-runner FILE MAX_PAGES. One thread, one call at a time: it reads a line,
// calls the module, writes its answer. If something blocks or runs for too long, the host ends the whole process.

import { readFileSync, readSync } from "node:fs";
import type { JsonValue } from "indusagi/core";
import { RpcError } from "../process/protocol/contract.ts";
import {
  callLine,
  errorLine,
  readLine,
  resultLine,
  unreadableLine,
} from "../process/protocol/message-lines.ts";
import { ERROR_CODES, type RequestId } from "../process/protocol/messages.ts";
import type { Message } from "../process/protocol/read-message.ts";
import { checkWasm } from "./check-wasm.ts";
import { errorText } from "./error-text.ts";
import { createLineSplitter, excessIn, waitFor, writeOut } from "./pipe-lines.ts";
import { requireFitting } from "./require-fitting.ts";
import { type UncheckedRegistration, withSendableCards } from "./sendable-cards.ts";
import { instantiate, isTrap, type WasmInstance } from "./wasm-memory.ts";

const STDIN = 0;
const CHUNK_BYTES = 64 * 1024;
const EMPTY_PIPE_WAIT_MS = 1;

type Request = Extract<Message, { kind: "request" }>;

const [file, maxPages] = process.argv.slice(2);
if (file === undefined || maxPages === undefined) throw new Error("wasm-runner: give FILE MAX_PAGES");

const lines: string[] = [];
const split = createLineSplitter((line) => lines.push(line));
const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
/** What arrived while the module waited for the host; already acknowledged. */
const queue: Request[] = [];
let module: WasmInstance | undefined;
let lastAsked = 0;
let current: RequestId | undefined;
let isCancelled = false;

for (;;) {
  const request = queue.shift() ?? nextRequest();
  if (!request) break;
  const { id, method } = request;
  if (method === "dispose") {
    writeOut(resultLine(id, {}));
    break;
  }
  current = id;
  isCancelled = false;
  writeOut(answerTo(request));
  current = undefined;
}
process.exit(0);

/** The next line; undefined at the end of the input. Blocks. */
function nextLine(): string | undefined {
  while (lines.length === 0) {
    try {
      const length = readSync(STDIN, chunk);
      if (length === 0) return undefined;
      split(Buffer.from(chunk.subarray(0, length)));
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (code === "EOF") return undefined;
      if (code !== "EAGAIN") throw error;
      waitFor(EMPTY_PIPE_WAIT_MS); // a non-blocking pipe
    }
  }
  return lines.shift();
}

function nextRequest(): Request | undefined {
  for (let line = nextLine(); line !== undefined; line = nextLine()) {
    const message = readLine(line);
    if (message?.kind === "request") return acknowledged(message);
    hear(message);
  }
  return undefined;
}

function acknowledged(request: Request): Request {
  writeOut(callLine("ack", { id: request.id }));
  return request;
}

/** Handles messages that do not involve the module. An answer that nobody waits for is dropped. */
function hear(message: Message | undefined): void {
  if (message === undefined || message.kind === "broken" || message.kind === "refused")
    writeOut(unreadableLine(message));
  else if (message.kind === "notification" && message.method === "cancel") {
    const { id = null } = (message.params ?? {}) as { readonly id?: RequestId };
    const at = queue.findIndex((request) => request.id === id);
    if (at >= 0) {
      queue.splice(at, 1);
      writeOut(failure(id, "cancelled", "the call was cancelled"));
    } else if (id === current) isCancelled = true;
  }
}

/** The line that answers a request. Never throws: a trap is an error answer. */
function answerTo(request: Request): string {
  const { id, method, params } = request;
  try {
    requireFitting(method, params);
    module ??= load();
    const text = module.handle(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    if (isCancelled) return failure(id, "cancelled", "the call was cancelled");
    if (text === undefined) return failure(id, "failed", `the module did not answer ${method}`);
    const line = answerLine(request, text);
    const excess = excessIn(line);
    return excess === undefined ? line : failure(id, "failed", `its answer cannot be sent: ${excess}`);
  } catch (error) {
    if (error instanceof RpcError) return errorLine(id, error);
    const what = isTrap(error) ? "the module trapped: " : "";
    return failure(id, "failed", what + errorText(error), dataOf(method));
  }
}

/** The kind reported to the host: a failing describe is a load failure until the module is loaded. */
function dataOf(method: string): Readonly<Record<string, unknown>> | undefined {
  return method === "describe" ? { kind: module ? "register" : "load" } : undefined;
}

function load(): WasmInstance {
  const bytes = new Uint8Array(readFileSync(file as string));
  const problem = checkWasm(bytes, Number(maxPages));
  if (problem !== undefined) throw new Error(problem);
  return instantiate(bytes, callHost);
}

/** The module's answer as one line with the request's id. */
function answerLine({ id, method }: Request, text: string): string {
  const message = readLine(text);
  if (message?.kind === "result" && message.id === id)
    return resultLine(id, method === "describe" ? sendable(message.result) : message.result);
  if (message?.kind === "error" && message.id === id) return errorLine(id, message.error);
  return failure(
    id,
    "failed",
    `the module's answer is not a JSON-RPC 2.0 answer with the id ${JSON.stringify(id)}`,
  );
}

/** What the host would end the process for costs the card that it is in. */
function sendable(registration: JsonValue): unknown {
  const isObject = typeof registration === "object" && registration !== null && !Array.isArray(registration);
  return isObject ? withSendableCards(registration as UncheckedRegistration) : registration;
}

/** `indus.host_call`: sends the module's message, and for a request waits for the host's answer. */
function callHost(text: string): string | undefined {
  const message = readLine(text);
  if (message?.kind === "notification") {
    writeOut(callLine(message.method, message.params));
    return undefined;
  }
  if (message?.kind !== "request")
    throw new Error("host_call takes one JSON-RPC 2.0 request or notification, got something else");
  const asked = ++lastAsked;
  writeOut(callLine(message.method, message.params, { id: asked, during: current }));
  while (!isCancelled) {
    const line = nextLine();
    if (line === undefined) process.exit(0);
    const incoming = readLine(line);
    if (incoming?.kind === "request") queue.push(acknowledged(incoming));
    else if (incoming?.kind === "result" && incoming.id === asked)
      return resultLine(message.id, incoming.result);
    else if (incoming?.kind === "error" && incoming.id === asked)
      return errorLine(message.id, incoming.error);
    else hear(incoming);
  }
  return failure(message.id, "cancelled", "the call was cancelled");
}

function failure(
  id: RequestId | null,
  name: keyof typeof ERROR_CODES,
  message: string,
  data?: unknown,
): string {
  return errorLine(id, { code: ERROR_CODES[name], message, data });
}
