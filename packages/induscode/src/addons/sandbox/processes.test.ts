// A confined program's processes: what it starts stays confined, ends with it and with the host, and has no more privileges.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rows } from "../../../../../tests/support/long-form.ts";
import { isRoot, lacks, lacksLevel } from "../../../../../tests/support/needs.ts";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { isOwnKernels, LANDLOCKS, levelOf, sandboxAt } from "../../../../../tests/support/test-levels.ts";
import { startProgram } from "../../../../../tests/support/test-program.ts";
import { run } from "../../../../../tests/support/test-run.ts";
import { NODE, PYTHON } from "../../../../../tests/support/test-scene.ts";
import { goesOnHolding, until } from "../../../../../tests/support/until.ts";
import type { SandboxSpec } from "./contract.ts";

function specFor(folder: string, changes: Partial<SandboxSpec> = {}): SandboxSpec {
  return {
    ...{ readable: [folder], writable: [], protected: [], mayStartProcesses: true, isNode: false },
    maxMemoryBytes: 512 * 1024 ** 2,
    ...changes,
  };
}

/** Two sleeping processes: one plain, one that first tries to leave the group and the session. Both hold the output open. */
const ESCAPE = `
import os, sys, time
children = []
for leave in (False, True):
    child = os.fork()
    if child == 0:
        for escape in (os.setsid, os.setpgrp) if leave else ():
            try: escape()
            except OSError: pass
        time.sleep(600)
        os._exit(0)
    children.append(child)
time.sleep(0.3)
print("children", *children, "ready", flush=True)
time.sleep(600)
`;

const MANY = `
import os, time
for _ in range(60):
    if os.fork() == 0:
        time.sleep(600)
        os._exit(0)
print("ready", flush=True)
time.sleep(600)
`;

const LEVELS = rows(["bubblewrap", ...LANDLOCKS], isOwnKernels);

