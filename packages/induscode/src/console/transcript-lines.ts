// What happened in a session, as lines for a person. Pure: no stream, no state; every untrusted text is made
// printable here.

import { formatDollars, printable } from "indusagi/core";
import type { ConductorFault, SubmitEnd } from "../conductor/contract.ts";
import type { CallView, RetryView, SettledView, SubmitTotals } from "../view/contract.ts";
import { columnsOf, headOf, wrapColumns } from "./columns.ts";
import { DIFF_SIGNS, parseDiff } from "./diff.ts";
import { formatDuration, formatUsage, formatWait, plural } from "./figures.ts";
import { printableLine } from "./printable-line.ts";
import type { Style } from "./style.ts";

type ItemOf<Kind extends SettledView["kind"]> = Extract<SettledView, { kind: Kind }>;

/** How lines look: their colours, and how many columns they can take. */
export interface LineLook {
  readonly style: Style;
  readonly columns: number;
  /** Not shown on a terminal: lines are not wrapped, however long. */
  readonly isPiped?: boolean;
  /** How many rows are visible at once, if known. */
  readonly rows?: number;
}

/** The line for an item, or undefined if there is nothing to print: an answer is shown as it arrives. */
export function itemLine(item: SettledView, look: LineLook): string | undefined {
  switch (item.kind) {
    case "answer":
      return undefined;
    case "call":
      return callLine(item, look);
    case "delegate":
      return delegateLine(item, look);
    case "alert":
      return alertLine(item, look);
    case "diagnostic":
      return diagnosticLine(item, look);
    case "fault":
      return faultLine(item.fault, look);
    case "retry":
      return look.style.warn(retryText(item));
  }
}

/** How each end state of a call looks, in both consoles. */
export const CALL_STATES: Readonly<
  Record<
    CallView["state"],
    { readonly mark: string; readonly word: string; readonly paint: "good" | "bad" | "warn" | "dim" }
  >
> = {
  ok: { mark: "✓", word: "", paint: "good" },
  failed: { mark: "✗", word: "failed", paint: "bad" },
  refused: { mark: "⊘", word: "refused", paint: "warn" },
  cancelled: { mark: "–", word: "cancelled", paint: "warn" },
  running: { mark: "…", word: "", paint: "dim" },
};

const MAX_NAME_COLUMNS = 40;

/** What the calls with which the model speaks to the person are about; all others are called as their tool. */
const SPOKEN: Readonly<Record<string, string>> = {
  enter_plan_mode: "plan mode",
  exit_plan_mode: "plan",
  ask_user: "question",
  todo_set: "checklist",
};

/** What a call is called for the person. */
export function callName({ name }: Pick<CallView, "name">): string {
  return SPOKEN[name] ?? printableLine(name, MAX_NAME_COLUMNS);
}

const MAX_STATUS_COLUMNS = 60;
const MIN_TITLE_COLUMNS = 20;

/** `✓ read src/a.ts  3 ms`, `✗ bash npm test  exit 1  1.2 s`; the title is shortened when the line is too long. */
export function callLine(call: CallView, { style, columns }: LineLook): string {
  const { mark, word, paint } = CALL_STATES[call.state];
  const name = callName(call);
  const said = call.status === undefined ? "" : printableLine(call.status, MAX_STATUS_COLUMNS);
  // The tool's own words say how it failed; a refusal or cancellation is named whatever the tool says.
  const state = call.state === "failed" && said !== "" ? [] : [word];
  const time = call.durationMs === undefined ? "" : formatDuration(call.durationMs);
  const isRepeated = word !== "" && said.startsWith(word); // "cancelled before it finished"
  const tail = [...state, isRepeated ? "" : said, time].filter((part) => part !== "").join("  ");
  const space = columns - columnsOf(`${mark} ${name}   ${tail}`);
  const title = printableLine(call.title.trim(), Math.max(MIN_TITLE_COLUMNS, space));
  return `${style[paint](mark)} ${style.bold(name)}${title === "" ? "" : ` ${title}`}  ${style.dim(tail)}`;
}

/** As many as the rich console shows of a folded one. */
const MAX_DIFF_LINES = 40;
const MAX_DIFF_COLUMNS = 400;
const MAX_DIFF_CHARS = 4_000;

/** What is below the line of a call: what it changed in a file, or why it did not succeed where its line does not say so. */
export function bodyLines(item: SettledView, look: LineLook): readonly string[] {
  const call = callOf(item);
  if (call === undefined) return [];
  if (call.state === "ok") return call.diff === undefined ? [] : diffLines(call.diff, look);
  return reasonLines(call, look);
}

