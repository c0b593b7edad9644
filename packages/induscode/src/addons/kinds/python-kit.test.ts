// The Python author's kit: its own tests, and its example connected to the host's real end of the pipe.

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { isLong } from "../../../../../tests/support/long-form.ts";
import { isInstalled, lacks } from "../../../../../tests/support/needs.ts";
import { createFolder, NOTHING_ADMITTED, sourceAt } from "../../../../../tests/support/test-folder.ts";
import { PATIENCE_MS } from "../../../../../tests/support/until.ts";
import { type AddonProcess, startAddonProcess } from "../process/addon-process.ts";
import { DEFAULT_LIMITS, type IncomingHandler } from "../process/protocol/contract.ts";
import { describePython } from "./python.ts";
import { pythonKit } from "./python-kit.ts";

const EXAMPLE = join(import.meta.dirname, "../../../../../examples/addons/redact.py");
/** The number of tests when this line was written: otherwise a test that is no longer found would go unnoticed. */
const LEAST_TESTS = isLong ? 170 : 70;
/** The short form leaves out those that start an interpreter for each test. */
const FILES = isLong ? "test_*.py" : "test_[!pr]*.py";
const MINUTE_MS = 60_000;

/** Byte code goes to a separate folder: other tests hash the kit's folder, and packaging includes all of it. */
const compiled: string = mkdtempSync(join(tmpdir(), "python-kit-"));
afterAll(() => rmSync(compiled, { recursive: true, force: true }));

/** An interpreter without third-party packages: searching for those is half the time of each of the many starts. */
async function bareInterpreter(): Promise<string> {
  const { stdout } = await promisify(execFile)("python3", ["-I", "-c", "import sys; print(sys.executable)"]);
  const real = realpathSync(stdout.trim());
  const folder = join(compiled, "bare");
  mkdirSync(join(folder, "bin"), { recursive: true });
  writeFileSync(
    join(folder, "pyvenv.cfg"),
    `home = ${dirname(real)}\ninclude-system-site-packages = false\n`,
  );
  symlinkSync(real, join(folder, "bin/python3"));
  return join(folder, "bin/python3");
}
let interpreter: Promise<string> | undefined;

async function python(args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const env = { ...process.env, PYTHONPYCACHEPREFIX: compiled, PYTHONDONTWRITEBYTECODE: "" };
  interpreter ??= bareInterpreter();
  return promisify(execFile)(await interpreter, args, { cwd: pythonKit(), env, timeout: 5 * MINUTE_MS });
}

interface Said {
  readonly method: string;
  readonly params: unknown;
}

async function start(entry: string): Promise<{ addon: AddonProcess; said: Said[] }> {
  const { program } = await describePython(sourceAt(entry));
  const { argv, cwd } = await program(NOTHING_ADMITTED);
  const said: Said[] = [];
  const handle: IncomingHandler = (method, params) => {
    said.push({ method, params });
    return {};
  };
  const addon = startAddonProcess({
    argv,
    cwd,
    env: {},
    limits: DEFAULT_LIMITS,
    handle,
    onLog: (text) => said.push({ method: "stderr", params: text }),
    onGone: (why) => said.push({ method: "gone", params: why.message }),
  });
  onTestFinished(() => addon.dispose(1_000));
  return { addon, said };
}

describe.skipIf(lacks("python3", isInstalled("python3")))("the Python kit", () => {
  it("compiles without a warning", async () => {
    const { stdout, stderr } = await python([
      "-W",
      "error",
      "-m",
      "compileall",
      "-q",
      "-f",
      "induscode",
      "tests",
    ]);
    expect([stdout, stderr]).toEqual(["", ""]);
  });

  it(
    "passes its own tests",
    async () => {
      const { stderr } = await python([
        "-W",
        "error",
        "-m",
        "unittest",
        "discover",
        "-s",
        "tests",
        "-p",
        FILES,
      ]);
      const [, ran, rest] = /\nRan (\d+) tests in [\d.]+s\n\n(.*)\n$/s.exec(stderr) ?? [];
      expect(rest, stderr).toMatch(/^OK(?: \(skipped=1\))?$/); // without mypy, the types are not checked
      expect(Number(ran)).toBeGreaterThanOrEqual(LEAST_TESTS);
    },
    5 * MINUTE_MS,
  );

  it("runs the example where the workspace has it", async () => {
    const workspace = createFolder();
    const entry = join(workspace, ".indus/addons/redact.py");
    cpSync(EXAMPLE, entry);
    const { addon, said } = await start(entry);
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const ask = (method: string, params: Parameters<AddonProcess["request"]>[1]): Promise<unknown> =>
      addon.request(method, params, { signal });

    const describeParams = { protocol: { min: 1, max: 1 }, id: "derived", cwd: workspace, grants: [] };
    expect(await ask("describe", describeParams)).toMatchObject({ id: "redact", version: "1.0.0" });
    const call = { interceptor: 0, tool: "bash", callId: "1" };
    expect(await ask("enter", { ...call, args: { command: "ls" } })).toEqual({});
    expect(await ask("enter", { ...call, args: { command: "mail ada@example.org" } })).toEqual({
      stop: true,
      reason: "it names an e-mail address",
    });
    const payload = { sessionId: "s" };
    expect(await ask("event", { handler: 0, event: "turn:end", payload })).toEqual({});
    expect(await ask("command", { name: "redacted", args: "", cwd: workspace })).toEqual({});
    const counts = "{'hidden': 0, 'stopped': 1}";
    expect(said).toEqual([
      { method: "log", params: { text: `so far ${counts}` } },
      { method: "progress", params: { id: expect.anything(), text: counts } },
    ]);
  });
});
