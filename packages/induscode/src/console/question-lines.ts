// How a question is shown, above all a permission question: every access whole, nothing cut, nothing hidden, and
// each line behind a gutter, so that no part of a command can pass for the console's own words.

import { relative, sep } from "node:path";
import { isInside } from "indusagi/core";
import type { GrantSpan, KeepOffer, OfferedMode, PermissionQuestion } from "../feature/permission.ts";
import type { Access } from "../feature/tool.ts";
import { columnsOf, wrapColumns } from "./columns.ts";
import { printableLine } from "./printable-line.ts";
import type { LineLook } from "./transcript-lines.ts";

const VERBS = { execute: "run", read: "read", write: "write", network: "reach", delegate: "to" } as const;
const LABEL_COLUMNS = 5;
const MIN_TEXT_COLUMNS = 20;
// A rule as long as a command would bury the choices.
const MAX_INLINE_RULE_COLUMNS = 48;

/** What is asked, in lines for a plain terminal, with the choices but without the line where the answer is typed. */
export function questionLines(question: PermissionQuestion, look: LineLook): readonly string[] {
  const { keep, mode, sessionRule } = question;
  const inside = insideWords(question);
  const rule = ruleInWords(question, sessionRule);
  const inline = columnsOf(rule) <= MAX_INLINE_RULE_COLUMNS;
  const prefix = keep?.prefix === undefined ? "" : `, or any command starting with ${startOf(keep.prefix)}`;
  const kept = keep ? ruleInWords(question, keep.exact) + prefix : EXACTLY_THIS;
  return [
    ...subjectLines(question, look),
    ...(inline ? [] : gutter("rule", sessionRule, look)),
    ...(kept === EXACTLY_THIS ? [] : gutter("keep", kept, look)),
    `  [y] once  [s] this session (${inline ? rule : "the rule above"})${keep ? "  [a] always here  [e] everywhere" : ""}  [n] no${mode ? `\n  [m] ${MODE_WORDS[mode]}` : ""}${inside === undefined ? "" : `\n${insideLine(inside)}`}`,
  ];
}

/** Who asks for what, and why. */
export function subjectLines(question: PermissionQuestion, look: LineLook): readonly string[] {
  const { accesses, folder, problem } = question;
  const title = `${printableLine(question.tool, 40)} asks for permission`;
  const reason = insideShort(question.reason, folder);
  const shown = printableLine(reason);
  const hasRoom = columnsOf(title) + columnsOf(shown) + 4 <= look.columns;
  return [
    `${look.style.warn("?")} ${look.style.bold(title)}${hasRoom ? `: ${shown}` : ""}`,
    ...accesses
      .filter((access) => !isWrittenToo(access, accesses))
      .flatMap((access, i, told) => accessLines(access, told[i + 1], folder, look)),
    ...(hasRoom ? [] : gutter("why", reason, look)),
    ...partLines(question, look),
    ...(problem === undefined ? [] : gutter("not", `That cannot be remembered: ${problem}`, look)),
  ];
}

/** What the answer with a mode means. */
export const MODE_WORDS: Readonly<Record<OfferedMode, string>> = {
  acceptEdits: "yes, and accept edits from now on",
  auto: "yes, and run commands in the sandbox from now on",
};

/** How long an answer about the sandbox holds, and its key. */
export const INSIDE_ANSWERS = [
  { key: "h", lasts: "once", words: "this command" },
  { key: "t", lasts: "session", words: "commands of this session" },
  { key: "f", lasts: "here", words: "commands in this folder, now and later" },
] as const satisfies readonly { readonly key: string; readonly lasts: GrantSpan; readonly words: string }[];

/** `reading /srv/x`, `reading and changing /srv/x`: what the command would have in the sandbox, instead of leaving it; undefined if that is not offered. */
export function insideWords({
  host,
  readable,
  writable,
}: Pick<PermissionQuestion, "host" | "readable" | "writable">): string | undefined {
  if (host !== undefined) return `with the network to ${printableLine(host)} only`;
  if (writable !== undefined) return `reading and changing ${printableLine(writable)}`;
  return readable === undefined ? undefined : `reading ${printableLine(readable)}`;
}

function insideLine(words: string): string {
  return `  in the sandbox, ${words}: ${INSIDE_ANSWERS.map((answer) => `[${answer.key}] ${answer.words}`).join("  ")}`;
}

const EXACTLY_THIS = "exactly this";

/** What an answer would allow; a rule that only repeats the command that stands above it is not shown again. */
export function ruleInWords({ tool, accesses, folder }: PermissionQuestion, rule: string): string {
  const [access, ...others] = accesses;
  const own = access?.kind === "execute" && others.length === 0 ? `${tool}(${access.command})` : undefined;
  const isCommand = own !== undefined && rule.startsWith(own);
  return isCommand
    ? EXACTLY_THIS + printableLine(rule.slice(own.length))
    : printableLine(insideShort(rule, folder));
}

