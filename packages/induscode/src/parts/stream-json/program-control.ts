// Requests that cross the pipe in both directions beside the conversation: the program's to us, and ours to it. Each has an id, and one answer.

import { abortable, briefValue, describeError, isTable } from "indusagi/core";
import type { Message } from "./stream-messages.ts";

type Table = Readonly<Record<string, unknown>>;

export interface ProgramControl {
  /** Asks the program; rejects with what it says went wrong, or when the signal fires. */
  readonly ask: (request: Table, signal: AbortSignal) => Promise<Table>;
  /** A `control_request` or `control_response` of the program's; false for any other message. */
  readonly take: (message: Table) => boolean;
  /** The other end is gone: whatever was asked of it has no answer but this. */
  readonly end: (why: string) => void;
}

/**
 * What the other end can ask for; an answer of undefined is an empty one. Throws with why it cannot be had. The signal fires when it takes
 * the request back.
 */
export type Answers = (request: Table, signal: AbortSignal) => Promise<Table | undefined> | Table | undefined;

/** Why a request of the program's cannot be answered; undefined for any other message. */
export function unanswerable({ type, request_id: id }: Table): string | undefined {
  if (type !== "control_request" || (typeof id === "string" && id !== "") || typeof id === "number")
    return undefined;
  return `a control_request is not answered: expected "request_id" to be a text, found ${briefValue(id)}`;
}

interface Waiting {
  readonly resolve: (answer: Table) => void;
  readonly reject: (error: Error) => void;
}

/** `tell` hears of answers to what was not asked, or is answered. */
export function createControl(
  write: (message: Message) => void,
  answers: Answers,
  tell?: (line: string) => void,
): ProgramControl {
  const waiting = new Map<string, Waiting>();
  /** Requests that were taken back: their answers may be under way. */
  const takenBack = new Set<string>();
  const answering = new Map<string, AbortController>();
  let asked = 0;
  let over: string | undefined;

  async function answer(id: unknown, request: unknown): Promise<void> {
    const reply = (response: Table): void =>
      write({ type: "control_response", response: { ...response, request_id: id } });
    const cancel = new AbortController();
    answering.set(String(id), cancel);
    try {
      if (!isTable(request)) throw new Error('"request" must be an object with a "subtype"');
      reply({ subtype: "success", response: (await answers(request, cancel.signal)) ?? {} });
    } catch (error) {
      reply({ subtype: "error", error: describeError(error) });
    } finally {
      answering.delete(String(id));
    }
  }

  return {
    ask(request, signal) {
      const id = `indus-${++asked}`;
      const reply = new Promise<Table>((resolve, reject) => {
        if (over !== undefined) return reject(new Error(over));
        waiting.set(id, { resolve, reject });
        write({ type: "control_request", request_id: id, request });
      });
      const cancel = (): void => {
        if (!waiting.delete(id)) return;
        takenBack.add(id);
        write({ type: "control_cancel_request", request_id: id });
      };
      signal.addEventListener("abort", cancel, { once: true });
      return abortable(reply, signal).finally(() => signal.removeEventListener("abort", cancel));
    },
    take({ type, request_id: id, request, response }) {
      if (type === "control_request") {
        void answer(id, request);
        return true;
      }
      if (type === "control_cancel_request") {
        answering.get(String(id))?.abort();
        return true;
      }
      if (type !== "control_response" || !isTable(response)) return false;
      const answered = String(response.request_id);
      const asker = waiting.get(answered);
      const isLate = takenBack.delete(answered);
      if (!waiting.delete(answered) && !isLate)
        tell?.(`an answer to the request ${JSON.stringify(answered)} is not used: no such request is open`);
      if (response.subtype === "success") asker?.resolve(isTable(response.response) ? response.response : {});
      else asker?.reject(new Error(String(response.error ?? "the program said no without giving a reason")));
      return true;
    },
    end(why) {
      over ??= why;
      for (const { reject } of waiting.values()) reject(new Error(over));
      waiting.clear();
    },
  };
}
