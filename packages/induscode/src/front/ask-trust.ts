// How a person is asked to trust an addon. All of the addon's text is after the gutter, each part under its own label, so that none of
// it can pass for the question itself. Its capabilities and its confinement are always shown in full, on one screen with the question;
// its reasons and its description are cut to make room; if the former do not fit even then, a yes is not possible.

import { isSameJson } from "indusagi/core";
import type { TrustAsker, TrustQuestion } from "../addons/source/decide-trust.ts";
import { columnsOf } from "../console/columns.ts";
import type { Dialogue } from "../console/dialogue.ts";
import { printableLine } from "../console/printable-line.ts";
import { gutter } from "../console/question-lines.ts";
import { createStyle } from "../console/style.ts";
import type { LineLook } from "../console/transcript-lines.ts";
import { HOST_ASKS } from "../console/ui-lines.ts";
import { capabilityInWords } from "../feature/capabilities.ts";
import type { SessionUi } from "../feature/ui.ts";

/** Asks once, on the terminal, showing what the addon would contribute and use. Rejects if the person leaves instead. */
export function createTrustAsker(dialogue: Pick<Dialogue, "look" | "confirm" | "leave">): TrustAsker {
  return async (question) => {
    for (;;) {
      const { lines, mayTrust } = trustScreen(question, dialogue.look());
      const answer = await dialogue.confirm(lines);
      if (answer === undefined) break;
      if (mayTrust || answer === "no") return answer;
      // A yes to a screen that was not shown in full does not count; the window may be larger now, so the question is asked again.
    }
    dialogue.leave();
    throw new Error("the question was left"); // leaving is not a no, which would be remembered
  };
}

/** Of a client that lays the text out itself. */
const CLIENT_LOOK: LineLook = { style: createStyle(false), columns: 100 };
const TRUST = "Trust it";
const SKIP = "Skip it";

/** Asks by a dialog of a client that has no terminal, with the same answers. Rejects if the question is left, or the signal fires. */
export function dialogTrustAsker(
  { ask }: Pick<SessionUi, "ask">,
  signal: () => AbortSignal | undefined,
): TrustAsker {
  return async (question) => {
    const { lines, mayTrust } = trustScreen(question, CLIENT_LOOK);
    if (!mayTrust)
      throw new Error(
        "the addon's requests do not fit into one question: start indus in a terminal to be asked",
      );
    const told = lines
      .filter((line) => line !== CHOICES)
      .join("\n")
      .trim();
    const answer = await ask(
      HOST_ASKS,
      { kind: "select", question: told, choices: [TRUST, SKIP] },
      signal() ?? new AbortController().signal,
    );
    if (answer === 0) return "yes";
    if (answer === 1) return "no";
    throw new Error("the question was left"); // that is not a no, which would be remembered
  };
}

export interface TrustScreen {
  readonly lines: readonly string[];
  /** It shows everything that a yes would grant. */
  readonly mayTrust: boolean;
}

// About two screens: a question that scrolls away is not read.
const MAX_ROWS = 60;
// A path, description or reason could otherwise fill the whole screen.
const MAX_BRIEF_COLUMNS = 200;
/** How many rows the reason for a capability can take; the largest number that leaves room for the rest is used. */
const REASON_ROWS: readonly number[] = [8, 4, 2, 1];
/** How much of one text is laid out, in characters from each end. */
const MAX_SHOWN = 1_000;
/** The row where the answer is typed. */
const ANSWER_ROWS = 1;

/** What a person reads before anything from an addon runs. */
export function trustScreen(question: TrustQuestion, look: LineLook): TrustScreen {
  const { columns, rows = MAX_ROWS, style } = look;
  const { id, version, source, hash, capabilities } = question;
  const name = printableLine(version === undefined ? id : `${id} ${version}`, 60);
  const why = whyAsked(question);
  const head = [`${style.warn("?")} Trust the addon ${style.bold(name)}? ${why}`];
  const headRows = rowsOf(`? Trust the addon ${name}? ${why}`, columns);
  const place = [
    ...gutter("from", printableLine(source.path, MAX_BRIEF_COLUMNS), look),
    ...gutter("hash", hash.slice(0, 16), look),
  ];
  const fence = (question.confinement?.() ?? []).flatMap((line) =>
    gutter("limit", printableLine(line), look),
  );
  const room = rows - ANSWER_ROWS - headRows - rowsOf(CHOICES, columns);
  const listed = (reasonRows: number): readonly string[] =>
    capabilities.flatMap((request) =>
      askRows(request, { reasonRows, label: labelOf(request, question) }, look),
    );
  const fits = (asks: readonly string[]): boolean => asks.length + fence.length <= room;
  // Half of the room is kept for what the addon would do, if shortening the reasons allows it.
  const asks =
    REASON_ROWS.map(listed).find((each) => each.length + fence.length <= room / 2) ??
    [listed(1), listed(0), joined(capabilities, look)].find(fits);
  if (asks === undefined) {
    const needed = rows - room + joined(capabilities, look).length + fence.length;
    return { lines: [...head, ...tooSmall(needed, look)], mayTrust: false };
  }
  const must = [...asks, ...fence];
  const details = [...place, ...detailsOf(question, look)];
  // An empty line above, if there is room.
  const left = Math.min(room, Math.max(MAX_ROWS, must.length)) - must.length;
  const above = details.length < left ? [""] : [];
  return { lines: [...above, ...head, ...must, ...cutTo(details, left, look), CHOICES], mayTrust: true };
}

