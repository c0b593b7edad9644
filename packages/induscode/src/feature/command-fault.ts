import { describeError } from "indusagi/core";
import type { FeatureFault, InstalledCommand } from "./contract.ts";
import { faultKindOf } from "./fault-kind.ts";

/** The fault of a command that threw, attributed to its feature. */
export function commandFault({ name, feature }: InstalledCommand, cause: unknown): FeatureFault {
  const message = `/${name} of ${feature} failed: ${describeError(cause)}`;
  return { kind: faultKindOf(cause, "command"), owner: feature, message, cause };
}
