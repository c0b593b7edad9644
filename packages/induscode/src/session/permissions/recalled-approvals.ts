import { printableLine } from "../../console/printable-line.ts";
import type { SessionApproval } from "../../deck/contract.ts";
import { describeApproval } from "../../deck/permissions/session-grants.ts";

// One readable line: only the most recent answers, each cut to what identifies it.
const MAX_SHOWN = 5;
const MAX_COLUMNS = 100;

/** A line about what a continued session was allowed before, or none. */
export function recalledApprovals(approvals: readonly SessionApproval[]): readonly string[] {
  if (approvals.length === 0) return [];
  const allowed = [...new Set(approvals.map(describeApproval))];
  const last = allowed.slice(-MAX_SHOWN).map((each) => printableLine(each, MAX_COLUMNS));
  const more = allowed.length > MAX_SHOWN ? ` and ${allowed.length - MAX_SHOWN} more` : "";
  return [`still allowed from earlier in this session: ${last.join(", ")}${more}`];
}
