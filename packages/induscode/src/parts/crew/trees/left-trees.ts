// Worktrees that crews left: after a kill, a failed ticket, or a plan that was restarted.

import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Ticket } from "indusagi/swarm";
import { sessionFolder } from "../../../conductor/sessions.ts";
import { plural } from "../../../console/figures.ts";
import { homePath } from "../../../store/home-files.ts";
import { isLockHeld } from "../../../store/lock.ts";
import { treeName, treesIn } from "./tree-name.ts";

/** With more than these, names are omitted. */
const MAX_NAMED = 8;

/** The folders of the crews that belong to a folder. */
export function crewFolders(home: string, cwd: string): readonly string[] {
  const crews = dirname(homePath(home, "crew", basename(sessionFolder(home, cwd)), "x"));
  return foldersIn(crews).map((name) => join(crews, name));
}

/** The names of a crew's worktrees. */
export function treeNames(crewFolder: string): readonly string[] {
  return foldersIn(treesIn(crewFolder));
}

/** The message about a crew's worktrees after its run: the next run continues in those of tickets that are not done. */
export function leftTrees(crewFolder: string, tickets: readonly Ticket[]): readonly string[] {
  const undone = new Set(tickets.filter(({ status }) => status !== "done").map(treeName));
  const names = treeNames(crewFolder);
  return [
    ...said(
      crewFolder,
      "The next run continues there",
      names.filter((name) => undone.has(name)),
    ),
    ...said(
      crewFolder,
      "No run continues in these worktrees: their tickets are done or no longer exist",
      names.filter((name) => !undone.has(name)),
    ),
  ];
}

/** The message about the worktrees of all crews of a folder that are not at work. */
export function leftTreesHere(home: string, cwd: string): readonly string[] {
  return crewFolders(home, cwd)
    .filter((folder) => !isLockHeld(`${folder}.lock`))
    .flatMap((folder) => said(folder, "No crew is working there", treeNames(folder)));
}

function said(crewFolder: string, what: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const isMany = names.length > MAX_NAMED;
  const shown = names.slice(0, MAX_NAMED).join(", ") + (isMany ? ", …" : "");
  const words = isMany ? [] : names;
  return [
    `${plural(names.length, "worktree")} left in ${treesIn(crewFolder)}: ${shown}. ${what}; ${["indus crew clean", ...words].join(" ")} commits the work in each to its branch and removes it`,
  ];
}

function foldersIn(folder: string): readonly string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  const all = readdirSync(folder, { withFileTypes: true });
  return all.flatMap((each) => (each.isDirectory() ? each.name : [])).sort();
}
