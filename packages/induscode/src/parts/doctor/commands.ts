import type { Command } from "../../feature/command.ts";
import { frontIn, sessionIn } from "../../session/session-here.ts";

export const DOCTOR_COMMANDS: readonly Command[] = [
  {
    name: "doctor",
    summary: "show which files are used in this folder, which are not, and why",
    run: async ({ handles, say }) => {
      const { doctorReport } = await import("./run-doctor.ts");
      say(await doctorReport(frontIn(handles.session).line));
    },
  },
  {
    name: "bug",
    summary: "write a file for a bug report, without secrets",
    run: async ({ handles, say }) => {
      const { writeBugReport } = await import("./bug-report.ts");
      say(writeBugReport(sessionIn(handles.session), frontIn(handles.session).line));
    },
  },
];
