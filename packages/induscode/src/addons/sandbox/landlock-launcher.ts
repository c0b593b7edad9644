// A separate program: `node --no-warnings landlock-launcher.ts SPEC PROGRAM [ARGUMENT...]` drops every right that SPEC (JSON, a
// LaunchSpec) does not name, and then becomes PROGRAM. It needs node:ffi, and fails closed.

import { closeSync, constants, fstatSync, openSync, readlinkSync, writeSync } from "node:fs";
import { ownSignalsFilter, SCOPED_SIGNALS } from "./calls/own-signals-filter.ts";
import { CALLS, FILE_RIGHTS, type LandlockPlaces, landlockRules } from "./landlock-rules.ts";

/** What the host passes to the launcher. */
export interface LaunchSpec extends LandlockPlaces {
  /** The system call filter, in base64. */
  readonly filter: string;
  readonly mayStartProcesses: boolean;
  /** Landlock must not refuse the network: the filter decides what of it is available. */
  readonly hasNetwork?: boolean;
  /** Variables for the program at its start, and not for the launcher: they choose what runs. */
  readonly env?: Readonly<Record<string, string>>;
  /** Use no features newer than this ABI, as on an older kernel. */
  readonly maxAbi?: number | undefined;
  /** Write `landlock ABI n` to standard error before the program starts: used by the probe. */
  readonly announce?: boolean | undefined;
}

/** Exit code of a launch that failed before the program started. */
const LAUNCH_FAILED = 126;

/** The oldest Landlock that can refuse to truncate a file (Linux 6.2); without that it cannot protect contents. */
const OLDEST_ABI = 3;

type SystemCall = (number: number, ...args: readonly (number | bigint)[]) => number;

interface System {
  /** Returns the call's result; throws with `what` and the error number when it fails. */
  readonly call: (what: string, number: number, ...args: readonly (number | bigint)[]) => number;
  readonly tryCall: SystemCall;
  /** The bytes stay there for as long as this process runs. */
  readonly addressOf: (bytes: Uint8Array) => bigint;
  /** Restores the signal's default action. */
  readonly resetSignal: (signal: number) => void;
}

// linux/prctl.h
const PR_SET_PDEATHSIG = 1;
const PR_CAPBSET_DROP = 24;
const PR_SET_NO_NEW_PRIVS = 38;
const PR_CAP_AMBIENT = 47;
const PR_CAP_AMBIENT_CLEAR_ALL = 4;
const SIGKILL = 9;
const SIGPIPE = 13;
const SIGXFSZ = 25;
// linux/close_range.h
const CLOSE_RANGE_CLOEXEC = 4;
const LAST_CAPABILITY = 63;
const CAPABILITY_VERSION_3 = 0x20080522;
// linux/seccomp.h
const SECCOMP_SET_MODE_FILTER = 1;
// linux/landlock.h
const LANDLOCK_CREATE_RULESET_VERSION = 1;
const LANDLOCK_RULE_PATH_BENEATH = 1;
const O_PATH = 0o10000000;

const architecture = process.arch === "arm64" ? "arm64" : "x64";
const column = architecture === "arm64" ? 1 : 0;

/** An address keeps nothing alive: without this, the collector could free the bytes before the call that reads them. */
const addressed: Uint8Array[] = [];

try {
  const [text = "", program = "", ...args] = process.argv.slice(2);
  launch(JSON.parse(text) as LaunchSpec, [program, ...args]);
} catch (error) {
  writeSync(2, `indus sandbox: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(LAUNCH_FAILED);
}

function launch(spec: LaunchSpec, argv: readonly [string, ...string[]]): void {
  if (process.execve === undefined) throw new Error(`Node ${process.version} has no process.execve`);
  const system = systemCalls();
  const kernelAbi = system.call(
    "Landlock is not available",
    CALLS.landlock_create_ruleset[column],
    0,
    0,
    LANDLOCK_CREATE_RULESET_VERSION,
  );
  const abi = Math.min(kernelAbi, spec.maxAbi ?? kernelAbi);
  if (abi < OLDEST_ABI) {
    throw new Error(`the kernel's Landlock has ABI ${abi}, at least ${OLDEST_ABI} (Linux 6.2) is needed`);
  }
  if (spec.announce === true) writeSync(2, `landlock ABI ${abi}\n`);
  closeInherited(system);
  dieWithParent(system);
  dropPrivileges(system);
  restrictFiles(system, abi, spec);
  if (abi < SCOPED_SIGNALS && !spec.mayStartProcesses)
    installFilter(system, ownSignalsFilter(process.pid, architecture));
  installFilter(system, Buffer.from(spec.filter, "base64"));
  process.execve(argv[0], [...argv], { ...process.env, ...spec.env });
}

