// Makes call ids unique within a request. Local models start again at `call_0` in each answer, and a wire that allows few
// characters maps both `a:0` and `a_0` to one id: providers would refuse such a conversation forever.

import type { AssistantMessage, Message, ToolMessage } from "./contract.ts";

/** Returns the messages with each repeated id, and its outcome's, replaced; the same messages always get the same ids. */
export type UniqueCalls = (messages: readonly Message[]) => readonly Message[];

/**
 * For one writer: a changed message is always the same object, so that it is serialised once. A request examines only the messages
 * that the previous one did not have, so a turn costs the same however long the conversation is.
 */
export function createUniqueCalls(): UniqueCalls {
  const known = new WeakMap<Message, Message>();
  let done = nothingDone();

  function changed<Sent extends AssistantMessage | ToolMessage>(message: Sent, copy: Sent): Message {
    const before = known.get(message);
    if (before !== undefined && idsOf(before) === idsOf(copy)) return before;
    known.set(message, copy);
    return copy;
  }

  function uniqueAnswer(message: AssistantMessage): Message {
    done.open = [];
    let isChanged = false;
    const content = message.content.map((block) => {
      if (block.kind !== "tool_call") return block;
      const id = freeId(block.id, done.taken);
      done.open.push({ from: block.id, to: id });
      if (id === block.id) return block;
      isChanged = true;
      return { ...block, id };
    });
    return isChanged ? changed(message, { ...message, content }) : message;
  }

  function uniqueOutcome(message: ToolMessage): Message {
    const place = done.open.findIndex(({ from }) => from === message.callId);
    const [call] = place < 0 ? [] : done.open.splice(place, 1);
    if (!call || call.to === message.callId) return message;
    return changed(message, { ...message, callId: call.to });
  }

  return (messages) => {
    if (!done.given.every((message, at) => message === messages[at])) done = nothingDone();
    for (const message of messages.slice(done.given.length)) {
      done.given.push(message);
      if (message.role === "assistant") done.sent.push(uniqueAnswer(message));
      else done.sent.push(message.role === "tool" ? uniqueOutcome(message) : message);
    }
    return [...done.sent];
  };
}

/** The progress made on a conversation so far. */
interface Done {
  readonly given: Message[];
  readonly sent: Message[];
  /** The ids in the form of the most restrictive wire, each with the number that its next repetition tries first. */
  readonly taken: Map<string, number>;
  /** The calls of the last answer that have no outcome yet. */
  open: { readonly from: string; readonly to: string }[];
}

function nothingDone(): Done {
  return { given: [], sent: [], taken: new Map(), open: [] };
}

/** Takes `id`, or the first unused one of `id_2`, `id_3` and so on. */
function freeId(id: string, taken: Map<string, number>): string {
  const wanted = id === "" ? "call" : id;
  const nth = (count: number): string => (count === 1 ? wanted : `${wanted}_${count}`);
  let count = taken.get(bare(wanted)) ?? 1;
  while (taken.has(bare(nth(count)))) count++;
  taken.set(bare(nth(count)), 2);
  if (count > 1) taken.set(bare(wanted), count + 1);
  return nth(count);
}

/** What remains of an id on the wire that allows the fewest characters. */
function bare(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, "_");
}

function idsOf(message: Message): string {
  if (message.role === "tool") return message.callId;
  return message.content.map((block) => ("id" in block ? block.id : "")).join("\n");
}
