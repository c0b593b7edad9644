// A terminal's input as keys, wherever its chunks are split: characters, escape sequences, pastes between their marks, and the
// terminal's own answers.

import { StringDecoder } from "node:string_decoder";
import type { Input, KeyDecoder } from "../contract.ts";
import { beginsAnswer } from "../screen/background.ts";
import { pressed, readEscape, stringEnd } from "./escape.ts";
import { PasteReader } from "./pasted-text.ts";
import { keyOf } from "./sequence.ts";

/** Requests marked pastes, focus events, and keys with their modifiers; {@link KEYS_OFF} reverts it. */
export const KEYS_ON = "\x1b[?2004h\x1b[?1004h\x1b[>1u\x1b[>4;1m";
export const KEYS_OFF = "\x1b[>4m\x1b[<u\x1b[?1004l\x1b[?2004l";

const RUN = /[^\x00-\x1f\x7f-\x9f]+/y;
const STRING_ENDS = /(?:\x07|\x1b\\)$/;
/** Nobody types more of an answer than this after Esc by chance. */
const SURE_AFTER = 4;

/** A decoder for one terminal's input. */
export function createKeyDecoder(): KeyDecoder {
  const bytes = new StringDecoder("utf8");
  let held = "";
  let paste: PasteReader | undefined;
  /** A string sequence was too long: all of it is dropped up to its end. */
  let isDropping = false;
  /** The part of a possible answer that came before a pause; `untyped` is the part that is typed text if it is no answer. */
  let cut: { readonly begun: string; readonly untyped: string } | undefined;

  function write(chunk: Uint8Array | string): readonly Input[] {
    const inputs: Input[] = [];
    held += typeof chunk === "string" ? chunk : bytes.write(chunk);
    while (held !== "" && (paste ? readPaste(inputs, paste) : readOne(inputs)));
    return inputs;
  }

  function readPaste(inputs: Input[], open: PasteReader): boolean {
    const { rest, text } = open.take(held);
    held = rest;
    if (text === undefined) return false;
    paste = undefined;
    inputs.push({ kind: "key", key: keyOf("paste", 0, text) });
    return true;
  }

  // Takes one input off the front of `held`. False if more must arrive first.
  function readOne(inputs: Input[]): boolean {
    if (isDropping) return dropString();
    if (cut) return readCut(inputs, cut);
    RUN.lastIndex = 0;
    const run = RUN.exec(held)?.[0];
    if (run !== undefined) {
      held = held.slice(run.length);
      inputs.push({ kind: "key", key: keyOf("text", 0, run) });
      return true;
    }
    if (held.startsWith("\x1b")) {
      const taken = readEscape(held);
      if (!taken) return false;
      held = held.slice(taken.length);
      inputs.push(...taken.inputs);
      if (taken.opens === "paste") paste = new PasteReader();
      isDropping = taken.opens === "string";
      return true;
    }
    inputs.push(...pressed(held[0] ?? "", false));
    held = held.slice(1);
    return true;
  }

  // The rest of an answer is not text, however late it comes: only a character that cannot belong to one ends it.
  function readCut(inputs: Input[], { begun, untyped }: NonNullable<typeof cut>): boolean {
    const whole = begun + held;
    const end = stringEnd(whole);
    if (end > begun.length && beginsAnswer(whole.slice(0, end).replace(STRING_ENDS, ""))) {
      inputs.push({ kind: "reply", sequence: whole.slice(0, end) });
      held = whole.slice(end);
      cut = undefined;
      return true;
    }
    if (beginsAnswer(whole)) {
      cut = { begun: whole, untyped: whole.length > SURE_AFTER ? "" : untyped + held };
      held = "";
      return false;
    }
    held = untyped + held;
    cut = undefined;
    return true;
  }

  function dropString(): boolean {
    const end = stringEnd(held);
    const isCut = end < 0 && held.endsWith("\x1b");
    held = end > 0 ? held.slice(end) : isCut ? "\x1b" : "";
    isDropping = end < 0;
    return !isDropping;
  }

  return {
    write,
    isWaiting: () => held !== "" && paste === undefined,
    flush: () => {
      if (paste !== undefined || held === "") return [];
      const rest = held;
      held = "";
      if (!isDropping && beginsAnswer(rest)) cut = { begun: rest, untyped: "" };
      if (isDropping) isDropping = false;
      else if (rest === "\x1b") return pressed("\x1b", false);
      else if (rest === "\x1b\x1b") return [ESCAPE, ESCAPE];
      else if (rest.length === 2) return pressed(rest[1] ?? "", true);
      return []; // a longer unfinished one is not a key
    },
  };
}

const ESCAPE: Input = { kind: "key", key: keyOf("escape") };
