import { JOBS } from "indusagi/capabilities";
import type { SessionScope } from "indusagi/core";
import type { Command } from "../../feature/command.ts";
import { BACKGROUND } from "../delegates/delegate-desk.ts";
import { type BackgroundWork, jobWords } from "./job-words.ts";

export const jobsCommand: Command = {
  name: "jobs",
  summary: "list background commands and delegates, show the output of one, or stop one",
  argumentHint: "[output|stop|send ID]",
  complete: (_typed, { session }) => jobWords(backgroundOf(session)),
  run: async ({ args, handles, say }) =>
    say(await (await import("./jobs-report.ts")).jobsReport(backgroundOf(handles.session), args)),
};

function backgroundOf(session: SessionScope | undefined): BackgroundWork {
  return { jobs: session?.get(JOBS), delegates: session?.get(BACKGROUND) };
}
