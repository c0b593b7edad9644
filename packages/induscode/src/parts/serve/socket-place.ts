// Where the socket of a person's server is, and that only they can reach it: it lies in a folder that is theirs alone.

import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { Problem } from "../../cli/problem.ts";
import { indusHome } from "../../store/home.ts";
import { homePath } from "../../store/home-files.ts";
import { makeFolder } from "../../store/make-folder.ts";

export interface SocketPlace {
  readonly folder: string;
  readonly socket: string;
  /** What a server that nobody watches says. */
  readonly log: string;
}

/** Kernels take no longer address of a socket: 108 bytes with its end, 104 on macOS. */
const MAX_PATH_BYTES = 103;

/** The first is where a server listens; one that was started with another environment may be at a later one. */
export function socketPlaces(env: NodeJS.ProcessEnv): readonly SocketPlace[] {
  const home = indusHome(env);
  const runtime = env.XDG_RUNTIME_DIR;
  const name = createHash("sha256").update(home).digest("hex").slice(0, 12); // one server for each home
  const own = homePath(home, "serve");
  const isThere = runtime !== undefined && isAbsolute(runtime) && isMine(runtime);
  return [...(isThere ? [placeIn(join(runtime, "indus"), `serve-${name}`)] : []), placeIn(own, "serve")];
}

function placeIn(folder: string, name: string): SocketPlace {
  return { folder, socket: join(folder, `${name}.sock`), log: join(folder, `${name}.log`) };
}

/** Makes the folder. Throws a {@link Problem} if others could reach what is in it, or no socket can be. */
export function prepare({ folder, socket }: SocketPlace): void {
  makeFolder(folder);
  const problem = folderProblem(folder);
  if (problem !== undefined) throw new Problem(problem);
  const bytes = Buffer.byteLength(socket);
  if (bytes > MAX_PATH_BYTES)
    throw new Problem(
      `cannot create a socket at ${socket}: its path has ${bytes} bytes, and the limit is ${MAX_PATH_BYTES}. Set XDG_RUNTIME_DIR to one of your folders with a shorter path`,
    );
}

/** Why the folder is not the person's alone; undefined if it is. */
export function folderProblem(folder: string): string | undefined {
  const found = lstatSync(folder);
  if (found.isSymbolicLink() || !found.isDirectory())
    return `${folder} is a link or a file, which another user could have put there: expected a folder. Remove ${folder}`;
  if (found.uid !== process.getuid?.())
    return `${folder} belongs to another user, who could read along. Remove the folder, or set XDG_RUNTIME_DIR to a folder of your own`;
  const mode = found.mode & 0o777;
  if ((mode & 0o077) !== 0)
    return `${folder} can be entered by other users (mode ${mode.toString(8)}). Run chmod 700 on it`;
  return undefined;
}

/** Whether a server may be here. Throws a {@link Problem} if somebody else could have put it there. */
export function hasSocket({ folder, socket }: SocketPlace): boolean {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return false;
  const problem = folderProblem(folder);
  if (problem !== undefined) throw new Problem(problem);
  return lstatSync(socket, { throwIfNoEntry: false })?.isSocket() === true;
}

function isMine(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}
