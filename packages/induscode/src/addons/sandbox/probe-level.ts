// A level is tested by using it: a shell is started in it, which must run and must not be able to read a file that it was not given.

import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { isBuiltin } from "node:module";
import { bubblewrapCommand } from "./bubblewrap.ts";
import { filterArchitecture } from "./calls/seccomp-filter.ts";
import type { LandlockLevel, SandboxSpec, StrongLevel } from "./contract.ts";
import { canHandPlaces } from "./handed-places.ts";
import { landlockCommand } from "./landlock.ts";

/** A usable level, or why it is not. */
export type Probe = StrongLevel | { readonly reason: string };

/** Takes about as long as one start of the level; a try that hangs is ended after {@link PROBE_TIMEOUT_MS}. */
export function probeBubblewrap(bwrap: string | undefined): Probe {
  const architecture = filterArchitecture(process.arch);
  if (process.platform !== "linux" || architecture === undefined) return { reason: notHere() };
  if (bwrap === undefined) return { reason: "bwrap is not installed (Debian: apt install bubblewrap)" };
  // With open places where they can be passed, else by path, as for a version before 0.10.
  const tries = canHandPlaces() ? [true, false] : [false];
  let why = "";
  for (const handsPlaces of tries) {
    const command = bubblewrapCommand(PROBE_PROGRAM, PROBE_SPEC, { bwrap, architecture, handsPlaces });
    const { reason } = run(command);
    if (reason === undefined) return { level: "bubblewrap", bwrap, architecture, handsPlaces };
    why = reason;
  }
  return { reason: `${bwrap}: ${why}` };
}

export function probeLandlock(cap: Pick<LandlockLevel, "maxAbi"> = {}): Probe {
  const architecture = filterArchitecture(process.arch);
  if (process.platform !== "linux" || architecture === undefined) return { reason: notHere() };
  if (!isBuiltin("node:ffi")) {
    return { reason: `Node ${process.version} has no node:ffi, Node 26 is needed` };
  }
  const command = landlockCommand(PROBE_PROGRAM, PROBE_SPEC, { architecture, announce: true, ...cap });
  const { reason, errors } = run(command);
  if (reason !== undefined) return { reason };
  const abi = /^landlock ABI (\d+)$/m.exec(errors)?.[1];
  return abi === undefined
    ? { reason: "the launcher did not report the kernel's Landlock ABI" }
    : { level: "landlock", architecture, abi: Number(abi), ...cap };
}

/** Only a hang takes this long: a busy machine does not lose its level. */
const PROBE_TIMEOUT_MS = 30_000;

const PROBE_SPEC: SandboxSpec = {
  readable: [realpathSync("/bin/sh")], // at least one place, so that the way of mounting it is tried too
  writable: [],
  protected: [],
  mayStartProcesses: false,
  isNode: false,
  maxMemoryBytes: 256 * 1024 ** 2,
};

/** Everyone can read /etc/passwd, and it is not among the system places that a program gets. */
const CANARY = "/etc/passwd";
const OPEN_TO_PROGRAM = 3;
const PROBE_PROGRAM = [
  "/bin/sh",
  "-c",
  `if { read -r line; } <${CANARY}; then exit ${OPEN_TO_PROGRAM}; fi 2>/dev/null; exit 0`,
];

function run(argv: readonly string[]): { readonly reason?: string; readonly errors: string } {
  const [file = "", ...args] = argv;
  const { status, signal, error, stderr } = spawnSync(file, args, {
    encoding: "utf8",
    env: {},
    cwd: "/",
    timeout: PROBE_TIMEOUT_MS,
    killSignal: "SIGKILL",
    stdio: ["ignore", "ignore", "pipe"],
  });
  const errors = stderr ?? "";
  if (status === 0) return { errors };
  if (status === OPEN_TO_PROGRAM) return { errors, reason: `${CANARY} could be read inside` };
  const how = error?.message ?? (signal === null ? `exit code ${status}` : `signal ${signal}`);
  const lastLine = errors.trim().split("\n").at(-1);
  return { errors, reason: lastLine ? `${how}: ${lastLine}` : how };
}

function notHere(): string {
  return `available only on Linux on x64 and arm64, this is ${process.platform} on ${process.arch}`;
}
