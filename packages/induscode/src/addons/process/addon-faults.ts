// The faults of one addon: each is logged and counted, and too many put it in quarantine.

import { clamp, describeError, type OutputBudget } from "indusagi/core";
import { faultKindOf } from "../../feature/fault-kind.ts";
import type { AddonFaultKind, AddonId } from "../contract.ts";
import { createFaultWindow, QUARANTINE_FAULTS } from "./fault-window.ts";
import { RpcError } from "./protocol/contract.ts";
import type { Registration } from "./protocol/messages.ts";

/** The most of an error's stack that goes into its log. */
const MAX_STACK = 4_000;
/** How much of its last fault is reported and stored. */
const LAST_FAULT_BUDGET: OutputBudget = { kind: "head", maxBytes: 200, notice: () => "…" };

/** This addon's place in the quarantine. */
export interface QuarantineSlot {
  readonly isIn: () => boolean;
  /** What it guards and whether that is open meanwhile, in sentences. */
  readonly guards: (registration: Registration | undefined) => readonly string[];
  readonly enter: (why: string) => Promise<void>;
  readonly leave: () => Promise<void>;
}

/** How a failure is counted. A task's failure ends the task and not the addon: it is not counted. */
export type CountedKind = AddonFaultKind | "task";

export interface AddonFaultsDeps {
  readonly id: AddonId;
  readonly log: (text: string) => void;
  /** Reports what no caller sees: that it ended between calls, or that it is now in quarantine. */
  readonly tell: (kind: AddonFaultKind, text: string) => void;
  readonly quarantine: QuarantineSlot;
  readonly registration: () => Registration | undefined;
  /** The addon goes into quarantine: its process is ended at once. */
  readonly onOut: () => void;
}

export class AddonFaults {
  readonly #deps: AddonFaultsDeps;
  readonly #window = createFaultWindow();
  #lastCounted: unknown;
  // In quarantine whether it can be stored or not: even if the file cannot be written, it applies in this session.
  #isOut = false;
  #stored: Promise<void> = Promise.resolve();

  constructor(deps: AddonFaultsDeps) {
    this.#deps = deps;
  }

  isQuarantined(): boolean {
    return this.#isOut || this.#deps.quarantine.isIn();
  }

  /** Forgets all faults and leaves the quarantine. */
  async forget(): Promise<void> {
    this.#window.clear();
    this.#isOut = false;
    await this.#deps.quarantine.leave();
  }

  /** Settles once a quarantine is stored. */
  stored(): Promise<void> {
    return this.#stored;
  }

  /** For its author, with the stack if the answer contained one. */
  log(kind: CountedKind, error: unknown): void {
    const { stack } = ((error instanceof RpcError && error.data) || {}) as { readonly stack?: unknown };
    const trace = typeof stack === "string" ? `${stack.slice(0, MAX_STACK)}\n` : "";
    this.#deps.log(`fault: ${kind}: ${describeError(error)}\n${trace}`);
  }

  /** This fault is counted already. */
  skip(error: unknown): void {
    this.#lastCounted = error;
  }

  /** `isUnheard`: no caller learns of it. */
  count(kind: CountedKind, error: unknown, { isUnheard = false } = {}): void {
    if (kind !== "task" && error === this.#lastCounted) return; // one breakdown rejects every waiting call
    this.log(kind, error);
    if (kind === "task") return;
    this.#lastCounted = error;
    const { id, tell } = this.#deps;
    const why = describeError(error);
    if (isUnheard) tell(faultKindOf(error, kind), `the addon ${id} failed: ${why}`);
    if (this.#window.note(kind)) this.#enterQuarantine(kind, why);
  }

  #enterQuarantine(kind: AddonFaultKind, why: string): void {
    const { id, tell, quarantine, registration, onOut } = this.#deps;
    this.#window.clear();
    onOut();
    this.#isOut = true;
    // The addon's own words may be long: they come last so that they displace nothing, and must not fill the store.
    const last = clamp(why, LAST_FAULT_BUDGET);
    tell(
      "quarantine",
      [
        `the addon ${id} is in quarantine after ${QUARANTINE_FAULTS} ${kind} faults in five minutes.`,
        ...quarantine.guards(registration()),
        `To run it again: indus addons restart ${id}.`,
        `The last fault: ${last}`,
      ].join(" "),
    );
    this.#stored = quarantine.enter(last).then(
      () => {
        this.#isOut = false; // from now on the store says when it ends: another terminal may release it
      },
      (failure: unknown) => tell("quarantine", `it could not be stored: ${describeError(failure)}`),
    );
  }
}