describe.skipIf(lacks("python3", PYTHON !== undefined)).each(LEVELS)("%s", (level) => {
  const python = PYTHON ?? "";
  const sandbox = sandboxAt(level);
  const isMissing = lacksLevel(levelOf(level), sandbox.levelFor({ isNode: false }) === levelOf(level));
  const confined = (
    folder: string,
    argv: readonly string[],
    changes?: Partial<SandboxSpec>,
  ): readonly string[] => sandbox.confine(argv, specFor(folder, changes)).argv;

  it.skipIf(isMissing)("nothing survives the end of its group, whatever it does to leave it", async () => {
    const folder = createFolder({ "escape.py": ESCAPE });
    const argv = [python, join(folder, "escape.py")];

    const twin = startProgram(argv, folder);
    await twin.says("ready");
    const [, escaped = 0] = (/children (\d+) (\d+)/.exec(twin.output()) ?? []).slice(1).map(Number);
    twin.killGroup();
    await goesOnHolding(() => expect(twin.hasEnded()).toBe(false));
    process.kill(escaped, "SIGKILL");

    const program = startProgram(confined(folder, argv), folder);
    await program.says("ready");
    program.killGroup();
    await until(program.hasEnded);
  });

  it.skipIf(isMissing)("a crowd of processes ends with its group", async () => {
    const folder = createFolder({ "many.py": MANY });
    const program = startProgram(confined(folder, [python, join(folder, "many.py")]), folder);
    await program.says("ready");
    program.killGroup();
    await until(program.hasEnded);
  });

  it.skipIf(isMissing)("without the grant a fork bomb has one process", async () => {
    const bomb =
      "import os\nforked = 0\nfor _ in range(50):\n  try:\n    if os.fork() == 0: os._exit(0)\n    forked += 1\n  except PermissionError: pass\nprint(forked)";
    const folder = createFolder({ "bomb.py": bomb });
    const argv = [python, join(folder, "bomb.py")];
    expect((await run(argv, { cwd: folder })).stdout).toBe("50\n");
    const { stdout } = await run(confined(folder, argv, { mayStartProcesses: false }), { cwd: folder });
    expect(stdout).toBe("0\n");
  });

  it.skipIf(isMissing)("ends when the host is killed, which its twin outlives", async () => {
    const folder = createFolder({
      "sleep.py": "import os, time\nprint('pid', os.getpid(), flush=True)\ntime.sleep(600)",
      // Stands for the host: it starts the program and is then killed with no chance to clean up.
      "host.mjs":
        "import { spawn } from 'node:child_process';\nconst [file, ...args] = process.argv.slice(2);\nspawn(file, args, { stdio: 'inherit', detached: true });",
    });
    const argv = [python, join(folder, "sleep.py")];
    const killHost = (program: ReturnType<typeof startProgram>): void => {
      process.kill(program.pid, "SIGKILL");
    };

    const twin = startProgram([NODE, join(folder, "host.mjs"), ...argv], folder);
    await twin.says("pid ");
    killHost(twin);
    await goesOnHolding(() => expect(twin.hasEnded()).toBe(false));
    process.kill(Number(/pid (\d+)/.exec(twin.output())?.[1]), "SIGKILL");

    const program = startProgram([NODE, join(folder, "host.mjs"), ...confined(folder, argv)], folder);
    await program.says("pid ");
    killHost(program);
    await until(program.hasEnded);
  });

  it.skipIf(isMissing)("cannot undo that it ends with the host", async () => {
    const folder = createFolder({
      "undo.py":
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nprint(libc.prctl(1, 0, 0, 0, 0), ctypes.get_errno())",
    });
    const argv = [python, join(folder, "undo.py")];
    expect((await run(argv, { cwd: folder })).stdout).toBe("0 0\n");
    expect((await run(confined(folder, argv), { cwd: folder })).stdout).toBe("-1 1\n");
  });

  it.skipIf(isMissing)("what it starts is confined like itself", async () => {
    const folder = createFolder();
    const secret = join(createFolder({ id_rsa: "canary\n" }), "id_rsa");
    const argv = ["/bin/sh", "-c", `/bin/cat ${secret}; echo "ended: $?"`];
    expect((await run(argv, { cwd: folder })).stdout).toBe("canary\nended: 0\n");
    expect((await run(confined(folder, argv), { cwd: folder })).stdout).toBe("ended: 1\n");
  });

  it.skipIf(isMissing || lacks("root", isRoot))(
    "for root it keeps the name and none of the power",
    async () => {
      const power = `
import os
for attempt in (lambda: os.setgroups([65534]), lambda: os.chown("own", 65534, 65534), lambda: os.mknod("device", 0o600 | 0o020000, os.makedev(1, 3)), lambda: os.setuid(65534)):
    try: print("done", attempt())
    except OSError as error: print(error.strerror)
`;
      const folder = createFolder({ "power.py": power, own: "" });
      const argv = [python, join(folder, "power.py")];
      const twinFolder = createFolder({ own: "" });
      expect((await run(argv, { cwd: twinFolder })).stdout).toBe("done None\n".repeat(4));
      const command = confined(folder, argv, { writable: [folder] });
      expect((await run(command, { cwd: folder })).stdout).not.toContain("done");
    },
  );

  it.skipIf(isMissing || lacks("root", isRoot))("cannot change the kernel's settings", async () => {
    // Opened, not written.
    const folder = createFolder({ "open.py": "open('/proc/sys/vm/drop_caches', 'w')\nprint('open')" });
    const argv = [python, join(folder, "open.py")];
    expect((await run(argv, { cwd: folder })).stdout).toBe("open\n");
    expect((await run(confined(folder, argv), { cwd: folder })).stdout).toBe("");
  });

  it.skipIf(isMissing)("gets no file that the host was started with", async () => {
    const folder = createFolder({
      "files.py": "import os\nfor n in range(3, 40):\n  try: print(n, os.read(n, 6))\n  except OSError: pass",
    });
    const secret = join(createFolder({ secret: "canary" }), "secret");
    const argv = [python, join(folder, "files.py")];
    const inherited = (command: readonly string[]): readonly string[] => [
      ...["/bin/bash", "-c", 'exec 5<"$1" 33<"$1"; shift; exec "$@"', "bash", secret],
      ...command,
    ];
    expect((await run(inherited(argv), { cwd: folder })).stdout).toBe("5 b'canary'\n33 b'canary'\n");
    expect(await run(inherited(confined(folder, argv)), { cwd: folder })).toMatchObject({
      status: 0,
      stdout: "",
    });
  });

  it.skipIf(isMissing)("ends when its reader has gone, as programs do", async () => {
    const folder = createFolder();
    const argv = ["/bin/sh", "-c", "{ yes 2>/dev/null; echo $? >&2; } | head -n 1"];
    const { stdout, stderr } = await run(confined(folder, argv), { cwd: folder });
    expect([stdout, stderr]).toEqual(["y\n", "141\n"]);
  });

  it.skipIf(isMissing)("finds nowhere to write but where it was told", async () => {
    const search = `
import os
places = ["/", "/tmp", "/dev", "/dev/shm", "/etc", "/usr", "/var/tmp", "/run", "/home", "/proc/self", os.getcwd()]
for place in places:
    try:
        with open(place + "/indus-probe", "w"): pass
        os.unlink(place + "/indus-probe")
        print(place)
    except OSError: pass
`;
    const folder = createFolder({ "search.py": search });
    const writable = createFolder();
    writeFileSync(join(writable, "x"), "");
    const argv = [python, join(folder, "search.py")];
    const { stdout } = await run(confined(folder, argv, { writable: [writable] }), { cwd: writable });
    // bubblewrap provides its own /tmp of limited size; Landlock provides none.
    expect(stdout).toBe(level === "bubblewrap" ? `/tmp\n${writable}\n` : `${writable}\n`);
  });
});
