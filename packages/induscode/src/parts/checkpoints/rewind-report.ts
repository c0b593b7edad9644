// Takes files and conversation back to before a line: what a person is shown and asked, in a console and on the command line.

import { basename } from "node:path";
import { beginningOf, describeError, printable } from "indusagi/core";
import type { CheckpointEntry, Entry, EntryBody } from "../../conductor/contract.ts";
import { counted } from "../../conductor/log-reader.ts";
import { sessionFolder } from "../../conductor/sessions.ts";
import { turnChoices, turnsOf } from "../../conductor/turn-list.ts";
import { type HomePlaces, inHome } from "../../store/home.ts";
import type { KeptChanges } from "./checkpoints-setting.ts";
import { createFileContents, type FileContents } from "./file-contents.ts";
import { applySteps, planRewind, planUndo, type RewindPlan } from "./rewind.ts";

export const REWIND_USAGE =
  "Usage: /rewind N shows what would change; /rewind apply N restores files and conversation to the state before your line N; /rewind apply N files restores only files; /rewind apply N conversation, only the conversation; /rewind undo reverses the last rewind.";
const SETTINGS = "~/.indus/settings.json";
const MAX_SHOWN = 50;

export interface RewindFacts extends HomePlaces {
  readonly cwd: string;
  /** Which changes to files the settings keep now. */
  readonly kept: KeptChanges;
  readonly sessionId: string;
  readonly entries: readonly Entry[];
  /** How to continue from the list, in the person's current context. */
  readonly usage: string;
  /** Continues from before the person's last `back` lines. Returns the session that continues, or what prevents it. */
  readonly fork: (back: number) => { readonly problem: string } | { readonly sessionId: string };
  /** Logs the rewind in the session that continues. Throws if that fails. */
  readonly note: (rewind: RewindEntry) => Promise<void>;
}

type FileChange = CheckpointEntry["files"][number];
type RewindEntry = Extract<EntryBody, { type: "rewind" }>;

/** What goes back. */
export type RewindPart = "both" | "files" | "conversation";

/** What was asked for: to list, or to do it. */
export type RewindWish =
  | { readonly kind: "list" }
  | { readonly kind: "show" | "apply"; readonly turn: number; readonly part: RewindPart }
  | { readonly kind: "undo" };

/** What a person typed; undefined if it is not understood. */
export function rewindWish(words: string): RewindWish | undefined {
  if (words === "") return { kind: "list" };
  if (words === "undo") return { kind: "undo" };
  const [, apply, number, only] = /^(apply )?(\d{1,6})(?: (files|conversation)|:.*)?$/s.exec(words) ?? [];
  if (number === undefined) return undefined;
  const part = only === "files" || only === "conversation" ? only : "both";
  return { kind: apply ? "apply" : "show", turn: Number(number), part };
}

export interface Rewound {
  readonly text: string;
  /** Nothing prevented it. */
  readonly isDone: boolean;
  /** Files prevent it that somebody else changed: the conversation alone can go back. */
  readonly isRefused?: boolean;
  /** It would change no file: all are so already. */
  readonly isThere?: boolean;
}

