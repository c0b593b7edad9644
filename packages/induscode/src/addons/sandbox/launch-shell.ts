// The shell that every confined program starts through: it closes the files that the host was started with, sets the limits and becomes
// the program. It exits with code 126 on anything it cannot do. Its lines are POSIX; the units of `ulimit` differ by shell.

import { findBash } from "indusagi/capabilities";
import type { ProcessLimits } from "./process-limits.ts";

interface LaunchShellOptions {
  /** Default: the limits already in force. */
  readonly limits?: ProcessLimits;
  /** Lines to run last. They see `argv` as "$@" and can shift their own arguments off it. */
  readonly lines?: string;
}

/** A command line that becomes `argv` once all of that is done. */
export function launchShell(
  argv: readonly string[],
  { limits, lines = "" }: LaunchShellOptions,
): readonly string[] {
  const limiting = limits === undefined ? [] : [LIMIT_FUNCTION, ...limitLines(limits)];
  const script = [CLOSE_INHERITED, ...limiting, lines, 'exec "$@"'];
  return [
    ...launchingShell(),
    "-c",
    script.filter((line) => line !== "").join("\n"),
    "indus-sandbox",
    ...argv,
  ];
}

/**
 * bash where it exists: dash and busybox cannot address a file above 9, so they cannot close it. Without `--norc` bash would run the
 * person's .bashrc, unconfined: it takes a Node pipe on standard input, a socket, for a remote login.
 */
function launchingShell(): readonly string[] {
  const bash = findBash();
  return bash === undefined ? ["/bin/sh"] : [bash, "--norc", "--noprofile", "--posix"];
}

/**
 * A file that the person's terminal left open would be open to the program, bypassing every rule on paths. Inside Landlock there is no
 * /proc to list them; there the launcher has closed them.
 */
const CLOSE_INHERITED = `fds=/dev/fd
[ -d /proc/self/fd ] && fds=/proc/self/fd
for fd in "$fds"/*; do
  fd=\${fd##*/}
  case $fd in
    0 | 1 | 2 | *[!0-9]*) ;;
    ?) eval "exec $fd>&-" ;;
    *)
      [ -e "$fds/$fd" ] || continue
      [ -n "$BASH_VERSION" ] && eval "exec $fd>&-" && continue
      echo "indus sandbox: the inherited file descriptor $fd cannot be closed by sh; install bash, or start indus without it" >&2
      exit 126
      ;;
  esac
done`;

const LIMIT_FUNCTION = `limit() {
  ulimit "-$1" "$2" 2>/dev/null && return
  [ "$(ulimit -H "-$1")" = unlimited ] || return 0
  echo "indus sandbox: ulimit -$1 $2 was refused by this system's shell" >&2
  exit 126
}`;

function limitLines({
  dataBytes,
  stackBytes,
  fileBytes,
  openFiles,
  processes,
}: ProcessLimits): readonly string[] {
  return [
    "limit c 0",
    // Units of 512 bytes are POSIX; bash uses others without `--posix`.
    `limit f ${Math.floor(fileBytes / 512)}`,
    `limit n ${openFiles}`,
    `limit s ${Math.floor(stackBytes / 1024)}`,
    // bash and busybox call it -u or -p, dash -p; in bash -p means something else and cannot be set.
    ...(processes === undefined
      ? []
      : [`ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes} 2>/dev/null || :`]),
    ...(dataBytes === undefined ? [] : [`limit d ${Math.floor(dataBytes / 1024)}`]),
  ];
}