/** Which other parts of the command line need an answer, as the reason covers only the first. */
function partLines({ rulings = [], reason }: PermissionQuestion, look: LineLook): readonly string[] {
  const open = rulings.filter(({ outcome }) => outcome === "ask");
  if (open.length < 2) return [];
  const told = open.map(({ what, why }) => `needs your OK: ${why === reason ? what : `${what} (${why})`}`);
  return gutter("", told.join("\n"), look);
}

// Consecutive commands that run in the same folder share its row; the workspace needs none.
function accessLines(
  access: Access,
  next: Access | undefined,
  folder: string,
  look: LineLook,
): readonly string[] {
  if (access.kind === "network") return gutter(VERBS.network, access.host, look);
  if (access.kind === "delegate") return gutter(VERBS.delegate, access.agent, look);
  if (access.kind !== "execute") return gutter(VERBS[access.kind], pathFrom(folder, access.path), look);
  const isToldLater = access.cwd === folder || (next?.kind === "execute" && next.cwd === access.cwd);
  const set = (access.variables ?? []).flatMap(({ name, value, by }) =>
    gutter("with", `${name}=${value} (set by ${by})`, look),
  );
  return [
    ...gutter(VERBS.execute, access.command, look),
    ...set,
    ...(isToldLater ? [] : gutter("in", pathFrom(folder, access.cwd), look)),
  ];
}

/** What changes a file reads it first: one row says both. */
function isWrittenToo(access: Access, all: readonly Access[]): boolean {
  return access.kind === "read" && all.some((each) => each.kind === "write" && each.path === access.path);
}

/** With paths inside the workspace from there. */
function insideShort(text: string, folder: string): string {
  return text.replaceAll(`${folder}${sep}`, "");
}

/** A path inside the workspace from there, any other as it is. */
function pathFrom(folder: string, path: string): string {
  return path !== folder && isInside(folder, path) ? relative(folder, path) : path;
}

/** Rows `run   │ text`, wrapped; a line break in the text begins a new row. Only the first row has the label. */
export function gutter(label: string, text: string, { style, columns }: LineLook): readonly string[] {
  const width = Math.max(MIN_TEXT_COLUMNS, columns - LABEL_COLUMNS - 6);
  const lines = countedLines(text).flatMap((line) => wrapColumns(line, width));
  return lines.map(
    (line, i) => `  ${style.dim(`${(i === 0 ? label : "").padEnd(LABEL_COLUMNS)} │`)} ${line}`,
  );
}

// The lines of `text` made printable. More than 8 blank ones in a row are counted: they could push a payload out of sight.
function countedLines(text: string): readonly string[] {
  const lines: string[] = [];
  let blank: string[] = [];
  const flush = (): void => {
    lines.push(...(blank.length > 8 ? [`⏎×${blank.length}`] : blank));
    blank = [];
  };
  for (const line of text.split("\n")) {
    if (line.trim() === "") {
      blank.push(printableLine(line));
      continue;
    }
    flush();
    lines.push(printableLine(line));
  }
  flush();
  return lines;
}

/** What a typed answer to a yes-or-no question means; undefined when it is neither. Enter alone means no. */
export function parseYesOrNo(typed: string): "yes" | "no" | undefined {
  const word = typed.trim().toLowerCase();
  if (word === "y" || word === "yes") return "yes";
  return word === "n" || word === "no" || word === "" ? "no" : undefined;
}

/** `npm test` of `npm test *`. */
const startOf = (prefix: string): string => prefix.replace(/ \*$/, "");

/** The prompt before a lasting answer is kept, if the person can choose the prefix that it covers. */
export function keepPrompt({ prefix = "" }: KeepOffer): string {
  return `What should I remember? (Enter: exactly this; or a beginning, such as ${printableLine(prefix, 60)}): `;
}

/** What a typed answer means; undefined when it is not one of the choices. */
export function parseAnswer(
  typed: string,
  mayKeep = false,
  offersMode = false,
): "once" | "session" | "mode" | "here" | "everywhere" | "no" | undefined {
  const word = typed.trim().toLowerCase();
  if (offersMode && (word === "m" || word === "mode")) return "mode";
  if (mayKeep && (word === "a" || word === "always")) return "here";
  if (mayKeep && (word === "e" || word === "everywhere")) return "everywhere";
  if (word === "y" || word === "yes" || word === "once") return "once";
  if (word === "s" || word === "session") return "session";
  return word === "n" || word === "no" ? "no" : undefined;
}
