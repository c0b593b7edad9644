// Places passed to bubblewrap as open files: between the check of a path and its mount, the path can be redirected. The identity of the
// place is recorded now; the launching shell opens it and refuses anything else; bubblewrap compares what it mounted with what is open.

import { closeSync, constants, openSync, readFileSync, readlinkSync } from "node:fs";
import { findBash } from "indusagi/capabilities";

/** How the kernel identifies an open file: its mount and its inode number there. */
type PlaceIdentity = string;

/** Identifies the place at a real path; undefined where there is none, or none that can be opened. Throws if a symlink leads there. */
export function identityOf(path: string): PlaceIdentity | undefined {
  const handle = openPlace(path);
  if (handle === undefined) return undefined;
  try {
    return identityAt(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Opens the place itself: its path can lead elsewhere from now on. Returns and throws as {@link identityOf} does, and throws if it is not
 * the one with this `identity`.
 */
export function openPlace(path: string, identity?: PlaceIdentity): number | undefined {
  let handle: number;
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined; // skipped, as `--bind-try` does for a missing path
  }
  try {
    const real = readlinkSync(`/proc/self/fd/${handle}`);
    if (real !== path)
      throw new Error(`${path} points to ${real}: it was replaced while a program was being started`);
    if (identity !== undefined && identityAt(handle) !== identity)
      throw new Error(`${path} was replaced while a program was being started`);
    return handle;
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}

/** Whether this system reports enough about an open file (Linux 5.14), and has the shell that can hold more than ten. */
export function canHandPlaces(): boolean {
  try {
    return findBash() !== undefined && identityIn(readFileSync("/proc/self/fdinfo/0", "utf8")) !== undefined;
  } catch {
    return false; // no /proc, or no standard input
  }
}

function identityAt(handle: number): PlaceIdentity | undefined {
  return identityIn(readFileSync(`/proc/self/fdinfo/${handle}`, "utf8"));
}

function identityIn(fdinfo: string): PlaceIdentity | undefined {
  const [, mount] = /^mnt_id:\s*(\d+)$/m.exec(fdinfo) ?? [];
  const [, inode] = /^ino:\s*(\d+)$/m.exec(fdinfo) ?? [];
  return mount === undefined || inode === undefined ? undefined : `${mount} ${inode}`;
}

/** The first descriptor of a passed place; those below belong to the shell and the filter. */
export const FIRST_HANDED = 10;

/**
 * Lines of the launching shell: takes `PATH IDENTITY` pairs off its arguments up to `--`, and opens each at the next descriptor from
 * {@link FIRST_HANDED}. Builtins only: a program for each would take longer than the sandbox.
 */
export const OPEN_HANDED = `fd=${FIRST_HANDED}
while [ "$1" != -- ]; do
  if [ -d "$1" ] || [ -f "$1" ]; then eval "exec $fd<\\"\\$1\\"" || exit 126; fi
  mount= inode=
  [ -e "/proc/self/fdinfo/$fd" ] && while read -r key value; do
    case $key in mnt_id:) mount=$value ;; ino:) inode=$value ;; esac
  done <"/proc/self/fdinfo/$fd"
  if [ "$mount $inode" != "$2" ]; then
    echo "indus sandbox: $1 was replaced while a program was being started" >&2
    exit 126
  fi
  shift 2
  fd=$((fd + 1))
done
shift`;
