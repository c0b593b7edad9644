// What Landlock is asked to allow at each place, for both programs that confine themselves: the launchers in Node and in Perl. Node's own
// modules only: the launcher imports this too.

import { isAtOrBelow, writableParts } from "./writable-parts.ts";

/** The places of a program; all but the system's are real paths. */
export interface LandlockPlaces {
  /** The system's own, readable and executable, links followed; missing ones are skipped. */
  readonly system: readonly string[];
  /** The same, as real paths: a launch fails if a link now leads to one of them. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  readonly protected: readonly string[];
  /** A folder that is writable whatever is protected. */
  readonly own?: string | undefined;
  /** Device files that can be read and written. */
  readonly devices: readonly string[];
  /** Below a readable place, but not readable: the folders above are opened entry by entry. */
  readonly hidden?: readonly string[];
}

export interface LandlockRule {
  readonly path: string;
  /** For a folder; a file gets the subset in {@link FILE_RIGHTS}. */
  readonly rights: bigint;
  /** The path contains no link. */
  readonly isReal: boolean;
  /** The type when it was listed; if absent, either. */
  readonly isFolder?: boolean;
}

// linux/landlock.h
const EXECUTE = 1n << 0n;
const WRITE_FILE = 1n << 1n;
const READ_FILE = 1n << 2n;
const READ_DIR = 1n << 3n;
const TRUNCATE = 1n << 14n;
const IOCTL_DEV = 1n << 15n;
/** REMOVE_DIR (4) to REFER (13), without MAKE_CHAR (6) and MAKE_BLOCK (11): nobody needs to make devices. */
const CHANGE_FOLDER = 0x3ff0n & ~(1n << 6n) & ~(1n << 11n);
const READ = EXECUTE | READ_FILE | READ_DIR;
const WRITE = READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE | CHANGE_FOLDER;
const DEVICE = READ_FILE | WRITE_FILE;
export const FILE_RIGHTS: bigint = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;

/** In the order in which they are applied. */
export function landlockRules(places: LandlockPlaces): readonly LandlockRule[] {
  const { system, readable, writable, own, devices, hidden = [] } = places;
  const parts = (paths: readonly string[], guarded: readonly string[], rights: bigint): LandlockRule[] =>
    writableParts({ writable: paths, protected: guarded }).map((part) => ({ ...part, rights, isReal: true }));
  return [
    ...system.map((path) => ({ path, rights: READ, isReal: false })),
    ...[...readable, ...writable].flatMap((path) => {
      if (!hidden.some((place) => isAtOrBelow(place, path))) return [{ path, rights: READ, isReal: true }];
      return [{ path, rights: READ_DIR, isReal: true }, ...parts([path], hidden, READ)];
    }),
    ...devices.map((path) => ({ path, rights: DEVICE, isReal: false })),
    ...parts(writable, [...places.protected, ...hidden], WRITE),
    ...(own === undefined ? [] : parts([own], [], WRITE)),
  ];
}

/** Numbers of system calls, [x64, arm64]. */
export const CALLS = {
  close_range: [436, 436],
  prctl: [157, 167],
  capset: [126, 91],
  seccomp: [317, 277],
  landlock_create_ruleset: [444, 444],
  landlock_add_rule: [445, 445],
  landlock_restrict_self: [446, 446],
  openat: [257, 56],
  fstat: [5, 80],
} as const;
