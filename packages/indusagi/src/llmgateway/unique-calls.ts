// Ids of calls that are unique in a request. Local models begin with `call_0` in each answer, and a wire that takes few
// characters maps `a:0` and `a_0` to one: providers refuse such a conversation, and would refuse it for ever.

import type { AssistantMessage, Message, ToolMessage } from "./contract.ts";

/** Gives back the messages with each repeated id, and its outcome's, made another; the same ids for the same messages. */
export type UniqueCalls = (messages: readonly Message[]) => readonly Message[];

/** For one writer: a message that is changed is always the same object, so that its text is made once. */
export function createUniqueCalls(): UniqueCalls {
  const known = new WeakMap<Message, Message>();

  function changed<Sent extends AssistantMessage | ToolMessage>(message: Sent, copy: Sent): Message {
    const before = known.get(message);
    if (before !== undefined && idsOf(before) === idsOf(copy)) return before;
    known.set(message, copy);
    return copy;
  }

  return (messages) => {
    const taken = new Set<string>();
    let open: { readonly from: string; readonly to: string }[] = [];
    let unique: Message[] | undefined;
    for (const [at, message] of messages.entries()) {
      let sent: Message = message;
      if (message.role === "assistant") {
        open = [];
        let isChanged = false;
        const content = message.content.map((block) => {
          if (block.kind !== "tool_call") return block;
          const id = free(block.id, taken);
          taken.add(bare(id));
          open.push({ from: block.id, to: id });
          if (id === block.id) return block;
          isChanged = true;
          return { ...block, id };
        });
        if (isChanged) sent = changed(message, { ...message, content });
      } else if (message.role === "tool") {
        const place = open.findIndex(({ from }) => from === message.callId);
        const [call] = place < 0 ? [] : open.splice(place, 1);
        if (call && call.to !== message.callId) sent = changed(message, { ...message, callId: call.to });
      }
      if (sent !== message) unique ??= messages.slice(0, at);
      unique?.push(sent);
    }
    return unique ?? messages;
  };
}

/** `id`, or the first of `id_2`, `id_3` and so on that nothing before has. */
function free(id: string, taken: ReadonlySet<string>): string {
  const wanted = id === "" ? "call" : id;
  let found = wanted;
  for (let count = 2; taken.has(bare(found)); count++) found = `${wanted}_${count}`;
  return found;
}

/** What is left of an id on the wire that takes the fewest characters. */
function bare(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, "_");
}

function idsOf(message: Message): string {
  if (message.role === "tool") return message.callId;
  return message.content.map((block) => ("id" in block ? block.id : "")).join("\n");
}
