// The system call filter as a classic BPF program (seccomp(2), SECCOMP_SET_MODE_FILTER): what the kernel checks on every call of a
// confined program. Pure: the launcher and bubblewrap install the result.

import {
  ALLOW,
  AND,
  ARCHITECTURE,
  argumentHigh,
  argumentLow,
  ENOSYS,
  EPERM,
  encodeFilter,
  IF_ANY_BIT,
  IF_AT_LEAST,
  IF_EQUAL,
  type Instruction,
  KILL_PROCESS,
  LOAD,
  NUMBER,
  RETURN,
} from "./filter-program.ts";
import {
  CALLS_AMONG_ITSELF,
  CALLS_OF_COMMANDS,
  type CallNumbers,
  callNumber,
  EXAMINED_CALLS,
  FCNTL_COMMANDS,
  type FilterArchitecture,
  HANDLE_METADATA_CALLS,
  IOCTL_COMMANDS,
  METADATA_CALLS,
  PROCESS_CALLS,
  REFUSED_CALLS,
  SOCKET_CALLS,
  SOCKET_FAMILIES,
} from "./system-calls.ts";

export interface FilterOptions {
  readonly architecture: FilterArchitecture;
  readonly mayStartProcesses: boolean;
  /** Also refuse to change a path's mode, owner and dates: where no mount prevents it (see {@link METADATA_CALLS}). */
  readonly guardMetadata: boolean;
  /** For a model's command instead of an addon's program. */
  readonly command?: CommandFilter | undefined;
}

/** What a command can do in addition: builds and tests are programs of many processes. */
interface CommandFilter {
  /** `none`: no network and no unix sockets; `inet`: the network only; `all`: both, in a network of its own. */
  readonly sockets: "none" | "inet" | "all";
  /** It has its own processes, memory and unix sockets: namespaces. */
  readonly isAlone: boolean;
}

/** The filter in the kernel's format. The same options give the same bytes. */
export function seccompFilter(options: FilterOptions): Uint8Array {
  return encodeFilter(filterInstructions(options));
}

/** The architectures that have a table; on any other there is no filter. */
export function filterArchitecture(name: string): FilterArchitecture | undefined {
  return name === "x64" || name === "arm64" ? name : undefined;
}

/** linux/audit.h: the machine, 64 bits, little-endian. */
const AUDIT_ARCHITECTURE: Readonly<Record<FilterArchitecture, number>> = {
  x64: 0xc000003e,
  arm64: 0xc00000b7,
};
/** x86-64 kernels may serve a second table under numbers from here on; none of our programs use it. */
const X32_NUMBERS = 0x40000000;

const CLONE_THREAD = 0x00010000;
/** Every CLONE_NEW* flag that clone takes. */
const CLONE_NEW_NAMESPACES = 0x7e020000;
const F_SETFL = 4;
const O_ASYNC = 0x2000;
const MAP_SHARED_ANONYMOUS = 0x21;
const PR_SET_PDEATHSIG = 1;
const SOCK_TYPE_MASK = 0xf;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;

