// What the person's answers about the sandbox have to do with a call: the hosts that they let commands reach, and the folders that they let
// them read or change.

import { isInside, resolvePath } from "indusagi/core";
import type { PermissionRequest } from "../../deck/permissions/decision-types.ts";
import type { OutsideFolder } from "../../feature/permission.ts";

/** What answers gave to commands in the sandbox; the folders as real paths. */
export interface Granted {
  readonly hosts: readonly string[];
  readonly folders: readonly OutsideFolder[];
}

interface Places {
  readonly cwd: string;
  readonly home: string;
  /** The real path, even of what does not exist. */
  readonly realPlace: (path: string) => string;
}

const BETWEEN = /[\s'"`=<>|;&(),@]/;
/** Of a command, in characters; of each kind of grant. */
const MAX_CHARS = 20_000;
const MOST = 10;

/** Those that concern the call: all that a command in the sandbox has, and of any other call what it names. */
export function concerning(
  { accesses, confined }: Pick<PermissionRequest, "accesses" | "confined">,
  granted: Granted,
  places: Places,
): Granted {
  if (confined) return granted;
  const words = accesses.flatMap(wordsOf);
  const paths = words.map((word) => places.realPlace(resolvePath(places.cwd, word, places.home)));
  return {
    hosts: granted.hosts.filter((host) => words.some((word) => hostIn(word) === host)),
    folders: granted.folders.filter(({ path }) => paths.some((named) => isInside(path, named))),
  };
}

function wordsOf(access: PermissionRequest["accesses"][number]): readonly string[] {
  if (access.kind === "execute")
    return access.command
      .slice(0, MAX_CHARS)
      .split(BETWEEN)
      .filter((word) => word !== "" && !word.includes("\0"));
  if (access.kind === "network") return [access.host];
  return access.kind === "read" || access.kind === "write" ? [access.path] : [];
}

function hostIn(word: string): string {
  return URL.canParse(word) ? new URL(word).hostname || word : word.toLowerCase();
}

/** A line for each kind of grant; none if there are none. */
export function reachLines({ hosts, folders }: Granted): readonly string[] {
  const paths = (isWritable: boolean): readonly string[] =>
    folders.filter((folder) => (folder.isWritable === true) === isWritable).map(({ path }) => path);
  return [
    ...lineOf("reach", hosts),
    ...lineOf("read", paths(false)),
    ...lineOf("read and change", paths(true)),
  ];
}

function lineOf(verb: string, names: readonly string[]): readonly string[] {
  const all = [...new Set(names)];
  if (all.length === 0) return [];
  const more = all.length > MOST ? ` and ${all.length - MOST} more` : "";
  return [`by your answers, commands in the sandbox ${verb} ${all.slice(0, MOST).join(", ")}${more}`];
}
