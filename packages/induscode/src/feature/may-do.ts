import { coversHost } from "./capabilities.ts";
import type { Access, FeatureInstallReport } from "./contract.ts";

/** Whether a feature of the session was granted to do what `access` is; what is built in may do everything. */
export function mayDo(
  reports: readonly Pick<FeatureInstallReport, "feature" | "granted">[],
  feature: string,
  access: Access,
): boolean {
  if (feature.startsWith("builtin:")) return true;
  const granted = reports.find((report) => report.feature === feature)?.granted ?? [];
  return granted.some((grant) => {
    if (access.kind === "network")
      return grant.kind === "network" && grant.hosts.some((each) => coversHost(each, access.host));
    if (access.kind === "delegate") return grant.kind === "sessions" && grant.spawn;
    return grant.kind === "files" && grant[access.kind];
  });
}
