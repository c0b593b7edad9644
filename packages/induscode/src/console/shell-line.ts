// `!command`: a shell command by the person. It passes the same gate as the model's, and its output is shown; with one `!`
// the model reads it too, along with its next message.

import { clamp, defaultNotice, describeError, printable } from "indusagi/core";
import type { SessionHandles } from "../feature/services.ts";
import type { ParsedLine } from "./parse-line.ts";

/** The most that the model and the person see of one command's output. */
const BUDGET = { kind: "middle", maxBytes: 50 * 1024 } as const;

interface ShellEnd {
  /** For the person; not printable yet. */
  readonly shown: string;
  readonly state: "ok" | "failed" | "refused";
  /** For the model, if it is allowed to see it. */
  readonly heard?: string;
}

/** Runs the command. Never rejects: a refusal or failure is shown instead. */
export async function runShellLine(
  { command, isShared }: Extract<ParsedLine, { kind: "shell" }>,
  exec: SessionHandles["exec"],
  progress?: (tail: string) => void,
): Promise<ShellEnd> {
  if (!exec) return { shown: "commands cannot be run in this session", state: "refused" };
  try {
    const { stdout, stderr, code, totalBytes } = await exec(command, [], progress ? { progress } : {});
    const output = [stdout, stderr].map((text) => text.trimEnd()).filter((text) => text !== "");
    const ended = code === 0 ? "" : code === null ? "(killed by a signal)" : `(exit code ${code})`;
    const shown = [...output, ended].filter((text) => text !== "").join("\n") || "(no output)";
    const held = Buffer.byteLength(stdout) + Buffer.byteLength(stderr);
    const unheld = Math.max(0, (totalBytes ?? held) - held);
    const bounded = clamp(shown, { ...BUDGET, notice: (omitted) => defaultNotice(omitted + unheld) });
    const end = { shown: bounded, state: code === 0 ? "ok" : "failed" } as const;
    return isShared ? { ...end, heard: `I ran this command myself:\n$ ${command}\n${bounded}` } : end;
  } catch (error) {
    const isRefused = error instanceof Error && error.cause === "refused";
    return {
      shown: printable(`not run: ${describeError(error)}`),
      state: isRefused ? "refused" : "failed",
    };
  }
}
