// The way to an MCP server over HTTP.

import {
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { firstWords, httpFailure, isMessageType } from "./mcp-http-words.ts";
import { createStandIns } from "./mcp-stand-ins.ts";

const ACCEPTED = 202;
const UNAUTHORIZED = 401;

type SendOptions = Parameters<StreamableHTTPClientTransport["send"]>[1];

export class ServerAddress implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly hasPerRequestStream = true;
  readonly #http: StreamableHTTPClientTransport;
  readonly #standIns = createStandIns();

  /** What the last message to the server met, in words; undefined if the server took it, or wants a login. */
  failure: string | undefined;

  /** `called`: how words name the address, whose own may have a secret in it. */
  constructor(url: string, headers: Readonly<Record<string, string>>, called: string) {
    const noting: typeof fetch = async (address, init) => {
      const isMessage = init?.method === "POST"; // other requests a server may refuse
      if (isMessage) this.failure = undefined;
      try {
        const answer = await fetch(address, init);
        return isMessage ? await this.#noted(answer, called) : answer;
      } catch (error) {
        if (isMessage && !init.signal?.aborted) this.failure = httpFailure(called, { error });
        throw error;
      }
    };
    this.#http = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch: noting });
  }

  /** The same answer; the beginning of one that is no message has been read. */
  async #noted(answer: Response, called: string): Promise<Response> {
    const { status, headers, ok, body } = answer;
    const isLeft = status === UNAUTHORIZED || (status >= 300 && status < 400); // the library has words for these
    if (isLeft || body === null || (ok && (status === ACCEPTED || isMessageType(headers)))) return answer;
    const words = await firstWords(body);
    if (!ok || words !== "") this.failure = httpFailure(called, { status, headers, words });
    return new Response(words, { status, headers: { "content-type": headers.get("content-type") ?? "" } });
  }

  get sessionId(): string | undefined {
    return this.#http.sessionId;
  }

  start(): Promise<void> {
    this.#http.onclose = () => this.onclose?.();
    this.#http.onerror = (error) => this.onerror?.(error);
    this.#http.onmessage = (message) => this.onmessage?.(this.#standIns.received(message));
    return this.#http.start();
  }

  send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    this.#standIns.sent(message);
    return this.#http.send(message, options);
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  setProtocolVersion(version: string): void {
    this.#http.setProtocolVersion(version);
  }
}

/** The error of a client whose last message met something else than an MCP server. */
export function inHttpWords(error: unknown, transport: Transport | undefined): unknown {
  if (!(transport instanceof ServerAddress) || transport.failure === undefined) return error;
  return new Error(transport.failure, { cause: error });
}
