// `indus crew`: delegates work through the tickets of a plan. The board is in the home, or at the `--board` address for several machines,
// so that a crew that was stopped, or whose machine was, continues where it left off.

import { randomBytes } from "node:crypto";
import { existsSync, realpathSync, renameSync } from "node:fs";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { homeFolder, resolvePath } from "indusagi/core";
import { BOARD_FILE, type Board, BoardError, createFileBoard, type Ticket } from "indusagi/swarm";
import type { SubagentProfile } from "../../briefing/contract.ts";
import { workingDirectory } from "../../cli/invocation.ts";
import { EXIT_OK, EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { sessionFolder } from "../../conductor/sessions.ts";
import { createSessionBriefing } from "../../session/session-briefing.ts";
import { indusHome } from "../../store/home.ts";
import { homePath } from "../../store/home-files.ts";
import { acquireLock, isLockHeld, withLock } from "../../store/lock.ts";
import { makeFolder } from "../../store/make-folder.ts";
import { openSharedBoard } from "./board-address.ts";
import { toBlueprint } from "./crew.ts";
import type { CrewLine } from "./crew-job.ts";
import { type CrewPlan, readCrewPlan } from "./crew-plan.ts";
import { sayLine } from "./crew-screen.ts";
import { rowOf } from "./crew-words.ts";
import { sayLeftTrees, work } from "./crew-work.ts";

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
  const profiles = profilesOf(plan, place.plan, await delegatesOf(line, cwd, home));
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
  const profiles = profilesOf(
    { members: [delegate], tickets: [] },
    "--board",
    await delegatesOf(line, cwd, home),
  );
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
        `no crew has ever worked on the board ${name}: check the name in its address (?board=NAME)`,
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

async function delegatesOf(
  { flags, env }: CrewLine,
  cwd: string,
  home: string,
): Promise<readonly SubagentProfile[]> {
  return (await createSessionBriefing({ flags, cwd, personHome: homeFolder(env), home })).subagents;
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