/** Why a call failed or was refused, below its line. */
export function failureLines(item: SettledView, look: LineLook): readonly string[] {
  const call = callOf(item);
  return call?.state === "failed" || call?.state === "refused" ? reasonLines(call, look) : [];
}

function callOf(item: SettledView): CallView | undefined {
  const each = item.kind === "delegate" ? item.item : item;
  return each.kind === "call" ? each : undefined;
}

/** Of a command its last lines, since that is where it says what went wrong. */
const MAX_OUTPUT_LINES = 5;

function reasonLines(call: CallView, { style, columns, isPiped = false }: LineLook): readonly string[] {
  const isCommand = call.name === "bash" && call.state !== "refused";
  if (isCommand ? call.state === "cancelled" : (call.status ?? "") !== "") return [];
  const lines = isCommand ? lastLines(call) : firstLine(outputOf(call));
  const room = isPiped ? MAX_DIFF_COLUMNS : columns - 2;
  return lines.map((line) => style.dim(`  ${printableLine(line, room)}`));
}

const MAX_REASON_COLUMNS = 300;

/** Why a call failed or was refused, on one line; undefined if it was not, or says nothing. */
export function reasonOf(ended: Pick<CallView, "name" | "state" | "output">): string | undefined {
  if (ended.state !== "failed" && ended.state !== "refused") return undefined;
  const call: CallView = { ...ended, kind: "call", callId: "", title: "" };
  const isCommand = call.name === "bash" && call.state === "failed";
  const said = isCommand ? lastLines(call).at(-1) : firstLine(outputOf(call))[0];
  return said === undefined ? undefined : printableLine(said.trim(), MAX_REASON_COLUMNS);
}

function lastLines(call: CallView): readonly string[] {
  return outputLines(call)
    .filter((line) => line.trim() !== "")
    .slice(-MAX_OUTPUT_LINES);
}

function firstLine(text = ""): readonly string[] {
  return text.trim() === "" ? [] : text.trim().split("\n", 1);
}

const MAX_OUTPUT = 2_000_000;

/** What a call put out; of a command its two streams one after the other, without how it ended, which its row shows. */
export function outputLines(call: CallView): readonly string[] {
  const text = printable(outputOf(call)).trimEnd();
  if (text === "") return [];
  const lines = text.split("\n");
  if (call.name !== "bash") return lines;
  const shown = lines.filter((line, i) => {
    if (line === "stdout:" && i === 0) return false;
    if (line === "stderr:" && (i === 0 || lines[i - 1] === "")) return false;
    return !(line.startsWith("status: ") && i >= lines.length - 2);
  });
  while (shown.at(-1) === "") shown.pop();
  return shown.slice(
    Math.max(
      0,
      shown.findIndex((line) => line.trim() !== ""),
    ),
  );
}

/** What the model was told about the person, who reads it here. */
const OF_THE_PERSON =
  /^(Refused: [^\n]{1,200}, because )?the person (said no|interrupted the question|did not approve|did not answer)/;

function outputOf({ state, reason = "", output = reason }: CallView): string {
  const text = output.slice(0, MAX_OUTPUT);
  const isOwn = state === "refused" || state === "failed";
  return isOwn ? text.replace(OF_THE_PERSON, (_, refused = "", did) => `${refused}you ${did}`) : text;
}

/** As `+` and `-` lines; of a long one the first. */
function diffLines(diff: string, { style, columns, isPiped = false }: LineLook): readonly string[] {
  const room = isPiped ? MAX_DIFF_COLUMNS : Math.max(MIN_TITLE_COLUMNS, columns - 4);
  const all = parseDiff(diff);
  const hidden = all.length - MAX_DIFF_LINES;
  const lines = all.slice(0, MAX_DIFF_LINES).map(({ kind, text }) => {
    const line = `${DIFF_SIGNS[kind]} ${printable(text.slice(0, MAX_DIFF_CHARS)).replaceAll("\t", "  ")}`;
    const shown = columnsOf(line) <= room ? line : `${headOf(line, room - 1)}…`;
    return `  ${kind === "added" ? style.good(shown) : kind === "removed" ? style.bad(shown) : shown}`;
  });
  return hidden > 0 ? [...lines, style.dim(`  … ${plural(hidden, "more line")}`)] : lines;
}

/** What a delegate did, after its name. */
function delegateLine({ agent, item }: ItemOf<"delegate">, look: LineLook): string | undefined {
  const name = `  ${printableLine(agent, MAX_NAME_COLUMNS)} `;
  if (item.kind === "begun") {
    const begins = look.style.dim(`${name}begins`);
    const room = Math.max(MIN_TITLE_COLUMNS, look.columns - columnsOf(name) - 7);
    const objective = printableLine(item.objective.trim(), room);
    return objective === "" ? begins : `${begins} ${objective}`;
  }
  if (item.kind === "ended") return `${look.style.dim(name)}${endedLine(item, look)}`;
  const line = itemLine(item, { ...look, columns: look.columns - columnsOf(name) });
  return line === undefined ? undefined : `${look.style.dim(name)}${line}`;
}