function filterInstructions({
  architecture,
  mayStartProcesses,
  guardMetadata,
  command,
}: FilterOptions): Instruction[] {
  const allowed = new Set(command ? callsOf(command) : []);
  const refused = [
    ...Object.entries(REFUSED_CALLS).flatMap(([name, call]) => (allowed.has(name) ? [] : [call])),
    ...(guardMetadata && command ? Object.values(HANDLE_METADATA_CALLS) : []),
    ...(mayStartProcesses ? [] : Object.values(PROCESS_CALLS)),
    ...(guardMetadata ? Object.values(METADATA_CALLS) : []),
  ];
  const on = (call: CallNumbers, block: readonly Instruction[]): readonly Instruction[] => {
    const number = callNumber(call, architecture);
    if (number === undefined) return [];
    return [{ op: IF_EQUAL, onFalse: block.length, value: number }, ...block];
  };
  return [
    { op: LOAD, value: ARCHITECTURE },
    { op: IF_EQUAL, onTrue: 1, value: AUDIT_ARCHITECTURE[architecture] },
    { op: RETURN, value: KILL_PROCESS },
    { op: LOAD, value: NUMBER },
    ...(architecture === "x64" ? refusedFrom(X32_NUMBERS) : []),
    ...refused.flatMap((call) => on(call, [{ op: RETURN, value: EPERM }])),
    // Its flags are in memory, which a filter cannot read; libc falls back to clone.
    ...on(EXAMINED_CALLS.clone3, [{ op: RETURN, value: ENOSYS }]),
    ...on(EXAMINED_CALLS.clone, cloneBlock(mayStartProcesses)),
    ...on(EXAMINED_CALLS.ioctl, [
      { op: LOAD, value: argumentLow(1) },
      ...refusedIfAny(Object.values(IOCTL_COMMANDS), [{ op: RETURN, value: ALLOW }]),
    ]),
    ...on(EXAMINED_CALLS.fcntl, [
      { op: LOAD, value: argumentLow(1) },
      ...refusedIfAny(Object.values(FCNTL_COMMANDS), [
        { op: IF_EQUAL, onFalse: 2, value: F_SETFL },
        { op: LOAD, value: argumentLow(2) },
        { op: IF_ANY_BIT, onTrue: 1, value: O_ASYNC },
        { op: RETURN, value: ALLOW },
      ]),
    ]),
    ...(command === undefined
      ? [
          // No process limit counts shared memory without a file.
          ...on(EXAMINED_CALLS.mmap, [
            { op: LOAD, value: argumentLow(3) },
            { op: AND, value: MAP_SHARED_ANONYMOUS },
            ...refusedIfEqual(MAP_SHARED_ANONYMOUS),
          ]),
          // A process that unsets it outlives the host.
          ...on(EXAMINED_CALLS.prctl, [
            { op: LOAD, value: argumentLow(0) },
            ...refusedIfEqual(PR_SET_PDEATHSIG),
          ]),
        ]
      : []),
    ...(command && command.sockets !== "none"
      ? on(REFUSED_CALLS.socket ?? [undefined, undefined], [
          { op: LOAD, value: argumentLow(0) },
          ...allowedIfAny(familiesOf(command)),
        ])
      : []),
    ...(command?.isAlone
      ? []
      : [
          // Its own limits only (process 0): otherwise it could starve another process of the same user.
          ...on(EXAMINED_CALLS.prlimit64, [{ op: LOAD, value: argumentLow(0) }, ...allowedIfEqual(0)]),
          // The same for the processors that a thread runs on: .NET does not start if it may not choose its own.
          ...on(EXAMINED_CALLS.sched_setaffinity, [
            { op: LOAD, value: argumentLow(0) },
            ...allowedIfEqual(0),
          ]),
          // A datagram pair can still send to any address; a connected stream cannot, nor can a sequenced pair, by which Rust learns whether
          // a program that it started has begun.
          ...on(EXAMINED_CALLS.socketpair, [
            { op: LOAD, value: argumentLow(1) },
            { op: AND, value: SOCK_TYPE_MASK },
            ...allowedIfAny([SOCK_STREAM, SOCK_SEQPACKET]),
          ]),
        ]),
    // Without a path it sets the dates of an open file.
    ...(guardMetadata
      ? on(EXAMINED_CALLS.utimensat, [
          { op: LOAD, value: argumentLow(1) },
          { op: IF_EQUAL, onFalse: 3, value: 0 },
          { op: LOAD, value: argumentHigh(1) },
          { op: IF_EQUAL, onFalse: 1, value: 0 },
          { op: RETURN, value: ALLOW },
          { op: RETURN, value: EPERM },
        ])
      : []),
    { op: RETURN, value: ALLOW },
  ];
}

function callsOf({ sockets, isAlone }: CommandFilter): readonly string[] {
  return [...(isAlone ? CALLS_AMONG_ITSELF : CALLS_OF_COMMANDS), ...(sockets === "none" ? [] : SOCKET_CALLS)];
}

function familiesOf({ sockets }: CommandFilter): readonly number[] {
  const { unix, ...network } = SOCKET_FAMILIES;
  return [...Object.values(network), ...(sockets === "all" ? [unix] : [])];
}

function cloneBlock(mayStartProcesses: boolean): readonly Instruction[] {
  return [
    { op: LOAD, value: argumentLow(0) },
    { op: IF_ANY_BIT, onTrue: mayStartProcesses ? 1 : 2, value: CLONE_NEW_NAMESPACES },
    ...(mayStartProcesses ? [] : [{ op: IF_ANY_BIT, onFalse: 1, value: CLONE_THREAD }]),
    { op: RETURN, value: ALLOW },
    { op: RETURN, value: EPERM },
  ];
}

function refusedFrom(number: number): readonly Instruction[] {
  return [
    { op: IF_AT_LEAST, onFalse: 1, value: number },
    { op: RETURN, value: EPERM },
  ];
}

function refusedIfEqual(value: number): readonly Instruction[] {
  return [
    { op: IF_EQUAL, onFalse: 1, value },
    { op: RETURN, value: EPERM },
    { op: RETURN, value: ALLOW },
  ];
}

/** Refuses these values, and anything for which `otherwise` skips its own last instruction. */
function refusedIfAny(values: readonly number[], otherwise: readonly Instruction[]): readonly Instruction[] {
  return [
    ...values.map((value, at) => ({
      op: IF_EQUAL,
      onTrue: values.length - 1 - at + otherwise.length,
      value,
    })),
    ...otherwise,
    { op: RETURN, value: EPERM },
  ];
}

function allowedIfAny(values: readonly number[]): readonly Instruction[] {
  return [
    ...values.map((value, at) => ({ op: IF_EQUAL, onTrue: values.length - at, value })),
    { op: RETURN, value: EPERM },
    { op: RETURN, value: ALLOW },
  ];
}

function allowedIfEqual(value: number): readonly Instruction[] {
  return [
    { op: IF_EQUAL, onFalse: 1, value },
    { op: RETURN, value: ALLOW },
    { op: RETURN, value: EPERM },
  ];
}
