// What a code addon guards, and its place in the quarantine.

import type { SecretMask } from "indusagi/core";
import type { FailurePolicy, FeatureId } from "../../feature/descriptor.ts";
import type { AddonId, Admission } from "../contract.ts";
import type { QuarantineSlot } from "../process/addon-faults.ts";
import type { CodeAddon } from "../process/contract.ts";
import { guardsInWords, guardsOf, stricter } from "../process/guards.ts";
import { type ReadRegistration, readRegistration } from "../process/protocol/read-registration.ts";
import type { Quarantine } from "../process/quarantine.ts";
import { namesOf } from "../source/addon-names.ts";

export interface CodeQuarantineDeps {
  readonly quarantine: Quarantine;
  /** What a failing gate does if it does not specify that itself. */
  readonly onGateFailure: FailurePolicy;
  /** Ids of addons that must work: what they guard is closed when they fail. */
  readonly required: readonly string[];
  /** Keeps secrets out of what is stored about an addon. */
  readonly secrets?: Pick<SecretMask, "text">;
}

export class CodeQuarantine {
  readonly #code: CodeAddon;
  readonly #hash: string;
  readonly #deps: CodeQuarantineDeps;
  readonly #called: () => AddonId;

  /** `called` is the addon's name by then: a program that has not run yet may choose another. */
  constructor(
    code: CodeAddon,
    { hash }: Pick<Admission, "hash">,
    deps: CodeQuarantineDeps,
    called: () => AddonId,
  ) {
    this.#code = code;
    this.#hash = hash;
    this.#deps = deps;
    this.#called = called;
  }

  /** For its process; it is stored under the name that it was started with. */
  slot(id: AddonId): QuarantineSlot {
    const { quarantine, secrets } = this.#deps;
    const { path } = this.#code.source;
    return {
      guards: (found) => (found ? this.#guards(readRegistration(found)) : []),
      isIn: () => quarantine.find(this.#hash) !== undefined,
      enter: (why) => quarantine.add({ hash: this.#hash, id, path, why: secrets?.text(why) ?? why }),
      leave: async () => void (await quarantine.release(this.#hash)),
    };
  }

  /** What closes the guards of a failing addon: its manifest, its program, or the person who requires it. */
  policy({ onFailure }: ReadRegistration): FailurePolicy | undefined {
    return this.isRequired ? "block" : stricter(this.#code.onFailure, onFailure);
  }

  /** The person's settings say that nothing works without it. */
  get isRequired(): boolean {
    return namesOf(this.#code.source, this.#called()).some((each) => this.#deps.required.includes(each));
  }

  /** Since when it has not run, why, what is unguarded because of it and what to do. */
  inWords(feature: FeatureId, registration: ReadRegistration): string {
    const entry = this.#deps.quarantine.find(this.#hash);
    return [
      `${feature} ${entry ? `has been in quarantine since ${entry.at}` : "is in quarantine"}.`,
      ...this.#guards(registration),
      `To run it again: indus addons restart ${this.#called()}.`,
      ...(entry ? [`The last fault: ${entry.why}`] : []),
    ].join(" ");
  }

  #guards(found: ReadRegistration): readonly string[] {
    const policies = { addon: this.policy(found), gates: this.#deps.onGateFailure };
    return guardsInWords(guardsOf(found, policies));
  }
}