function systemCalls(): System {
  const ffi = process.getBuiltinModule("node:ffi");
  if (ffi === undefined) throw new Error(`Node ${process.version} has no node:ffi, Node 26 is needed`);
  const word = "int64";
  const { functions } = ffi.dlopen(null, {
    syscall: { return: word, arguments: [word, word, word, word, word, word, word] },
    signal: { return: "pointer", arguments: ["int32", "pointer"] },
    __errno_location: { return: "pointer", arguments: [] },
  });
  const tryCall: SystemCall = (number, a = 0, b = 0, c = 0, d = 0, e = 0) =>
    Number(functions.syscall(BigInt(number), BigInt(a), BigInt(b), BigInt(c), BigInt(d), BigInt(e), 0n));
  const call: System["call"] = (what, number, ...args) => {
    const result = tryCall(number, ...args);
    if (result < 0) throw new Error(`${what} (errno ${ffi.getInt32(functions.__errno_location())})`);
    return result;
  };
  return {
    call,
    tryCall,
    addressOf(bytes) {
      addressed.push(bytes);
      return ffi.getRawPointer(bytes);
    },
    resetSignal: (signal) => functions.signal(signal, 0n),
  };
}

/**
 * Marks the host's inherited files close-on-exec, and resets Node's signal settings: a program expects to end when its reader
 * has gone (SIGPIPE).
 */
function closeInherited({ call, resetSignal }: System): void {
  call("inherited files cannot be closed", CALLS.close_range[column], 3, 0xffffffff, CLOSE_RANGE_CLOEXEC);
  for (const signal of [SIGPIPE, SIGXFSZ]) resetSignal(signal);
}

/** Killed when the host ends, however it ends. Our parent may already be gone: then there is nobody to serve. */
function dieWithParent({ call }: System): void {
  const parent = process.ppid;
  call("cannot set the parent-death signal", CALLS.prctl[column], PR_SET_PDEATHSIG, SIGKILL);
  if (process.ppid !== parent) throw new Error("its parent process has exited");
}

/** setuid programs have no effect, and root is root in name only: every capability is dropped. */
function dropPrivileges({ call, tryCall, addressOf }: System): void {
  const prctl = CALLS.prctl[column];
  call("no_new_privs was refused", prctl, PR_SET_NO_NEW_PRIVS, 1);
  tryCall(prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL);
  // Ends at the first number that this kernel does not know, or at once without permission: such a process has none to lose.
  for (let capability = 0; capability <= LAST_CAPABILITY; capability++) {
    if (tryCall(prctl, PR_CAPBSET_DROP, capability) < 0) break;
  }
  const header = new Uint8Array(new Uint32Array([CAPABILITY_VERSION_3, 0]).buffer);
  const nothing = new Uint8Array(24);
  call("cannot drop its capabilities", CALLS.capset[column], addressOf(header), addressOf(nothing));
}

function restrictFiles(system: System, abi: number, spec: LaunchSpec): void {
  const { call, addressOf } = system;
  const handled = abi >= 5 ? 0xffffn : 0x7fffn;
  const network = abi >= 4 && spec.hasNetwork !== true ? 3n : 0n;
  const ruleset = new BigUint64Array([handled, network, abi >= 6 ? 3n : 0n]);
  const size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
  const fd = call(
    "Landlock refused the rules",
    CALLS.landlock_create_ruleset[column],
    addressOf(new Uint8Array(ruleset.buffer)),
    size,
    0,
  );
  const rule = new DataView(new ArrayBuffer(12)); // struct landlock_path_beneath_attr
  const address = addressOf(new Uint8Array(rule.buffer));
  for (const { path, rights, isReal, isFolder } of landlockRules(spec)) {
    const place = openPlace(path, isReal);
    if (place === undefined) continue;
    const status = fstatSync(place);
    // The open handle is asked for its location: the path may have been redirected since it was checked.
    const real = isReal ? readlinkSync(`/proc/self/fd/${place}`) : path;
    if (real !== path || (isReal && status.isSymbolicLink()))
      throw new Error(`${path} was replaced while a program was being started`);
    if (isFolder === undefined || isFolder === status.isDirectory()) {
      rule.setBigUint64(0, status.isDirectory() ? rights : rights & FILE_RIGHTS, true);
      rule.setInt32(8, place, true);
      const what = `Landlock refused the rule for ${path}`;
      call(what, CALLS.landlock_add_rule[column], fd, LANDLOCK_RULE_PATH_BENEATH, address, 0);
    }
    closeSync(place);
  }
  call("Landlock could not be enforced", CALLS.landlock_restrict_self[column], fd, 0);
}

/** A handle on the place itself; `undefined` if there is none. */
function openPlace(path: string, staysAtLink: boolean): number | undefined {
  try {
    return openSync(path, O_PATH | (staysAtLink ? constants.O_NOFOLLOW : 0));
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "EACCES"))
      return undefined;
    throw error;
  }
}

function installFilter({ call, addressOf }: System, filter: Uint8Array): void {
  // struct sock_fprog: a length, padding, a pointer.
  const program = new DataView(new ArrayBuffer(16));
  program.setUint16(0, filter.byteLength / 8, true);
  program.setBigUint64(8, addressOf(filter), true);
  call(
    "the system call filter was refused",
    CALLS.seccomp[column],
    SECCOMP_SET_MODE_FILTER,
    0,
    addressOf(new Uint8Array(program.buffer)),
  );
}
