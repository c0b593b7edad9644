// The model's view as a pure fold of the log: nothing reaches a request but through an entry (invariant 1). It is kept
// incrementally, and its digest with it, so that a turn costs what it adds.

import { createHash, type Hash } from "node:crypto";
import type {
  Message,
  ModelParams,
  ModelRequest,
  ToolCallBlock,
  ToolDescriptor,
  Usage,
} from "indusagi/llmgateway";
import type { Entry } from "./contract.ts";

/** What stands before the messages of a request. */
export interface PromptFacts {
  readonly model: string;
  readonly system: string;
  readonly tools: readonly ToolDescriptor[];
  readonly params: ModelParams;
}

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

// A rough figure for servers that count no tokens; only the moment of compaction hangs on it.
const CHARS_PER_TOKEN = 4;

/** Folds entries, one at a time, into the request that the next model call sends. */
export class ContextFold {
  #messages: Message[] = [];
  #chain: Hash = createHash("sha256");
  #chars = 0;
  #prompt: PromptFacts | undefined;
  #promptDigest = "";
  #clock: number | undefined;
  #patch: Extract<Entry, { type: "context" }> | undefined;
  #openCalls = new Map<string, ToolCallBlock>();
  #usage: Usage = NO_USAGE;
  #contextTokens = 0;

  add(entry: Entry): void {
    switch (entry.type) {
      case "prompt":
        this.#prompt = { model: entry.model, system: entry.system, tools: entry.tools, params: entry.params };
        this.#clock = entry.clock;
        this.#promptDigest = createHash("sha256").update(JSON.stringify(this.#prompt)).digest("hex");
        return;
      case "user":
        this.#push({ role: "user", content: entry.content });
        return;
      case "notice":
        this.#push(textMessage(`[notice from ${entry.origin}]\n${entry.text}`));
        return;
      case "assistant":
        this.#patch = undefined; // it was for one request
        this.#push(entry.message);
        this.#countUsage(entry.usage);
        for (const block of entry.message.content)
          if (block.kind === "tool_call") this.#openCalls.set(block.id, block);
        return;
      case "tool":
        this.#openCalls.delete(entry.callId);
        this.#push({
          role: "tool",
          callId: entry.callId,
          name: entry.name,
          text: entry.text,
          isError: entry.state !== "ok",
        });
        return;
      case "context":
        this.#patch = entry;
        return;
      case "summary":
        this.#empty();
        this.#countUsage(entry.usage);
        this.#contextTokens = 0;
        this.#push(textMessage(`[summary of the session so far]\n${entry.text}`));
        return;
      case "clear":
        this.#empty();
        return;
      case "end":
        this.#patch = undefined;
        return;
      case "session":
      case "request":
      case "veto":
      case "approval":
        return; // facts about the session that the model does not see
    }
  }

  /** The prompt in force; undefined before the first. */
  get prompt(): PromptFacts | undefined {
    return this.#prompt;
  }

  /** The moment that the prompt in force was written for; undefined where none is logged. */
  get clock(): number | undefined {
    return this.#clock;
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** Calls without an outcome: an earlier process ended while they ran. */
  get openCalls(): readonly ToolCallBlock[] {
    return [...this.#openCalls.values()];
  }

  /** Totals over every reply of the session. */
  get usage(): Usage {
    return this.#usage;
  }

  /** Tokens the model's view takes: as the provider counted them, or estimated where it did not. */
  get contextTokens(): number {
    return this.#contextTokens || Math.ceil(this.#chars / CHARS_PER_TOKEN);
  }

  /** The request that the next model call sends. `messages` is a view: it must be used before the next `add`. */
  request(model: string): ModelRequest {
    if (!this.#prompt) throw new Error("a request needs a prompt entry before it");
    const { system, tools, params } = this.#prompt;
    return { model, system, tools, params, messages: this.#patched() };
  }

  /** Stands for the whole request: prompt and messages, in order. */
  digest(): string {
    const chain = this.#patch ? chainOf(this.#patched()) : this.#chain.copy();
    return `sha256:${chain.update(this.#promptDigest).digest("hex")}`;
  }

  #patched(): readonly Message[] {
    if (!this.#patch) return this.#messages;
    const { from, remove, insert } = this.#patch;
    return this.#messages.toSpliced(from, remove, ...insert);
  }

  #push(message: Message): void {
    const text = JSON.stringify(message);
    this.#chain.update(text).update("\n");
    this.#chars += text.length;
    this.#messages.push(message);
  }

  #empty(): void {
    this.#messages = [];
    this.#patch = undefined;
    this.#chain = createHash("sha256");
    this.#chars = 0;
    this.#contextTokens = 0;
    this.#openCalls.clear();
  }

  #countUsage(usage: Usage): void {
    this.#usage = {
      inputTokens: this.#usage.inputTokens + usage.inputTokens,
      outputTokens: this.#usage.outputTokens + usage.outputTokens,
      cacheReadTokens: this.#usage.cacheReadTokens + usage.cacheReadTokens,
      cacheWriteTokens: this.#usage.cacheWriteTokens + usage.cacheWriteTokens,
    };
    this.#contextTokens =
      usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  }
}

function chainOf(messages: readonly Message[]): Hash {
  const chain = createHash("sha256");
  for (const message of messages) chain.update(JSON.stringify(message)).update("\n");
  return chain;
}

function textMessage(text: string): Message {
  return { role: "user", content: [{ kind: "text", text }] };
}
