// One feature while it is committed: each contribution is read, and then kept or skipped for a reason.

import type { FeatureDescriptor, HostCapability } from "../descriptor.ts";
import type { FeatureDiagnostic, FeatureFault, SkippedContribution } from "../install-report.ts";
import { shownName, taking } from "./contribution-fields.ts";
import { oneLine } from "./one-line.ts";
import type { Claims, Refusal, Taken } from "./preflight.ts";
import type { ContributionKind, Recorded } from "./record-feature.ts";
import { takeSkipped } from "./take-contribution.ts";

const MAX_REASON_BYTES = 1_000;
const NAMELESS = "without a name";

/** One feature while it is committed, and what its report will say. */
export interface Commitment {
  readonly descriptor: FeatureDescriptor;
  /** It is shipped with the product. */
  readonly isOwn: boolean;
  readonly granted: readonly HostCapability[];
  readonly claims: Claims;
  /** Why a contribution lacks a capability that it needs. */
  readonly lacking: (label: string, needs?: readonly HostCapability[]) => Refusal | undefined;
  readonly taken: Taken;
  readonly hooks: string[];
  readonly skipped: SkippedContribution[];
  readonly faults: FeatureFault[];
  readonly diagnostics: FeatureDiagnostic[];
}

/** What is done with each contribution of a kind. */
export interface KindRules<Given, Value> {
  readonly kind: ContributionKind;
  /** What to call one that cannot be read. */
  readonly nameOf: (given: Given) => unknown;
  readonly read: (given: Given) => Value;
  readonly name: (value: Value) => string;
  readonly refuse: (value: Value) => Refusal | undefined;
  readonly keep: (value: Value) => void;
}

/** Keeps the contributions of a kind that can be read and that nothing refuses. */
export function commitEach<Given, Value>(
  to: Commitment,
  contributions: readonly Given[],
  { kind, nameOf, read, name, refuse, keep }: KindRules<Given, Value>,
): void {
  for (const given of contributions) {
    const found = taking(() => read(given));
    if (!found.ok) skip(to, kind, () => nameOf(given), { reason: found.reason, conflict: false });
    else {
      const refusal = refuse(found.value);
      if (refusal) skip(to, kind, () => name(found.value), refusal);
      else keep(found.value);
    }
  }
}

function skip(
  { descriptor: { id }, skipped, faults }: Commitment,
  kind: ContributionKind,
  nameOf: () => unknown,
  { reason: given, conflict }: Refusal,
): void {
  const reason = oneLine(given, MAX_REASON_BYTES);
  skipped.push({ kind, name: shownName(nameOf, NAMELESS), reason });
  if (conflict) faults.push({ kind: "conflict", message: `${id} cannot use a name: ${reason}`, owner: id });
}

/** Names what the feature itself says that it does not contribute. */
export function noteSkipped(to: Commitment, given: Recorded["skipped"]): void {
  for (const each of given) {
    const part = taking(() => takeSkipped(each));
    if (part.ok) {
      const { kind, name, reason } = part.value;
      skip(to, kind, () => name, { reason, conflict: false });
    } else {
      const text = `a skipped part is not named: ${part.reason}`;
      to.diagnostics.push({ severity: "error", text });
    }
  }
}
