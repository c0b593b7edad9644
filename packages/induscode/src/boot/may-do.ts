import type { Access, FeatureInstallReport } from "../feature/contract.ts";

/** Whether a feature of the session was granted to do what `access` is; what is built in may do everything. */
export function mayDo(
  reports: readonly Pick<FeatureInstallReport, "feature" | "granted">[],
  feature: string,
  access: Access,
): boolean {
  if (feature.startsWith("builtin:")) return true;
  const granted = reports.find((report) => report.feature === feature)?.granted ?? [];
  return granted.some((grant) => {
    if (grant.kind === "network") return access.kind === "network" && grant.hosts.includes(access.host);
    if (grant.kind !== "files" || access.kind === "network") return false;
    return grant[access.kind];
  });
}
