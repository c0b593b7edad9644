// When the process of an addon that may write files makes, renames and removes names directly in the workspace: only while one of its tools
// runs, and at bubblewrap. Nothing can keep just the missing names free, so what has appeared under a protected name by the end is moved
// aside, as after a command of the model; at all other times those folders are read-only to it.

import { lstatSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isInside, monotonicMs, processFacts } from "indusagi/core";
import type { HeldWhile } from "../../source/held-names.ts";
import { guardedPlaces, type PutAway, putAway, type SeenNames, toldOf } from "../command-guard.ts";
import type { SandboxSpec } from "../contract.ts";
import { perlWorks } from "../landlock-perl.ts";
import { keptPlaces, openedFolders, type WritablePart } from "../writable-parts.ts";
import { changeMount, type MountedFolder, processInside } from "./root-mount.ts";

/** The process whose window it is. */
export interface WindowedProcess {
  /** Of `bwrap`. */
  readonly pid: number | undefined;
  readonly kill: () => void;
}

/** Hears of the window of one call, a line each. */
export interface WindowListener {
  /** What is not as the call left it. */
  readonly onTold: (line: string) => void;
  /** Why it is not open. */
  readonly onShut: (line: string) => void;
}

export interface RootWindow {
  /** Runs a call of the process; calls at the same time share the window. */
  readonly during: <T>(
    process: WindowedProcess,
    call: () => Promise<T>,
    listener: WindowListener,
  ) => Promise<T>;
}

/** What the sandbox of a process with windows keeps (see {@link SandboxSpec.keeps}), or why there can be none. */
export function placesToKeep(spec: WindowSpec): readonly string[] | { readonly problem: string } {
  const places = perlWorks() ? keptIn(spec, openedFolders(spec)) : NO_PERL;
  return typeof places === "string" ? { problem: places } : places;
}

/** One that never opens. `log` receives why, too. */
export function shutWindow(problem: string, log: (text: string) => void): RootWindow {
  log(`${noneMade(problem)}\n`);
  return {
    during(_, call, { onShut }) {
      onShut(shutBecause(problem));
      return call();
    },
  };
}

type WindowSpec = Pick<SandboxSpec, "writable" | "protected">;

const NO_PERL = "Perl, which changes its mounts, is not installed";

/** Each is a mount of its own, of which a sandbox has a limited number. */
const MAX_KEPT = 96;

/** The places to keep, or why they cannot be kept. */
function keptIn(spec: WindowSpec, opened: readonly WritablePart[]): readonly string[] | string {
  const places = keptPlaces(spec, opened);
  // Where there is too much to examine, the whole workspace is read-only.
  const isClosed = spec.writable.some((path) => spec.protected.includes(path));
  if (!isClosed && places.length <= MAX_KEPT) return places;
  return `more than ${MAX_KEPT} places with protected names are in the workspace`;
}

function noneMade(why: string): string {
  return `it can make nothing directly in the workspace's top folder: ${why}`;
}

function shutBecause(why: string): string {
  return `sandbox: ${noneMade(why)}`;
}

interface RootWindowFacts {
  readonly root: string;
  /** That its process was started with. */
  readonly spec: WindowSpec;
  /** What is protected by now. */
  readonly protectedNow: () => readonly string[];
  /** Keeps on disk which names there were, for the next start if this process is killed. */
  readonly kept: HeldWhile | undefined;
  /** Why a window did not open; once. */
  readonly log: (text: string) => void;
}

interface OpenWindow extends MountedFolder {
  readonly startedAt: string | undefined;
  readonly before: SeenNames;
  /** The places that are read-only meanwhile, with what each was. */
  readonly places: ReadonlyMap<string, string>;
}

/** Open, or why it is not. */
type Opened = OpenWindow | { readonly problem: string };

