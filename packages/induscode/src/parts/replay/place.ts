// Where a session is replayed: a copy of its folder, of the home and of the documents above it, each at its own path below one temporary
// folder. Texts produced there differ from the logged ones only by that prefix.

import {
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { HOME_VARIABLE, homeFolder, isInside } from "indusagi/core";
import { CANDIDATE_FILES, OVERRIDE_FILE } from "../../briefing/document-reach.ts";
import { Problem } from "../../cli/problem.ts";
import type { Entry } from "../../conductor/contract.ts";
import { counted } from "../../conductor/log-reader.ts";
import { sessionFolder } from "../../conductor/sessions.ts";
import type { LoggedSession } from "../../session/logs/logged-session.ts";
import { createFileContents, isKept } from "../checkpoints/file-contents.ts";
import { putState } from "../checkpoints/rewind.ts";

export interface ReplayPlace {
  readonly cwd: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Replaces the logged paths with those of this place. */
  readonly moved: <Value>(value: Value) => Value;
  /** Replaces the paths of this place with those they stand for. */
  readonly named: <Value>(value: Value) => Value;
  /** Puts files into the state that a checkpoint names; returns how many it cannot, because their content was not kept. */
  readonly put: (files: readonly { readonly path: string; readonly state: string }[]) => Promise<number>;
  readonly remove: () => void;
}

const MAX_ENTRIES = 50_000;
const LEFT_OUT: readonly string[] = [".git", "node_modules"];
/** Not copied from the home: what sessions left there, and keys. */
const NOT_OF_A_REPLAY: readonly string[] = [
  ...["sessions", "checkpoints", "crews", "history", "bugs", "logs", "work-items", "held"],
  "credentials.json",
];
const SHARED: readonly string[] = [".indus", ".indusagi", ".claude", ".agents"].flatMap((folder) =>
  ["skills", "commands", "agents", "output-styles"].map((kind) => `${folder}/${kind}`),
);

/** Throws a {@link Problem} if the folder is too large to copy. */
export function makeReplayPlace(
  { home, cwd }: Pick<LoggedSession, "home" | "cwd">,
  env: NodeJS.ProcessEnv,
): ReplayPlace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "indus-replay-")));
  const at = (path: string): string => join(root, path);
  const remove = (): void => rmSync(root, { recursive: true, force: true });
  const personHome = homeFolder(env);
  try {
    const holder = [cwd, home].find((folder) => isInside(folder, root));
    if (holder !== undefined)
      throw new Problem(`${holder} contains the replay's own folder: set TMPDIR to another`);
    mkdirSync(at(cwd), { recursive: true });
    mkdirSync(at(home), { recursive: true, mode: 0o700 });
    copyInto(cwd, at(cwd), () => true);
    if (existsSync(home)) copyInto(home, at(home), (name) => !NOT_OF_A_REPLAY.includes(name));
    for (const folder of new Set([personHome, ...foldersAbove(cwd)])) copyDocuments(folder, at(folder));
  } catch (error) {
    remove();
    throw error;
  }
  const contents = createFileContents(home, basename(sessionFolder(home, cwd)));
  return {
    cwd: at(cwd),
    home: at(home),
    env: { ...env, [HOME_VARIABLE]: at(personHome), INDUS_HOME: at(home) },
    moved: (value) => rewritten(value, (text) => withPrefix(withPrefix(text, cwd, root), home, root)),
    named: (value) => rewritten(value, (text) => text.replaceAll(root, "")),
    async put(files) {
      let lost = 0;
      for (const { path, state } of files) {
        if (!isInside(at(cwd), join(at(cwd), path))) continue;
        const isThere = state === "absent" ? existsSync(join(at(cwd), path)) : isKept(state);
        if (isThere) await putState(path, state, at(cwd), contents).catch(() => void lost++);
        else if (state !== "absent") lost++;
      }
      return lost;
    },
    remove,
  };
}

/** Restores the folder to before the session's first line, as far as its checkpoints record it; returns a description of that state. */
export async function atCheckpoint(entries: readonly Entry[], place: ReplayPlace): Promise<string> {
  const firsts = new Map<string, string>();
  for (const entry of entries)
    if (entry.type === "checkpoint" || entry.type === "rewind")
      for (const { path, before } of entry.files) if (!firsts.has(path)) firsts.set(path, before);
  if (firsts.size === 0) return "as it is now: the session has no checkpoints";
  const lost = await place.put(Array.from(firsts, ([path, state]) => ({ path, state })));
  return `as it was before the session, as far as its checkpoints record it${lost === 0 ? "" : ` (the content of ${counted(lost, "file")} was not kept)`}`;
}

function copyInto(from: string, to: string, isWanted: (name: string) => boolean): void {
  let entries = 0;
  cpSync(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
    filter(path) {
      if (++entries > MAX_ENTRIES)
        throw new Problem(`${from} has more than ${MAX_ENTRIES} files and folders: it is too large to copy`);
      if (dirname(path) === from && !isWanted(basename(path))) return false;
      if (basename(path) === ".git" && path !== from)
        mkdirSync(join(to, path.slice(from.length)), { recursive: true });
      const found = statSync(path, { throwIfNoEntry: false });
      return (
        !LEFT_OUT.includes(basename(path)) && (found === undefined || found.isFile() || found.isDirectory())
      );
    },
  });
}

function foldersAbove(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [] : [parent, ...foldersAbove(parent)];
}

/** Copies what a session reads from a folder other than its own. */
function copyDocuments(from: string, to: string): void {
  for (const name of [OVERRIDE_FILE, ...CANDIDATE_FILES, ...SHARED]) {
    const path = join(from, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found || existsSync(join(to, name))) continue;
    if (found.isFile()) cpSync(path, join(to, name), { dereference: true });
    if (found.isDirectory()) copyInto(realpathSync(path), join(to, name), () => true);
  }
  if (existsSync(join(from, ".git"))) mkdirSync(join(to, ".git"), { recursive: true });
}

function rewritten<Value>(value: Value, change: (text: string) => string): Value {
  if (typeof value === "string") return change(value) as Value;
  if (Array.isArray(value)) return value.map((each) => rewritten(each, change)) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, rewritten(each, change)]),
  ) as Value;
}

const isNamePart = (character: string | undefined): boolean =>
  character !== undefined && /[\w.-]/.test(character);

/** Prefixes every occurrence of this exact path, or of one below it. */
function withPrefix(text: string, path: string, prefix: string): string {
  if (path === "/" || !text.includes(path)) return text;
  let made = "";
  let from = 0;
  for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, from)) {
    const end = at + path.length;
    const isPath = !isNamePart(text[at - 1]) && (!isNamePart(text[end]) || text[end] === ".");
    made += text.slice(from, at) + (isPath ? prefix : "") + path;
    from = end;
  }
  return made + text.slice(from);
}
