// One suite for every shell: signals, deadlines, captures and exits. A shell that runs nothing is told what each
// command would print.

import { describe, expect, test } from "vitest";
import type { ScriptedAnswer } from "../../packages/indusagi/src/capabilities/backends/memory-shell.ts";
import type {
  Shell,
  ShellExecOptions,
  ShellExecResult,
  ShellExit,
} from "../../packages/indusagi/src/capabilities/kernel/contract.ts";

/** What the commands of the suite do. */
export const SHELL_CASE_SCRIPT = {
  "printf out; printf err >&2; exit 3": { stdout: "out", stderr: "err", code: 3 },
  "kill -9 $$": { signal: "SIGKILL" },
  "printf begun; sleep 30": { stdout: "begun", takesMs: 30_000 },
  "sleep 0.05": { takesMs: 50 },
  "head -c 5000 /dev/zero | tr '\\0' x": "x".repeat(5_000),
  "exit 4": { code: 4 },
  "no-such-command-at-all": { stderr: "sh: no-such-command-at-all: not found\n", code: 127 },
} as const satisfies Readonly<Record<string, ScriptedAnswer>>;

type CaseCommand = keyof typeof SHELL_CASE_SCRIPT;

/** Runs the suite; `make` is called once in each test. */
export function shellCases(name: string, make: () => Shell): void {
  describe(name, () => {
    const exec = (command: CaseCommand, options: Partial<ShellExecOptions> = {}): Promise<ShellExecResult> =>
      make().exec(command, { cwd: "/", signal: new AbortController().signal, ...options });

    test("a command's streams and exit code", async () => {
      expect(await exec("printf out; printf err >&2; exit 3")).toEqual({
        stdout: "out",
        stderr: "err",
        code: 3,
        signal: null,
        timedOut: false,
        aborted: false,
        totalBytes: 6,
      });
    });

    test("a command that a signal ends has no exit code", async () => {
      const { code, signal, timedOut, aborted } = await exec("kill -9 $$");
      expect([code, signal, timedOut, aborted]).toEqual([null, "SIGKILL", false, false]);
    });

    test("a command that is not found is exit code 127", async () => {
      const { code, stderr } = await exec("no-such-command-at-all");
      expect([code, stderr.includes("not found")]).toEqual([127, true]);
    });

    test("a deadline ends a command and keeps what it said", async () => {
      const { stdout, code, timedOut, aborted } = await exec("printf begun; sleep 30", { timeoutMs: 300 });
      expect([stdout, code, timedOut, aborted]).toEqual(["begun", null, true, false]);
    });

    test("a command that ends before its deadline does not time out", async () => {
      const { code, timedOut } = await exec("sleep 0.05", { timeoutMs: 20_000 });
      expect([code, timedOut]).toEqual([0, false]);
    });

    test("an abort settles at once", async () => {
      const abort = new AbortController();
      const running = exec("printf begun; sleep 30", { signal: abort.signal });
      setTimeout(() => abort.abort(), 100);
      const started = performance.now();
      const { code, timedOut, aborted } = await running;
      expect(performance.now() - started).toBeLessThan(2_000);
      expect([code, timedOut, aborted]).toEqual([null, false, true]);
    });

    test("an abort beforehand starts nothing", async () => {
      expect(await exec("exit 4", { signal: AbortSignal.abort() })).toEqual({
        stdout: "",
        stderr: "",
        code: null,
        signal: null,
        timedOut: false,
        aborted: true,
        totalBytes: 0,
      });
    });

    test("output beyond the capture loses its middle and is counted", async () => {
      const result = await exec("head -c 5000 /dev/zero | tr '\\0' x", { maxCaptureBytes: 100 });
      const [head, tail] = ["x".repeat(50), "x".repeat(50)];
      expect([result.stdout, result.totalBytes]).toEqual([
        `${head}\n[4900 bytes elided to stay within the output ceiling]\n${tail}`,
        5_000,
      ]);
    });

    test("a background command tells its one exit to all who listen, also late, and not to who has left", async () => {
      const handle = make().spawn("exit 4" satisfies CaseCommand, { cwd: "/" });
      const exits: ShellExit[] = [];
      handle.onExit((exit) => exits.push(exit))();
      const heard = (): Promise<ShellExit> => new Promise((resolve) => void handle.onExit(resolve));
      expect([await heard(), await heard(), exits]).toEqual([
        { code: 4, signal: null },
        { code: 4, signal: null },
        [],
      ]);
      handle.kill(); // one that has ended is not an error
      expect(await heard()).toEqual({ code: 4, signal: null });
    });

    test("a background command's output is heard before its exit", async () => {
      const heard: string[] = [];
      const handle = make().spawn("printf out; printf err >&2; exit 3" satisfies CaseCommand, {
        cwd: "/",
        onOutput: async (stream, chunk) => {
          heard.push(`${stream} ${Buffer.from(chunk)}`);
        },
      });
      const exit = new Promise<ShellExit>((resolve) => void handle.onExit(resolve));
      expect(heard).toEqual([]);
      expect([await exit, heard.sort()]).toEqual([{ code: 3, signal: null }, ["stderr err", "stdout out"]]);
    });

    test("a background command ends by the signal it is sent", async () => {
      const handle = make().spawn("printf begun; sleep 30" satisfies CaseCommand, { cwd: "/" });
      const exit = new Promise<ShellExit>((resolve) => void handle.onExit(resolve));
      expect(typeof handle.pid).toBe("number");
      handle.kill("SIGINT");
      handle.kill("SIGKILL");
      expect((await exit).code).toBeNull();
    });
  });
}
