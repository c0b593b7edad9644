// `indus crew`: delegates work through the tickets of a plan. The board is in the home, or at the `--board` address for several machines,
// so that a crew that was stopped, or whose machine was, continues where it left off.

import { randomBytes } from "node:crypto";
import { existsSync, realpathSync, renameSync } from "node:fs";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { formatDollars, homeFolder, resolvePath } from "indusagi/core";
import {
  BOARD_FILE,
  type Board,
  BoardError,
  createFileBoard,
  type MemberDraft,
  type RunOptions,
  type Ticket,
} from "indusagi/swarm";
import type { SubagentProfile } from "../../briefing/contract.ts";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { noticeLine } from "../../cli/notice-line.ts";
import { EXIT_FAULT, EXIT_OK, EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { stopOnSignals } from "../../cli/signals.ts";
import { writeOutput } from "../../cli/write-output.ts";
import { sessionFolder } from "../../conductor/sessions.ts";
import { plural } from "../../console/figures.ts";
import { printableLine } from "../../console/printable-line.ts";
import { wantsRich } from "../../front/front.ts";
import { createRefusals } from "../../front/refusals.ts";
import { type IndusSession, openIndus } from "../../session/open-indus.ts";
import type { IndusOptions } from "../../session/options.ts";
import { createSessionBriefing } from "../../session/session-briefing.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { indusHome } from "../../store/home.ts";
import { homePath } from "../../store/home-files.ts";
import { acquireLock, isLockHeld, withLock } from "../../store/lock.ts";
import { makeFolder } from "../../store/make-folder.ts";
import { DELEGATES, type DelegateDesk } from "../delegates/delegate-desk.ts";
import { openSharedBoard } from "./board-address.ts";
import { type CrewEnd, dollarsOf, memberName, runCrew, toBlueprint, toMemberDraft } from "./crew.ts";
import { type CrewPlan, readCrewPlan } from "./crew-plan.ts";
import type { MemberTrees, TreesFacts } from "./trees/member-trees.ts";

interface CrewFlags {
  readonly new?: boolean | undefined;
  readonly report?: string | undefined;
  readonly board?: string | undefined;
}

type CrewLine = Invocation<CrewFlags>;

const COMMANDS: Readonly<Record<string, (line: CrewLine) => Promise<number>>> = {
  run,
  status,
  worker,
  drain,
  merge,
  clean,
};

export async function runCrewCommand(line: CrewLine): Promise<number> {
  try {
    return await (COMMANDS[line.words[1] ?? ""] ?? status)(line);
  } catch (error) {
    if (error instanceof BoardError) throw new Problem(error.message);
    throw error;
  }
}

/** The path of a plan and its folder in the home. */
function placeOf(line: CrewLine, cwd: string): { readonly plan: string; readonly folder: string } {
  const plan = resolvePath(line.startedIn, line.words[2] ?? "");
  if (!existsSync(plan)) throw new Problem(`plan not found: ${plan}`);
  const home = indusHome(line.env);
  const names = [cwd, realpathSync(plan)].map((path) => basename(sessionFolder(home, path)));
  return { plan, folder: homePath(home, "crew", ...names) };
}

const openBoard = (folder: string): Board => createFileBoard({ folder, withLock });

async function run(line: CrewLine): Promise<number> {
  const { flags, env } = line;
  const cwd = workingDirectory(line);
  const home = indusHome(env);
  const place = placeOf(line, cwd);
  const plan = await readCrewPlan(place.plan);
  const profiles = profilesOf(plan, place.plan, delegatesOf(line, cwd, home));
  const rounds = plan.rounds === undefined ? {} : { maxRounds: plan.rounds };
  if (flags.board !== undefined) {
    if (plan.tickets.some(({ worktree }) => worktree))
      throw new Problem(`${place.plan}: worktrees are local to one machine, but --board is for several`);
    if (plan.tickets.some(({ model, limits }) => model ?? limits))
      throw new Problem(
        `${place.plan}: with --board, whoever runs a worker chooses its model and limits; remove them from the tickets`,
      );
    if (flags.new)
      throw new Problem(
        "--new is only for a board in your home; choose another board with ?board=NAME",
        EXIT_USAGE,
      );
    const { board } = await openSharedBoard(line);
    try {
      const tickets = await postPlan(board, plan, place.plan, { isShared: true });
      const id = basename(place.folder);
      const known = tickets.filter(({ status: each }) => each === "done"); // tickets that had failed are tried once more
      const run = { until: "all", known, ...rounds } as const;
      return await work(line, {
        cwd,
        home,
        id,
        name: plan.name,
        profiles,
        board,
        tickets,
        machine: machineName(),
        run,
      });
    } finally {
      await board.close();
    }
  }
  makeFolder(place.folder);
  const lock = acquireLock(`${place.folder}.lock`);
  if (!lock.ok)
    throw new Problem(`a crew is already working on ${place.plan}: the board is in use ${lock.holder}`);
  try {
    if (flags.new === true) setAside(place.folder);
    const board = openBoard(place.folder);
    const tickets = await postPlan(board, plan, place.plan, { isShared: false });
    return await work(line, {
      ...{ cwd, home, id: basename(place.folder), name: plan.name },
      ...{ profiles, board, tickets, run: rounds, folder: place.folder, plan },
    });
  } finally {
    lock.lock.release();
  }
}

/** `indus crew worker [delegate] --board ADDRESS`: one delegate works on the tickets the board has for it, until it is asked to stop. */
async function worker(line: CrewLine): Promise<number> {
  const cwd = workingDirectory(line);
  const home = indusHome(line.env);
  const [, , delegate = DEFAULT_DELEGATE] = line.words;
  const profiles = profilesOf({ members: [delegate], tickets: [] }, "--board", delegatesOf(line, cwd, home));
  const { board, name } = await openSharedBoard(line);
  try {
    const run = { until: "drained", maxRounds: Number.POSITIVE_INFINITY } as const;
    return await work(line, { cwd, home, id: name, name, profiles, board, machine: machineName(), run });
  } finally {
    await board.close();
  }
}

/** `indus crew drain --board ADDRESS`: asks everyone working there to stop. */
async function drain(line: CrewLine): Promise<number> {
  const { board, name } = await openSharedBoard(line);
  try {
    if ((await board.activity({ max: 1 })).length === 0)
      throw new Problem(
        `nobody has ever worked on the board ${name}: check the name in its address (?board=NAME)`,
      );
    await board.send("person", "*", { type: "control", signal: "drain" });
    sayLine(`every worker of ${name} stops after its current ticket`);
    return EXIT_OK;
  } finally {
    await board.close();
  }
}

const DEFAULT_DELEGATE = "coder";

/** Unique per worker, whatever the machines are called. */
function machineName(): string {
  return `${hostname().slice(0, 40)}-${randomBytes(3).toString("hex")}`;
}

function delegatesOf({ flags, env }: CrewLine, cwd: string, home: string): readonly SubagentProfile[] {
  return createSessionBriefing({ flags, cwd, personHome: homeFolder(env), home }).subagents;
}

/** The delegates that a plan mentions, each checked to be a valid agent. */
function profilesOf(
  { members, tickets }: Pick<CrewPlan, "members" | "tickets">,
  path: string,
  known: readonly SubagentProfile[],
): readonly SubagentProfile[] {
  const named = [...new Set([...members, ...tickets.flatMap(({ agent }) => agent ?? [])])];
  return (named.length === 0 ? [DEFAULT_DELEGATE] : named).map((name) => {
    const found = known.find((each) => each.name === name);
    if (!found)
      throw new Problem(
        `${path}: delegate "${name}" not found; this folder has ${known.map((each) => each.name).join(", ")}`,
      );
    const made = toBlueprint(found);
    if (!made.ok)
      throw new Problem(`${found.source} does not describe a member: ${made.error.issues.join("; ")}`);
    return found;
  });
}

interface Job {
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

async function work(line: CrewLine, job: Job): Promise<number> {
  const { flags, env, startedIn, secrets, parts } = line;
  const { id, cwd, home, name, profiles, board, tickets, machine } = job;
  const refusals = createRefusals("none", () => undefined);
  const facts: IndusOptions = {
    onDecision: (decision) => refusals.onDecision(secrets.value(decision)),
    ...{ flags, cwd, startedIn, home, env, secrets, parts },
  };
  const session = await openIndus(facts);
  const told = new Set<string>();
  const tellOnce = (notices: readonly string[]): void => {
    for (const notice of notices.filter((each) => !told.has(each))) process.stderr.write(noticeLine(notice));
    for (const notice of notices) told.add(notice);
  };
  tellOnce(session.notices);
  const stop = new AbortController();
  const signals = stopOnSignals(() => stop.abort());
  const isJson = flags.json === true;
  const { settings } = await loadSettings(home, cwd);
  let stopShowing = (): void => undefined;
  const table =
    !isJson && wantsRich({ flags, settings, env, isTerminal: process.stdout.isTTY === true })
      ? await import("./crew-table.ts").then(({ createCrewTable, showOthers }) => {
          const made = createCrewTable(process.stdout, (agent) => memberName(agent, machine));
          const own = new Set(profiles.map((profile) => memberName(profile.name, machine)));
          if (machine !== undefined && tickets) stopShowing = showOthers(made, board, own);
          return made;
        })
      : undefined;
  const say = (text: string): void => {
    if (table) table.say(text);
    else if (!isJson) sayLine(text);
  };
  if (table) session.conductor.subscribe(table.hear, { pieces: false });
  const openAnother = async (more: Partial<IndusOptions> = {}): Promise<IndusSession> => {
    const made = await openIndus({ ...facts, lent: session.lent, ...more });
    tellOnce(made.notices);
    if (table) made.conductor.subscribe(table.hear, { pieces: false });
    return made;
  };
  // Members share nothing with each other; the first one to work gets the session that is already open.
  const sessions = new Map<string, Promise<IndusSession>>();
  const deskOf = async ({ name: member }: MemberDraft): Promise<DelegateDesk> => {
    const opening = sessions.get(member) ?? (sessions.size === 0 ? Promise.resolve(session) : openAnother());
    sessions.set(member, opening);
    const desk = (await opening).handles.session?.get(DELEGATES);
    if (!desk) throw new Problem("this session cannot delegate work");
    return desk;
  };
  try {
    const members = profiles.map((profile) => toMemberDraft(profile, machine));
    const done = tickets?.filter(({ status }) => status === "done").length;
    const what = tickets
      ? `${plural(tickets.length, "ticket")}, ${done} already done`
      : "waiting for tickets";
    say(`${name}: ${what}; members ${members.map((member) => member.name).join(", ")}`);
    const trees = await treesOf(job, env, (tree, twins) =>
      openAnother({ cwd: tree, worktree: { main: cwd, twins } }),
    );
    let lastTrouble = "";
    const end = await runCrew({
      id,
      board,
      crew: { profiles, members },
      deskOf,
      budget: tickets && session.lent.budget,
      workedWith: ({ id: ticket }) => {
        const { model, limits } =
          job.plan?.tickets[tickets?.findIndex((each) => each.id === ticket) ?? -1] ?? {};
        return { model, limits };
      },
      elsewhere: (ticket) => (trees?.isFor(ticket) ? (hand) => trees.work(ticket, hand) : undefined),
      oneByOne: flags.record !== undefined || flags.cassette !== undefined,
      signal: stop.signal,
      ...job.run,
      onTicket: (member, ticket) => {
        lastTrouble = "";
        table?.work(member, ticket);
        say(progressOf(member, ticket));
      },
      onTrouble: (trouble) => {
        if (trouble !== lastTrouble) process.stderr.write(noticeLine(trouble));
        lastTrouble = trouble;
      },
    });
    table?.close();
    for (const { member, reason } of end.unable)
      process.stderr.write(noticeLine(`${member} takes no more tickets: ${reason}`));
    if (!tickets) {
      say(countsOf(end));
      return signals.exitCode(end.unable.length > 0 ? EXIT_FAULT : EXIT_OK);
    }
    const after = await board.list();
    if (isJson) process.stdout.write(`${JSON.stringify({ ...end, tickets: after }, undefined, 2)}\n`);
    else for (const text of endOf(end, after)) say(text);
    if (job.folder !== undefined) await sayLeftTrees(job.folder, after);
    if (trees && trees.branches.length > 0 && !isJson)
      say(`branches: ${trees.branches.join(", ")}; indus crew merge ${line.words[2]} merges them`);
    if (flags.report !== undefined) {
      const { crewMarkdown, crewPage } = await import("./crew-report.ts");
      const write = /\.html?$/i.test(flags.report) ? crewPage : crewMarkdown;
      const text = write({ plan: name, end: endOf(end, after)[0] ?? "", tickets: after });
      writeOutput(resolvePath(startedIn, flags.report), secrets.text(text), `${name}.md`, "--report");
    }
    return signals.exitCode(after.every(({ status: each }) => each === "done") ? EXIT_OK : EXIT_FAULT);
  } catch (error) {
    // Stopped while its board is away: what became of the tickets cannot be read.
    if (!(stop.signal.aborted && error instanceof BoardError)) throw error;
    process.stderr.write(noticeLine(error.message));
    return signals.exitCode(EXIT_FAULT);
  } finally {
    stopShowing();
    table?.close();
    process.stderr.write(refusals.text());
    for (const opening of sessions.values()) {
      const each = await opening.catch(() => session);
      if (each !== session) tellOnce(await each.close());
    }
    tellOnce(await session.close());
    signals.release();
  }
}

async function status(line: CrewLine): Promise<number> {
  const board = await boardToLookAt(line);
  try {
    const tickets = await board.list();
    if (line.flags.json) process.stdout.write(`${JSON.stringify({ tickets }, undefined, 2)}\n`);
    else if (tickets.length === 0) sayLine("no tickets on this board yet");
    else for (const ticket of tickets) sayLine(rowOf(ticket, tickets));
    if (line.flags.board === undefined) {
      const { folder } = placeOf(line, workingDirectory(line));
      if (!isLockHeld(`${folder}.lock`)) await sayLeftTrees(folder, tickets);
    }
    return EXIT_OK;
  } finally {
    await board.close();
  }
}

async function sayLeftTrees(folder: string, tickets: readonly Ticket[]): Promise<void> {
  const { leftTrees } = await import("./trees/left-trees.ts");
  for (const notice of leftTrees(folder, tickets)) process.stderr.write(noticeLine(notice));
}

/** `indus crew merge PLAN`: merges what its members committed into this folder. */
async function merge(line: CrewLine): Promise<number> {
  const cwd = workingDirectory(line);
  const { mergeBranches } = await import("./trees/after-crew.ts");
  const tickets = await (await boardToLookAt(line)).list();
  return mergeBranches({ cwd, env: line.env, say: sayLine }, placeOf(line, cwd).folder, tickets);
}

/** `indus crew clean [worktree...]`: removes worktrees that stopped crews left, after committing their contents to their branches. */
async function clean(line: CrewLine): Promise<number> {
  const { cleanTrees } = await import("./trees/after-crew.ts");
  const facts = { cwd: workingDirectory(line), env: line.env, say: sayLine };
  return cleanTrees(facts, indusHome(line.env), line.words.slice(2));
}

function sayLine(text: string): void {
  process.stdout.write(`${printableLine(text)}\n`);
}

async function boardToLookAt(line: CrewLine): Promise<Board> {
  const plan = line.words[2];
  if ((plan === undefined) === (line.flags.board === undefined))
    throw new Problem(
      "expected a plan or a board's address: indus crew status PLAN.toml, or --board ADDRESS",
      EXIT_USAGE,
    );
  if (plan === undefined) return (await openSharedBoard(line)).board;
  const place = placeOf(line, workingDirectory(line));
  if (!existsSync(join(place.folder, BOARD_FILE)))
    throw new Problem(`no crew has worked on ${place.plan} yet: run indus crew run ${plan}`);
  return openBoard(place.folder);
}

/** Posts the tickets of a plan once; from then on the board is authoritative, and the plan must stay the same. */
async function postPlan(
  board: Board,
  plan: CrewPlan,
  path: string,
  { isShared }: { readonly isShared: boolean },
): Promise<readonly Ticket[]> {
  if ((await board.list()).length === 0) {
    try {
      return await board.post("plan", plan.tickets, { isFirst: true });
    } catch (error) {
      if (!(error instanceof BoardError && error.kind === "conflict" && isShared)) throw error; // another machine was first
    }
  }
  const there = await board.list();
  const changed = changeSince(there, plan);
  if (changed !== undefined)
    throw new Problem(
      `${path} has changed since its crew started (${changed}): restore it to continue, or start over with ${isShared ? "another ?board=NAME" : "--new"}`,
    );
  // Failed tickets are tried once more. Only one crew works on a board in a home, and this one has just started, so whoever claimed these
  // is gone. On a board shared by machines, a claim ends with its lease.
  const isAgain = ({ status: each }: Ticket): boolean =>
    each === "failed" || (each === "claimed" && !isShared);
  for (const { id } of there.filter(isAgain)) await board.move("plan", id, "open");
  for (const [at, { id, agent }] of there.entries())
    if (agent !== plan.tickets[at]?.agent) await board.assign("plan", id, plan.tickets[at]?.agent);
  return there;
}

/** How the plan differs from the board, except in who does a ticket: that can change. */
function changeSince(posted: readonly Ticket[], { tickets }: CrewPlan): string | undefined {
  const ids = new Map(tickets.map(({ key }, at) => [key, posted[at]?.id]));
  const differs = tickets.findIndex(({ title, brief = "", priority = "normal", deps = [] }, at) => {
    const there = posted[at];
    const planned = [title, brief, priority, [...new Set(deps.map((dep) => ids.get(dep)))]];
    return !isDeepStrictEqual(planned, [there?.title, there?.brief, there?.priority, there?.deps]);
  });
  if (differs !== -1) return `[[ticket]] ${differs + 1} differs`;
  return posted.length > tickets.length ? "a ticket is missing" : undefined;
}

/** Keeps the previous board under another name. */
function setAside(folder: string): void {
  const board = join(folder, BOARD_FILE);
  if (!existsSync(board)) return;
  for (let at = 1; ; at++) {
    const kept = board.replace(/\.jsonl$/, `.${at}.jsonl`);
    if (existsSync(kept)) continue;
    renameSync(board, kept);
    return;
  }
}

function progressOf(member: string, { status, title, summary = "" }: Ticket): string {
  if (status === "claimed") return `${member}  starts  ${title}`;
  if (status === "open") return `${member}  returns  ${title}: ${summary.split("\n", 1)[0]}`;
  return `${member}  ${status}  ${title}: ${summary.split("\n", 1)[0]}`;
}

function rowOf({ status, title, assignee, summary = "", deps }: Ticket, all: readonly Ticket[]): string {
  const waits = all.filter((each) => deps.includes(each.id) && each.status !== "done");
  const [first = ""] = summary.split("\n", 1);
  const more =
    status === "open" && waits.length > 0
      ? `waits for ${waits.map((each) => each.title).join(", ")}`
      : [...(assignee === undefined ? [] : [assignee]), ...(first === "" ? [] : [first])].join(": ");
  return `${status.padEnd(7)}  ${title}${more === "" ? "" : `  (${more})`}`;
}

function endOf(end: CrewEnd, all: readonly Ticket[]): readonly string[] {
  const rest = all.filter(({ status }) => status !== "done");
  const ready = rest.some(({ status, deps }) => status === "open" && deps.every((id) => isDone(id, all)));
  const next = end.isStopped || ready ? ["run the same command to continue"] : [];
  return [countsOf(end, dollarsOf(all)), ...rest.map((ticket) => `  ${rowOf(ticket, all)}`), ...next];
}

/** `ofAll` is the cost of the plan's tickets so far, whoever did them. */
function countsOf({ completed, failed, rounds, left, cost }: CrewEnd, ofAll = cost): string {
  const here = cost > 0 ? `, ${formatDollars(cost)}` : "";
  const all = formatDollars(ofAll);
  const money = ofAll > cost && all !== formatDollars(cost) ? `${here}, the plan so far ${all}` : here;
  return `${completed} done, ${failed} failed, ${left} left (${rounds} ${rounds === 1 ? "round" : "rounds"}${money})`;
}

function isDone(id: string, all: readonly Ticket[]): boolean {
  return all.some((each) => each.id === id && each.status === "done");
}
