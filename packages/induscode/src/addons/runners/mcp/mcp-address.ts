// The way to an MCP server over HTTP.

import {
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { createStandIns } from "./mcp-stand-ins.ts";

type SendOptions = Parameters<StreamableHTTPClientTransport["send"]>[1];

export class ServerAddress implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly hasPerRequestStream = true;
  readonly #http: StreamableHTTPClientTransport;
  readonly #standIns = createStandIns();

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.#http = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
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
