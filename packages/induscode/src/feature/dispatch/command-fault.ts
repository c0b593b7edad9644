import { describeError } from "indusagi/core";
import type { InstalledCommand } from "../command.ts";
import { faultKindOf } from "../fault-kind.ts";
import type { FeatureFault } from "../install-report.ts";

/** The fault of a command that threw, attributed to its feature. */
export function commandFault({ name, feature }: InstalledCommand, cause: unknown): FeatureFault {
  const message = `/${name} of ${feature} failed: ${describeError(cause)}`;
  return { kind: faultKindOf(cause, "command"), owner: feature, message, cause };
}
