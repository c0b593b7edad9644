// A crew of delegates over a board: each profile of this folder is a member, and its work on a ticket is a delegate's session.

import { describeError, monotonicMs } from "indusagi/core";
import type { AgentSpec, BlueprintResult } from "indusagi/smithy";
import { defineAgent } from "indusagi/smithy";
import {
  type Board,
  createCrew,
  type DelegationReport,
  type MemberDraft,
  type MemberWork,
  type RunOptions,
  type Ticket,
  type WorkResult,
} from "indusagi/swarm";
import type { SubagentProfile } from "../../briefing/contract.ts";
import type { CostBudget } from "../../conductor/cost.ts";
import { onlyReads } from "../../deck/builtins/delegate-roles.ts";
import type { DelegateDesk, DelegateReport, DelegateUse, DelegateWork } from "../delegates/delegate-desk.ts";
import { inTurn } from "../delegates/in-turn.ts";

/** A profile as an agent spec. */
export function toAgentSpec({ name, purpose, prompt, toolCollection, model }: SubagentProfile): AgentSpec {
  return { name, description: purpose, systemPrompt: prompt, toolCollection: toolCollection ?? "all", model };
}

/** Passes a profile through the one gate for agents; returns its issues if it fails. */
export function toBlueprint(profile: SubagentProfile): BlueprintResult {
  return defineAgent(toAgentSpec(profile));
}

/** A delegate's name as a crew member: its role, plus its machine on a board that several machines share. */
export function memberName(agent: string, machine?: string): string {
  return machine === undefined ? agent : `${agent}@${machine}`;
}

/** A profile as a member of a crew. */
export function toMemberDraft({ name }: SubagentProfile, machine?: string): MemberDraft {
  return { name: memberName(name, machine), agents: [name] };
}

/** The worker's model and limits; absent: the delegate's own. */
export type WorkedWith = Pick<DelegateWork, "model" | "limits">;

/** One unit of work given to a crew. */
export interface DelegationTask extends WorkedWith {
  readonly key: string;
  readonly title: string;
  readonly brief?: string | undefined;
  readonly priority?: Ticket["priority"] | undefined;
  readonly deps?: readonly string[];
  /** The delegate that must do it; absent: any member. */
  readonly agent?: string | undefined;
  /** Its member works in a git worktree. */
  readonly worktree?: boolean | undefined;
}

/** The standing members of a crew. */
export interface SubagentCrew {
  readonly profiles: readonly SubagentProfile[];
  readonly members: readonly MemberDraft[];
}

export interface CrewRun extends RunOptions {
  readonly id: string;
  readonly board: Board;
  readonly crew: SubagentCrew;
  /** The desk that runs a member's work; rejects when the member cannot work. */
  readonly deskOf: (member: MemberDraft) => Promise<Pick<DelegateDesk, "run">>;
  readonly workedWith?: (ticket: Ticket) => WorkedWith;
  /** For a ticket worked on elsewhere: runs it there, with additional text for its member. */
  readonly elsewhere?: (ticket: Ticket) => Elsewhere | undefined;
  /** One member at a time, even if it only reads: a recording is replayed in the order in which it was made. */
  readonly oneByOne: boolean;
  /** Counts spending here; is told what the board's tickets cost earlier and elsewhere. */
  readonly budget?: Pick<CostBudget, "add"> | undefined;
  readonly signal: AbortSignal;
  readonly onTicket: (member: string, ticket: Ticket) => void;
  readonly onTrouble: (message: string) => void;
}

type Elsewhere = (
  hand: (desk: Pick<DelegateDesk, "run">, note: string) => Promise<DelegateReport>,
) => Promise<DelegateReport>;

/** What a member's work on a ticket used in this run. */
export interface TicketUse extends DelegateUse {
  readonly ticket: string;
  readonly member: string;
  readonly durationMs: number;
}

export interface CrewEnd extends DelegationReport {
  readonly used: readonly TicketUse[];
  /** Dollars, as far as prices are known. */
  readonly cost: number;
}

/** Works through the board's tickets until nothing is ready, the rounds are over, or the signal fires. */
export async function runCrew(run: CrewRun): Promise<CrewEnd> {
  const { board, crew, oneByOne } = run;
  const used: TicketUse[] = [];
  // A member that may write runs alone among those that may.
  const alone = inTurn();
  let counted = 0;
  const countOthers = async (): Promise<void> => {
    if (!run.budget) return;
    const others = dollarsOf(await board.list().catch(() => [])) - dollarsHere(used);
    if (others <= counted) return; // tickets that ended here may not be on the board yet
    run.budget.add(others - counted);
    counted = others;
  };
  const work: MemberWork = async (member, ticket, signal, took) => {
    const profile = crew.profiles.find(({ name }) => member.agents?.includes(name));
    if (!profile) throw new Error(`${member.name} is not a delegate of this folder`);
    const elsewhere = run.elsewhere?.(ticket);
    const hand = async (desk: Pick<DelegateDesk, "run">, note = ""): Promise<DelegateReport> => {
      const context = [note, await whatCameBefore(board, ticket)].filter(Boolean).join("\n\n");
      const objective = ticket.brief === "" ? ticket.title : `${ticket.title}\n\n${ticket.brief}`;
      const began = monotonicMs();
      const hearUse = ({ turns, tokens, cost }: DelegateUse): void => {
        const durationMs = Math.round(monotonicMs() - began);
        used.push({ ticket: ticket.id, member: member.name, turns, tokens, cost, durationMs });
        took({ turns, tokens, dollars: cost, durationMs });
      };
      const told = context === "" ? {} : { context };
      const own = { agent: profile.name, ...run.workedWith?.(ticket) };
      return desk.run({ ...own, objective, ...told, took: hearUse }, signal);
    };
    const resultOf = ({ ok, report, lacksModel }: DelegateReport): WorkResult => {
      if (lacksModel === undefined) return { ok, summary: report };
      const { model } = run.workedWith?.(ticket) ?? {};
      if (model === undefined) return { ok, summary: report, unable: lacksModel };
      return { ok, summary: report, leaves: `cannot reach its model ${model}: ${lacksModel}` };
    };
    const handHere = async (): Promise<WorkResult> => {
      let desk: Pick<DelegateDesk, "run">;
      try {
        desk = await run.deskOf(member);
      } catch (error) {
        return { ok: false, summary: "", unable: describeError(error) };
      }
      return resultOf(await hand(desk));
    };
    const begin = async (): Promise<WorkResult> => {
      await countOthers();
      return elsewhere ? resultOf(await elsewhere(hand)) : handHere();
    };
    return !oneByOne && (elsewhere || onlyReads(profile)) ? begin() : alone(begin);
  };
  const { id, signal, onTicket, onTrouble } = run;
  const report = await createCrew({ id, board, members: crew.members, work, onTicket, onTrouble }).run(
    signal,
    run,
  );
  return { ...report, used, cost: dollarsHere(used) };
}

/** The cost of all work on these tickets, by anyone. */
export function dollarsOf(tickets: readonly Ticket[]): number {
  return tickets.reduce((sum, { used }) => sum + (used?.dollars ?? 0), 0);
}

function dollarsHere(used: readonly TicketUse[]): number {
  return used.reduce((sum, { cost }) => sum + cost, 0);
}

/** The results of the tickets this one waited for; a member sees nothing else of the others. */
async function whatCameBefore(board: Board, { deps }: Ticket): Promise<string> {
  const before = await Promise.all(deps.map((id) => board.get(id)));
  return before.map(({ title, summary = "" }) => `# ${title}\n\n${summary}`).join("\n\n");
}
