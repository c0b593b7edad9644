// Gives several objectives to a crew at once, for programs. The command adds plans, worktrees and tables.

import type { Board, DelegationReport } from "indusagi/swarm";
import type { SubagentProfile } from "../../briefing/contract.ts";
import type { DelegateDesk } from "../delegates/delegate-desk.ts";
import { type DelegationTask, runCrew, type SubagentCrew, toBlueprint, toMemberDraft } from "./crew.ts";

/** A crew of a folder's delegates over a board. */
export interface DelegateRunner {
  readonly crew: SubagentCrew;
  /**
   * Posts the tasks, all or none, and works until nothing is ready or `DEFAULT_MAX_ROUNDS` have passed. Rejects for a task
   * with a worktree, before any is posted: only the command makes worktrees.
   */
  readonly run: (tasks: readonly DelegationTask[], signal: AbortSignal) => Promise<DelegationReport>;
}

export interface DelegateRunnerFacts {
  /** The crew's name. */
  readonly id: string;
  readonly board: Board;
  readonly profiles: readonly SubagentProfile[];
  /** Runs one task to its end: a session's delegates, or a program's own. */
  readonly delegates: Pick<DelegateDesk, "run">;
  readonly onTrouble?: (message: string) => void;
}

/** Throws when a profile is not a valid agent. */
export function createDelegateRunner(facts: DelegateRunnerFacts): DelegateRunner {
  const { id, board, profiles, delegates, onTrouble = () => undefined } = facts;
  for (const profile of profiles) {
    const made = toBlueprint(profile);
    if (!made.ok) throw new Error(`${profile.source} is not a valid member: ${made.error.issues.join("; ")}`);
  }
  const crew: SubagentCrew = { profiles, members: profiles.map((profile) => toMemberDraft(profile)) };
  return {
    crew,
    async run(tasks, signal) {
      const apart = tasks.find(({ worktree }) => worktree);
      if (apart)
        throw new Error(
          `the task "${apart.title}" needs its own worktree, and a DelegateRunner does not create worktrees: use \`indus crew run\`, or omit worktree`,
        );
      const posted = await board.post(
        id,
        tasks.map(({ worktree: _, model: _model, limits: _limits, ...draft }) => draft),
      );
      const {
        used: _used,
        cost: _cost,
        ...report
      } = await runCrew({
        ...{ id, board, crew, signal, onTrouble },
        deskOf: async () => delegates,
        oneByOne: false,
        workedWith(ticket) {
          const { model, limits } = tasks[posted.findIndex((each) => each.id === ticket.id)] ?? {};
          return { model, limits };
        },
        onTicket: () => undefined,
      });
      return report;
    },
  };
}
