// The status line of a session, from what the session and its place say.

import type { Conductor } from "../../conductor/contract.ts";
import { cut, type Line, span } from "../screen/spans.ts";
import { type StatusFacts, statusLine } from "./status-line.ts";

export interface StatusSource {
  readonly conductor: Pick<Conductor, "status">;
  /** What the line shows beyond what the session itself says. */
  readonly place?: () => Partial<StatusFacts>;
}

export function statusRow(
  source: StatusSource | undefined,
  columns: number,
  addons: readonly string[] = [],
): Line {
  if (!source) return cut([span("starting…", "dim")], columns);
  const { model, params, contextTokens, usage, costs } = source.conductor.status();
  const { thinking } = params;
  return statusLine(
    {
      model,
      ...(thinking === undefined ? {} : { thinking }),
      contextTokens,
      tokens: usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
      dollars: costs.reduce((sum, { dollars }) => sum + dollars, 0),
      isUnpriced: costs.some(({ unpriced }) => unpriced > 0),
      jobs: 0,
      quarantined: 0,
      addons,
      ...source.place?.(),
    },
    columns,
  );
}
