// Who follows a session: each connection gets the past that it wants, then what comes, without a gap or a repetition.

import type { Entry } from "../../conductor/contract.ts";
import type { ServerToClient } from "./protocol/serve-messages.ts";

/** A connection, as a session sees it. */
export interface Client {
  readonly notify: <Method extends keyof ServerToClient>(
    method: Method,
    params: ServerToClient[Method]["params"],
  ) => void;
  /** Resolves when it is not far behind. */
  readonly room: () => Promise<void>;
  readonly isGone: () => boolean;
  /** Fires when it has left. */
  readonly gone: AbortSignal;
  /** Ends the connection. */
  readonly leave: () => void;
}

type Telling = (client: Client) => void;

interface Held {
  readonly tell: Telling;
  /** The number of the entry that it tells. */
  readonly n: number | undefined;
}

interface Watcher {
  /** What came while it gets the past; undefined once it has that. */
  held: Held[] | undefined;
  /** The last entry of the past that it got: announced since, it is the same one. */
  last: number;
}

/** A client for which more than this is kept while it gets the past does not read. */
const MAX_HELD = 100_000;

export class Watchers {
  readonly #watchers = new Map<Client, Watcher>();

  /** Tells everybody; those who get the past still, after that. `n` is the number of the entry that it tells. */
  tell(tell: Telling, n?: number): void {
    for (const [client, watcher] of this.#watchers) {
      if (client.isGone()) this.#watchers.delete(client);
      else if (watcher.held === undefined) pass(client, watcher, { tell, n });
      else if (watcher.held.push({ tell, n }) > MAX_HELD) client.leave();
    }
  }

  /**
   * From now on the client is told what comes, once it got `past`, which holds every entry so far, and what is now to be answered.
   * Resolves to whether it got all; false if it left, or subscribed again.
   */
  async add(client: Client, past: readonly Entry[], each: (entry: Entry) => Telling): Promise<boolean> {
    const held: Held[] = [];
    const watcher: Watcher = { held, last: past.at(-1)?.n ?? -1 };
    this.#watchers.set(client, watcher);
    const isFollowed = (): boolean => this.#watchers.get(client) === watcher && !client.isGone();
    for (const entry of past) {
      await client.room();
      if (!isFollowed()) return false;
      each(entry)(client);
    }
    // What is told once the caller has answered.
    setImmediate(() => {
      if (!isFollowed()) return;
      watcher.held = undefined;
      for (const one of held) pass(client, watcher, one);
    });
    return true;
  }

  /** The entries that come now are those of another log. */
  beginAnew(): void {
    for (const watcher of this.#watchers.values()) watcher.last = -1;
  }

  remove(client: Client): void {
    this.#watchers.delete(client);
  }
}

function pass(client: Client, { last }: Watcher, { tell, n }: Held): void {
  if (n === undefined || n > last) tell(client);
}
