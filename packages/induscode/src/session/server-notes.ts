// What the MCP servers of a session say about using them, for its prompt.

import type { ServerNote } from "../briefing/contract.ts";
import type { FeatureInstallReport } from "../feature/install-report.ts";

export function serverNotes(reports: readonly FeatureInstallReport[]): readonly ServerNote[] {
  return reports.flatMap(({ displayName, enabled, instructions }) =>
    enabled && instructions !== undefined ? [{ server: displayName, text: instructions }] : [],
  );
}
