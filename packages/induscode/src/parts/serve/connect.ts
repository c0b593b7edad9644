// A connection to the person's server.

import { connect as connectTo, type Socket } from "node:net";
import { Readable } from "node:stream";
import { errorCode, type JsonValue } from "indusagi/core";
import type { Invocation } from "../../cli/invocation.ts";
import { Problem } from "../../cli/problem.ts";
import { JsonRpc } from "./json-rpc.ts";
import { type ClientToServer, PROTOCOL_VERSION } from "./protocol/serve-messages.ts";
import { hasSocket, socketPlaces } from "./socket-place.ts";

export interface Connection {
  /** Rejects with the server's `RpcError`, or a {@link Problem} if the server is gone. */
  readonly request: <Name extends keyof ClientToServer>(
    method: Name,
    params: ClientToServer[Name]["params"],
  ) => Promise<ClientToServer[Name]["result"]>;
  /** Resolves when the server has left, or `close` was called. */
  readonly closed: Promise<void>;
  readonly close: () => void;
  /** What went wrong that nobody was told yet, one line each: whoever shows something says it once that is over. */
  readonly problems: () => readonly string[];
}

const MAX_PROBLEMS = 20;

/** Undefined if no server is there. Throws a {@link Problem} if what is there cannot be trusted or speaks another version. */
export async function connectToServer(
  { env }: Pick<Invocation, "env">,
  onNotification: (method: string, params: JsonValue) => void = () => undefined,
): Promise<Connection | undefined> {
  for (const place of socketPlaces(env)) {
    const socket = hasSocket(place) ? await opened(place.socket) : undefined;
    if (socket === undefined) continue;
    const connection = connectionOver(socket, onNotification);
    const { protocol, version } = await connection.request("status", {});
    if (protocol === PROTOCOL_VERSION) return connection;
    connection.close();
    throw new Problem(
      `the server at ${place.socket} is indus ${version}, which speaks a different version of the protocol: end the server with that version's indus serve stop`,
    );
  }
  return undefined;
}

function connectionOver(
  socket: Socket,
  onNotification: (method: string, params: JsonValue) => void,
): Connection {
  const close = (): void => void socket.destroy();
  const problems: string[] = [];
  const rpc = new JsonRpc({
    ...{ input: Readable.toWeb(socket) as ReadableStream<Uint8Array>, output: socket },
    ...{ onNotification, onStuck: close },
    onProblem: (problem) => {
      if (problems.length < MAX_PROBLEMS) problems.push(problem);
    },
  });
  const closed = rpc.read().catch(() => undefined); // however it broke off, it is over
  return {
    closed,
    close,
    problems: () => problems,
    // The server's answers have the shapes of its methods.
    request: (method, params) => rpc.request(method, params) as Promise<never>,
  };
}

/** Undefined if nobody listens any more. */
function opened(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connectTo(path);
    socket.once("connect", () => {
      socket.removeAllListeners("error");
      socket.on("error", () => undefined); // its end is noticed by reading
      resolve(socket);
    });
    socket.once("error", (error) => {
      if (["ENOENT", "ECONNREFUSED"].includes(errorCode(error) ?? "")) resolve(undefined);
      else reject(new Problem(`cannot connect to ${path}: ${error.message}`));
    });
  });
}
