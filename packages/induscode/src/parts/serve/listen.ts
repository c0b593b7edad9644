// A server behind the person's socket.

import { chmodSync, rmSync } from "node:fs";
import { createServer as createListener, type Socket } from "node:net";
import { Readable } from "node:stream";
import { describeError } from "indusagi/core";
import { noticeLine } from "../../cli/notice-line.ts";
import { Problem } from "../../cli/problem.ts";
import { acquireLock } from "../../store/lock.ts";
import type { Server } from "./server.ts";
import { prepare, type SocketPlace } from "./socket-place.ts";

/** Listens until the returned function is called. Throws a {@link Problem} if a server is there already, or none can be. */
export async function listen(place: SocketPlace, server: Pick<Server, "connect">): Promise<() => void> {
  prepare(place);
  const { socket: path } = place;
  const taken = acquireLock(`${path}.lock`);
  if (!taken.ok)
    throw new Problem(
      `indus serve is already running: ${path} is in use ${taken.holder}. indus attach shows its sessions, indus serve stop ends it`,
    );
  rmSync(path, { force: true }); // of a server that is dead: nobody else has the lock
  const listener = createListener((socket) => void serve(socket, server));
  try {
    await new Promise<void>((resolve, reject) => {
      listener.once("error", reject);
      listener.listen(path, resolve);
    });
    chmodSync(path, 0o600);
  } catch (error) {
    listener.close();
    taken.lock.release();
    throw new Problem(`cannot listen at ${path}: ${describeError(error)}`);
  }
  return () => {
    listener.close(); // it takes the socket away
    taken.lock.release();
  };
}

async function serve(socket: Socket, { connect }: Pick<Server, "connect">): Promise<void> {
  socket.on("error", () => undefined); // the client is gone, which ends the reading as well
  const input = Readable.toWeb(socket) as ReadableStream<Uint8Array>;
  try {
    await connect({ input, output: socket, destroy: () => socket.destroy() });
  } catch (error) {
    process.stderr.write(noticeLine(`a connection was lost: ${describeError(error)}`));
  } finally {
    socket.end();
  }
}
