// A crew at work on a board, until nothing is left that it can do.

import { resolvePath } from "indusagi/core";
import { BoardError, type Ticket } from "indusagi/swarm";
import { noticeLine } from "../../cli/notice-line.ts";
import { EXIT_FAULT, EXIT_OK } from "../../cli/problem.ts";
import { stopOnSignals } from "../../cli/signals.ts";
import { writeOutput } from "../../cli/write-output.ts";
import { plural } from "../../console/figures.ts";
import { createRefusals } from "../../front/refusals.ts";
import { type CrewEnd, runCrew, toMemberDraft } from "./crew.ts";
import type { CrewLine, Job } from "./crew-job.ts";
import { type CrewScreen, openCrewScreen } from "./crew-screen.ts";
import { countsOf, endOf } from "./crew-words.ts";
import { type MemberSessions, openMemberSessions } from "./member-sessions.ts";
import type { MemberTrees, TreesFacts } from "./trees/member-trees.ts";

/** Returns the exit code. */
export async function work(line: CrewLine, job: Job): Promise<number> {
  const { flags, env, startedIn, secrets, parts } = line;
  const { cwd, home } = job;
  const refusals = createRefusals("none", () => undefined);
  const told = new Set<string>();
  const tellOnce = (notices: readonly string[]): void => {
    for (const notice of notices.filter((each) => !told.has(each))) process.stderr.write(noticeLine(notice));
    for (const notice of notices) told.add(notice);
  };
  const onDecision = (decision: Parameters<typeof refusals.onDecision>[0]): void =>
    refusals.onDecision(secrets.value(decision));
  const facts = { flags, cwd, startedIn, home, env, secrets, parts, onDecision };
  const sessions = await openMemberSessions(facts, tellOnce);
  const stop = new AbortController();
  const signals = stopOnSignals(() => stop.abort());
  const screen = await openCrewScreen(line, job, sessions);
  try {
    return signals.exitCode(await workThrough(line, job, { sessions, screen, signal: stop.signal }));
  } catch (error) {
    // Stopped while its board is away: what became of the tickets cannot be read.
    if (!(stop.signal.aborted && error instanceof BoardError)) throw error;
    process.stderr.write(noticeLine(error.message));
    return signals.exitCode(EXIT_FAULT);
  } finally {
    screen.close();
    process.stderr.write(refusals.text());
    await sessions.close();
    signals.release();
  }
}

interface Crewed {
  readonly sessions: MemberSessions;
  readonly screen: CrewScreen;
  readonly signal: AbortSignal;
}

async function workThrough(line: CrewLine, job: Job, { sessions, screen, signal }: Crewed): Promise<number> {
  const { flags } = line;
  const { id, cwd, name, profiles, board, tickets, machine } = job;
  const members = profiles.map((profile) => toMemberDraft(profile, machine));
  const done = tickets?.filter(({ status }) => status === "done").length;
  const what = tickets ? `${plural(tickets.length, "ticket")}, ${done} already done` : "waiting for tickets";
  screen.say(`${name}: ${what}; members ${members.map((member) => member.name).join(", ")}`);
  const trees = await treesOf(job, line.env, (tree, twins) =>
    sessions.openAnother({ cwd: tree, worktree: { main: cwd, twins } }),
  );
  let lastTrouble = "";
  const end = await runCrew({
    id,
    board,
    crew: { profiles, members },
    deskOf: sessions.deskOf,
    budget: tickets && sessions.lent.budget,
    workedWith: ({ id: ticket }) => {
      const { model, limits } =
        job.plan?.tickets[tickets?.findIndex((each) => each.id === ticket) ?? -1] ?? {};
      return { model, limits };
    },
    elsewhere: (ticket) => (trees?.isFor(ticket) ? (hand) => trees.work(ticket, hand) : undefined),
    oneByOne: flags.record !== undefined || flags.cassette !== undefined,
    signal,
    ...job.run,
    onTicket: (member, ticket) => {
      lastTrouble = "";
      screen.work(member, ticket);
    },
    onTrouble: (trouble) => {
      if (trouble !== lastTrouble) process.stderr.write(noticeLine(trouble));
      lastTrouble = trouble;
    },
  });
  screen.settle();
  for (const { member, reason } of end.unable)
    process.stderr.write(noticeLine(`${member} accepts no more tickets: ${reason}`));
  if (tickets) return report(line, job, { end, branches: trees?.branches ?? [], say: screen.say });
  screen.say(countsOf(end));
  return end.unable.length > 0 ? EXIT_FAULT : EXIT_OK;
}

interface Ended {
  readonly end: CrewEnd;
  readonly branches: readonly string[];
  readonly say: (text: string) => void;
}

/** Says what became of a plan's tickets. */
async function report(
  line: CrewLine,
  { board, folder, name }: Job,
  { end, branches, say }: Ended,
): Promise<number> {
  const { flags, startedIn, secrets } = line;
  const tickets = await board.list();
  if (flags.json) process.stdout.write(`${JSON.stringify({ ...end, tickets }, undefined, 2)}\n`);
  for (const text of endOf(end, tickets)) say(text);
  if (folder !== undefined) await sayLeftTrees(folder, tickets);
  if (branches.length > 0)
    say(`branches: ${branches.join(", ")}; indus crew merge ${line.words[2]} merges them`);
  if (flags.report !== undefined) {
    const { crewMarkdown, crewPage } = await import("./crew-report.ts");
    const write = /\.html?$/i.test(flags.report) ? crewPage : crewMarkdown;
    const text = write({ plan: name, end: endOf(end, tickets)[0] ?? "", tickets });
    writeOutput(resolvePath(startedIn, flags.report), secrets.text(text), `${name}.md`, "--report");
  }
  return tickets.every(({ status }) => status === "done") ? EXIT_OK : EXIT_FAULT;
}

/** The worktrees of the tickets that want one; undefined if none does. */
async function treesOf(
  { cwd, folder = "", plan, tickets = [], board }: Job,
  env: NodeJS.ProcessEnv,
  open: TreesFacts["open"],
): Promise<(MemberTrees & { readonly isFor: (ticket: Ticket) => boolean }) | undefined> {
  const ids = tickets.flatMap(({ id }, at) => (plan?.tickets[at]?.worktree ? id : []));
  if (plan === undefined || ids.length === 0) return undefined;
  const { createMemberTrees } = await import("./trees/member-trees.ts");
  const tell = (notice: string): void => void process.stderr.write(noticeLine(notice));
  const trees = await createMemberTrees({ cwd, folder, env, board, commit: plan.commit, open, tell });
  return { ...trees, isFor: ({ id }) => ids.includes(id) };
}

export async function sayLeftTrees(folder: string, tickets: readonly Ticket[]): Promise<void> {
  const { leftTrees } = await import("./trees/left-trees.ts");
  for (const notice of leftTrees(folder, tickets)) process.stderr.write(noticeLine(notice));
}
