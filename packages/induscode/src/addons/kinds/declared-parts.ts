import type { CodeAddon } from "../process/contract.ts";
import type { AddonDescriptor } from "../source/manifest.ts";

type DeclaredParts = Pick<
  CodeAddon,
  "version" | "description" | "onFailure" | "capabilities" | "startMs" | "callMs"
>;

/** What a manifest says about an addon of any kind. */
export function declaredParts({
  version,
  description,
  onFailure,
  capabilities = [],
  run,
}: Partial<AddonDescriptor> = {}): DeclaredParts {
  return {
    version,
    description,
    onFailure,
    startMs: run?.startSeconds === undefined ? undefined : run.startSeconds * 1_000,
    callMs: run?.callSeconds === undefined ? undefined : run.callSeconds * 1_000,
    capabilities,
  };
}
