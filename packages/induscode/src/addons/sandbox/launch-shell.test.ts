import { spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { lacks } from "../../../../../tests/support/needs.ts";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { PATIENCE_MS } from "../../../../../tests/support/until.ts";
import { launchShell } from "./launch-shell.ts";
import type { ProcessLimits } from "./process-limits.ts";

const limits: ProcessLimits = {
  ...{ dataBytes: 300 * 1024 ** 2, stackBytes: 8 * 1024 ** 2 },
  ...{ fileBytes: 1024 ** 3, openFiles: 256 },
};
const REPORT = "ulimit -c; ulimit -d; ulimit -n; ulimit -H -d; ulimit -f";

function run(argv: readonly string[]): {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  const [file = "", ...args] = argv;
  return spawnSync(file, args, { encoding: "utf8", timeout: PATIENCE_MS });
}

describe.skipIf(process.platform === "win32")("launchShell", () => {
  it("sets soft and hard limits and becomes the program, its arguments untouched", () => {
    const { stdout } = run(
      launchShell(["/bin/sh", "-c", `${REPORT}; echo "$1"`, "sh", "a  'b' $c"], { limits }),
    );
    expect(stdout.split("\n").slice(0, 6)).toEqual(["0", "307200", "256", "307200", "2097152", "a  'b' $c"]);
  });

  it("keeps a tighter limit that holds already", () => {
    const inner = launchShell(["/bin/sh", "-c", "ulimit -n"], { limits });
    const { stdout, status } = run(["/bin/sh", "-c", 'ulimit -n 64; exec "$@"', "sh", ...inner]);
    expect([status, stdout]).toEqual([0, "64\n"]);
  });

  it("does not start the program where a limit cannot be set", () => {
    const command = launchShell(["/bin/echo", "started"], { limits });
    const broken = 'ulimit() { [ "$1" = -H ] && echo unlimited; return 1; }\n';
    const argv = command.map((word, index) => (command[index - 1] === "-c" ? broken + word : word));
    const { status, stdout, stderr } = run(argv);
    expect([status, stdout]).toEqual([126, ""]);
    expect(stderr).toBe("indus sandbox: ulimit -c 0 was refused by this system's shell\n");
  });

  test.skipIf(lacks("bash", existsSync("/bin/bash")))(
    "runs none of the person's start files, as its twin does",
    () => {
      const home = createFolder({ ".bashrc": "echo started-by-bashrc", profile: "echo started-by-profile" });
      // What makes bash read startup files: a socket on standard input, which is what Node's pipes are.
      const env = { HOME: home, ENV: join(home, "profile") };
      const outputOf = ([file = "", ...args]: readonly string[]): string =>
        spawnSync(file, args, { encoding: "utf8", env, stdio: ["pipe", "pipe", "pipe"], input: "" }).stdout;
      const command = launchShell(["/bin/echo", "program"], { limits });
      const careless = command.filter((word) => !["--norc", "--noprofile", "--posix"].includes(word));
      expect(outputOf(careless)).toBe("started-by-bashrc\nprogram\n");
      expect(outputOf(command)).toBe("program\n");
    },
  );

  describe("files that the host was started with", () => {
    // At 5 and at 12: a shell may be unable to address the latter.
    const inherited = (argv: readonly string[]): readonly string[] => [
      ...["/bin/bash", "-c", 'exec 5</etc/hostname 12</etc/hostname; exec "$@"', "bash"],
      ...argv,
    ];
    const list = ["/bin/sh", "-c", "for n in 5 12; do [ -e /proc/self/fd/$n ] && echo $n; done; echo end"];
    const throughSh = (argv: readonly string[]): readonly string[] => [
      ...["/bin/sh", ...argv.slice(argv.indexOf("-c"))],
    ];
    const canList = existsSync("/bin/bash") && existsSync("/proc/self/fd");
    const shIsDash = canList && realpathSync("/bin/sh").endsWith("dash");

    test.skipIf(!canList)("reach the twin, and are closed before the program", () => {
      expect(run(inherited(list)).stdout).toBe("5\n12\nend\n");
      expect(run(inherited(launchShell(list, { limits }))).stdout).toBe("end\n");
    });

    test.skipIf(!shIsDash)("keep the program from starting where the shell cannot close them", () => {
      const { status, stdout, stderr } = run(inherited(throughSh(launchShell(list, { limits }))));
      expect([status, stdout]).toEqual([126, ""]);
      expect(stderr).toContain("the inherited file descriptor 12 cannot be closed by sh; install bash");
    });
  });
});
