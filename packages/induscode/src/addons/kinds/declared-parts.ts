import type { CodeAddon } from "../process/contract.ts";
import type { AddonDescriptor } from "../source/manifest.ts";

/** What a manifest says about an addon of any kind. */
export function declaredParts({
  version,
  description,
  onFailure,
  capabilities = [],
}: Partial<AddonDescriptor> = {}): Pick<CodeAddon, "version" | "description" | "onFailure" | "capabilities"> {
  return {
    ...(version === undefined ? {} : { version }),
    ...(description === undefined ? {} : { description }),
    ...(onFailure === undefined ? {} : { onFailure }),
    capabilities,
  };
}
