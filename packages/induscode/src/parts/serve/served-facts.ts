// What a client is told of a session, as it is sent.

import type { ConductorFault, SubmitEnd } from "../../conductor/contract.ts";
import type { FrontSession } from "../../session/front-session.ts";
import type { CommandEnd as RunEnd } from "../../session/run-command.ts";
import type {
  ClientToServer,
  CommandCard,
  CommandEnd,
  SessionState,
  TaskEnd,
} from "./protocol/serve-messages.ts";
import { asSent } from "./sent-json.ts";

/** Of one command, as in the names of all models. */
const MAX_VALUES = 2000;

export function sessionState(
  { session }: FrontSession,
  { cwd, before, notices: ofServers }: Pick<SessionState, "cwd" | "before" | "notices">,
): SessionState {
  const { conductor, modes, notices } = session;
  const { sessionId, logPath, model, busy, params, usage, costs, limits, contextTokens } = conductor.status();
  return {
    ...{ id: sessionId, before: before ?? [], cwd, log: logPath, model, busy, contextTokens },
    notices: [...ofServers, ...notices],
    thinking: params.thinking ?? "off",
    mode: modes.inForce(),
    usage: asSent(usage),
    costs: costs.map(asSent),
    limits: limits.map(asSent),
  };
}

export function modelsOf({ session }: FrontSession): ClientToServer["models"]["result"] {
  return { current: session.conductor.status().model, names: session.lent.models.names() };
}

export async function permissionsOf({
  session,
  run,
}: FrontSession): Promise<ClientToServer["permissions"]["result"]> {
  const { modes } = session;
  const report = await run("/permissions");
  return {
    mode: modes.inForce(),
    modes: modes.choices().map(({ mode, meaning }) => ({ mode, meaning })),
    report: report.kind === "done" ? report.said : "",
  };
}

export function commandsOf({ session }: FrontSession): ClientToServer["commands"]["result"] {
  const { handles } = session;
  const commands = session.commands.map(({ name, summary, feature, argumentHint, picks, complete }) => {
    const values = complete?.("", handles)
      .slice(0, MAX_VALUES)
      .map((each) => (typeof each === "string" ? { value: each } : each));
    return asSent({ name, summary, feature, argumentHint, picks, values }) as unknown as CommandCard;
  });
  return { commands };
}

export function taskEnd(end: SubmitEnd): TaskEnd {
  return end.kind === "faulted" ? faultedEnd(end.fault) : { ...end };
}

export function commandEnd(end: RunEnd): CommandEnd {
  if (end.kind === "unknown") return end;
  if (end.kind === "faulted") return faultedEnd(end.fault);
  const { task, ...done } = end;
  return task === undefined ? done : { ...done, task };
}

/** Without its cause, which can be anything. */
function faultedEnd({ kind, message }: ConductorFault) {
  return { kind: "faulted", fault: { kind, message } } as const;
}
