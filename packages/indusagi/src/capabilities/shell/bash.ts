// bash: one command to completion.

import { clampEncoded } from "../../core/clamp.ts";
import { describeError, errorCode } from "../../core/faults.ts";
import { resolvePath } from "../../core/paths.ts";
import { fsReason } from "../files/describe-failure.ts";
import { ArgumentReader } from "../kernel/argument-reader.ts";
import type { DefinedTool, Fs, ShellExecResult } from "../kernel/contract.ts";
import { defineTool } from "../kernel/define-tool.ts";
import { failureResult } from "../kernel/results.ts";
import { adviceFor } from "./nobody-there.ts";
import { watchOutput } from "./watch-output.ts";
import { WHOLE_OUTPUTS } from "./whole-outputs.ts";

export const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;

// Reserved for the section names and the status, so that one long stream is cut once, not twice.
const REPORT_BYTES = 512;

export interface ShellToolOptions {
  /** The host confines commands; a call can ask to run outside the sandbox, which the host's permissions decide. */
  readonly isConfined?: boolean;
  /** The name of the shell that the host runs commands with; default: `sh`. */
  readonly shell?: string | undefined;
}

/** The parameter by which a call asks to run outside the sandbox. */
export const OUTSIDE_PARAMETER = {
  outside: {
    type: "string",
    description:
      "Only if the sandbox blocked the command, or certainly would: why the command must run outside it. " +
      "The person may be asked.",
  },
} as const;

/** Added to the description of a confined tool. */
export const CONFINED =
  " Commands run in a sandbox: they can write in the working folder and $TMPDIR, except to files that take effect automatically " +
  "(.git/hooks, .npmrc, …), and cannot see credentials or the person's home.";

export function bashTool({ isConfined = false, shell: program = "sh" }: ShellToolOptions = {}): DefinedTool {
  return defineTool({
    name: "bash",
    description:
      "Run one shell command to completion and report its stdout, stderr and exit status. It gets no input. " +
      `Variables that contain credentials are not passed on.${isConfined ? CONFINED : ""}`,
    parameters: {
      type: "object",
      properties: {
        command: { type: "string", description: `Run by ${program} -c.` },
        timeoutMs: {
          type: "number",
          description: "Timeout in milliseconds. Default 120000, at most 600000.",
        },
        cwd: { type: "string", description: "Folder to run in. Default: the working folder." },
        ...(isConfined ? OUTSIDE_PARAMETER : {}),
      },
      required: ["command"],
      additionalProperties: false,
    },
    run: async (input, context) => {
      const args = new ArgumentReader(input);
      const command = args.requiredText("command");
      const timeoutMs = Math.min(args.positiveNumber("timeoutMs") ?? DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS);
      const folder = args.path("cwd", "the working folder") ?? ".";
      if (args.problem) return failureResult(args.problem);
      if (command.trim() === "") return failureResult('"command" must not be empty.');
      if (command.includes("\0")) return failureResult('"command" contains a NUL byte. Remove it.');

      const cwd = resolvePath(context.cwd, folder, context.home);
      const { shell, signal, budget } = context;
      const maxCaptureBytes = Math.max(0, budget.maxBytes - REPORT_BYTES);
      const whole = context.framework.session?.get(WHOLE_OUTPUTS)?.listen(context.cwd, maxCaptureBytes);
      const watched = watchOutput(context.framework.report?.progress);
      try {
        const result = await shell.exec(command, {
          cwd,
          timeoutMs,
          signal,
          maxCaptureBytes,
          isShown: true,
          onShown: whole?.write,
          onOutput: watched?.write,
        });
        const status = describeStatus(result, timeoutMs);
        context.framework.report?.status(status);
        const said = report(result, status);
        const shown = clampEncoded(said, budget);
        const places = await whole?.keep((stream, all) => all !== result[stream] || shown !== said);
        const text = places?.length ? clampEncoded(report(result, status, places), budget) : shown;
        return {
          content: [{ kind: "text", text }],
          isError: result.code !== 0 || result.aborted || result.timedOut,
        };
      } catch (error) {
        return failureResult(await describeUnstarted(error, context.fs, cwd));
      } finally {
        await whole?.forget();
        watched?.end();
      }
    },
  });
}

/** Why a command could not be started in `cwd`. Rejects with an error that is not the system's. */
export async function describeUnstarted(error: unknown, fs: Fs, cwd: string): Promise<string> {
  if (errorCode(error) === undefined) throw error;
  if (errorCode(error) === "E2BIG")
    return "Cannot run: the command, with its variables, is longer than this system takes (on Linux 128 KB). Write it to a file, and run that.";
  return `Cannot run${(await describeBadFolder(fs, cwd)) ?? `: ${describeError(error)}`}`;
}

/** Undefined when the folder is fine. */
async function describeBadFolder(fs: Fs, path: string): Promise<string | undefined> {
  try {
    return (await fs.stat(path)).isDirectory ? undefined : ` in ${path}: it is a file, not a folder.`;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return ` in ${path}: ${errorCode(error) === "ENOENT" ? "folder not found." : fsReason(error)}`;
  }
}

function report(result: ShellExecResult, status: string, places: readonly string[] = []): string {
  const advice = adviceFor([result.stderr, result.stdout]);
  const sections = [
    ...(result.stdout === "" ? [] : [`stdout:\n${withNewline(result.stdout)}`]),
    ...(result.stderr === "" ? [] : [`stderr:\n${withNewline(result.stderr)}`]),
    [
      `status: ${status}`,
      ...(advice === undefined ? [] : [`instead: ${advice}.`]),
      ...places,
      ...describeEnded(result),
      ...(result.note ? [result.note] : []),
    ].join("\n"),
  ];
  return sections.join("\n");
}

function describeEnded({ ended = 0 }: ShellExecResult): readonly string[] {
  if (ended === 0) return [];
  const what =
    ended === 1
      ? "1 process that had left the command's process group"
      : `${ended} processes that had left the command's process group`;
  return [`ended: ${what}. Use process for anything that must keep running.`];
}

function describeStatus(result: ShellExecResult, timeoutMs: number): string {
  if (result.aborted) return "cancelled before it finished";
  if (result.timedOut) return `timed out after ${timeoutMs} ms and was terminated`;
  return result.code === null ? `ended by signal ${result.signal ?? "unknown"}` : `exit code ${result.code}`;
}

function withNewline(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
