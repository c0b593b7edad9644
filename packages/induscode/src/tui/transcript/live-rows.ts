// What is in progress, as rows: the model's thinking, calls, delegates, and what the session waits for.

import { isTable } from "indusagi/core";
import { formatWait } from "../../console/figures.ts";
import { printableLine } from "../../console/printable-line.ts";
import { retryCause } from "../../console/transcript-lines.ts";
import type { BackgroundView, CallView, DelegateView, ViewState } from "../../view/contract.ts";
import { cut, type Line, span, widthOf } from "../screen/spans.ts";
import { callHead, isOwnCommand, type Running } from "./item-lines.ts";
import { callOf, type Progress } from "./progress.ts";

/** What the background delegate or session with this id is doing. The texts are untrusted. */
export interface BackgroundFacts extends Pick<BackgroundView, "id"> {
  readonly objective: string;
  readonly ageMs: number;
  /** Its current call; absent while it waits for its model. */
  readonly doing?: string | undefined;
}

/** The call that a question is about: its id, empty for the person's own command, and the delegate that makes it. */
export interface AskedAbout {
  readonly id: string;
  readonly delegate?: string | undefined;
}

interface LiveFacts {
  readonly columns: number;
  /** The animation frame. */
  readonly frame: number;
  readonly view: ViewState;
  readonly progress: Progress;
  /** The person's own running commands. */
  readonly own: Iterable<CallView>;
  /** What the open question is about, if it is about a call. */
  readonly asking: { readonly about: AskedAbout | undefined } | undefined;
  readonly background: () => readonly BackgroundFacts[];
}

export function liveRows(facts: LiveFacts): Line[] {
  const { view, own, asking, progress } = facts;
  const about = asking?.about;
  const session: Caller = { lead: [], asked: about?.delegate === undefined ? about?.id : undefined };
  const command = progress.command();
  return [
    ...thinkingTail(facts),
    ...callRows([...view.calls.filter((call) => !isShownByDelegates(call, view)), ...own], session, facts),
    ...view.delegates.flatMap((delegate) => delegateRows(delegate, facts)),
    ...backgroundRows(facts),
    ...(command ? (asking ? [] : commandLine(command, facts)) : waitLine(facts)),
  ];
}

/** Who makes calls. */
interface Caller {
  /** What precedes each row. */
  readonly lead: Line;
  /** The call that the open question is about. */
  readonly asked: string | undefined;
  /** The delegate's. */
  readonly session?: string;
}

/** Tools that do nothing but ask the person. */
const ASKS: ReadonlySet<string> = new Set(["ask_user", "exit_plan_mode", "memory"]);

/** The rows of calls. Only a call whose tool runs moves, and its seconds count from when that started. */
function callRows(calls: readonly CallView[], { lead, asked, session }: Caller, facts: LiveFacts): Line[] {
  const { columns, frame, progress } = facts;
  const asking = calls.find(
    (call) => !call.hasBegun && (isOwnCommand(call) ? asked === "" : call.callId === asked),
  );
  const how = (call: CallView): Running | undefined => {
    if (call.state !== "running") return undefined;
    if (call === asking) return { mark: "?", time: "asking" };
    if (!call.hasBegun) return { mark: "·", time: "waits" };
    if (facts.asking && ASKS.has(call.name)) return { mark: "?", time: "asking" };
    const id = session === undefined ? call.callId : callOf(session, call.callId);
    return { mark: spinner(frame), time: seconds(progress.ms(id)) };
  };
  // What is asked about stands in the question, whole.
  const headOf = (call: CallView, running = how(call)): Line =>
    callHead(running?.mark === "?" ? { ...call, title: "" } : call, columns - widthOf(lead), running);
  return calls.flatMap((call) => [
    [...lead, ...headOf(call)],
    ...lastLines(call.tail ?? "").map((line) => cut([...lead, span("  "), span(line, "dim")], columns)),
  ]);
}

/** Work of delegates that are at it: their rows say all that the call's would. */
function isShownByDelegates({ name, state, input }: CallView, { delegates }: ViewState): boolean {
  if (name !== "task" || state !== "running" || !isTable(input)) return false;
  const tasks = Array.isArray(input.tasks) ? input.tasks : [input];
  return tasks.some(
    (task) =>
      isTable(task) &&
      delegates.some(({ agent, objective }) => agent === task.agent && objective === task.objective),
  );
}

