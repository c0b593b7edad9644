// A session for a front that has several in one process, each with its own folder.

import { isAbsolute } from "node:path";
import { briefValue } from "indusagi/core";
import type { Flags } from "../cli/flags.ts";
import { type Invocation, workingDirectory } from "../cli/invocation.ts";
import { Problem } from "../cli/problem.ts";
import { createSecrets } from "../cli/secrets.ts";
import { homeProblem, indusHome } from "../store/home.ts";
import { type IndusSession, openIndus } from "./open-indus.ts";
import type { IndusOptions } from "./options.ts";
import { type CommandEnd, type ListMaker, runCommand } from "./run-command.ts";

export interface FrontOpening
  extends Pick<IndusOptions, "ask" | "askTrust" | "ui" | "files" | "mayLackModel"> {
  /** The command line that the front was started with, with the session's own flags. */
  readonly line: Invocation<Flags>;
  /** A real path. */
  readonly cwd: string;
  /** The client can be asked before the session is open: its questions carry no name of the session. */
  readonly asksEarly?: boolean | undefined;
}

export interface FrontSession {
  readonly session: IndusSession;
  /** Runs a typed command, which may show a list if there is a place for one. Never rejects. */
  readonly run: (typed: string, list?: ListMaker) => Promise<CommandEnd>;
  /** Its client can be asked and shown something from now on; what features showed before is shown now. */
  readonly begin: () => void;
  /** After `begin`: asks about each addon that was left out because nobody could be asked yet, and tells what came of it. */
  readonly askTrust: () => AsyncIterable<string>;
  /** Ends a running task and the session. Returns what went wrong, one line each. */
  readonly close: () => Promise<readonly string[]>;
}

/** The real path of a folder that a program named. Throws a {@link Problem} if no session can work there. */
export function sessionPlace(folder: string, line: Pick<Invocation, "env" | "startedIn">): string {
  if (!isAbsolute(folder))
    throw new Problem(`the working directory must be an absolute path; got ${briefValue(folder)}`);
  const cwd = workingDirectory({ flags: { cwd: folder }, startedIn: line.startedIn });
  const problem = homeProblem(line.env, cwd);
  if (problem !== undefined) throw new Problem(problem);
  return cwd;
}

/** Rejects with a {@link Problem} if the person must act first. */
export async function openFrontSession(opening: FrontOpening): Promise<FrontSession> {
  const { line, cwd, files, mayLackModel } = opening;
  const secrets = createSecrets(line.env, line.secrets.held);
  const flags: Flags = { ...line.flags, json: true };
  const { begin, unasked, ...held } = heldPerson(opening);
  const left: true[] = [];
  let session: IndusSession;
  try {
    session = await openIndus({
      ...{ flags, cwd, startedIn: line.startedIn, env: line.env, secrets, parts: line.parts, files, ...held },
      mayLackModel,
      home: indusHome(line.env),
      showsProgress: true,
      front: { line: { ...line, flags, startedIn: cwd, secrets }, leave: () => void left.push(true) },
    });
  } catch (error) {
    secrets.release();
    throw error;
  }
  const run: FrontSession["run"] = (typed, list) => {
    const { commands, conductor, handles } = session;
    return runCommand(typed, { commands, conductor, handles, cwd, list, timesLeft: () => left.length });
  };
  return {
    session,
    run,
    begin,
    async *askTrust() {
      const asked = unasked.splice(0);
      try {
        for (let id = asked.shift(); id !== undefined; id = asked.shift()) {
          const end = await run(`/trust ${id}`);
          if (end.kind === "done") yield end.said;
          else yield end.kind === "faulted" ? end.fault.message : end.message;
        }
      } finally {
        unasked.push(...asked); // what an interruption left is asked the next time
      }
    },
    async close() {
      session.conductor.abort();
      const problems = await session.close();
      secrets.release();
      return problems;
    },
  };
}

const OPENING = "the session is still opening, and nobody can be asked before it is open";

interface HeldPerson extends Pick<FrontOpening, "ask" | "askTrust" | "ui">, Pick<FrontSession, "begin"> {
  /** Addons that the start would have asked about. */
  readonly unasked: string[];
}

/**
 * The person behind a client, who has no name for the session before it is open: what is shown waits for `begin`, what is asked is
 * answered for them.
 */
function heldPerson({ ask, askTrust, ui, asksEarly = false }: FrontOpening): HeldPerson {
  const unasked: string[] = [];
  let waiting: (() => void)[] | undefined = asksEarly ? undefined : [];
  const isOpening = (): boolean => waiting !== undefined;
  const show = (shown: () => void): void => {
    if (waiting === undefined) shown();
    else waiting.push(shown);
  };
  return {
    unasked,
    askTrust:
      askTrust &&
      (async (question) => {
        if (!isOpening()) return askTrust(question);
        unasked.push(question.id);
        throw new Error("the question comes once the session is open");
      }),
    begin() {
      const shown = waiting ?? [];
      waiting = undefined;
      for (const show of shown) show();
    },
    ask:
      ask &&
      (async (question, signal) => (isOpening() ? { kind: "no", reason: OPENING } : ask(question, signal))),
    ui: ui && {
      status: (feature, ...facts) => show(() => ui.status(feature, ...facts)),
      clear: (feature) => show(() => ui.clear(feature)),
      render: (feature, shape) => show(() => ui.render(feature, shape)),
      ask: async (feature, dialog, signal) => (isOpening() ? undefined : ui.ask(feature, dialog, signal)),
    },
  };
}
