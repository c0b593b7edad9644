// Pieces of an answer as the events of that wire: each answer is a `message_start`, blocks with their deltas, and a `message_stop`.

import type { JsonObject } from "indusagi/core";
import type { ModelDelta } from "indusagi/llmgateway";
import type { ToolWords } from "./tool-words.ts";

export class PieceEvents {
  readonly #send: (event: JsonObject) => void;
  readonly #words: ToolWords;
  /** What the open block holds; undefined before the first. */
  #block: "text" | "thinking" | "tool_call" | undefined;
  #index = -1;

  constructor(send: (event: JsonObject) => void, words: ToolWords) {
    this.#send = send;
    this.#words = words;
  }

  delta(delta: ModelDelta): void {
    switch (delta.kind) {
      case "text":
        this.#within("text", { type: "text", text: "" });
        this.#piece({ type: "text_delta", text: delta.text });
        break;
      case "thinking":
        this.#within("thinking", { type: "thinking", thinking: "", signature: "" });
        this.#piece({ type: "thinking_delta", thinking: delta.text });
        break;
      case "tool_call":
        this.#closeBlock();
        this.#within("tool_call", {
          type: "tool_use",
          id: delta.id,
          name: this.#words.name(delta.name),
          input: {},
        });
        break;
      case "retry":
        this.end();
        break;
      default:
        return;
    }
  }

  /** The answer is whole, or comes anew. */
  end(): void {
    if (this.#index < 0) return;
    this.#closeBlock();
    this.#send({ type: "message_stop" });
    this.#index = -1;
  }

  #within(kind: "text" | "thinking" | "tool_call", block: JsonObject): void {
    if (this.#block === kind && kind !== "tool_call") return;
    this.#closeBlock();
    if (this.#index < 0)
      this.#send({
        type: "message_start",
        message: {
          ...{ id: "msg_pieces", type: "message", role: "assistant", model: "indus", content: [] },
          ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: 0, output_tokens: 0 } },
        },
      });
    this.#index++;
    this.#block = kind;
    this.#send({ type: "content_block_start", index: this.#index, content_block: block });
  }

  #piece(delta: JsonObject): void {
    this.#send({ type: "content_block_delta", index: this.#index, delta });
  }

  #closeBlock(): void {
    if (this.#block === undefined) return;
    this.#send({ type: "content_block_stop", index: this.#index });
    this.#block = undefined;
  }
}
