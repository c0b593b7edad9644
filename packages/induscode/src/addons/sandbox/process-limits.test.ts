import { spawnSync } from "node:child_process";
import { describe, expect, it, test } from "vitest";
import { type ProcessLimits, programLimits, withLimits } from "./process-limits.ts";

const limits: ProcessLimits = { dataBytes: 300 * 1024 ** 2, fileBytes: 1024 ** 3, openFiles: 256 };
const REPORT = "ulimit -c; ulimit -d; ulimit -n; ulimit -H -d; ulimit -f";

function run(argv: readonly string[]): {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  const [file = "", ...args] = argv;
  return spawnSync(file, args, { encoding: "utf8", timeout: 10_000 });
}

describe.skipIf(process.platform === "win32")("withLimits", () => {
  it("sets soft and hard limits and becomes the program, its arguments untouched", () => {
    const { stdout } = run(withLimits(["/bin/sh", "-c", `${REPORT}; echo "$1"`, "sh", "a  'b' $c"], limits));
    expect(stdout.split("\n").slice(0, 6)).toEqual(["0", "307200", "256", "307200", "2097152", "a  'b' $c"]);
  });

  it("keeps a tighter limit that holds already", () => {
    const inner = withLimits(["/bin/sh", "-c", "ulimit -n"], limits);
    const { stdout, status } = run(["/bin/sh", "-c", 'ulimit -n 64; exec "$@"', "sh", ...inner]);
    expect([status, stdout]).toEqual([0, "64\n"]);
  });

  it("does not start the program where a limit cannot be set", () => {
    const [shell = "", flag = "", script = "", ...rest] = withLimits(["/bin/echo", "started"], limits);
    const broken = `ulimit() { [ "$1" = -H ] && echo unlimited; return 1; }\n${script}`;
    const { status, stdout, stderr } = run([shell, flag, broken, ...rest]);
    expect([status, stdout]).toEqual([126, ""]);
    expect(stderr).toBe("indus sandbox: ulimit -c 0 was refused by this system's shell\n");
  });
});

describe("programLimits", () => {
  const spec = {
    ...{ readable: [], writable: [], protected: [], mayStartProcesses: false },
    maxMemoryBytes: 100,
  };
  it("gives Node besides what V8 reserves and never fills", () => {
    expect(programLimits({ ...spec, isNode: false }).dataBytes).toBe(100);
    expect(programLimits({ ...spec, isNode: true }).dataBytes).toBe(100 + 576 * 1024 ** 2);
  });

  test.skipIf(process.platform !== "linux")("allows a thousand tasks on top of those that run", () => {
    expect(programLimits({ ...spec, isNode: false }).processes).toBeGreaterThan(1024);
  });
});
