// The host's requests that are not answered yet, and how they are aborted when nobody waits for them.

import type { RequestId } from "../process/protocol/messages.ts";

/** One request while it runs. Handlers get it as their context. */
export class OpenCall {
  readonly id: RequestId;
  #controller: AbortController | undefined;

  constructor(id: RequestId) {
    this.id = id;
  }

  /** Created on first use: most event handlers never read it, and creating one costs as much as the rest of a call. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  abort(reason: Error): void {
    this.#controller ??= new AbortController();
    this.#controller.abort(reason);
  }
}

interface OpenCalls {
  readonly open: (id: RequestId) => OpenCall;
  readonly get: (id: RequestId) => OpenCall | undefined;
  /** False if it was already closed, and therefore has its answer. */
  readonly close: (call: OpenCall) => boolean;
  readonly all: () => readonly OpenCall[];
  readonly abortAll: (reason: Error) => void;
  /** Resolves once none is open, or when the time has passed. */
  readonly settle: (limitMs: number) => Promise<void>;
}

export function createOpenCalls(): OpenCalls {
  const calls = new Map<RequestId, OpenCall>();
  let onEmpty: (() => void) | undefined;
  return {
    open(id) {
      const call = new OpenCall(id);
      calls.set(id, call);
      return call;
    },
    get: (id) => calls.get(id),
    close(call) {
      const isOpen = calls.get(call.id) === call && calls.delete(call.id);
      if (calls.size === 0) onEmpty?.();
      return isOpen;
    },
    all: () => [...calls.values()],
    abortAll(reason) {
      for (const call of [...calls.values()]) call.abort(reason);
    },
    async settle(limitMs) {
      if (calls.size === 0) return;
      await new Promise<void>((done) => {
        onEmpty = done;
        setTimeout(done, limitMs);
      });
    },
  };
}
