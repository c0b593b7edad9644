// Handles what appears under a protected name while anything confined runs: a command, a job in the background, or what a command left
// running. It is moved away when another command begins, when something runs outside the sandbox, and when what ran has ended. The same in
// each folder outside of the workspace that an answer lets commands change, for those that may change it.

import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { commandGone, isCommandRunning, killCommand, type StartedCommand } from "indusagi/capabilities";
import { isInside } from "indusagi/core";
import {
  type GuardedPlaces,
  guardedPlaces,
  isNew,
  isThere,
  type PutAway,
  putAway,
  type RefusedPlaces,
  type SeenNames,
} from "./command-guard.ts";

/** Where it is kept which names there were, for the next start if this process is killed. */
export interface KnownNames {
  /**
   * Something confined may run from now on. What is not among these paths, or below one, appeared meanwhile, and so did what is at one of
   * the `awaited`.
   */
  readonly begin: (paths: readonly string[], awaited: readonly string[]) => void;
  /** Nothing confined runs any more. */
  readonly end: () => void;
}

export interface RunningNames {
  /** Something confined is about to start. Returns what is guarded then. */
  readonly begin: () => GuardedPlaces;
  /** It did. */
  readonly started: (command: StartedCommand) => void;
  /** How many commands and jobs have a process that runs, of those whose end was not handled yet. */
  readonly running: () => number;
  /** Moves away what is new since then, while anything runs. */
  readonly sweep: () => void;
  /** The first process of the command with this mark has ended: sweeps once the others have had time to. */
  readonly ended: (mark: string) => Promise<void>;
  /** What was moved away and not reported yet. */
  readonly told: () => readonly PutAway[];
  /**
   * Approved work: what appears at the places that it `writes` is its own. Where those are not known, as with a command, all that appears
   * while it runs stays, and is reported.
   */
  readonly outside: <T>(run: () => Promise<T>, writes: readonly string[] | undefined) => Promise<T>;
  /** Ends all that runs, and moves away what it left. */
  readonly close: () => Promise<void>;
}

interface RunningNamesFacts {
  readonly root: string;
  /** Otherwise nothing is looked for: nothing can appear. */
  readonly isWritable: boolean;
  readonly refuses?: RefusedPlaces | undefined;
  readonly maxFolders?: number | undefined;
  readonly kept?: KnownNames | undefined;
  /** How long the other processes of a command may take to end after the first; 0 where they need not end. */
  readonly dyingMs: number;
}

/** Does no lookups while nothing runs. */
export function createRunningNames({
  root,
  isWritable,
  refuses,
  maxFolders,
  kept,
  dyingMs,
}: RunningNamesFacts): RunningNames {
  const running = new Set<StartedCommand>();
  let known: SeenNames & { readonly protected: readonly string[] } = {
    ...{ names: new Map(), unseen: new Map(), unlisted: new Set<string>(), awaited: [], protected: [] },
  };
  const untold: PutAway[] = [];
  /** What could not be moved: it is reported once. */
  const left = new Set<string>();
  const know = (names: typeof known): void => {
    known = names;
    kept?.begin([...known.names.keys(), ...known.protected], known.awaited);
  };
  const sweep = (): void => {
    if (running.size > 0) {
      // Asked first: what has ended by now makes nothing after the sweep.
      const ended = [...running].filter((command) => !isCommandRunning(command));
      // No new look afterwards: what is made again meanwhile would count as known.
      const found = isWritable ? putAway(root, known, maxFolders) : [];
      const moved = found.filter(({ from, to }) => to !== undefined || !left.has(from));
      untold.push(...moved);
      for (const { from, to } of moved) if (to === undefined) left.add(from);
      for (const command of ended) running.delete(command);
    }
    if (running.size === 0) kept?.end();
  };
  const agreeTo = (writes: readonly string[] | undefined): void => {
    const { names } = guardedPlaces(root, {}, maxFolders);
    const places = writes?.map((path) => realPlace(resolve(root, path)));
    const isAnywhere = places === undefined || places.some((place) => isInside(place, root));
    const isStated = (path: string): boolean =>
      places?.some((place) => isInside(path, place) || isInside(place, path)) === true;
    const made = known.awaited.filter(isThere);
    if (isAnywhere)
      for (const from of [...names.keys(), ...made])
        if (isNew(known, from)) untold.push({ from, isAnybodys: true });
    const same = [...known.names].filter(([path]) => !isNew(known, path));
    const agreed = [...names].filter(([path]) => isNew(known, path) && (isAnywhere || isStated(path)));
    const awaited = known.awaited.filter((path) => !made.includes(path) || !(isAnywhere || isStated(path)));
    if (agreed.length > 0 || awaited.length < known.awaited.length)
      know({ ...known, names: new Map([...same, ...agreed]), awaited });
  };
  return {
    begin() {
      if (running.size > 0) sweep();
      const places = guardedPlaces(root, refuses, maxFolders);
      if (running.size === 0 && isWritable) {
        left.clear();
        know(places);
      }
      return places;
    },
    running: () => [...running].filter(isCommandRunning).length,
    started: (command) => void running.add(command),
    sweep,
    async ended(mark) {
      const dying = [...running].filter((command) => command.mark === mark);
      await Promise.all(dying.map((command) => commandGone(command, dyingMs)));
      sweep();
    },
    told: () => untold.splice(0),
    async outside(run, writes) {
      sweep();
      try {
        return await run();
      } finally {
        if (isWritable && running.size > 0) agreeTo(writes);
      }
    },
    async close() {
      await Promise.all([...running].map(killCommand));
      sweep();
    },
  };
}

