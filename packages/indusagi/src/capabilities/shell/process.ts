// process: long-lived commands in the background.

import { join, relative } from "node:path";
import { clamp, clampEncoded } from "../../core/clamp.ts";
import { describeError, errorCode } from "../../core/faults.ts";
import { shownText } from "../backends/shown-capture.ts";
import { ArgumentReader } from "../kernel/argument-reader.ts";
import type { DefinedTool, ShellExit, ShellStream, ToolContext, ToolResult } from "../kernel/contract.ts";
import { defineTool } from "../kernel/define-tool.ts";
import { failureResult, textResult } from "../kernel/results.ts";
import type { JobReport, JobView } from "./background-job.ts";
import { CONFINED, OUTSIDE_PARAMETER, type ShellToolOptions } from "./bash.ts";
import { type OutputWindow, POLL_WINDOW_BYTES } from "./job-output.ts";
import { createJobTable, JOBS, type JobTable } from "./job-table.ts";

const ACTIONS = ["start", "list", "poll", "stop"] as const;

let catalogueTable: JobTable | undefined;

function catalogueJobs(): JobTable {
  catalogueTable ??= createJobTable();
  return catalogueTable;
}

/** Ends and forgets every job of the table shared by the bare catalogue's tools; ids start at `job-1` again. */
export async function resetProcessTable(): Promise<void> {
  const ended = catalogueTable;
  catalogueTable = undefined;
  await ended?.dispose();
}

/** Starts, lists, polls and stops background jobs of `table`; by default that of the calling session, else that of the bare catalogue. */
export function processTool(
  table?: JobTable,
  { isConfined = false, shell = "sh" }: ShellToolOptions = {},
): DefinedTool {
  return defineTool({
    name: "process",
    description:
      "Run a command in the background: a server, a watcher, a long build. start returns a job id at once; poll " +
      "returns the output since the last poll and whether the job still runs; list shows all jobs; stop ends a job " +
      "with everything it started and removes it. Jobs end with the session. They get no input, and variables that " +
      `contain credentials are not passed on.${isConfined ? CONFINED : ""}`,
    parameters: {
      type: "object",
      properties: {
        action: { type: "string", enum: [...ACTIONS] },
        command: { type: "string", description: `For start: run by ${shell} -c in the working folder.` },
        id: { type: "string", description: "For poll and stop: the job, such as job-1." },
        ...(isConfined ? OUTSIDE_PARAMETER : {}),
      },
      required: ["action"],
      additionalProperties: false,
    },
    run: async (input, context) => {
      const args = new ArgumentReader(input);
      const action = args.oneOf("action", ACTIONS);
      const command = action === "start" ? args.requiredText("command") : "";
      const id = action === "poll" || action === "stop" ? args.requiredText("id") : "";
      if (args.problem) return failureResult(args.problem);
      const jobs = table ?? context.framework.session?.get(JOBS) ?? catalogueJobs();
      switch (action) {
        case "start":
          return start(command, jobs, context);
        case "list":
          return textResult(clamp(describeAll(jobs.list()), context.budget));
        case "poll": {
          const report = await jobs.poll(id);
          return report
            ? textResult(clampEncoded(describeReport(report, context.cwd), context.budget))
            : unknownJob(id, jobs);
        }
        case "stop": {
          const job = await jobs.stop(id, context.signal);
          return job ? textResult(describeStop(job)) : unknownJob(id, jobs);
        }
        default:
          return failureResult(`"action" is missing: expected one of ${ACTIONS.join(", ")}.`);
      }
    },
  });
}

async function start(command: string, jobs: JobTable, context: ToolContext): Promise<ToolResult> {
  if (command.trim() === "") return failureResult('"command" must not be empty.');
  if (command.includes("\0")) return failureResult('"command" contains a NUL byte. Remove it.');
  try {
    const started = await jobs.start(command, context);
    if ("problem" in started) return failureResult(started.problem);
    return textResult(`Started ${started.id} (process ${started.pid}). Poll it for its output.`);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return failureResult(`Cannot start a job in ${context.cwd}: ${describeError(error)}`);
  }
}

function unknownJob(id: string, jobs: JobTable): ToolResult {
  const known = jobs.list().map((job) => job.id);
  const hint = known.length > 0 ? `Known jobs: ${known.join(", ")}.` : "There are no jobs.";
  return failureResult(`Job not found: "${id}". ${hint}`);
}

function describeAll(jobs: readonly JobView[]): string {
  if (jobs.length === 0) return "No jobs.";
  return jobs.map((job) => `${describeState(job)}: ${shortCommand(job.command)}`).join("\n");
}

function describeReport(report: JobReport, cwd: string): string {
  const place = (stream: ShellStream): string => relative(cwd, join(report.folder, stream));
  const sections = (["stdout", "stderr"] as const).flatMap((stream) =>
    section(stream, report[stream], place(stream)),
  );
  if (sections.length === 0) sections.push("No new output.\n");
  return [...sections, describeState(report)].join("\n");
}

function section(
  name: string,
  { text, skippedBytes, droppedBytes, problem }: OutputWindow,
  path: string,
): readonly string[] {
  if (text === "" && skippedBytes === 0) return [];
  // Once something was dropped, the file begins anywhere in the stream.
  const dropped =
    droppedBytes > 0
      ? `, ${droppedBytes} of them no longer stored`
      : `; until it is stopped, all is in ${path}`;
  const why = problem === undefined ? "" : ` (${problem})`;
  const gap =
    skippedBytes > 0
      ? `[${skippedBytes} bytes omitted: a poll shows the last ${POLL_WINDOW_BYTES}${dropped}${why}]\n`
      : "";
  const shown = shownText(text);
  return [`${name}:\n${gap}${shown}${shown === "" || shown.endsWith("\n") ? "" : "\n"}`];
}

function describeStop({ id, exit }: JobView): string {
  return exit
    ? `${id} had already ended: ${describeExit(exit)}. It was removed.`
    : `${id} was stopped and removed.`;
}

function describeState({ id, pid, ageMs, exit }: JobView): string {
  const state = exit ? `ended, ${describeExit(exit)}` : "running";
  return `${id} (process ${pid}, started ${describeAge(ageMs)} ago): ${state}`;
}

function describeExit({ code, signal }: ShellExit): string {
  return code === null ? `signal ${signal ?? "unknown"}` : `exit code ${code}`;
}

function describeAge(ageMs: number): string {
  const seconds = Math.floor(ageMs / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const SHOWN_COMMAND_CHARS = 120;

function shortCommand(command: string): string {
  const line = command.trim().replace(/\s+/g, " ");
  return line.length > SHOWN_COMMAND_CHARS ? `${line.slice(0, SHOWN_COMMAND_CHARS)}…` : line;
}
