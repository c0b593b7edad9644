// The report must neither hide a gap nor invent one: for each sentence, a program that does what it says.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lacks } from "../../../../../tests/support/needs.ts";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { startProgram } from "../../../../../tests/support/test-program.ts";
import { run } from "../../../../../tests/support/test-run.ts";
import { NODE, PYTHON } from "../../../../../tests/support/test-scene.ts";
import { goesOnHolding } from "../../../../../tests/support/until.ts";
import { filterArchitecture } from "./calls/seccomp-filter.ts";
import type { SandboxLevel, SandboxSpec } from "./contract.ts";
import { landlockCommand } from "./landlock.ts";
import { createSandbox } from "./sandbox.ts";
import { unconfinedAt } from "./unconfined.ts";

const EXCHANGED =
  "If another program replaces one of the addon's folders with a link while the addon starts, the addon can reach what the link points to. This is because bubblewrap is older than 0.10, or there is no bash.";
const EXISTENCE = "It can find out whether any file exists, its size and dates, and where a link points.";
const ORPHANS =
  "If indus itself is killed, processes that it was allowed to start may keep running in the sandbox.";
const SIGNALS = "It can send signals to your other processes.";
const SIGNALS_OF_SOME = "If it may start processes, it can send signals to your other processes.";
const NETWORK = "It can use the network.";
const DATABASES = "It can create and change SQLite files anywhere that you can.";
const LINKS = "It can read through links in its folders that point elsewhere.";
const CHILDREN = "Programs that it may start are not confined at all.";
const MANY =
  "If indus runs as root, the number of processes and threads that an addon can start is not limited.";

function spec(readable: readonly string[], changes: Partial<SandboxSpec> = {}): SandboxSpec {
  return {
    ...{ readable, writable: [], protected: [], mayStartProcesses: false, isNode: false },
    maxMemoryBytes: 256 * 1024 ** 2,
    ...changes,
  };
}

describe("unconfinedAt", () => {
  const user = { isRoot: false, abi: 7, node: "26.10.0" };
  it.each<[SandboxLevel, Parameters<typeof unconfinedAt>[1], readonly string[]]>([
    ["bubblewrap", user, []],
    ["bubblewrap", { ...user, isRoot: true }, [MANY]],
    ["bubblewrap", { ...user, handsPlaces: false }, [EXCHANGED]],
    ["landlock", user, [EXISTENCE, ORPHANS]],
    ["landlock", { ...user, abi: 5 }, [EXISTENCE, ORPHANS, SIGNALS_OF_SOME]],
    ["landlock", { ...user, isRoot: true }, [EXISTENCE, ORPHANS, MANY]],
    ["node-permissions", user, [DATABASES, LINKS, SIGNALS, CHILDREN]],
    ["node-permissions", { ...user, node: "24.15.0" }, [NETWORK, DATABASES, LINKS, SIGNALS, CHILDREN]],
  ])("of %s with %j", (level, options, expected) => {
    expect(unconfinedAt(level, options)).toEqual(expected);
  });
});

describe("landlock", () => {
  const sandbox = createSandbox({ prefer: "landlock" });
  const isMissing = lacks("Landlock", sandbox.levelFor({ isNode: false }) === "landlock");

  it.skipIf(isMissing)(EXISTENCE, async () => {
    const [folder, outside] = [createFolder(), createFolder({ secret: "12345" })];
    const argv = ["/bin/sh", "-c", `[ -e ${outside}/secret ] && [ ! -e ${outside}/other ] && echo known`];
    expect((await run(sandbox.confine(argv, spec([folder])).argv, { cwd: folder })).stdout).toBe("known\n");
    const stronger = createSandbox({ prefer: "bubblewrap" });
    if (stronger.levelFor({ isNode: false }) !== "bubblewrap") return;
    expect((await run(stronger.confine(argv, spec([folder])).argv, { cwd: folder })).stdout).toBe("");
  });

  it.skipIf(isMissing || lacks("python3", PYTHON !== undefined))(ORPHANS, async () => {
    const folder = createFolder({
      "parent.py":
        "import os, time\nif os.fork() == 0:\n  time.sleep(600)\n  os._exit(0)\nprint('ready', flush=True)\ntime.sleep(600)",
    });
    const argv = [PYTHON ?? "", join(folder, "parent.py")];
    const command = sandbox.confine(argv, spec([folder], { mayStartProcesses: true })).argv;
    const program = startProgram(command, folder);
    await program.says("ready");
    // As the kernel does when the host is gone: only the program is killed.
    process.kill(program.pid, "SIGKILL");
    await goesOnHolding(() => expect(program.hasEnded()).toBe(false));
    program.killGroup();
  });
});

describe("landlock of an older kernel (ABI 4)", () => {
  const architecture = filterArchitecture(process.arch);
  const isMissing = lacks(
    "Landlock",
    createSandbox({ prefer: "landlock" }).levelFor({ isNode: false }) === "landlock",
  );

  it.skipIf(isMissing || architecture === undefined)(SIGNALS_OF_SOME, async () => {
    const folder = createFolder();
    const victim = startProgram(["/bin/sleep", "600"], folder);
    // With the shell's own `kill`.
    const script = `kill -CONT ${victim.pid} 2>/dev/null && echo other; kill -CONT $$ && echo own`;
    const command = (mayStartProcesses: boolean): readonly string[] =>
      landlockCommand(["/bin/sh", "-c", script], spec([folder], { mayStartProcesses }), {
        architecture: architecture ?? "x64",
        maxAbi: 4,
      });
    expect((await run(command(false), { cwd: folder })).stdout).toBe("own\n");
    expect((await run(command(true), { cwd: folder })).stdout).toBe("other\nown\n");
    victim.killGroup();
  });
});

describe("node-permissions", () => {
  const sandbox = createSandbox({ prefer: "node-permissions" });

  it(DATABASES, async () => {
    const [folder, outside] = [createFolder(), createFolder()];
    const script =
      "import { DatabaseSync } from 'node:sqlite';\nnew DatabaseSync(process.argv[2]).exec('CREATE TABLE t (n)');\n";
    const program = join(createFolder({ "main.mjs": script }), "main.mjs");
    const argv = [NODE, program, join(outside, "made.db")];
    const command = sandbox.confine(argv, spec([NODE, program], { isNode: true })).argv;
    expect(await run(command, { cwd: folder })).toMatchObject({ status: 0 });
    expect(existsSync(join(outside, "made.db"))).toBe(true);
  });

  it(CHILDREN, async () => {
    const [folder, outside] = [createFolder(), createFolder()];
    const script =
      "import { execFileSync } from 'node:child_process';\nexecFileSync('/bin/sh', ['-c', 'echo out > ' + process.argv[2]]);\n";
    const program = join(createFolder({ "main.mjs": script }), "main.mjs");
    const argv = [NODE, program, join(outside, "made.txt")];
    const granted = spec([NODE, program], { isNode: true, mayStartProcesses: true });
    expect(await run(sandbox.confine(argv, granted).argv, { cwd: folder })).toMatchObject({ status: 0 });
    expect(readFileSync(join(outside, "made.txt"), "utf8")).toBe("out\n");
  });

  // LINKS and SIGNALS: denials.test.ts, "leaves open what its report names, and nothing else".
});