function endedLine(
  item: Extract<ItemOf<"delegate">["item"], { readonly kind: "ended" }>,
  { style }: LineLook,
): string {
  const { mark, paint } = CALL_STATES[item.state];
  return `${style[paint](mark)} ${style.dim(endedText(item))}`;
}

/** `ended  12 s`, in both consoles. */
export function endedText({
  state,
  durationMs,
}: Extract<ItemOf<"delegate">["item"], { readonly kind: "ended" }>): string {
  const how = CALL_STATES[state].word || "ended";
  return durationMs === undefined ? how : `${how}  ${formatDuration(durationMs)}`;
}

// Kinds not listed here are shown as a broken connection.
const RETRY_CAUSES: Readonly<Partial<Record<RetryView["retry"]["fault"]["kind"], string>>> = {
  rate_limit: "rate limit reached",
  overloaded: "provider overloaded",
  server: "provider error",
  timeout: "provider timed out",
  protocol: "invalid answer",
};

/** `[connection lost: retrying in 2 s — the text above is discarded]`; the last part only if there was text. */
export function retryText({ retry, isVoiding }: RetryView): string {
  const discarded = isVoiding ? " — the text above is discarded" : "";
  return `[${retryCause(retry)}: retrying in ${formatWait(retry.waitMs)}${discarded}]`;
}

/** Why the model call failed, in the fewest words. */
export function retryCause({ fault }: RetryView["retry"]): string {
  const cause = RETRY_CAUSES[fault.kind] ?? "connection lost";
  const { usedUp = [] } = fault;
  return usedUp.length === 0 ? cause : `${cause} (${usedUp.join(", ")})`;
}

/** `! text`; the host's own spans as many lines as the text has, a feature's is one line, after its name. */
function alertLine({ text, owner }: ItemOf<"alert">, { style, columns, isPiped = false }: LineLook): string {
  if (owner === undefined) return `${style.warn("!")} ${printable(text).trimEnd()}`;
  const line = printableLine(text).trimEnd();
  // No row of a feature's text begins at the column where the console's own lines do.
  const rows = isPiped ? [line] : wrapColumns(line, Math.max(MIN_TITLE_COLUMNS, columns - 2));
  return `${style.warn("!")} ${rows.join("\n  ")}`;
}

/** `indus: project:x: warning: text`, in one line. */
function diagnosticLine(item: ItemOf<"diagnostic">, { style }: LineLook): string {
  return style[DIAGNOSTIC_PAINTS[item.severity]](diagnosticText(item));
}

export const DIAGNOSTIC_PAINTS: Readonly<Record<ItemOf<"diagnostic">["severity"], "dim" | "warn" | "bad">> = {
  info: "dim",
  warning: "warn",
  error: "bad",
};

export function diagnosticText({ owner, severity, text }: ItemOf<"diagnostic">): string {
  return `indus: ${printableLine(`${owner}: ${severity}: ${text}`).trim()}`;
}

/** `indus: message`, in one line. */
function faultLine(fault: Pick<ConductorFault, "message">, { style }: LineLook): string {
  return style.bad(`indus: ${printableLine(fault.message.trim())}`);
}

/** The line about how a submit ended; nothing when it ended with a complete answer. */
export function endLine(end: SubmitEnd, look: LineLook): string | undefined {
  if (end.kind === "aborted") return look.style.warn("stopped");
  if (end.kind === "faulted") return faultLine(end.fault, look);
  if (end.stop === "max_output")
    return look.style.warn("[the answer was truncated: the model reached its output limit]");
  if (end.stop === "refusal") return look.style.warn("[the model refused to answer]");
  const isBlank = end.stop === "complete" && end.text.trim() === "";
  return isBlank ? look.style.warn("[the model's last message is empty]") : undefined;
}

/** `— 2 turns, 3.1 s, 12.4k tokens in, 300 out, $0.04`; without the last part if no price is known or there was nothing to pay. */
export function costLine(
  { turns, usage, dollars, unpriced }: SubmitTotals,
  durationMs: number,
  { style }: LineLook,
): string {
  const sum = unpriced > 0 ? `at least ${formatDollars(dollars)}` : formatDollars(dollars);
  const cost = dollars > 0 ? `, ${sum}` : "";
  return style.dim(`— ${plural(turns, "turn")}, ${formatDuration(durationMs)}, ${formatUsage(usage)}${cost}`);
}
