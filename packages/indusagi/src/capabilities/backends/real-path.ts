// These calls are synchronous: names are in the kernel's memory, where a thread would cost five times as much as the answer,
// and each tool call resolves its paths several times.

import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, parse, sep } from "node:path";
import { errorCode } from "../../core/faults.ts";

const MAX_LINKS = 40; // same as the Linux kernel

/**
 * The real path of an absolute path that need not exist: every link on the way is resolved, including a dangling one, and the
 * missing rest is appended. Rejects with `ELOOP` on a cycle; it never falls back to the path as written.
 */
export async function realPathOfTarget(path: string): Promise<string> {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return walkSegments(path);
  }
}

// Segment by segment, because `..` in a link's target is relative to where the link really is.
function walkSegments(path: string): string {
  const { root } = parse(path);
  let pending = path.slice(root.length).split(sep);
  let current = root;
  let links = 0;
  for (let segment = pending.shift(); segment !== undefined; segment = pending.shift()) {
    if (segment === "" || segment === ".") continue;
    if (segment === "..") {
      current = dirname(current);
      continue;
    }
    const candidate = join(current, segment);
    const target = linkTarget(candidate);
    if (target === undefined) {
      current = candidate;
      continue;
    }
    if (++links > MAX_LINKS) throw tooManyLinks(path);
    const targetRoot = parse(target).root;
    if (targetRoot !== "") current = targetRoot;
    pending = [...target.slice(targetRoot.length).split(sep), ...pending];
  }
  return current;
}

/** The target of the link at `path`; undefined for any other entry and for a missing one. */
function linkTarget(path: string): string | undefined {
  try {
    const info = lstatSync(path, { throwIfNoEntry: false });
    return info?.isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function tooManyLinks(path: string): Error {
  return Object.assign(new Error(`ELOOP: too many symbolic links encountered, realpath '${path}'`), {
    code: "ELOOP",
  });
}