/** Carries out the wish and reports the result. */
export async function rewind(facts: RewindFacts, wish: RewindWish): Promise<Rewound> {
  const { home, cwd, entries } = facts;
  const contents = createFileContents(home, basename(sessionFolder(home, cwd)));
  const no = (text: string) => ({ text, isDone: false });
  if (wish.kind === "list") {
    const choices = turnChoices(entries);
    return {
      text: choices.length === 0 ? "Nothing was said yet." : [...choices, "", facts.usage].join("\n"),
      isDone: true,
    };
  }
  if (wish.kind === "undo") {
    const last = entries.findLast((entry) => entry.type === "rewind");
    if (last?.type !== "rewind") return no("This session has no rewind to undo.");
    const plan = planUndo(last, cwd, contents);
    if (plan.conflicts.length > 0 || (plan.steps.length === 0 && plan.remarks.length > 0))
      return no(planText("Nothing was undone", plan));
    const goOn =
      last.from === facts.sessionId ? "" : ` To continue the earlier conversation: indus -r ${last.from}`;
    const remarks = plan.remarks.map((each) => `\n  ! ${printable(each)}`).join("");
    const undone =
      last.left === undefined
        ? "Undone."
        : "That rewind changed only the conversation, so there are no files to restore.";
    return carryOut(facts, { files: plan.steps }, contents, `${undone}${goOn}${remarks}`);
  }
  const turns = turnsOf(entries);
  const turn = turns[wish.turn - 1];
  if (!turn)
    return no(
      turns.length === 0
        ? "Nothing was said yet."
        : `You have entered ${counted(turns.length, "line")} in this session: choose from 1 to ${turns.length}.`,
    );
  const found = planRewind(entries, turn.n, cwd, contents);
  const plan = { ...found, remarks: [...found.remarks, ...unkept(facts, turn.n)] };
  const head = `Before line ${wish.turn}, "${beginningOf(printable(turn.said).split("\n", 1)[0] ?? "", 60)}"`;
  const isAboutFiles = wish.part !== "conversation";
  if (isAboutFiles && plan.conflicts.length > 0)
    return { ...no(planText(`${head}: refused`, plan)), isRefused: true };
  const shown = isAboutFiles ? planText(head, plan) : `${head}: only the conversation; files are not changed`;
  if (wish.kind === "show") return { text: shown, isDone: true, isThere: plan.isThere };
  const forked =
    wish.part === "files" ? { sessionId: facts.sessionId } : facts.fork(turns.length - wish.turn + 1);
  if ("problem" in forked) return no(forked.problem);
  const moved =
    wish.part === "files"
      ? "Only files were restored; the conversation is not changed."
      : `You are now in session ${forked.sessionId}; the earlier conversation is still in ${facts.sessionId}.`;
  const undo = isAboutFiles
    ? `To undo it: /rewind undo, or indus session rewind ${forked.sessionId} --undo`
    : `To continue the earlier conversation: indus -r ${facts.sessionId}`;
  const steps = isAboutFiles ? { files: plan.steps } : { files: [], left: plan.steps.map(reversed) };
  const done = await carryOut(facts, steps, contents, `${shown}\n${moved} ${undo}`);
  if (done.isDone || wish.part === "files") return done;
  return no(`${done.text}\n${moved} To continue the earlier conversation: indus -r ${facts.sessionId}`);
}

function reversed({ path, before, after }: FileChange): FileChange {
  return { path, before: after, after: before };
}

/** What is unknown about those turns, given what the settings keep now. */
function unkept({ entries, kept, ...places }: RewindFacts, from: number): readonly string[] {
  const file = inHome(SETTINGS, places);
  if (kept === "off") return [`changes to files are not recorded: "checkpoints" is "off" in ${file}`];
  const isUnseen = (entry: Entry): boolean =>
    entry.type === "tool" && (entry.status !== undefined || !entry.feature?.startsWith("builtin:"));
  return kept === "edits" && entries.some((entry) => entry.n >= from && isUnseen(entry))
    ? [
        `changes that commands made to other files are not recorded; "checkpoints": "all" in ${file} records them from now on`,
      ]
    : [];
}

// Logged first: an undo after a crash then finds what was done and what was not.
async function carryOut(
  { note, cwd, sessionId }: RewindFacts,
  steps: Pick<RewindEntry, "files" | "left">,
  contents: FileContents,
  told: string,
): Promise<{ readonly text: string; readonly isDone: boolean }> {
  try {
    await note({ type: "rewind", from: sessionId, ...steps });
  } catch (error) {
    return { text: `Nothing was changed: ${describeError(error)}`, isDone: false };
  }
  try {
    await applySteps(steps.files, cwd, contents);
    return { text: told, isDone: true };
  } catch (error) {
    return { text: describeError(error), isDone: false };
  }
}

function planText(head: string, { steps, conflicts, remarks }: RewindPlan): string {
  const lines = steps.map(({ path, before, after }) =>
    after === "absent"
      ? `  removed   ${path}`
      : before === "absent"
        ? `  restored  ${path}`
        : `  reverted  ${path}`,
  );
  const rows = [
    ...conflicts.map((each) => `  ! ${each}`),
    ...remarks.map((each) => `  ! ${each}`),
    ...(conflicts.length > 0 ? [] : lines),
  ];
  const more = rows.length - MAX_SHOWN;
  const files =
    conflicts.length > 0
      ? ""
      : steps.length === 0
        ? ": no file changes"
        : `: ${counted(steps.length, "file")}`;
  return printable(
    [`${head}${files}`, ...rows.slice(0, MAX_SHOWN), ...(more > 0 ? [`  and ${more} more`] : [])].join("\n"),
  );
}
