import type { ToolOutcome } from "../../runtime/contract.ts";
import type { CallReport } from "./contract.ts";

/** What a call has reported besides its result, as its outcome states it. */
export type CallNotes = Pick<ToolOutcome, "status" | "cost" | "diff" | "images" | "endsTask">;

/** A report for one call, and what has been reported through it so far; undefined if nothing has. */
export interface NotedReport {
  readonly report: CallReport;
  readonly notes: () => CallNotes | undefined;
}

export function noteReport(onProgress?: (tail: string) => void): NotedReport {
  let notes: CallNotes | undefined;
  const report: CallReport = {
    status: (status) => {
      notes = { ...notes, status };
    },
    cost: (dollars) => {
      notes = { ...notes, cost: (notes?.cost ?? 0) + dollars };
    },
    diff: (diff) => {
      notes = { ...notes, diff };
    },
    progress: onProgress,
    picture: (image) => {
      notes = { ...notes, images: [...(notes?.images ?? []), image] };
    },
    end: () => {
      notes = { ...notes, endsTask: true };
    },
  };
  return { report, notes: () => notes };
}
