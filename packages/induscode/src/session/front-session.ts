// A session for a front that has several in one process, each with its own folder.

import type { Flags } from "../cli/flags.ts";
import { type Invocation, workingDirectory } from "../cli/invocation.ts";
import { Problem } from "../cli/problem.ts";
import { createSecrets } from "../cli/secrets.ts";
import type { Retell } from "../conductor/past-events.ts";
import { homeProblem, indusHome } from "../store/home.ts";
import { type IndusSession, openIndus } from "./open-indus.ts";
import type { IndusOptions } from "./options.ts";
import { type CommandEnd, runCommand } from "./run-command.ts";

export interface FrontOpening extends Pick<IndusOptions, "ask" | "ui" | "files" | "mayLackModel"> {
  /** The command line that the front was started with. */
  readonly line: Invocation<Flags>;
  /** The session's own flags, in place of those of that line. */
  readonly flags: Flags;
  /** A real path. */
  readonly cwd: string;
  readonly retell?: Retell | undefined;
}

export interface FrontSession {
  readonly session: IndusSession;
  /** Runs a typed command. Never rejects. */
  readonly run: (typed: string) => Promise<CommandEnd>;
  /** Ends a running task and the session. Returns what went wrong, one line each. */
  readonly close: () => Promise<readonly string[]>;
}

/** The real path of a folder that somebody named. Throws a {@link Problem} if no session can work there. */
export function sessionPlace(folder: string, line: Pick<Invocation, "env" | "startedIn">): string {
  const cwd = workingDirectory({ flags: { cwd: folder }, startedIn: line.startedIn });
  const problem = homeProblem(line.env, cwd);
  if (problem !== undefined) throw new Problem(problem);
  return cwd;
}

/** Rejects with a {@link Problem} if the person must act first. */
export async function openFrontSession(opening: FrontOpening): Promise<FrontSession> {
  const { line, flags: own, cwd, retell, ...person } = opening;
  const secrets = createSecrets(line.env);
  const flags: Flags = { ...own, json: true };
  const left: true[] = [];
  let session: IndusSession;
  try {
    session = await openIndus({
      ...{ flags, cwd, startedIn: line.startedIn, env: line.env, secrets, parts: line.parts, ...person },
      home: indusHome(line.env),
      showsProgress: true,
      front: { line: { ...line, flags, startedIn: cwd, secrets }, leave: () => void left.push(true), retell },
    });
  } catch (error) {
    secrets.release();
    throw error;
  }
  return {
    session,
    run: (typed) => {
      const { commands, conductor, handles } = session;
      return runCommand(typed, { commands, conductor, handles, cwd, timesLeft: () => left.length });
    },
    async close() {
      session.conductor.abort();
      const problems = await session.close();
      secrets.release();
      return problems;
    },
  };
}