/** A delegate's objective and what it waits for, and its calls below. */
function delegateRows({ agent, sessionId, objective, calls }: DelegateView, facts: LiveFacts): Line[] {
  const about = facts.asking?.about;
  const asked = about?.delegate === agent ? about.id : undefined;
  const isAsking = asked !== undefined && calls.some(({ callId }) => callId === asked);
  const time = seconds(facts.progress.ms(sessionId));
  const wait = calls.length === 0 ? `waiting for its model  ${time}` : time;
  const mark = isAsking ? "?" : spinner(facts.frame);
  const head = between(`  ${mark} ${printableLine(agent, 40)}`, objective, {
    tail: `  ${isAsking ? "asking" : wait}`,
    columns: facts.columns,
  });
  return [head, ...callRows(calls, { lead: [span("    ")], asked, session: sessionId }, facts)];
}

/** Fewer columns than this have no room for who a delegate is, next to what it does. */
const NARROW = 60;

/** What each one is doing; its objective only if there is room. */
function backgroundRows({ view, columns, frame, background }: LiveFacts): Line[] {
  if (view.background.length === 0) return [];
  const known = new Map(background().map((one) => [one.id, one]));
  return view.background.map(({ id, agent }) => {
    const { objective = "", ageMs = 0, doing = "waiting for its model" } = known.get(id) ?? {};
    const name = printableLine(columns < NARROW ? id : `${id} (${agent})`, 40);
    const first = `  ${spinner(frame)} ${name}`;
    const time = seconds(ageMs);
    const free = columns - widthOf([span(first)]) - time.length - 4;
    const at = printableLine(doing, Math.max(8, free < 40 ? free : free >> 1));
    return between(first, objective, { tail: `  ${at}  ${time}`, columns });
  });
}

/** A row with as much of the objective as fits between its two ends. */
function between(
  first: string,
  objective: string,
  { tail, columns }: { readonly tail: string; readonly columns: number },
): Line {
  const ends = [span(first, "accent"), span(tail, "dim")] as const;
  const room = columns - widthOf(ends) - 1;
  const middle = room < 8 ? "" : ` ${printableLine(objective.trim(), room)}`;
  return cut([ends[0], span(middle), ends[1]], columns);
}

function thinkingTail({ view, columns, progress }: LiveFacts): Line[] {
  const { thinking = "", text = "" } = view.answer ?? {};
  if (thinking === "" || text !== "") return [];
  const last = thinking.slice(-2_000).trimEnd().split("\n").at(-1) ?? "";
  const time = seconds(progress.thinkingMs() ?? 0);
  return [cut([span(`∴ thinking ${time}  `, "dim"), span(last, "dim", "italic")], columns)];
}

/** A command that ends at once does not get a row. */
function commandLine(
  { name, ms }: { readonly name: string; readonly ms: number },
  { columns, frame }: LiveFacts,
): Line[] {
  if (ms < 1000) return [];
  const doing = `running /${printableLine(name, 40)}  ${seconds(ms)}`;
  return [cut([span(`${spinner(frame)} `, "accent"), span(doing, "dim")], columns)];
}

const WAITS = {
  summary: "summarising the conversation so far",
  connecting: "connecting",
  model: "waiting for the first token",
} as const;

function waitLine({ view, columns, frame, progress }: LiveFacts): Line[] {
  const { waits } = view;
  const taskMs = progress.taskMs();
  if (view.calls.length > 0 || (!waits && taskMs === undefined)) return [];
  const mark = span(`${spinner(frame)} `, "accent");
  if (!waits) {
    const doing = view.answer?.text ? "answering" : "working";
    return [cut([mark, span(`${doing}  ${seconds(taskMs ?? 0)}`, "dim")], columns)];
  }
  const gone = seconds(progress.waitMs());
  if (waits.kind === "retry") {
    const left = Math.max(0, waits.retry.waitMs - progress.waitMs());
    const next = left > 0 ? `in ${formatWait(left)}` : `now  ${gone}`;
    const { attempt, of } = waits.retry;
    const text = `${retryCause(waits.retry)}: retry ${attempt}${of === undefined ? "" : ` of ${of}`} ${next}`;
    return [cut([mark, span(text, "warn")], columns)];
  }
  const text = `${waits.kind === "writing" ? `writing ${printableLine(waits.tool, 40)}` : WAITS[waits.kind]}  ${gone}`;
  return [cut([mark, span(text, "dim")], columns)];
}

const LIVE_LINES = 5;

// Of a line redrawn repeatedly, such as a progress bar, the last state is shown.
function lastLines(tail: string): readonly string[] {
  const lines = tail.trimEnd().split("\n").slice(-LIVE_LINES);
  return lines
    .map((line) => line.slice(line.trimEnd().lastIndexOf("\r") + 1))
    .filter((line) => line.trim() !== "");
}

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

function spinner(frame: number): string {
  return SPINNER[frame % SPINNER.length] ?? "…";
}

function seconds(ms: number): string {
  const whole = Math.max(0, Math.floor(ms / 1000));
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
