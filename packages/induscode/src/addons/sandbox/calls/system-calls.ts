// The system calls refused to a confined program, grouped by what they would give it. Numbers are the kernel's, for x86-64 and for the
// generic table that arm64 uses; `undefined` where a table has no such call.

export type FilterArchitecture = "x64" | "arm64";

/** The number of one call in each table. */
export type CallNumbers = readonly [x64: number | undefined, arm64: number | undefined];

/** Refused in every sandbox: the call fails with EPERM. */
export const REFUSED_CALLS: Readonly<Record<string, CallNumbers>> = {
  // Network, and every unix socket except a connected pair. `connect` and `bind` would give an inherited one a new peer.
  socket: [41, 198],
  connect: [42, 203],
  accept: [43, 202],
  accept4: [288, 242],
  bind: [49, 200],
  listen: [50, 201],
  // io_uring performs the other calls without going through a filter.
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  // Other processes: their memory, files, share of the machine.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  setpriority: [141, 140],
  sched_setparam: [142, 118],
  sched_setscheduler: [144, 119],
  sched_setattr: [314, 274],
  ioprio_set: [251, 30],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  perf_event_open: [298, 241],
  // Leaving the process group, which is what the host kills.
  setsid: [112, 157],
  setpgid: [109, 154],
  // Memory that no process limit counts, and what is shared with other processes: a number is enough for most of these calls.
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  shmget: [29, 194],
  shmat: [30, 196],
  shmctl: [31, 195],
  semget: [64, 190],
  semop: [65, 193],
  semtimedop: [220, 192],
  semctl: [66, 191],
  msgget: [68, 186],
  msgsnd: [69, 189],
  msgrcv: [70, 188],
  msgctl: [71, 187],
  mq_open: [240, 180],
  mq_unlink: [241, 181],
  // The kernel itself.
  bpf: [321, 280],
  userfaultfd: [323, 282],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  acct: [163, 89],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  syslog: [103, 116],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  // Namespaces, mounts, and files by handle instead of by path.
  unshare: [272, 97],
  setns: [308, 268],
  chroot: [161, 51],
  pivot_root: [155, 41],
  mount: [165, 40],
  umount2: [166, 39],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],
};

/** Of these, what a command with its own processes and memory (namespaces) can use: they reach nobody else. */
export const CALLS_AMONG_ITSELF: readonly string[] = [
  ...["ptrace", "setpriority", "sched_setparam", "sched_setscheduler", "sched_setattr"],
  ...["ioprio_set", "setsid", "setpgid", "memfd_create", "shmget", "shmat", "shmctl", "semget", "semop"],
  ...["semtimedop", "semctl", "msgget", "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink"],
];

/** The same when only Landlock surrounds it, which confines tracing; what leaves its group is found by its mark. */
export const CALLS_OF_COMMANDS: readonly string[] = ["ptrace", "setsid", "setpgid", "memfd_create"];

export const SOCKET_CALLS: readonly string[] = ["socket", "connect", "accept", "accept4", "bind", "listen"];

/** Socket families that stay in a network namespace or are the network itself. A virtual machine's host is in neither. */
export const SOCKET_FAMILIES = { unix: 1, inet: 2, inet6: 10, netlink: 16 } as const;

/** Modes and owners through an open file: a command can open for reading what it must not change. */
export const HANDLE_METADATA_CALLS: Readonly<Record<string, CallNumbers>> = {
  fchmod: [91, 52],
  fchown: [93, 55],
  fsetxattr: [190, 7],
  fremovexattr: [199, 16],
};

/** Also refused to a program that was not granted to start processes. */
export const PROCESS_CALLS: Readonly<Record<string, CallNumbers>> = {
  fork: [57, undefined],
  vfork: [58, undefined],
};

/**
 * Also refused where only Landlock protects the files: it does not check changes to a path's mode, owner, dates and attributes, nor file
 * watches. The calls on an open file stay: what is open was allowed.
 */
export const METADATA_CALLS: Readonly<Record<string, CallNumbers>> = {
  chmod: [90, undefined],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  chown: [92, undefined],
  lchown: [94, undefined],
  fchownat: [260, 54],
  utime: [132, undefined],
  utimes: [235, undefined],
  futimesat: [261, undefined],
  setxattr: [188, 5],
  lsetxattr: [189, 6],
  setxattrat: [463, 463],
  removexattr: [197, 14],
  lremovexattr: [198, 15],
  removexattrat: [466, 466],
  file_setattr: [469, 469],
  inotify_add_watch: [254, 27],
};

/** Refused depending on their arguments, or with another error. */
export const EXAMINED_CALLS: {
  readonly clone: CallNumbers;
  readonly clone3: CallNumbers;
  readonly fcntl: CallNumbers;
  readonly ioctl: CallNumbers;
  readonly mmap: CallNumbers;
  readonly prctl: CallNumbers;
  readonly prlimit64: CallNumbers;
  readonly sched_setaffinity: CallNumbers;
  readonly socketpair: CallNumbers;
  readonly utimensat: CallNumbers;
} = {
  clone: [56, 220],
  clone3: [435, 435],
  fcntl: [72, 25],
  ioctl: [16, 29],
  mmap: [9, 222],
  prctl: [157, 167],
  prlimit64: [302, 261],
  sched_setaffinity: [203, 122],
  socketpair: [53, 199],
  utimensat: [280, 88],
};

/**
 * Commands on an open file by which the kernel signals a named process when something happens to the file, which Landlock before ABI 6
 * does not check; and leases, which make other processes wait when they open a file.
 */
export const FCNTL_COMMANDS = {
  F_SETOWN: 8,
  F_SETSIG: 10,
  F_SETOWN_EX: 15,
  F_SETLEASE: 1024,
  F_NOTIFY: 1026,
} as const;

/** The same, and what types into an inherited terminal. Both tables have these numbers. */
export const IOCTL_COMMANDS = {
  TIOCSTI: 0x5412,
  TIOCLINUX: 0x541c,
  FIOASYNC: 0x5452,
  FIOSETOWN: 0x8901,
  SIOCSPGRP: 0x8902,
} as const;

/** The number in one architecture's table. */
export function callNumber(numbers: CallNumbers, architecture: FilterArchitecture): number | undefined {
  return numbers[architecture === "x64" ? 0 : 1];
}
