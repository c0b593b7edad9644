// vi's normal and insert mode over the same text. A command is one step of undo, including what is typed after it.

import type { Key } from "../contract.ts";
import type { Action } from "../keys/actions.ts";
import type { Layout } from "./layout.ts";
import {
  borderBefore,
  cleanText,
  type EditState,
  insert,
  lineEnd,
  lineStart,
  moveTo,
  redo,
} from "./state.ts";
import { isChange, perform, readCommand } from "./vi-commands.ts";
import { type Find, findIn } from "./vi-motions.ts";

/** The editor runs `action`, and then handles `rest`, the keys after it. */
interface Pressed {
  readonly state: EditState;
  readonly action?: Action;
  readonly rest?: string;
}

/** Starts in insert mode. */
export class Vi {
  #isNormal = false;
  /** The keys of an incomplete command. */
  #pending = "";
  /** What was last looked for in a line. */
  #find: Find | undefined;
  /** The text last cut or copied as whole lines. */
  #lines: string | undefined;
  /** The last change, for `.`, and the text typed after it. */
  #change: { readonly keys: string; typed: string } | undefined;
  #isRecording = false;
  /** The state when insert mode began, to which undo returns. */
  #before: EditState | undefined;

  get isNormal(): boolean {
    return this.#isNormal;
  }

  /** Returns to insert mode, for a new text. */
  insert(): void {
    this.#isNormal = false;
    this.#isRecording = false;
    this.#pending = "";
    this.#before = undefined;
  }

  /** In normal mode, puts the cursor on a character, however it got there. */
  settled(state: EditState): EditState {
    const { text, cursor, goal } = state;
    const isBehind = cursor === lineEnd(text, cursor) && cursor > lineStart(text, cursor);
    return this.#isNormal && isBehind ? moveTo(state, borderBefore(text, cursor), goal) : state;
  }

  /** The result of the key; undefined if it is not vi's. */
  press(key: Key, state: EditState, layout: () => Layout): Pressed | undefined {
    const isEscape = key.name === "escape" && !key.alt;
    if (!this.#isNormal) {
      if (isEscape && state.text !== "") return { state: this.#leaveInsert(state) };
      this.#record(key);
      return undefined;
    }
    if (isEscape) {
      const isOpen = this.#pending !== "";
      this.#pending = "";
      return isOpen ? { state } : undefined;
    }
    if (key.ctrl && !key.alt && key.name === "r") return { state: this.settled(redo(state)) };
    if (key.name === "backspace") return { state: moveTo(state, borderBefore(state.text, state.cursor)) };
    return key.name === "text" ? this.#type(Array.from(key.text ?? ""), state, layout) : undefined;
  }

  #type(typed: readonly string[], state: EditState, layout: () => Layout): Pressed {
    let now = state;
    for (const [at, character] of typed.entries()) {
      if (!this.#isNormal) {
        const put = cleanText(character);
        now = insert(now, put, true);
        if (this.#change) this.#change.typed += put;
        continue;
      }
      this.#pending += character;
      const done = this.#run(this.#pending, now, layout);
      if (done === "more") continue;
      this.#pending = "";
      if (done && "action" in done)
        return { state: now, action: done.action, rest: typed.slice(at + 1).join("") };
      if (done) now = this.settled(done);
    }
    return { state: now };
  }

  #run(
    keys: string,
    state: EditState,
    layout: () => Layout,
  ): EditState | { readonly action: Action } | "more" | undefined {
    const read = readCommand(keys);
    if (read === "more" || read === undefined) return read;
    const { operator, command, times } = read;
    if (operator === undefined && command === ".") return this.#repeat(state);
    this.#find = findIn(command) ?? this.#find;
    const done = perform(read, { state, times, find: this.#find, lines: this.#lines, layout });
    if (done === undefined || "action" in done) return done;
    if ("lines" in done) this.#lines = done.lines;
    if (isChange(read)) this.#change = { keys, typed: "" };
    if (done.inserts) this.#enterInsert(state);
    return done.state;
  }

  #repeat(state: EditState): EditState | undefined {
    const last = this.#change;
    if (!last) return undefined;
    const done = this.#run(last.keys, state, () => []);
    if (done === undefined || done === "more" || "action" in done) return undefined;
    this.#change = last;
    if (this.#isNormal) return done;
    return this.#leaveInsert(last.typed === "" ? done : insert(done, last.typed));
  }

  #enterInsert(from: EditState): void {
    this.#isNormal = false;
    this.#isRecording = true;
    this.#before ??= from;
  }

  #leaveInsert(state: EditState): EditState {
    this.#isNormal = true;
    this.#isRecording = false;
    const { text, cursor } = state;
    const left = cursor > lineStart(text, cursor) ? borderBefore(text, cursor) : cursor;
    return this.#squash(moveTo(state, left));
  }

  /** Joins all steps since insert mode began. */
  #squash(state: EditState): EditState {
    const from = this.#before;
    this.#before = undefined;
    if (!from || from.text === state.text) return state;
    const { last: _, ...rest } = state;
    return { ...rest, past: [...from.past, { text: from.text, cursor: from.cursor }] };
  }

  #record(key: Key): void {
    const change = this.#change;
    if (!change || !this.#isRecording) return;
    const isPlain = !key.ctrl && !key.alt;
    if (key.name === "text") change.typed += key.text ?? "";
    else if (key.name === "backspace" && isPlain)
      change.typed = change.typed.slice(0, borderBefore(change.typed, change.typed.length));
    else if (key.name === "enter" && !isPlain) change.typed += "\n";
    else this.#isRecording = false;
  }
}