export function createRootWindow({ root, spec, protectedNow, kept, log }: RootWindowFacts): RootWindow {
  const folders = openedFolders(spec);
  let calls = 0;
  let window: Promise<Opened> = Promise.resolve({ problem: "no tool runs" });
  let closed: Promise<void> = Promise.resolve();
  let isTold = false;
  const shut = (problem: string): { readonly problem: string } => {
    if (!isTold) log(`${noneMade(problem)}\n`);
    isTold = true;
    return { problem };
  };

  async function opened(pid: number | undefined): Promise<Opened> {
    await closed;
    const inside = pid === undefined ? undefined : processInside(pid);
    if (inside === undefined) return shut("the system does not name the process in its sandbox");
    // Since its process was started, the person can have made such a place, or replaced one, which ends its mount.
    const places = protectedNow();
    const keep = keptIn({ ...spec, protected: places }, folders);
    if (typeof keep === "string") return shut(keep);
    const isKept = new Set(places);
    const before = guardedPlaces(root, { write: (path) => isKept.has(path), documents: () => places });
    kept?.begin([...before.names.keys(), ...before.protected], before.awaited);
    const startedAt = processFacts(inside)?.startedAt;
    const open = { pid: inside, path: root, startedAt, before, places: new Map(keep.map(marked)) };
    const change = await changeMount(open, "writable", keep);
    if (change === "done") return open;
    await changeMount(open, "read-only"); // it may have been changed by what was ended for being slow
    kept?.end();
    return shut(typeof change === "string" ? change : change.problem);
  }

  async function close(open: OpenWindow, process: WindowedProcess): Promise<readonly string[]> {
    const isEnded = !(await isClosed(open)) && isRunning(open);
    if (isEnded) {
      process.kill();
      await gone(open);
    }
    const isFollowed = ({ from, isUnseen }: PutAway): boolean =>
      !isUnseen || !folders.some((folder) => isInside(folder.path, from));
    const moved = putAway(root, withoutExchanged(open)).filter(isFollowed);
    kept?.end();
    return [...(isEnded ? [KEPT_OPEN] : []), ...moved.map(inWords)];
  }

  return {
    async during(process, call, { onTold, onShut }) {
      if (calls++ === 0) window = opened(process.pid);
      try {
        const open = await window;
        if ("problem" in open) onShut(shutBecause(open.problem));
        return await call();
      } finally {
        if (--calls === 0) {
          const ended = window.then((open) => ("problem" in open ? [] : close(open, process)));
          closed = ended.then(
            () => undefined,
            () => undefined,
          );
          for (const line of await ended) onTold(line);
        }
      }
    },
  };
}

/** What a place is, whatever its content: another file of its name differs. */
function marked(path: string): readonly [path: string, mark: string] {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return [path, found === undefined ? "" : `${found.ino} ${found.birthtimeNs}`];
}

/** What somebody else has replaced is not read-only any more, so nobody knows what is in it. */
function withoutExchanged({ before, places }: OpenWindow): SeenNames {
  const exchanged = [...places].flatMap(([path, mark]) => (marked(path)[1] === mark ? [] : [path]));
  if (exchanged.length === 0) return before;
  const names = new Map([...before.names].filter(([path]) => !exchanged.includes(path)));
  return { ...before, names, awaited: [...before.awaited, ...exchanged] };
}

/** A file that is just being written is waited for. */
async function isClosed(open: OpenWindow): Promise<boolean> {
  for (let pauseMs = 1; ; pauseMs *= 2) {
    const change = await changeMount(open, "read-only");
    if (change !== "busy" || pauseMs > LONGEST_PAUSE_MS) return change === "done";
    await sleep(pauseMs);
  }
}

/** Each try waits twice as long as the one before: about a second in all. */
const LONGEST_PAUSE_MS = 512;

/** Whether it is still the same process. */
function isRunning({ pid, startedAt }: OpenWindow): boolean {
  const facts = processFacts(pid);
  return facts !== undefined && facts.startedAt === startedAt;
}

/** It ends after all others in its sandbox. */
async function gone(open: OpenWindow): Promise<void> {
  const untilMs = monotonicMs() + KILLED_MS;
  for (let pauseMs = 1; isRunning(open) && monotonicMs() < untilMs; pauseMs *= 2)
    await sleep(Math.min(pauseMs, LAST_PAUSE_MS));
}

const KILLED_MS = 2_000;
const LAST_PAUSE_MS = 5;

const KEPT_OPEN =
  "sandbox: its process was ended, because it still had a file directly in the workspace's top folder open for writing when its tool had answered. It may keep files open in subfolders.";

function inWords(moved: PutAway): string {
  return `sandbox: ${toldOf(moved)}${moved.to === undefined ? "" : " If it is wanted, create it with write or edit."}`;
}
