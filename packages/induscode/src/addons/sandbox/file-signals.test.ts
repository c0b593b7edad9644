// Landlock before Linux 6.12 does not confine signals, and the kernel itself sends some: to the owner named by an open file. With the
// filter nobody outside can be named; the twin without the filter kills an unrelated process.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, test } from "vitest";
import { rows, theFirst } from "../../../../../tests/support/long-form.ts";
import { lacks, lacksLevel } from "../../../../../tests/support/needs.ts";
import { run } from "../../../../../tests/support/test-run.ts";
import { PYTHON } from "../../../../../tests/support/test-scene.ts";
import { until } from "../../../../../tests/support/until.ts";
import { ALLOW, encodeFilter, RETURN } from "./calls/filter-program.ts";
import type { SandboxSpec } from "./contract.ts";
import type { LaunchSpec } from "./landlock-launcher.ts";
import { createSandbox } from "./sandbox.ts";

const SIGUSR1 = 10;
const WAYS = {
  F_SETOWN: "fcntl.fcntl(end, fcntl.F_SETOWN, victim)",
  F_SETOWN_EX: 'fcntl.fcntl(end, 15, struct.pack("ii", 1, victim))',
  FIOSETOWN: 'fcntl.ioctl(end, 0x8901, struct.pack("i", victim))',
  SIOCSPGRP: 'fcntl.ioctl(end, 0x8902, struct.pack("i", victim))',
};

function attack(way: string): string {
  return `
import fcntl, os, socket, struct, sys
victim = int(sys.argv[1])
mine, other = socket.socketpair()
end = mine.fileno()
def attempt(what):
    try: what()
    except OSError as error: print(error.errno)
attempt(lambda: ${way})
attempt(lambda: fcntl.fcntl(end, fcntl.F_SETSIG, ${SIGUSR1}))
attempt(lambda: fcntl.fcntl(end, fcntl.F_SETFL, fcntl.fcntl(end, fcntl.F_GETFL) | os.O_ASYNC))
attempt(lambda: fcntl.ioctl(end, 0x5452, struct.pack("i", 1)))
other.send(b"x")
`;
}

const victims: ChildProcess[] = [];
afterEach(() => {
  for (const victim of victims.splice(0)) victim.kill("SIGKILL");
});

async function startVictim(): Promise<ChildProcess> {
  const victim = spawn("/bin/sleep", ["3600"], { stdio: "ignore" });
  victims.push(victim);
  await once(victim, "spawn");
  return victim;
}

const python = PYTHON ?? "";
const spec = (mayStartProcesses: boolean): SandboxSpec => ({
  ...{ readable: [python], writable: [], protected: [], isNode: false, mayStartProcesses },
  maxMemoryBytes: 256 * 1024 ** 2,
});

/** The same launch with a system call filter that lets everything through. */
function unfiltered(argv: readonly string[]): readonly string[] {
  const filter = Buffer.from(encodeFilter([{ op: RETURN, value: ALLOW }])).toString("base64");
  return argv.map((word) =>
    word.startsWith('{"system"') ? JSON.stringify({ ...(JSON.parse(word) as LaunchSpec), filter }) : word,
  );
}

describe.skipIf(lacks("python3", PYTHON !== undefined)).each(rows([3, 5], theFirst))(
  "with Landlock's ABI %i",
  (maxAbi) => {
    const sandbox = createSandbox({ prefer: "landlock", maxAbi });
    const isHere = sandbox.levelFor({ isNode: false }) === "landlock";

    describe.skipIf(lacksLevel("landlock", isHere)).each(Object.entries(WAYS))("%s", (_, way) => {
      test.each([true, false])(
        "names nobody outside (may start processes: %s)",
        async (mayStartProcesses) => {
          const victim = await startVictim();
          const argv = [python, "-c", attack(way), String(victim.pid)];
          const confined = sandbox.confine(argv, spec(mayStartProcesses)).argv;
          const { status, stdout, stderr } = await run(confined, { cwd: "/" });
          expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "1\n1\n1\n1\n", stderr: "" });
          expect([victim.exitCode, victim.signalCode]).toEqual([null, null]);
        },
      );

      test("its twin without the filter ends a stranger", async () => {
        const victim = await startVictim();
        const argv = [python, "-c", attack(way), String(victim.pid)];
        const open = unfiltered(sandbox.confine(argv, spec(true)).argv);
        const { status, stdout, stderr } = await run(open, { cwd: "/" });
        expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
        await until(() => victim.signalCode !== null);
        expect(victim.signalCode).toBe("SIGUSR1");
      });
    });
  },
);

test("a Landlock that is too old is not used, and the level says why", () => {
  const sandbox = createSandbox({ prefer: "landlock", maxAbi: 1 });
  expect(sandbox.levelFor({ isNode: true })).toBe("none");
  const [report] = sandbox.levels();
  if (createSandbox({ prefer: "landlock" }).levelFor({ isNode: false }) !== "landlock") return;
  expect(report).toMatchObject({
    level: "landlock",
    works: false,
    reason: expect.stringContaining("Landlock has ABI 1, at least 3 (Linux 6.2) is needed"),
  });
});
