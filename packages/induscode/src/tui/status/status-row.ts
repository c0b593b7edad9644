// The status line of a session, from the session's own facts and those of its surroundings.

import type { Conductor } from "../../conductor/contract.ts";
import type { StatusPart } from "../../view/status-parts.ts";
import { cut, type Line, span } from "../screen/spans.ts";
import { type StatusFacts, statusLine } from "./status-line.ts";

interface StatusSource {
  readonly conductor: Pick<Conductor, "status" | "waiting">;
  /** What the line shows beyond the session's own facts. */
  readonly place?: () => Partial<StatusFacts>;
}

/** Facts that only the console knows. */
interface StatusMore extends Pick<StatusFacts, "addons" | "alerts"> {
  /** The parts that the person wants; absent: all. */
  readonly parts?: readonly StatusPart[] | undefined;
}

export function statusRow(
  source: StatusSource | undefined,
  columns: number,
  { parts, ...more }: StatusMore = {},
): Line {
  if (!source) return cut([span("starting…", "dim")], columns);
  const { model, params, contextTokens, usage, costs, limits } = source.conductor.status();
  const { thinking } = params;
  return statusLine(
    {
      model,
      thinking,
      contextTokens,
      usage,
      limits,
      dollars: costs.reduce((sum, { dollars }) => sum + dollars, 0),
      isUnpriced: costs.some(({ unpriced }) => unpriced > 0),
      queue: source.conductor.waiting().length,
      jobs: 0,
      quarantined: 0,
      ...more,
      ...source.place?.(),
    },
    columns,
    parts,
  );
}
