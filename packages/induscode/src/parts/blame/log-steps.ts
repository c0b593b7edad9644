// What one log tells of a file: the calls that wrote it, and its states around each turn.

import { basename, dirname, resolve } from "node:path";
import { BUILTIN_TOOLS } from "indusagi/capabilities";
import { beginningOf, isTable, type JsonValue, resolvePath } from "indusagi/core";
import { toolDetails, toolTitle } from "../../conductor/call-facts.ts";
import type { Change, Entry, UserContent } from "../../conductor/contract.ts";
import { isKnownType } from "../../conductor/entry-shape.ts";
import { scanEntries } from "../../conductor/log-reader.ts";
import type { CallDecision } from "../../deck/contract.ts";
import { NO_TURN, type Origin, type Prompt, type TracedCall } from "./origin.ts";

interface Moment {
  readonly at: number;
  /** The number of the entry that tells of it. */
  readonly n: number;
}

/** A call wrote the file: all of it (`content`), or as its diff says. */
export interface CallStep extends Moment {
  readonly kind: "call";
  readonly origin: Origin;
  readonly content?: string | undefined;
  readonly diff?: string | undefined;
}

/** The file was in this state (a checkpoint's). `within` the turn that led to it; absent at a turn's beginning, and after a rewind. */
export interface StateStep extends Moment {
  readonly kind: "state";
  readonly state: string;
  readonly within?: Origin | undefined;
}

export type Step = CallStep | StateStep;

export interface BlamedLog {
  readonly path: string;
  readonly isDelegate: boolean;
}

/** Where `~` leads, and the ids of the sessions whose logs are read too. */
export interface ReadAround {
  readonly personHome: string;
  readonly ids: ReadonlySet<string>;
}

