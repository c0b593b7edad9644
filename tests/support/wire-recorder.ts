// A server that keeps what it is sent and answers that it is not there: for looking at requests alone.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface WireRecorder {
  readonly url: string;
  /** The path and the body of each, as one text. */
  readonly requests: () => readonly string[];
  readonly close: () => Promise<void>;
}

export async function startWireRecorder(): Promise<WireRecorder> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      requests.push(`${request.url}\n${Buffer.concat(chunks).toString("utf8")}`);
      response.writeHead(404, { "content-type": "application/json", connection: "close" });
      response.end('{"error":{"message":"only recorded"}}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
