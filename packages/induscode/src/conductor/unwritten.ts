// What a task could not write to its log: kept in memory, and written where the person says.

import { join } from "node:path";
import type { EntryBody } from "./contract.ts";
import { LogError } from "./log.ts";
import { mendLog, moveLog } from "./move-log.ts";
import type { SessionRecord } from "./record.ts";

export interface WhereToWrite {
  /** Asks the person what to do about a log that cannot be written, and why it cannot. */
  readonly ask: (
    why: string,
    signal: AbortSignal,
  ) => Promise<"again" | "leave" | { readonly folder: string }>;
  /** The session continues in this folder. */
  readonly onChosen: (folder: string) => void;
}

export interface Unwritten {
  /** Asks until it is written or left as it is; returns what the end of the task says. */
  readonly keep: (error: LogError, signal: AbortSignal) => Promise<string>;
  /** Writes what was left. Throws a `LogError`. */
  readonly write: () => void;
}

export interface UnwrittenFacts {
  readonly record: SessionRecord;
  readonly whereToWrite: WhereToWrite;
  /** Called once it is written, before anything else is. */
  readonly onWritten: (body: EntryBody | undefined, error: LogError) => void;
}

export function createUnwritten({ record, whereToWrite, onWritten }: UnwrittenFacts): Unwritten {
  let kept:
    | { readonly error: LogError; readonly body: EntryBody | undefined; isAppended: boolean }
    | undefined;

  function write(): void {
    if (!kept) return;
    const { error, body, isAppended } = kept;
    if (!isAppended) mendLog(record);
    if (body && !isAppended) record.append(body);
    kept.isAppended = true; // from here on only the disk may still lack it
    record.log().sync();
    kept = undefined;
    onWritten(body, error);
  }

  async function keep(error: LogError, signal: AbortSignal): Promise<string> {
    if (error.unwritten || !kept) kept = { error, body: error.unwritten, isAppended: false };
    const isLine = kept.body?.type === "user";
    let why = error.message;
    for (;;) {
      const answer = await whereToWrite.ask(why, signal).catch(() => "leave" as const);
      if (answer === "leave") return `${asSentence(why)} ${LEFT}`;
      try {
        if (answer !== "again") moveLog(record, join(answer.folder, `${record.log().id}.jsonl`));
        write();
        if (answer !== "again") whereToWrite.onChosen(answer.folder);
        const again = isLine ? NOT_ANSWERED : "Send a line to continue.";
        const where = answer === "again" ? "" : ` The session continues in ${placeOf(record.log().path)}`;
        return `${asSentence(error.message)} The entries are written now.${where} ${again}`;
      } catch (next) {
        if (!(next instanceof LogError)) throw next;
        why = next.message;
      }
    }
  }

  return { keep, write };
}

function placeOf(path: string): string {
  return `${path}; indus -r with that path continues the session later.`;
}

function asSentence(text: string): string {
  return text.endsWith(".") ? text : `${text}.`;
}

const LEFT =
  "Entries that could not be written are kept in memory until indus ends; your next line first tries to write them.";
const NOT_ANSWERED = "Your line is in the session, but unanswered: send another line, such as continue.";
