// Restores files to how they were before a turn: what that would change, what prevents it, and doing it. All of this comes from the log;
// the contents are in the home.

import {
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  rmdirSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { confinedTo, localFs, scopedFs } from "indusagi/capabilities";
import { beginningOf, describeError, isInside } from "indusagi/core";
import type { CheckpointEntry, Entry } from "../../conductor/contract.ts";
import { counted } from "../../conductor/log-reader.ts";
import { type FileContents, type FileState, isKept } from "./file-contents.ts";

type FileChange = CheckpointEntry["files"][number];

export interface RewindPlan {
  /** What to do with each file. */
  readonly steps: readonly FileChange[];
  /** Files that someone else changed too, described in words; if there are any, nothing is done. */
  readonly conflicts: readonly string[];
  /** Files that stay as they are, and turns whose changes are unknown, described in words. */
  readonly remarks: readonly string[];
  /** All files are so already. */
  readonly isThere: boolean;
}

/** Back to the files before the entry with this number, whichever branches the conversation has left since: files have no branches. */
export function planRewind(
  entries: readonly Entry[],
  from: number,
  cwd: string,
  contents: FileContents,
): RewindPlan {
  const after = entries.filter(({ n }) => n >= from);
  const chains = new Map<string, readonly FileChange[]>();
  for (const entry of after)
    if (entry.type === "checkpoint" || entry.type === "rewind")
      for (const change of [...entry.files, ...((entry.type === "rewind" && entry.left) || [])])
        chains.set(change.path, linked(chains.get(change.path) ?? [], change, entry.type === "rewind"));
  const plan = planChanges(
    Array.from(chains, ([path, chain]) => {
      const isBroken = chain.some(({ before }, i) => i > 0 && before !== chain[i - 1]?.after);
      return { path, before: chain[0]?.before ?? "", after: chain.at(-1)?.after ?? "", isBroken };
    }).filter(({ path, before, after }) => before !== after || (chains.get(path)?.length ?? 0) > 1),
    cwd,
    contents,
  );
  return { ...plan, remarks: [...plan.remarks, ...unknownTurns(after)] };
}

/** A fork lacks the turns that a rewind took back: in it, a file only returned to a state that the fork knows, or begins with. */
function linked(chain: readonly FileChange[], change: FileChange, isRewind: boolean): readonly FileChange[] {
  const known = chain.at(-1)?.after;
  if (isRewind && known === undefined) return [{ ...change, before: change.after }];
  return isRewind && known === change.after ? chain : [...chain, change];
}

/** Reverts a `rewind`. */
export function planUndo(
  { files }: Pick<CheckpointEntry, "files">,
  cwd: string,
  contents: FileContents,
): RewindPlan {
  return planChanges(
    files.map((each) => ({ ...each, isBroken: false })),
    cwd,
    contents,
  );
}

function planChanges(
  changes: readonly (FileChange & { readonly isBroken: boolean })[],
  cwd: string,
  contents: FileContents,
): RewindPlan {
  const steps: FileChange[] = [];
  const conflicts: string[] = [];
  const remarks: string[] = [];
  let isThere = true;
  const removed = new Set(
    changes.flatMap(({ path, before }) => (before === "absent" ? join(cwd, path) : [])),
  );
  for (const { path, before, after, isBroken } of changes) {
    if (!isInside(cwd, join(cwd, path))) continue;
    const now = contents.keep(join(cwd, path));
    const makesWay = now === "unkept" && isFolderOf(removed, join(cwd, path));
    const stays = (why: string): void => void remarks.push(`${path} is not changed: ${why}`);
    if (now === before && now !== "unkept") continue;
    isThere = false;
    if (!isKnown(before)) stays("it was too large to keep, or could not be read");
    else if (!isKnown(now) && !makesWay)
      stays("the current content is too large, unreadable or not a file, so it could not be restored later");
    else if (!isKnown(after) && !makesWay)
      stays("the state after the turn was not kept, so it may have changed since");
    else if (now !== after && !makesWay)
      conflicts.push(`${path} has since been changed, not by this session's turns`);
    else if (isBroken) conflicts.push(`${path} was changed between turns, not by this session`);
    else if (isKept(before) && contents.content(before) === undefined)
      stays("its earlier content is no longer kept");
    else steps.push({ path, before: makesWay ? "absent" : now, after: before });
  }
  // What is removed may be in the place of a folder, or in a folder that is in the place of a file.
  return {
    steps: steps.sort((a, b) => Number(b.after === "absent") - Number(a.after === "absent")),
    conflicts,
    remarks,
    isThere,
  };
}

function isKnown(state: FileState): boolean {
  return state === "absent" || isKept(state);
}

/** Whether a folder has nothing in it but these files, and so goes with them. */
function isFolderOf(files: ReadonlySet<string>, path: string): boolean {
  if (!lstatSync(path).isDirectory()) return false;
  const below = readdirSync(path, { withFileTypes: true, recursive: true });
  return below.every((each) => {
    const name = join(each.parentPath, each.name);
    return each.isDirectory() ? readdirSync(name).length > 0 : files.has(name);
  });
}

/** Turns of which not all is recorded: above all those that ended with a kill, after a call that could have changed something. */
function unknownTurns(entries: readonly Entry[]): readonly string[] {
  const remarks: string[] = [];
  let said: string | undefined;
  let isClosed = true;
  /** Between turns it is the person who runs something. */
  let isRunning = false;
  const note = (): void => {
    if (said !== undefined && !isClosed)
      remarks.push(`it is unknown what the turn "${said}" changed: indus ended during the turn`);
  };
  for (const entry of entries) {
    if (entry.type === "user" && entry.via === "submit") {
      note();
      const text = entry.content.find((block) => block.kind === "text");
      said = text?.kind === "text" ? beginningOf(text.text.split("\n", 1)[0] ?? "", 60) : "";
      isClosed = true;
      isRunning = true;
    }
    if (entry.type === "decision" && entry.decision.outcome === "allowed" && isRunning) isClosed = false;
    if (entry.type === "end") isRunning = false;
    if (entry.type === "end" || entry.type === "checkpoint") isClosed = true;
    if (entry.type !== "checkpoint") continue;
    if (entry.isIncomplete)
      remarks.push(
        `not everything that the turn "${said}" changed is known: the files could not be examined`,
      );
    if (entry.more)
      remarks.push(
        `the turn "${said}" changed ${counted(entry.more, "more file", "more files")} than are recorded`,
      );
  }
  note();
  return remarks;
}

/** Does all steps or none: if one fails, those already done are undone. Rejects with the reason. */
export async function applySteps(
  steps: readonly FileChange[],
  cwd: string,
  contents: FileContents,
): Promise<void> {
  const done: FileChange[] = [];
  try {
    for (const step of steps) {
      const path = join(cwd, step.path);
      if (contents.keep(path) !== step.before) throw new Error(`${step.path} changed just now`);
      done.push(step);
      await putState(step.path, step.after, cwd, contents);
    }
  } catch (error) {
    const left: string[] = [];
    for (const { path, before } of done.reverse())
      await putState(path, before, cwd, contents).catch((problem: unknown) => {
        if (contents.keep(join(cwd, path)) !== before) left.push(`${path} (${describeError(problem)})`);
      });
    const what = left.length === 0 ? "Nothing was changed" : `Not restored: ${left.join(", ")}`;
    throw new Error(`${what}: ${describeError(error)}`);
  }
}

/** Gives a file in the folder the content and mode of a stored state, or removes it. Rejects if that is impossible. */
export async function putState(
  name: string,
  state: FileState,
  cwd: string,
  contents: FileContents,
): Promise<void> {
  const fs = scopedFs(localFs(), confinedTo(cwd));
  const path = join(cwd, name);
  if (state === "absent") {
    await fs.rm(path);
    removeEmpty(dirname(path), cwd);
    return;
  }
  const bytes = contents.content(state);
  if (!bytes) throw new Error(`the earlier content of ${path} is no longer kept`);
  await fs.mkdir(dirname(path), { recursive: true });
  await fs.writeFile(path, bytes);
  giveMode(path, Number.parseInt(state.split(":")[1] ?? "644", 8), cwd);
}

function giveMode(path: string, mode: number, cwd: string): void {
  if (!isInside(cwd, realpathSync(dirname(path)))) return;
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    fchmodSync(file, mode);
  } finally {
    closeSync(file);
  }
}

/** Removes folders that are now empty, as git does. */
function removeEmpty(folder: string, cwd: string): void {
  try {
    for (let at = folder; at !== cwd && isInside(cwd, at); at = dirname(at)) rmdirSync(at);
  } catch {
    // It is not empty.
  }
}
