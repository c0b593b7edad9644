// Where a crew at work is shown: a table on a terminal, lines elsewhere, nothing with `--json`.

import type { Ticket } from "indusagi/swarm";
import { printableLine } from "../../console/printable-line.ts";
import { wantsRich } from "../../front/front.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { memberName } from "./crew.ts";
import type { CrewLine, Job } from "./crew-job.ts";
import { progressOf } from "./crew-words.ts";
import type { MemberSessions } from "./member-sessions.ts";

export interface CrewScreen {
  readonly say: (text: string) => void;
  /** A member begins a ticket, or it has ended. */
  readonly work: (member: string, ticket: Ticket) => void;
  /** From now on lines stand where they are said. */
  readonly settle: () => void;
  readonly close: () => void;
}

export async function openCrewScreen(
  { flags, env, parts }: CrewLine,
  { cwd, home, profiles, board, tickets, machine }: Job,
  sessions: Pick<MemberSessions, "onSession">,
): Promise<CrewScreen> {
  const isJson = flags.json === true;
  const { settings } = await loadSettings(home, cwd, parts);
  if (isJson || !wantsRich({ flags, settings, env, isTerminal: process.stdout.isTTY === true })) {
    const nothing = (): void => undefined;
    const say = isJson ? nothing : sayLine;
    return {
      ...{ say, settle: nothing, close: nothing },
      work: (member, ticket) => say(progressOf(member, ticket)),
    };
  }
  const { createCrewTable, showOthers } = await import("./crew-table.ts");
  const table = createCrewTable(process.stdout, (agent) => memberName(agent, machine));
  const own = new Set(profiles.map((profile) => memberName(profile.name, machine)));
  const stopShowing = machine !== undefined && tickets ? showOthers(table, board, own) : () => undefined;
  sessions.onSession(({ conductor }) => conductor.subscribe(table.hear, { pieces: false }));
  return {
    say: table.say,
    work(member, ticket) {
      table.work(member, ticket);
      table.say(progressOf(member, ticket));
    },
    settle: table.close,
    close() {
      stopShowing();
      table.close();
    },
  };
}

export function sayLine(text: string): void {
  process.stdout.write(`${printableLine(text)}\n`);
}
