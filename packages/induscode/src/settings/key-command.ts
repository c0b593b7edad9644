// Runs a command of the person's that prints a secret: without a shell, and with a time limit. Loaded when one is needed.

import { execFile } from "node:child_process";
import type { Printed } from "indusagi/llmgateway";

const MAX_MS = 60_000; // a person may need to unlock something
const MAX_BYTES = 64 * 1024;

export function runKeyCommand(
  [program = "", ...words]: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  {
    input = "",
    maxMs = MAX_MS,
  }: { readonly input?: string | undefined; readonly maxMs?: number | undefined } = {},
): Promise<Printed> {
  return new Promise((resolve) => {
    const options = { env, signal, timeout: maxMs, killSignal: "SIGKILL", maxBuffer: MAX_BYTES } as const;
    try {
      const child = execFile(program, words, options, (error, text, complaint) =>
        resolve(error ? { ok: false, why: whyOf(error, complaint, maxMs) } : { ok: true, text }),
      );
      child.stdin?.on("error", () => undefined); // it can end without reading; its exit is what counts
      child.stdin?.end(input);
    } catch (error) {
      resolve({ ok: false, why: whyOf(error as Error, "", maxMs) });
    }
  });
}

/** Its stdout is not quoted: it could contain anything. Its stderr is. */
function whyOf(
  error: Error & { readonly code?: unknown; readonly killed?: boolean },
  complaint: string,
  maxMs: number,
): string {
  if (error.code === "ENOENT") return "was not found: there is no program of that name";
  if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return `printed more than ${MAX_BYTES} bytes`;
  if (error.name === "AbortError") return "was cancelled";
  if (error.killed) return `took longer than ${maxMs / 1000} seconds`;
  const [first = ""] = complaint.trim().split("\n", 1);
  const said = first.replace(/[^\x20-\x7e]/g, "").slice(0, 200);
  const how = typeof error.code === "number" ? `exited with code ${error.code}` : "could not be run";
  return said === "" ? how : `${how}: ${said}`;
}
