// What happens in a session, as what an editor is told.

import type { PlanEntry, SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk/unstable";
import { printable } from "indusagi/core";
import type { ConductorEvent, DelegateEvent, Entry } from "../../conductor/contract.ts";
import { diffOf } from "../../view/view.ts";
import { diffContent, kindOf, locationsOf, planOf, textContent, titleOf } from "./call-updates.ts";

type Of<Kind extends ConductorEvent["kind"]> = Extract<ConductorEvent, { readonly kind: Kind }>;
type Pieces = "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk";

/** A call, as far as is known. */
interface Call {
  readonly id: string;
  readonly tool: string;
  readonly path: string | undefined;
  readonly plan: PlanEntry[] | undefined;
  hunks: ToolCallContent[];
  said: ToolCallContent | undefined;
  shown: ToolCallContent[];
}

/** One for each session, since an editor's ids must be unique in it and a provider's are not. */
export class SessionUpdates {
  readonly #cwd: string;
  /** By the provider's id. */
  readonly #calls = new Map<string, Call>();
  #made = 0;
  /** The answer that comes was told piece by piece. */
  #isTold = false;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** The editor's id of a call that runs. */
  idOf(callId: string): string | undefined {
    return this.#calls.get(callId)?.id;
  }

  /** `retells`: it is from before, so what the person said is told as well. */
  of(event: ConductorEvent, { retells = false } = {}): readonly SessionUpdate[] {
    switch (event.kind) {
      case "delta":
        return this.#delta(event.delta);
      case "entry":
        return this.#entry(event.entry, retells);
      case "tool_start":
        return [this.#begun(event)];
      case "tool_progress":
        return this.#progress(event);
      case "tool_done":
        return []; // its end follows
      case "tool_end":
        return this.#ended(event);
      case "delegate":
        return delegateUpdates(event);
      case "alert":
        return [piece("agent_message_chunk", aside(event.owner, event.text))];
      case "diagnostic":
        return [piece("agent_thought_chunk", aside(event.owner, event.text))];
      case "fault":
        return [piece("agent_message_chunk", aside(undefined, event.fault.message))];
    }
  }

  #delta(delta: Of<"delta">["delta"]): readonly SessionUpdate[] {
    switch (delta.kind) {
      case "text":
        this.#isTold = true;
        return [piece("agent_message_chunk", delta.text)];
      case "thinking":
        return [piece("agent_thought_chunk", delta.text)];
      case "retry": {
        const seconds = Math.ceil(delta.waitMs / 1000);
        return [
          piece("agent_thought_chunk", aside(undefined, `${delta.fault.message} Next try in ${seconds} s.`)),
        ];
      }
      default:
        return [];
    }
  }

  #entry(entry: Entry, retells: boolean): readonly SessionUpdate[] {
    switch (entry.type) {
      case "user":
        return retells ? [piece("user_message_chunk", textOf(entry.typed ?? entry.content))] : [];
      case "request":
        this.#isTold = false;
        return [];
      case "assistant": {
        const text = this.#isTold ? "" : textOf(entry.message.content);
        this.#isTold = false;
        return text === "" ? [] : [piece("agent_message_chunk", text)];
      }
      case "tool":
        return this.#outcome(entry);
      case "title":
        return [{ sessionUpdate: "session_info_update", title: printable(entry.text) }];
      default:
        return [];
    }
  }

  #begun({ callId, name, title, input }: Of<"tool_start">): SessionUpdate {
    this.#made++;
    const locations = locationsOf(name, input, this.#cwd);
    const id = this.#calls.has(callId) ? `${callId}-${this.#made}` : callId;
    this.#calls.set(callId, {
      id,
      tool: name,
      path: locations[0]?.path,
      plan: planOf(name, input),
      hunks: [],
      said: undefined,
      shown: [],
    });
    return {
      sessionUpdate: "tool_call",
      toolCallId: id,
      title: titleOf(name, title),
      kind: kindOf(name),
      status: "pending",
      locations,
      rawInput: input,
    };
  }

  #progress({ callId, tail }: Of<"tool_progress">): readonly SessionUpdate[] {
    const call = this.#calls.get(callId);
    if (call === undefined) return [];
    const content = tail === "" ? {} : { content: [textContent(tail)] };
    return [{ sessionUpdate: "tool_call_update", toolCallId: call.id, status: "in_progress", ...content }];
  }

  #ended({ callId, state, diff, details }: Of<"tool_end">): readonly SessionUpdate[] {
    const call = this.#calls.get(callId);
    if (call === undefined) return [];
    const changed = state === "ok" ? (diff ?? diffOf(details)) : undefined;
    if (changed !== undefined && call.path !== undefined) call.hunks = diffContent(call.path, changed);
    const content = call.hunks.length > 0 ? contentOf(call) : undefined; // else its outcome has it
    return [
      {
        sessionUpdate: "tool_call_update",
        toolCallId: call.id,
        status: state === "ok" ? "completed" : "failed",
        rawOutput: details,
        ...content,
      },
      ...(state === "ok" && call.plan ? [{ sessionUpdate: "plan", entries: call.plan } as const] : []),
    ];
  }

  #outcome({ callId, text, images = [] }: Extract<Entry, { type: "tool" }>): readonly SessionUpdate[] {
    const call = this.#calls.get(callId);
    if (call === undefined) return [];
    call.said = textContent(text);
    call.shown = images.map(({ mediaType, data }) => ({
      type: "content",
      content: { type: "image", mimeType: mediaType, data },
    }));
    return [{ sessionUpdate: "tool_call_update", toolCallId: call.id, ...contentOf(call) }];
  }
}

/** What it changed in a file stands for what the model reads of that. Absent while nothing is known. */
function contentOf({ hunks, said, shown }: Call): { readonly content?: ToolCallContent[] } {
  const told = hunks.length > 0 ? hunks : said === undefined ? [] : [said];
  return told.length + shown.length === 0 ? {} : { content: [...told, ...shown] };
}

export function piece(sessionUpdate: Pieces, text: string): SessionUpdate {
  return { sessionUpdate, content: { type: "text", text: printable(text) } };
}

/** What is not the model's own words, as a paragraph of its own. */
export function aside(owner: string | undefined, text: string): string {
  const lines = `${owner === undefined ? "" : `${owner}: `}${text}`.trim().split("\n");
  return `\n\n${lines.map((line) => `> ${line}`).join("\n")}\n\n`;
}

function textOf(content: readonly { readonly kind: string; readonly text?: string }[]): string {
  return content
    .flatMap(({ kind, text }) => (kind === "text" && text !== undefined ? [text] : []))
    .join("\n");
}

/** A delegate's calls stand beside the session's own, under its name. */
function delegateUpdates({ agent, sessionId, event }: Of<"delegate">): readonly SessionUpdate[] {
  const id = (callId: string): string => `${sessionId}/${callId}`;
  const own: DelegateEvent = event;
  switch (own.kind) {
    case "tool_start":
      return [
        {
          sessionUpdate: "tool_call",
          toolCallId: id(own.callId),
          title: `${agent}: ${titleOf(own.name, own.title)}`,
          kind: kindOf(own.name),
          status: "in_progress",
        },
      ];
    case "tool_end":
      return [
        {
          sessionUpdate: "tool_call_update",
          toolCallId: id(own.callId),
          status: own.state === "ok" ? "completed" : "failed",
        },
      ];
    case "alert":
      return [piece("agent_message_chunk", aside(agent, own.text))];
    case "fault":
      return [piece("agent_message_chunk", aside(agent, own.fault.message))];
    default:
      return [];
  }
}
