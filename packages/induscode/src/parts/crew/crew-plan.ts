// A plan of work for a crew: a TOML file of tickets that refer to each other, validated completely before any of it is done.

import { basename } from "node:path";
import { describeError, nearest, readBoundedFile } from "indusagi/core";
import { checkFirstPost } from "indusagi/swarm";
import { Problem } from "../../cli/problem.ts";
import { parseToml } from "../../store/toml.ts";
import type { DelegateLimits } from "../delegates/delegate-desk.ts";
import type { DelegationTask } from "./crew.ts";

export interface CrewPlan {
  readonly name: string;
  /** Names of delegates; if empty, those that the tickets name, or the coder. */
  readonly members: readonly string[];
  /** The maximum number of rounds; absent: the crew's own cap. */
  readonly rounds?: number | undefined;
  /** The commit that worktrees start from. */
  readonly commit: string;
  readonly tickets: readonly DelegationTask[];
}

const MAX_PLAN_BYTES: number = 4 * 1024 * 1024;
const MAX_DEPTH = 4;
const PLAN_KEYS = ["members", "rounds", "worktree", "commit", "ticket"];
/** The names a ticket uses for its delegate's limits. */
const LIMIT_KEYS = { turns: "turns", tokens: "tokens", seconds: "seconds", cost: "dollars" } as const;
const TICKET_KEYS = [
  ...["key", "title", "brief", "priority", "deps", "agent", "worktree", "model"],
  ...Object.keys(LIMIT_KEYS),
];

/** Throws a {@link Problem} that names the file, the place in it, what was expected and what was found. */
export async function readCrewPlan(path: string): Promise<CrewPlan> {
  const refuse = (problem: string): never => {
    throw new Problem(`${path}: ${problem}`);
  };
  const text = readPlanText(path, refuse);
  const table = await parseToml(text, MAX_DEPTH).catch((error: unknown) => refuse(describeError(error)));
  knowKeys(table, PLAN_KEYS, "the plan", refuse);
  const { ticket: tickets = [], members = [], rounds, worktree = false, commit = "HEAD" } = table;
  if (!Array.isArray(tickets))
    return refuse(`ticket: expected tables under [[ticket]], found ${shown(tickets)}`);
  if (tickets.length === 0) return refuse("expected at least one [[ticket]], found none");
  if (rounds !== undefined && !(typeof rounds === "number" && Number.isInteger(rounds) && rounds > 0))
    return refuse(`rounds: expected a whole number above 0, found ${shown(rounds)}`);
  if (typeof commit !== "string" || !/^[^-\s][^\s:]*$/.test(commit))
    return refuse(`commit: expected the name of a commit or branch, found ${shown(commit)}`);
  const all = switchOf(worktree, "worktree", refuse);
  const tasks = tickets.map((each, at) => readTicket(each, ticketAt(at), all, refuse));
  checkTogether(tasks, refuse);
  return {
    commit,
    name: basename(path).replace(/\.toml$/i, ""),
    members: textList(members, "members", refuse),
    rounds,
    tickets: tasks,
  };
}

const ticketAt = (at: number): string => `[[ticket]] ${at + 1}`;

/** Now, because a run with `--new` sets the previous board aside before it posts the tickets. */
function checkTogether(tasks: readonly DelegationTask[], refuse: Refuse): void {
  const keys = new Set(tasks.map(({ key }) => key));
  for (const [at, { deps = [] }] of tasks.entries()) {
    const dep = deps.find((each) => !keys.has(each));
    if (dep === undefined) continue;
    const meant = nearest(dep, keys);
    const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
    refuse(`${ticketAt(at)}: deps: ticket not found: ${shown(dep)}${hint}`);
  }
  try {
    checkFirstPost(tasks);
  } catch (error) {
    refuse(describeError(error));
  }
}

type Refuse = (problem: string) => never;

function readPlanText(path: string, refuse: Refuse): string {
  try {
    return readBoundedFile(path, MAX_PLAN_BYTES, { followsLinks: true }).toString("utf8");
  } catch (error) {
    return refuse(`cannot be read: ${describeError(error)}`);
  }
}

function readTicket(value: unknown, where: string, allInTrees: boolean, refuse: Refuse): DelegationTask {
  const at: Refuse = (problem) => refuse(`${where}: ${problem}`);
  if (typeof value !== "object" || value === null) return at(`expected a table, found ${shown(value)}`);
  const table = value as Readonly<Record<string, unknown>>;
  knowKeys(table, TICKET_KEYS, where, refuse);
  const text = (key: string): string | undefined => {
    const found = table[key];
    if (found === undefined || (typeof found === "string" && found.trim() !== ""))
      return found as string | undefined;
    return at(`${key}: expected text, found ${shown(found)}`);
  };
  const title = text("title") ?? at("title is missing");
  const [brief, agent, priority] = [text("brief"), text("agent"), text("priority")];
  const [model, limits] = [text("model"), readLimits(table, at)];
  if (priority !== undefined && priority !== "low" && priority !== "normal" && priority !== "high")
    return at(`priority: expected low, normal or high, found ${shown(priority)}`);
  return {
    key: text("key") ?? where,
    title,
    deps: textList(table.deps ?? [], "deps", at),
    worktree: switchOf(table.worktree ?? allInTrees, "worktree", at) ? true : undefined,
    brief,
    agent,
    priority,
    model,
    limits,
  };
}

function readLimits(table: Readonly<Record<string, unknown>>, refuse: Refuse): DelegateLimits | undefined {
  const limits = Object.entries(LIMIT_KEYS).flatMap(([key, name]) => {
    const value = table[key];
    if (value === undefined) return [];
    const isWhole = key === "cost" || Number.isInteger(value);
    if (typeof value === "number" && value > 0 && Number.isFinite(value) && isWhole) return [[name, value]];
    return refuse(
      `${key}: expected a ${key === "cost" ? "" : "whole "}number above 0, found ${shown(value)}`,
    );
  });
  return limits.length === 0 ? undefined : Object.fromEntries(limits);
}

function switchOf(value: unknown, key: string, refuse: Refuse): boolean {
  return typeof value === "boolean" ? value : refuse(`${key}: expected true or false, found ${shown(value)}`);
}

function textList(value: unknown, key: string, refuse: Refuse): readonly string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  return refuse(`${key}: expected a list of strings, found ${shown(value)}`);
}

function knowKeys(
  table: Readonly<Record<string, unknown>>,
  known: readonly string[],
  where: string,
  refuse: Refuse,
): void {
  const unknown = Object.keys(table).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const meant = nearest(unknown, known);
  const hint = meant === undefined ? `expected one of ${known.join(", ")}` : `did you mean ${meant}?`;
  refuse(`${where} has no key ${shown(unknown)}; ${hint}`);
}

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 80) ?? "nothing";
}
