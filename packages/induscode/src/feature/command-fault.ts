import { describeError } from "indusagi/core";
import type { FeatureFault, InstalledCommand } from "./contract.ts";
import { faultKindOf } from "./fault-kind.ts";

/** What became of a command that threw: its feature's fault, for whoever listens. */
export function commandFault({ name, feature }: InstalledCommand, cause: unknown): FeatureFault {
  const message = `/${name} of ${feature} failed: ${describeError(cause)}`;
  return { kind: faultKindOf(cause, "command"), owner: feature, message, cause };
}
