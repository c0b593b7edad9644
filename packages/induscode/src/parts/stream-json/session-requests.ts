// What a program asks of an open session beside the conversation. The first are those that such programs know; the others are ours.

import type { Conductor } from "../../conductor/contract.ts";
import { chooseMode, chooseModel } from "../../session/choices.ts";
import type { IndusSession } from "../../session/open-indus.ts";
import type { SessionBriefing } from "../../session/session-briefing.ts";
import { sessionIn } from "../../session/session-here.ts";
import { modeOf } from "./wrapper-flags.ts";

type Table = Readonly<Record<string, unknown>>;

export interface RequestFacts {
  readonly session: IndusSession;
  /** What a typed command says. */
  readonly run: (line: string) => Promise<string>;
}

/** Throws with why it cannot be had; an answer of undefined is an empty one. */
export async function answerRequest(
  request: Table,
  { session, run }: RequestFacts,
): Promise<Table | undefined> {
  const { conductor } = session;
  switch (request.subtype) {
    case "set_permission_mode":
      refuse(chooseMode(session, modeOf(request.mode) ?? request.mode));
      return { mode: request.mode };
    case "set_model":
      refuse(await chooseModel(conductor, request.model));
      return undefined;
    case "mcp_status":
      return { mcpServers: serversOf(session) };
    case "steer":
      conductor.steer([{ kind: "text", text: textOf(request, "text") }]);
      return undefined;
    case "fork":
      return fork(conductor, request.back);
    case "run":
      return { said: await run(textOf(request, "line")), session_id: conductor.status().sessionId };
    default:
      throw new Error(`indus does not know the request ${JSON.stringify(request.subtype)}`);
  }
}

/** The session's MCP servers: one that failed too often is not called any more. */
export function serversOf({
  handles,
}: IndusSession): readonly { readonly name: string; readonly status: string }[] {
  return sessionIn(handles.session)
    .features.codeAddons()
    .filter(({ isServer }) => isServer)
    .map(({ id: name, quarantine }) => ({
      name,
      status: quarantine() === undefined ? "connected" : "failed",
    }));
}

/** Who can be given work. */
export function agentsOf({
  handles,
}: IndusSession): readonly { readonly name: string; readonly description: string }[] {
  return sessionIn(handles.session).profiles.map(({ name, purpose: description }) => ({ name, description }));
}

/** The output style in force, and those that can be chosen. */
export function stylesOf({ handles }: IndusSession): SessionBriefing["outputStyles"] {
  return sessionIn(handles.session).outputStyles;
}

function textOf(request: Table, name: string): string {
  const text = request[name];
  if (typeof text === "string" && text.trim() !== "") return text;
  throw new Error(`${request.subtype} needs ${JSON.stringify(name)}, a text; got ${JSON.stringify(text)}`);
}

function refuse(why: string | undefined): void {
  if (why !== undefined) throw new Error(why);
}

function fork(conductor: Conductor, back: unknown): Table {
  if (typeof back !== "number" || !Number.isInteger(back) || back < 0)
    throw new Error(
      `fork needs "back", the number of your last lines to leave out; got ${JSON.stringify(back)}`,
    );
  const forked = conductor.fork(back);
  if ("fault" in forked) throw new Error(forked.fault.message);
  return { session_id: conductor.status().sessionId };
}