const CHOICES = "  [y] trust it   [n] skip it";

/** How many terminal rows a line takes. */
function rowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(columnsOf(line) / columns));
}

type Request = TrustQuestion["capabilities"][number];

function whyAsked({ refusedOn, before }: TrustQuestion): string {
  if (refusedOn !== undefined) return `It was refused on ${refusedOn}.`;
  if (before === undefined) return "It is new here, or has changed.";
  return `It has changed since you trusted it on ${before.at.slice(0, 10)}.`;
}

/** `new` for what it was not granted before. */
function labelOf({ capability }: Request, { before }: TrustQuestion): string {
  const isNew = before !== undefined && !before.granted.some((had) => isSameJson(had, capability));
  return isNew ? "new" : "asks";
}

interface AskLook {
  /** The most that its reason takes. */
  readonly reasonRows: number;
  readonly label: string;
}

/** One capability in full, with its reason. */
function askRows(request: Request, { reasonRows, label }: AskLook, look: LineLook): readonly string[] {
  const what = whatOf(request);
  if (reasonRows === 0) return gutter(label, what, look);
  const reason = printableLine(shortened(request.reason), reasonRows * look.columns);
  const rows = gutter(label, `${what}: ${reason}`, look);
  const least = gutter(label, what, look).length;
  if (rows.length <= Math.max(least, reasonRows)) return rows;
  // Cut in the middle, only as far as needed: the end can say as much as the beginning.
  let most = columnsOf(reason);
  for (;;) {
    most = Math.floor(most * 0.8);
    const shorter = gutter(label, most < 8 ? what : `${what}: ${printableLine(reason, most)}`, look);
    if (most < 8 || shorter.length <= Math.max(least, reasonRows)) return shorter;
  }
}

/** At most what a screen can show, so that the cost of laying out endless text is bounded. */
function shortened(text: string): string {
  if (text.length <= 2 * MAX_SHOWN) return text;
  return `${text.slice(0, MAX_SHOWN)}…${text.slice(-MAX_SHOWN)}`;
}

/** All capabilities in one paragraph, for a small window. */
function joined(capabilities: readonly Request[], look: LineLook): readonly string[] {
  return capabilities.length === 0 ? [] : gutter("asks", capabilities.map(whatOf).join("; "), look);
}

function whatOf({ capability, required }: Request): string {
  return printableLine(`${capabilityInWords(capability)}${required ? "" : " (optional)"}`);
}

function detailsOf(
  { description, contributes, capabilities, before }: TrustQuestion,
  look: LineLook,
): readonly string[] {
  const gone = (before?.granted ?? []).filter(
    (had) => !capabilities.some(({ capability }) => isSameJson(had, capability)),
  );
  return [
    ...gone.flatMap((had) => gutter("gone", printableLine(capabilityInWords(had)), look)),
    ...(description === undefined
      ? []
      : gutter("about", printableLine(shortened(description), MAX_BRIEF_COLUMNS), look)),
    ...contributes.flatMap((line) => gutter("runs", shortened(line), look)),
  ];
}

function cutTo(rows: readonly string[], most: number, { style, columns }: LineLook): readonly string[] {
  if (rows.length <= most) return rows;
  if (most <= 0) return [];
  const hidden = rows.length - most + 1;
  const told = `  … and ${hidden} more rows that do not fit here: read its manifest before you trust it`;
  return [...rows.slice(0, most - 1), style.warn(printableLine(told, columns))];
}

/** Shows none of the request: a part of it would be misleading. */
function tooSmall(needed: number, { style }: LineLook): readonly string[] {
  return [
    style.warn(`  The addon's requests need a window of ${needed} rows.`),
    "  [y] ask again, once the window is larger   [n] skip it",
  ];
}
