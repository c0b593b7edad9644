// The conversation: `indus` on a terminal, or lines from a pipe.

import { JOBS } from "indusagi/capabilities";
import { homeFolder } from "indusagi/core";
import type { AddonSource } from "../addons/contract.ts";
import { ANY_SESSION } from "../cli/flags.ts";
import { type Invocation, workingDirectory } from "../cli/invocation.ts";
import { noticeLine } from "../cli/notice-line.ts";
import { EXIT_USAGE, Problem } from "../cli/problem.ts";
import { stopOnSignals } from "../cli/signals.ts";
import { VERSION } from "../cli/version.ts";
import type { Entry } from "../conductor/contract.ts";
import { pastEvents } from "../conductor/past-events.ts";
import { printableLine } from "../console/printable-line.ts";
import { createTrustAsker } from "../front/ask-trust.ts";
import { type Front, openFront } from "../front/front.ts";
import { createStatusFacts } from "../front/status-facts.ts";
import type { DevFacts, DevSession } from "../parts/author/run-addon-dev.ts";
import { BACKGROUND } from "../parts/delegates/delegate-desk.ts";
import { runningJobs } from "../parts/delegates/running-jobs.ts";
import { withServers } from "../parts/packages/servers-here.ts";
import { NoModel } from "../session/models/chosen-model.ts";
import { type IndusSession, openIndus } from "../session/open-indus.ts";
import { loadSettings } from "../settings/load-settings.ts";
import { indusHome } from "../store/home.ts";
import { shortPaths } from "../store/short-paths.ts";
import { readTask } from "./task.ts";

/** How much of a continued session is shown again. */
const SHOWN_AGAIN = { tasks: 3, most: 200 };

/** With an author's addon, the session has it and reloads it at each save (`indus addon dev`). */
export async function runConsole(line: Invocation, author?: AddonSource): Promise<number> {
  const { words, attachments, env, startedIn, secrets, parts } = line;
  const { resume, ...others } = line.flags;
  const asksWhich = resume === ANY_SESSION;
  const flags = asksWhich ? others : line.flags;
  const cwd = workingDirectory(line);
  const { stdin: input, stdout: output } = process;
  const isTerminal = input.isTTY === true && output.isTTY === true;
  const hasTask = words.length + attachments.length > 0;
  if (hasTask && !isTerminal) throw new Problem("a task without a terminal needs -p", EXIT_USAGE);
  const firstTask = hasTask ? await readTask(line, cwd) : undefined;
  const home = indusHome(env);
  const { settings } = await loadSettings(home, cwd, parts);
  const front = await openFront({ flags, settings, env, isTerminal, cwd, home, mask: secrets.text });
  const asks = isTerminal ? { ask: front.ask, askTrust: createTrustAsker(front) } : {}; // a pipe has nobody to ask
  const { retell } = front;
  let session: IndusSession;
  const ofServers: string[] = [];
  try {
    const tell = (text: string): void => void ofServers.push(text);
    const served = await withServers(
      { ...line, flags },
      { cwd, tell, console: isTerminal ? front : undefined },
    );
    session = await openIndus({
      flags: served.flags,
      cwd,
      startedIn,
      home,
      env,
      secrets,
      parts,
      front: {
        leave: front.leave,
        retell: retell ? (entries) => retell(pastEvents(entries, SHOWN_AGAIN)) : undefined,
        line,
        themes: front.themes,
        toTerminal: front.toTerminal,
      },
      showsProgress: front.isRich,
      ...asks,
      ui: front.ui,
      ...(author ? { leaveOut: author.root, mayLackModel: true } : {}),
    });
  } catch (error) {
    front.close();
    if (!(error instanceof NoModel)) throw error;
    if (env.INDUS_STARTED_BY === "npm-start") return rehearse(line);
    return (await import("./first-run.ts")).offerRehearsal(error.search, line);
  }
  const { handles, notices } = session;
  const dev =
    author && (await devSession(author, { session, front, cwd, home, env, secrets, parts, ...asks }));
  // What comes through a pipe may be anybody's words: it attaches nothing.
  const typed = dev?.conductor ?? session.conductor;
  const conductor = isTerminal
    ? (await import("../front/mentioned-resources.ts")).withResources(typed, handles.session)
    : typed;
  const { model, sessionId } = conductor.status();
  const { titleModel } = settings;
  const isTape = flags.cassette !== undefined || flags.record !== undefined; // a tape contains only the session's own requests
  const titles = titleModel === undefined || isTape ? undefined : await nameSessionsBy(titleModel, session);
  const signals = stopOnSignals(front.leave);
  const greeting = [
    `indus ${VERSION}  ${model}  ${cwd}`,
    `session ${sessionId}${describeResumed(session.resumed)}  /help for commands`,
    ...instructionsLine(session.instructions),
    ...ofServers,
    ...notices,
    ...(dev?.greeting ?? []),
    "",
  ].map(shortPaths({ cwd, home, personHome: homeFolder(env) }));
  try {
    if (dev) refuseLacking(session, front, dev);
    if (isTerminal && !front.isRich) await session.modes.settled(); // a printed line does not change later
    const code = await front.run({
      conductor,
      get commands() {
        return session.commands;
      },
      subcommands: line.subcommands,
      cwd,
      handles,
      greeting,
      past: pastEvents(session.resumed, SHOWN_AGAIN),
      background: () => handles.session?.get(BACKGROUND)?.list() ?? [],
      place: createStatusFacts({
        ...session,
        mode: session.modes.certain,
        cwd,
        model: () => conductor.status().model,
        jobs: () => runningJobs(handles.session),
      }),
      onPlaceChange(listener) {
        void session.modes.settled().then(listener); // shown once it is certain
        return handles.session?.get(JOBS)?.onEnd(listener);
      },
      nextMode: session.modes.next,
      mode: session.modes.certain,
      firstTask,
      asksForTheme: settings.theme === undefined && !env.CI && !hasTask && !asksWhich,
      firstLine: asksWhich ? "/resume" : undefined,
    });
    return signals.exitCode(code);
  } finally {
    titles?.close();
    await dev?.close();
    for (const notice of await session.close()) process.stderr.write(noticeLine(notice));
    if (isTerminal && !dev) await sayWayBack(conductor.status().logPath);
    dev?.dispose();
    signals.release();
  }
}