const MAX_SAID = 200;
const OBSERVERS: ReadonlySet<string> = new Set(
  BUILTIN_TOOLS.flatMap(({ name, observes, touches }) => (observes || touches === "nothing" ? [name] : [])),
);
const USED: ReadonlySet<string> = new Set([
  ...["session", "user", "assistant", "tool", "decision", "checkpoint", "rewind", "jump", "end"],
]);
const BEGINNING = /^\{"n":\d{1,16},"at":\d{1,16},"type":"(\w{1,20})"/;
const OBSERVED = /^\{"n":\d+,"at":\d+,"type":"tool","callId":"[^"\\]*","name":"(\w+)"/;

/** Most lines of a log need not be parsed. */
function isUnused(line: string): boolean {
  const head = line.slice(0, 300);
  const [, type] = BEGINNING.exec(head) ?? [];
  if (type === undefined) return false;
  return type === "tool"
    ? OBSERVERS.has(OBSERVED.exec(head)?.[1] ?? "")
    : isKnownType(type) && !USED.has(type);
}

/** The steps of the file with this absolute path, in the log's order. */
export function readSteps(log: BlamedLog, path: string, around: ReadAround): readonly Step[] {
  const reader = createReader(log, path, around);
  scanEntries(log.path, reader.see, isUnused);
  return reader.steps;
}

function createReader(log: BlamedLog, wanted: string, { personHome, ids }: ReadAround) {
  const steps: Step[] = [];
  const calls = new Map<string, { readonly name: string; readonly input: JsonValue }>();
  const allowed = new Map<string, string>();
  const begun: { readonly n: number; readonly turn: number }[] = [];
  let cwd = dirname(wanted);
  let copiedTo = -1;
  let turn = { n: 0, at: 0, number: NO_TURN, said: "" };
  let isBeside = false;
  /** The turn's calls that can have written anything. */
  let maybe: TracedCall[] = [];

  const promptAt = (at: number): Prompt => ({
    session: basename(log.path, ".jsonl"),
    log: log.path,
    isDelegate: log.isDelegate,
    turn: turn.number,
    said: turn.said,
    at,
  });
  const add = (step: Step): void => {
    if (step.n > copiedTo) steps.push(step);
  };

  function seeCall(entry: Extract<Entry, { readonly type: "tool" }>): void {
    const { n, at, callId, name } = entry;
    const input = entry.input ?? calls.get(callId)?.input ?? {};
    const call: TracedCall = {
      ...{ callId, entry: n, tool: name, title: toolTitle(input) },
      addon: entry.feature?.startsWith("builtin:") ? undefined : entry.feature,
      changedBy: (entry.changes ?? []).map(nameOf),
      allowed: allowed.get(callId),
    };
    if (name !== "write" && name !== "edit") {
      maybe.push(call);
      return;
    }
    const given = isTable(input) && typeof input.path === "string" ? input.path : undefined;
    const paths = [
      ...(entry.files ?? []).map((file) => file.path),
      ...(given === undefined ? [] : [resolvePath(cwd, given, personHome)]),
    ];
    if (entry.state !== "ok" || !paths.includes(wanted)) return;
    const content = name === "write" && isTable(input) ? input.content : undefined;
    const details = toolDetails(entry.output);
    const told = isTable(details) && typeof details.diff === "string" ? details.diff : undefined;
    add({
      ...{ kind: "call", n, at, diff: entry.diff ?? told, origin: { ...promptAt(at), kind: "call", call } },
      content: typeof content === "string" ? content : undefined,
    });
  }

  function seeChange(entry: Extract<Entry, { readonly type: "checkpoint" | "rewind" }>): void {
    const { n, at } = entry;
    const file = entry.files.find((each) => resolve(cwd, each.path) === wanted);
    if (!file) return;
    const named = maybe.filter(({ title }) => title.includes(basename(wanted)));
    const within: Origin = { ...promptAt(at), kind: "turn", maybe: named.length > 0 ? named : maybe };
    const isTurn = entry.type === "checkpoint";
    if (isTurn) add({ kind: "state", n: turn.n, at: turn.at, state: file.before });
    add({ kind: "state", n, at, state: file.after, within: isTurn ? within : undefined });
  }

  /** Beside the conversation. Those that overlap are as one turn, which ends like one. */
  function seeOtherCall({ n, at, by }: Extract<Entry, { readonly type: "tool" }>): void {
    if (isBeside) return;
    isBeside = true;
    maybe = [];
    turn = { n: n - 1, at, number: NO_TURN, said: `called by ${by}` };
  }

  function see(entry: Entry): void {
    switch (entry.type) {
      case "session":
        cwd = entry.cwd;
        if (entry.parent && ids.has(entry.parent.session)) copiedTo = entry.parent.entry;
        break;
      case "user": {
        if (entry.via !== "submit") break;
        const { n, at, typed, content } = entry;
        turn = { n, at, number: turn.number + 1, said: saidIn(typed ?? content) };
        begun.push({ n, turn: turn.number });
        maybe = [];
        break;
      }
      case "jump":
        turn = { ...turn, number: begun.findLast(({ n }) => n <= entry.to)?.turn ?? 0 };
        break;
      case "assistant":
        for (const block of entry.message.content) if (block.kind === "tool_call") calls.set(block.id, block);
        break;
      case "decision":
        if (entry.decision.callId !== undefined) allowed.set(entry.decision.callId, reasonOf(entry.decision));
        break;
      case "tool":
        if (entry.by !== undefined) seeOtherCall(entry);
        seeCall(entry);
        break;
      case "checkpoint":
      case "rewind":
        seeChange(entry);
        break;
      case "end":
        isBeside = false;
        break;
      default: // nothing about files
    }
  }
  return { steps, see };
}

function saidIn(content: UserContent): string {
  const text = content.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join(" ");
  return beginningOf(text.replaceAll(/\s+/g, " ").trim(), MAX_SAID) || "[a picture]";
}

function nameOf({ feature, at }: Change): string {
  return `${feature} at ${at}`;
}

const ANSWERS: Readonly<Record<NonNullable<CallDecision["answer"]>, string>> = {
  once: "you allowed the call once",
  session: "you allowed the call for the session",
  host: "you allowed the call in the sandbox, with the network to one host",
  folder: "you allowed the call in the sandbox, with one folder outside",
  mode: "you allowed the call, and chose the offered mode",
  always: "you allowed the call permanently",
  no: "you refused the call",
};

/** In the words of the decision; of several parts, what was written counts. */
function reasonOf({ answer, rulings }: CallDecision): string {
  if (answer !== undefined) return ANSWERS[answer];
  const ruling = rulings.find(({ what }) => what.startsWith("write ")) ?? rulings.at(-1);
  return ruling?.why ?? "allowed";
}
