// `/jobs`: the background commands and delegates of the session, the output of one, a message to a delegate, and stopping one.

import type { JobPeek, JobView } from "indusagi/capabilities";
import { beginningOf, describeError, formatDollars, nearest, printable } from "indusagi/core";
import { formatCount, formatDuration, plural } from "../../console/figures.ts";
import type { BackgroundDelegate, BackgroundDesk } from "../delegates/delegate-desk.ts";
import type { BackgroundWork } from "./job-words.ts";

const USAGE = "Usage: /jobs, /jobs output ID, /jobs stop ID, or /jobs send DELEGATE WORDS.";
const SHOWN_LINES = 40;

/** Carries out `/jobs` with these words. */
export async function jobsReport({ jobs, delegates }: BackgroundWork, words: string): Promise<string> {
  const all = jobs?.list() ?? [];
  const others = delegates?.list() ?? [];
  const [action, id = "", ...more] = words.split(/\s+/).filter(Boolean);
  if (action === undefined) {
    const lines = [...all.map(jobLine), ...others.map(delegateLine)];
    return lines.length === 0 ? "No jobs." : lines.join("\n");
  }
  const delegate = others.find((each) => each.id === id);
  if (action === "send" && more.length > 0)
    return delegates && delegate
      ? send(delegates, delegate, more.join(" "))
      : notFound("Delegate", id, others);
  if ((action !== "output" && action !== "stop") || id === "" || more.length > 0) return USAGE;
  if (delegates && delegate) return action === "stop" ? stop(delegates, id) : saidBy(delegate);
  if (!all.some((job) => job.id === id)) return notFound("Job", id, [...all, ...others]);
  if (action === "output") {
    const peek = await jobs?.peek(id);
    return peek ? outputOf(peek) : notFound("Job", id, all);
  }
  const stopped = await jobs?.stop(id, new AbortController().signal);
  if (!stopped) return notFound("Job", id, all);
  return stopped.exit
    ? `${id} had already ended, ${describeExit(stopped)}. It is removed from the list.`
    : `${id} and all its processes are stopped.`;
}

function send(delegates: BackgroundDesk, { id }: BackgroundDelegate, message: string): string {
  try {
    const { state } = delegates.send(id, message);
    return state === "working"
      ? `${id} reads the message at its next model call.`
      : `${id} continues with the message.`;
  } catch (error) {
    return describeError(error);
  }
}

async function stop(delegates: BackgroundDesk, id: string): Promise<string> {
  const { state } = await delegates.stop(id);
  return state === "working" ? `${id} is stopped.` : `${id} had already ended: ${state}.`;
}

function delegateLine({
  id,
  agent,
  state,
  objective,
  ageMs,
  turns,
  tokens,
  cost,
}: BackgroundDelegate): string {
  const used = [
    `${formatDuration(ageMs)}`,
    plural(turns, "turn"),
    `${formatCount(tokens)} tokens`,
    ...(cost > 0 ? [formatDollars(cost)] : []),
  ];
  const words = beginningOf(printable(objective.trim().replace(/\s+/g, " ")), 100);
  return `  ${id}  ${agent} ${state}, ${used.join(", ")}  ${words}`;
}

function saidBy(delegate: BackgroundDelegate): string {
  return [
    delegateLine(delegate),
    ...(delegate.said === "" ? ["  No output yet."] : part("", delegate.said)),
  ].join("\n");
}

function jobLine(job: JobView): string {
  const state = job.exit ? `ended, ${describeExit(job)}` : "running";
  const command = beginningOf(printable(job.command.trim().replace(/\s+/g, " ")), 100);
  return `  ${job.id}  ${state}, started ${formatDuration(job.ageMs)} ago  ${command}`;
}

function outputOf(job: JobPeek): string {
  const parts = [...part("stdout", job.stdout), ...part("stderr", job.stderr)];
  return [jobLine(job), ...(parts.length === 0 ? ["  No output yet."] : parts)].join("\n");
}

function part(name: string, text: string): readonly string[] {
  if (text === "") return [];
  const lines = printable(text).trimEnd().split("\n");
  const hidden = lines.length - SHOWN_LINES;
  const title = `${name === "" ? "" : `${name}:`}${hidden > 0 ? ` (${plural(hidden, "earlier line")} not shown)` : ""}`;
  return [...(title === "" ? [] : [title]), ...lines.slice(-SHOWN_LINES).map((line) => `  ${line}`)];
}

function describeExit({ exit }: JobView): string {
  return exit?.code == null ? `signal ${exit?.signal ?? "unknown"}` : `exit code ${exit.code}`;
}

function notFound(what: "Job" | "Delegate", id: string, all: readonly { readonly id: string }[]): string {
  const ids = all.map((job) => job.id);
  const near = nearest(id, ids);
  const hint =
    ids.length === 0 ? "" : near === undefined ? ` Known: ${ids.join(", ")}.` : ` Did you mean "${near}"?`;
  return `${what} not found: "${printable(id).slice(0, 40)}".${hint}`;
}