const MAX_NAMED = 4;

/** Which files the model has read as instructions. */
function instructionsLine(paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  const named = paths.slice(0, MAX_NAMED).map((path) => printableLine(path.replace(/^\.\//, ""), 60));
  const more = paths.length - named.length;
  return [`instructions: ${named.join(", ")}${more > 0 ? ` and ${more} more: indus doctor` : ""}`];
}

/** For whoever leaves, not only for those who know where sessions are listed. */
async function sayWayBack(logPath: string): Promise<void> {
  const back = (await import("../parts/sessions/way-back.ts")).wayBack(logPath);
  if (back !== undefined) process.stdout.write(`${back}\n`);
}

/** Loaded only if titles are wanted. */
async function nameSessionsBy(model: string, { conductor, lent }: IndusSession) {
  const { nameSessions } = await import("../session/title.ts");
  const { models, budget } = lent;
  const limited = budget === undefined ? {} : { budget };
  return nameSessions({ conductor, resolveModel: models.resolve, model, ...limited });
}

/** Without an addon that the person requires there is no session; the author's is there by now, unless it could not be loaded. */
function refuseLacking({ lacking }: IndusSession, front: Front, { greeting }: DevSession): void {
  const lines = lacking();
  if (lines.length === 0) return;
  front.close();
  const [, ...told] = greeting; // what the first load said
  throw new Problem([...told, ...lines].join("\n"));
}

async function devSession(
  author: AddonSource,
  { front, ...facts }: DevFacts & { readonly front: Front },
): Promise<DevSession> {
  try {
    return await (await import("../parts/author/run-addon-dev.ts")).startDev(author, facts);
  } catch (error) {
    front.close();
    await facts.session.close();
    throw error;
  }
}

/** What a person needs to find the thread again: what they last asked. */
function describeResumed(entries: readonly Entry[]): string {
  const lines = entries.flatMap((entry) => (entry.type === "user" ? entry.content : []));
  const last = lines.findLast((block) => block.kind === "text");
  if (last?.kind !== "text") return "";
  return `, resumed; last prompt: ${last.text.split("\n", 1)[0]?.slice(0, 72)}`;
}

// A person who tries the README's first command has no key yet: they see the product work instead of an error.
async function rehearse(line: Invocation): Promise<number> {
  process.stdout.write(
    "No model is configured and no local model server was found, so here is the rehearsal.\n\n",
  );
  return (await import("../parts/rehearsal/run-rehearsal.ts")).runRehearsal(line);
}
