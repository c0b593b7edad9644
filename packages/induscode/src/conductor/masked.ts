// What a session remembers and reports, without the known secrets: an entry is masked before it is logged, sent or shown, so that
// all three are the same text and the log's digests match it.

import type { MaskedStream, SecretMask } from "indusagi/core";
import type { AssistantMessage, Message, ToolMessage } from "indusagi/llmgateway";
import type { ConductorEvent, ConductorFault, EntryBody, SubmitEnd, UserContent } from "./contract.ts";

/** Knows no secret: every text is returned unchanged. */
export const NO_MASK: Pick<SecretMask, "text" | "value" | "stream"> = {
  text: (text) => text,
  value: (value) => value,
  stream: () => ({ write: (chunk) => chunk, isHolding: () => false, end: () => "" }),
};

type Mask = typeof NO_MASK;

export function maskedBody(mask: Mask, body: EntryBody): EntryBody {
  switch (body.type) {
    case "user": {
      const { typed, ...entry } = body;
      const content = maskedContent(mask, entry.content);
      return { ...entry, content, typed: typed ? maskedContent(mask, typed) : undefined };
    }
    case "queued":
      return { ...body, content: maskedContent(mask, body.content) };
    case "assistant": {
      const { original, ...entry } = body;
      const message = maskedMessage(mask, entry.message);
      return { ...entry, message, original: original ? maskedMessage(mask, original) : undefined };
    }
    case "tool": {
      const { images, ...entry } = body;
      return images ? { ...mask.value(entry), images } : mask.value(body);
    }
    case "context":
      return { ...body, insert: mapped(body.insert, (message) => maskedMessage(mask, message)) };
    default:
      return mask.value(body);
  }
}

/** Pictures are not masked: a secret inside one cannot be found. */
export function maskedContent(mask: Mask, content: UserContent): UserContent {
  return mapped(content, (block) => (block.kind === "text" ? mask.value(block) : block));
}

export function maskedMessage<Sent extends Message>(mask: Mask, message: Sent): Sent {
  switch (message.role) {
    case "user":
      return { ...message, content: maskedContent(mask, message.content) };
    case "assistant":
      return { ...message, content: maskedReply(mask, message.content) };
    case "tool": {
      const { images, ...outcome } = message as ToolMessage;
      if (!images) return mask.value(message);
      const masked = mask.value(outcome);
      return masked === outcome ? message : ({ ...masked, images } as Sent);
    }
  }
}

function maskedReply(mask: Mask, blocks: AssistantMessage["content"]): AssistantMessage["content"] {
  return mapped(blocks, (block) => {
    if (block.kind !== "thinking") return mask.value(block);
    const text = mask.text(block.text);
    if (text === block.text) return block;
    const { signature: _, ...unsigned } = block; // it signed the original text, and would be refused with this one
    return { ...unsigned, text };
  });
}

function mapped<Item>(items: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  const changed = items.map(change);
  return changed.some((item, at) => item !== items[at]) ? changed : items;
}

export function maskedEnd(mask: Mask, end: SubmitEnd): SubmitEnd {
  if (end.kind === "faulted") return { ...end, fault: maskedFault(mask, end.fault) };
  return end.kind === "complete" ? { ...end, text: mask.text(end.text) } : end;
}

function maskedFault(mask: Mask, fault: ConductorFault): ConductorFault {
  return { ...fault, message: mask.text(fault.message) }; // the cause is never shown
}

/** The events of a session, masked, in order; streamed text may be held back for a moment. */
export interface MaskedEvents {
  readonly emit: (event: ConductorEvent) => void;
  /** Call before emitting something that is not an event. */
  readonly flush: () => void;
}

export function createMaskedEvents(mask: Mask, emit: (event: ConductorEvent) => void): MaskedEvents {
  let open: { readonly kind: "text" | "thinking"; readonly stream: MaskedStream } | undefined;

  function flush(): void {
    if (!open) return;
    const { kind, stream } = open;
    open = undefined;
    const text = stream.end();
    if (text !== "") emit({ kind: "delta", delta: { kind, text } });
  }

  return {
    flush,
    emit(event) {
      const delta = event.kind === "delta" ? event.delta : undefined;
      if (delta?.kind === "retry") open = undefined; // what it held is void
      if (delta?.kind !== "text" && delta?.kind !== "thinking") {
        flush();
        emit(maskedEvent(mask, event));
        return;
      }
      if (open?.kind !== delta.kind) flush();
      open ??= { kind: delta.kind, stream: mask.stream() };
      const text = open.stream.write(delta.text);
      if (text === delta.text) emit(event);
      else if (text !== "") emit({ kind: "delta", delta: { kind: delta.kind, text } });
    },
  };
}

function maskedEvent(mask: Mask, event: ConductorEvent): ConductorEvent {
  if (event.kind === "fault") return { ...event, fault: maskedFault(mask, event.fault) };
  const isMasked = event.kind === "delegate" && event.event.kind !== "delegate_start";
  return event.kind === "entry" || isMasked ? event : mask.value(event); // both were masked earlier
}
