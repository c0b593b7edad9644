// An MCP server that did not start: the next starts do not wait for it again. It is tried beside the session, which gets its tools when it
// answers after all.

import { clamp, type OutputBudget } from "indusagi/core";
import { PROTOCOL_VERSION, type Registration } from "../process/protocol/messages.ts";
import {
  failureKey,
  type RegistrationCache,
  registrationKey,
  tryToStore,
} from "../process/registration-cache.ts";
import type { RemoteAddon } from "../process/remote-addon.ts";
import type { Renewals } from "./renewals.ts";

/** How long a failure is remembered: what kept a server from starting often lies outside of its files. */
const REMEMBERED_MS: number = 24 * 60 * 60 * 1000;
const WHY_BUDGET: OutputBudget = { kind: "head", maxBytes: 1_500, notice: () => "…" };
const AGAIN =
  "It is tried again beside the session, which gets its tools if it answers; indus mcp test waits for it";

/** Of one content. */
export class FailedServer {
  readonly #cache: RegistrationCache;
  readonly #hash: string;

  constructor(cache: RegistrationCache, hash: string) {
    this.#cache = cache;
    this.#hash = hash;
  }

  /** It contributes nothing, and says why. Without it, as if the home cannot be written, the next start waits as this one did. */
  readonly remember = (why: string): void => {
    const reason = `at its last start, ${clamp(why, WHY_BUDGET)}. ${AGAIN}`;
    const failed: Registration = {
      protocol: PROTOCOL_VERSION,
      skipped: [{ kind: "tool", name: "all of its tools", reason }],
    };
    tryToStore(() => this.#cache.store(failureKey(this.#hash), failed));
  };

  /** What it contributes until it answers; undefined if nobody knows that it fails. */
  find(): Registration | undefined {
    return this.#cache.find(failureKey(this.#hash), REMEMBERED_MS);
  }

  /** Starts it beside the session. Never rejects: why it fails again is in its log. */
  async tryAgain(remote: RemoteAddon, renewals: Renewals): Promise<void> {
    try {
      const found = await remote.register();
      renewals.take(
        found,
        tryToStore(() => this.#cache.store(registrationKey(this.#hash), found)),
      );
    } catch {
      return;
    }
  }
}
