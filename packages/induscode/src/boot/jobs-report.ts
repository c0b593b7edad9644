// `/jobs`: the background commands of the session, what one has said, and stopping one.

import type { JobPeek, JobTable, JobView } from "indusagi/capabilities";
import { nearest, printable } from "indusagi/core";
import { formatDuration, plural } from "../console/figures.ts";

const USAGE = "Write: /jobs, /jobs output ID, or /jobs stop ID.";
const SHOWN_LINES = 40;

/** What the words come to. */
export async function jobsReport(jobs: JobTable | undefined, words: string): Promise<string> {
  const all = jobs?.list() ?? [];
  const [action, id = "", ...more] = words.split(/\s+/).filter(Boolean);
  if (action === undefined) return all.length === 0 ? "There is no job." : all.map(jobLine).join("\n");
  if ((action !== "output" && action !== "stop") || id === "" || more.length > 0) return USAGE;
  if (!all.some((job) => job.id === id)) return noSuchJob(id, all);
  if (action === "output") {
    const peek = await jobs?.peek(id);
    return peek ? outputOf(peek) : noSuchJob(id, all);
  }
  const stopped = await jobs?.stop(id, new AbortController().signal);
  if (!stopped) return noSuchJob(id, all);
  return stopped.exit
    ? `${id} had ended before, ${describeExit(stopped)}. It is dropped.`
    : `${id} is stopped, with every process of it.`;
}

function jobLine(job: JobView): string {
  const state = job.exit ? `ended, ${describeExit(job)}` : "runs";
  const command = printable(job.command.trim().replace(/\s+/g, " ")).slice(0, 100);
  return `  ${job.id}  ${state}, started ${formatDuration(job.ageMs)} ago  ${command}`;
}

function outputOf(job: JobPeek): string {
  const parts = [...part("stdout", job.stdout), ...part("stderr", job.stderr)];
  return [jobLine(job), ...(parts.length === 0 ? ["  It has said nothing yet."] : parts)].join("\n");
}

function part(name: string, text: string): readonly string[] {
  if (text === "") return [];
  const lines = printable(text).trimEnd().split("\n");
  const hidden = lines.length - SHOWN_LINES;
  return [
    `${name}:${hidden > 0 ? ` (${plural(hidden, "line")} before these)` : ""}`,
    ...lines.slice(-SHOWN_LINES).map((line) => `  ${line}`),
  ];
}

function describeExit({ exit }: JobView): string {
  return exit?.code == null ? `signal ${exit?.signal ?? "unknown"}` : `exit code ${exit.code}`;
}

function noSuchJob(id: string, all: readonly JobView[]): string {
  const ids = all.map((job) => job.id);
  const near = nearest(id, ids);
  const hint =
    ids.length === 0 ? "" : near === undefined ? ` There is ${ids.join(", ")}.` : ` Did you mean "${near}"?`;
  return `There is no job "${printable(id).slice(0, 40)}".${hint}`;
}
