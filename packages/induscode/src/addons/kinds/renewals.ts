// An MCP server whose tools change while a session runs: what it contributes from then on takes the place of what it contributed before.

import type { DiagnosticSeverity } from "../../feature/services.ts";
import type { LoadedAddon } from "../contract.ts";
import type { Registration } from "../process/protocol/messages.ts";
import { type ReadRegistration, readServerRegistration } from "../process/protocol/read-registration.ts";
import { changesInWords } from "../process/registration-changes.ts";

/** How often in a session: after each change a provider reads the whole conversation anew. */
const MAX_CHANGES = 20;
const NO_MORE =
  "the model keeps those that it was shown last, and calls of what the server no longer has fail";

/** What an addon contributes, with what it holds. */
export type Contribution = Pick<LoadedAddon, "module" | "grants" | "rests">;

interface RenewalsDeps {
  /** What is committed first. */
  readonly registration: ReadRegistration;
  readonly contributionOf: (registration: ReadRegistration) => Contribution;
  /** Ends what belongs to the addon. */
  readonly end: () => Promise<void>;
  readonly tell: (severity: DiagnosticSeverity, text: string) => void;
}

type Offer = Contribution & Pick<LoadedAddon, "dispose">;

export class Renewals {
  readonly #deps: RenewalsDeps;
  #current: ReadRegistration;
  /** What the session was given last: the addon ends with that, not with what it replaced. */
  #offered: ReadRegistration;
  #changes = 0;
  #renewed: ((next: Offer) => Promise<void>) | undefined;
  #settled: Promise<void> = Promise.resolve();

  constructor(deps: RenewalsDeps) {
    this.#deps = deps;
    this.#current = deps.registration;
    this.#offered = deps.registration;
  }

  /** What the server has now, whatever the session was given. */
  get current(): ReadRegistration {
    return this.#current;
  }

  /** Resolves once the session has what the server said last. */
  get settled(): Promise<void> {
    return this.#settled;
  }

  /** The server says that it has this. `unkept`: why the next start does not begin with it, if that is not as it should be. */
  take(found: Registration, unkept?: string): void {
    if (unkept !== undefined)
      this.#deps.tell("warning", `its new tools could not be kept for the next start: ${unkept}`);
    this.#current = readServerRegistration(found);
    this.#publish();
  }

  /** What is committed first, and how what follows it is given. */
  first(): Offer & Pick<LoadedAddon, "follow"> {
    return {
      ...this.#offer(this.#offered),
      follow: (renewed) => {
        this.#renewed = renewed;
        this.#publish(); // it may have changed before
      },
    };
  }

  #publish(): void {
    if (this.#renewed === undefined) return;
    const { tell } = this.#deps;
    const words = changesInWords(this.#offered, this.#current);
    if (words === undefined || this.#changes > MAX_CHANGES) return;
    this.#changes++;
    if (this.#changes > MAX_CHANGES) {
      tell("warning", `its server has changed its tools more than ${MAX_CHANGES} times: ${NO_MORE}`);
      return;
    }
    tell("warning", `its server has changed its tools: ${words}. The next request has them as they are now`);
    this.#offered = this.#current;
    this.#settled = this.#renewed(this.#offer(this.#offered));
  }

  #offer(registration: ReadRegistration): Offer {
    const { contributionOf, end } = this.#deps;
    return {
      ...contributionOf(registration),
      dispose: async () => {
        if (registration === this.#offered) await end();
      },
    };
  }
}