type Guarded = Pick<GuardedPlaces, "protected" | "pinned" | "hidden">;

export interface RunningFolders extends Omit<RunningNames, "begin" | "started"> {
  /** A command that may change these folders as well is about to start. Returns what is guarded then, and what to say about it. */
  readonly begin: (folders: readonly string[]) => Guarded & { readonly closed: readonly string[] };
  /** It did. */
  readonly started: (command: StartedCommand, folders: readonly string[]) => void;
}

interface RunningFoldersFacts extends Omit<Parameters<typeof createRunningNames>[0], "kept" | "refuses"> {
  readonly refuses?: RefusedPlaces | undefined;
  /** For each folder, see {@link KnownNames}. */
  readonly keptAt?: ((folder: string) => KnownNames) | undefined;
}

/** Does no lookups while nothing runs. */
export function createRunningFolders({
  root,
  refuses = {},
  keptAt,
  ...facts
}: RunningFoldersFacts): RunningFolders {
  const own = createRunningNames({ ...facts, root, refuses, kept: keptAt?.(root) });
  const others = new Map<string, RunningNames>();
  /** What acts by links and settings of the workspace, outside of it. */
  let outer: readonly string[] = [];
  const acts = (path: string): boolean => outer.some((place) => isInside(place, path));
  const at = (folder: string): RunningNames => {
    const known = others.get(folder);
    if (known) return known;
    const refused: RefusedPlaces = {
      ...refuses,
      sockets: true,
      write: (path) => acts(path) || refuses.write?.(path) === true,
      documents: () => [...(refuses.documents?.() ?? []), ...outer],
    };
    const made = createRunningNames({ ...facts, root: folder, refuses: refused, kept: keptAt?.(folder) });
    others.set(folder, made);
    return made;
  };
  const all = (): readonly RunningNames[] => [own, ...others.values()];
  const isHiding = refuses.read !== undefined;
  return {
    begin(folders) {
      const inRoot = own.begin();
      outer = inRoot.outer;
      const found = [
        { folder: root, places: inRoot },
        ...folders.map((folder) => ({ folder, places: at(folder).begin() })),
      ];
      const places = found.map((each) => each.places);
      return {
        protected: places.flatMap((each) => each.protected),
        pinned: places.flatMap((each) => each.pinned),
        hidden: places.flatMap((each) => each.hidden),
        closed: found.flatMap(({ folder, places: { closed } }) =>
          closed.length === 0 ? [] : closedOf(folder, closed, isHiding),
        ),
      };
    },
    started(command, folders) {
      own.started(command);
      for (const folder of folders) at(folder).started(command);
    },
    running: own.running,
    sweep() {
      for (const names of all()) names.sweep();
    },
    ended: async (mark) => void (await Promise.all(all().map((names) => names.ended(mark)))),
    told: () => all().flatMap((names) => names.told()),
    outside(run, writes) {
      const places = writes?.map((path) => resolve(root, path));
      const wrapped = [...others.values()].reduce<typeof run>(
        (inner, names) => () => names.outside(inner, places),
        run,
      );
      return own.outside(wrapped, places);
    },
    close: async () => void (await Promise.all(all().map((names) => names.close()))),
  };
}

/** Names as many as a person reads. */
function closedOf(folder: string, closed: readonly string[], isHiding: boolean): string {
  const named = closed.slice(0, 3).join(", ") + (closed.length > 3 ? ` and ${closed.length - 3} more` : "");
  const how = isHiding
    ? "read-only for commands, and hidden because of rules about reading"
    : "read-only for commands";
  return `${named}: ${how}, because ${folder} has more folders than indus searches for protected names`;
}

function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // nothing was written
  }
}
