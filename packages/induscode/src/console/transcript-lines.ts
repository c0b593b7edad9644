// What a session's events say to a person, as lines. Pure: no stream, no state; every untrusted text is made
// printable here.

import { printable } from "indusagi/core";
import type { ConductorEvent, ConductorFault, SubmitEnd, ToolState } from "../conductor/contract.ts";
import { columnsOf } from "./columns.ts";
import { formatCount, formatDuration, formatWait, plural } from "./figures.ts";
import { printableLine } from "./printable-line.ts";
import type { Style } from "./style.ts";

type EventOf<Kind extends ConductorEvent["kind"]> = Extract<ConductorEvent, { kind: Kind }>;
type Retry = Extract<EventOf<"delta">["delta"], { kind: "retry" }>;

/** How lines look: their colours, and how many columns they may take. */
export interface LineLook {
  readonly style: Style;
  readonly columns: number;
  /** How many lines are seen at once, where that is known. */
  readonly rows?: number;
}

/** The line for an event that a person should hear of even when no answer is shown, or undefined. */
export function eventLine(event: ConductorEvent, look: LineLook): string | undefined {
  if (event.kind === "tool_end") return toolLine(event, look);
  if (event.kind === "delegate") return delegateLine(event, look);
  if (event.kind === "alert") return alertLine(event, look);
  if (event.kind === "fault") return faultLine(event.fault, look);
  if (event.kind === "delta" && event.delta.kind === "retry") return retryLine(event.delta, look, false);
  return undefined;
}

const STATES: Readonly<
  Record<ToolState, { readonly mark: string; readonly word: string; readonly paint: keyof Style }>
> = {
  ok: { mark: "✓", word: "", paint: "good" },
  failed: { mark: "✗", word: "failed", paint: "bad" },
  refused: { mark: "⊘", word: "refused", paint: "warn" },
  cancelled: { mark: "–", word: "cancelled", paint: "warn" },
};

const MAX_NAME_COLUMNS = 40;
const MAX_DETAIL_COLUMNS = 60;
const MIN_TITLE_COLUMNS = 20;

/** `✓ read src/a.ts  3 ms`, `✗ bash npm test  exit 1  1.2 s`; the title gives way when the line is too long. */
export function toolLine(event: EventOf<"tool_end">, { style, columns }: LineLook): string {
  const { mark, word, paint } = STATES[event.state];
  const name = printableLine(event.name, MAX_NAME_COLUMNS);
  const said = event.detail === undefined ? "" : printableLine(event.detail, MAX_DETAIL_COLUMNS);
  // A tool's own words say how it failed; a refusal or a cancellation is named whatever the tool says.
  const state = event.state === "failed" && said !== "" ? [] : [word];
  const tail = [...state, said, formatDuration(event.durationMs)].filter((part) => part !== "").join("  ");
  const space = columns - columnsOf(`${mark} ${name}   ${tail}`);
  const title = printableLine(event.title.trim(), Math.max(MIN_TITLE_COLUMNS, space));
  return `${style[paint](mark)} ${style.bold(name)}${title === "" ? "" : ` ${title}`}  ${style.dim(tail)}`;
}

/** What a delegate did, behind its name. */
function delegateLine({ agent, event }: EventOf<"delegate">, look: LineLook): string | undefined {
  const name = `  ${printableLine(agent, MAX_NAME_COLUMNS)} `;
  const line = eventLine(event, { ...look, columns: look.columns - columnsOf(name) });
  return line === undefined ? undefined : `${look.style.dim(name)}${line}`;
}

// What went wrong, in the fewest words; kinds without their own are a broken connection.
const RETRY_CAUSES: Readonly<Partial<Record<Retry["fault"]["kind"], string>>> = {
  rate_limit: "rate limit reached",
  overloaded: "provider overloaded",
  server: "provider error",
  timeout: "provider silent",
  protocol: "answer unreadable",
};

/** `[connection lost: retrying in 2 s — the text above is discarded]`; the last part only if text was `shown`. */
export function retryLine({ fault, waitMs }: Retry, { style }: LineLook, shown: boolean): string {
  const cause = RETRY_CAUSES[fault.kind] ?? "connection lost";
  const discarded = shown ? " — the text above is discarded" : "";
  return style.warn(`[${cause}: retrying in ${formatWait(waitMs)}${discarded}]`);
}

/** `! text`; the host's own over as many lines as the text has, a feature's on one, behind its name. */
function alertLine({ text, owner }: EventOf<"alert">, { style }: LineLook): string {
  const shown = owner === undefined ? printable(text) : printableLine(text);
  return `${style.warn("!")} ${shown.trimEnd()}`;
}

/** `indus: message`, in one line. */
export function faultLine(fault: Pick<ConductorFault, "message">, { style }: LineLook): string {
  return style.bad(`indus: ${printableLine(fault.message.trim())}`);
}

/** What is to be said about how a submit ended; nothing when it ended with a whole answer. */
export function endLine(end: SubmitEnd, look: LineLook): string | undefined {
  if (end.kind === "aborted") return look.style.warn("stopped");
  if (end.kind === "faulted") return faultLine(end.fault, look);
  if (end.stop === "max_output")
    return look.style.warn("[the answer was cut: the model reached its output limit]");
  if (end.stop === "refusal") return look.style.warn("[the model refused to answer]");
  return undefined;
}

/** What one submit took. */
export interface SubmitCost {
  readonly turns: number;
  readonly durationMs: number;
  /** Of all kinds, over all turns. */
  readonly tokens: number;
}

/** `— 2 turns, 3.1 s, 12.4k tokens`. */
export function costLine({ turns, durationMs, tokens }: SubmitCost, { style }: LineLook): string {
  return style.dim(
    `— ${plural(turns, "turn")}, ${formatDuration(durationMs)}, ${formatCount(tokens)} tokens`,
  );
}
