// What a crew is given to do.

import type { Board, RunOptions, Ticket } from "indusagi/swarm";
import type { SubagentProfile } from "../../briefing/contract.ts";
import type { Invocation } from "../../cli/invocation.ts";
import type { CrewPlan } from "./crew-plan.ts";

export interface CrewFlags {
  readonly new?: boolean | undefined;
  readonly report?: string | undefined;
  readonly board?: string | undefined;
}

export type CrewLine = Invocation<CrewFlags>;

export interface Job {
  readonly id: string;
  readonly cwd: string;
  readonly home: string;
  /** The name of the work. */
  readonly name: string;
  readonly profiles: readonly SubagentProfile[];
  readonly board: Board;
  /** The plan's tickets; absent for a worker, which takes whatever comes. */
  readonly tickets?: readonly Ticket[];
  /** This machine's name among those on the board. */
  readonly machine?: string | undefined;
  readonly run: RunOptions;
  /** Only for a board in the home: its folder and its plan. */
  readonly folder?: string | undefined;
  readonly plan?: CrewPlan;
}
