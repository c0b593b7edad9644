// A terminal's input as keys, wherever its chunks are split: characters, escape sequences, pastes between their marks, and the
// terminal's own answers.

import { StringDecoder } from "node:string_decoder";
import type { Input, KeyDecoder } from "../contract.ts";
import { beginsAnswer } from "../screen/background.ts";
import { clipText } from "./pasted-text.ts";
import { keyOf, readCharacter, readCsi, readSs3 } from "./sequence.ts";

/** Requests marked pastes, focus events, and keys with their modifiers; {@link KEYS_OFF} reverts it. */
export const KEYS_ON = "\x1b[?2004h\x1b[?1004h\x1b[>1u\x1b[>4;1m";
export const KEYS_OFF = "\x1b[>4m\x1b[<u\x1b[?1004l\x1b[?2004l";

const PASTE_ENDS = "\x1b[201~";
/** No key or answer is longer; anything longer is dropped as it arrives. */
const MAX_SEQUENCE = 4096;
/** Pasted text beyond this is left out, and the text says so. */
const MAX_PASTE = 16 * 1024 * 1024;

const RUN = /[^\x00-\x1f\x7f-\x9f]+/y;
// CSI: parameters and intermediates, then one character. The Linux console has one more `[`; rxvt ends with `$` for Shift.
const CSI = /\x1b\[(\[[A-E]|(\d{1,3})(\$)|([0-?]{0,256})[ -/]{0,8}([@-Z\\-~]))/y;
const CSI_BEGUN = /\x1b\[\[?[0-?]{0,256}[ -/]{0,8}/y;
const STRING_BEGINS = /\x1b[P\]X^_]/y;
const STRING_ENDS = /(?:\x07|\x1b\\)$/;
/** Nobody types more of an answer than this after Esc by chance. */
const SURE_AFTER = 4;
const LINUX_KEYS: Readonly<Record<string, string>> = {
  "[A": "f1",
  "[B": "f2",
  "[C": "f3",
  "[D": "f4",
  "[E": "f5",
};

interface Paste {
  readonly pieces: string[];
  length: number;
}

/** A decoder for one terminal's input. */
export function createKeyDecoder(): KeyDecoder {
  const bytes = new StringDecoder("utf8");
  let held = "";
  let paste: Paste | undefined;
  /** A string sequence was too long: all of it is dropped up to its end. */
  let isDropping = false;
  /** The part of a possible answer that came before a pause; `untyped` is the part that is typed text if it is no answer. */
  let cut: { readonly begun: string; readonly untyped: string } | undefined;

  function write(chunk: Uint8Array | string): readonly Input[] {
    const inputs: Input[] = [];
    held += typeof chunk === "string" ? chunk : bytes.write(chunk);
    while (held !== "" && (paste ? readPaste(inputs) : readOne(inputs)));
    return inputs;
  }

  // The end mark can be split across chunks.
  function readPaste(inputs: Input[]): boolean {
    if (!paste) return false;
    const end = held.indexOf(PASTE_ENDS);
    const kept = end < 0 ? cutMark(held) : 0;
    const piece = held.slice(0, end < 0 ? held.length - kept : end);
    if (paste.length < MAX_PASTE) paste.pieces.push(piece);
    paste.length += piece.length;
    held = end < 0 ? held.slice(held.length - kept) : held.slice(end + PASTE_ENDS.length);
    if (end < 0) return false;
    const text = clipText(paste.pieces.join(""), MAX_PASTE, paste.length);
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
    if (held.startsWith("\x1b")) return readEscape(inputs);
    pressCharacter(inputs, held[0] ?? "", false);
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

  function pressCharacter(inputs: Input[], character: string, isAlt: boolean): void {
    const key = readCharacter(character, isAlt);
    if (key) inputs.push({ kind: "key", key });
  }

  function readEscape(inputs: Input[]): boolean {
    // Esc before a sequence means Alt with its key.
    const isAlt = held.startsWith("\x1b\x1b[") || held.startsWith("\x1b\x1bO");
    const at = isAlt ? 1 : 0;
    if (held.length === 1 || (held === "\x1b\x1b" && !isAlt)) return false;
    const second = held[at + 1];
    if (second === "[") return readControl(inputs, at);
    if (second === "O") {
      const letter = held[at + 2];
      if (letter === undefined) return false;
      if (/[A-Za-z]/.test(letter)) {
        take(inputs, readSs3(letter), { length: at + 3, isAlt });
        return true;
      }
    }
    STRING_BEGINS.lastIndex = at;
    if (!isAlt && STRING_BEGINS.test(held)) return readString(inputs);
    const character = String.fromCodePoint(held.codePointAt(1) ?? 0);
    held = held.slice(1 + character.length);
    pressCharacter(inputs, character, true);
    return true;
  }

  function readControl(inputs: Input[], at: number): boolean {
    CSI.lastIndex = at;
    const found = CSI.exec(held);
    if (found) {
      const [whole, all = "", number, dollar, body = number ?? "", final = dollar ?? ""] = found;
      const linux = LINUX_KEYS[all];
      const meaning =
        linux === undefined ? readCsi(body, final) : ({ kind: "key", key: keyOf(linux) } as const);
      take(inputs, meaning, { length: at + whole.length, isAlt: at > 0 });
      return true;
    }
    CSI_BEGUN.lastIndex = at;
    const begun = at + (CSI_BEGUN.exec(held)?.[0].length ?? 2);
    if (begun === held.length) return false;
    // Not a sequence that terminals send: its beginning is dropped, the rest is read normally.
    held = held.slice(begun);
    return true;
  }

  function take(
    inputs: Input[],
    meaning: ReturnType<typeof readCsi>,
    { length, isAlt }: { readonly length: number; readonly isAlt: boolean },
  ): void {
    const sequence = held.slice(0, length);
    held = held.slice(length);
    if (meaning.kind === "reply") inputs.push({ kind: "reply", sequence });
    else if (meaning.kind === "focus") inputs.push(meaning);
    else if (meaning.kind === "key")
      inputs.push({ kind: "key", key: isAlt ? { ...meaning.key, alt: true } : meaning.key });
    else if (meaning.kind === "pasteBegins") paste = { pieces: [], length: 0 };
  }

  // OSC and the like, up to BEL or ST: a terminal's answer. Alt with `]` or `P` begins the same way: the pause tells them apart.
  function readString(inputs: Input[]): boolean {
    const end = stringEnd(held);
    if (end > 0) {
      inputs.push({ kind: "reply", sequence: held.slice(0, end) });
      held = held.slice(end);
      return true;
    }
    if (held.length <= MAX_SEQUENCE) return false;
    isDropping = true;
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
      const inputs: Input[] = [];
      if (paste !== undefined || held === "") return inputs;
      const rest = held;
      held = "";
      if (!isDropping && beginsAnswer(rest)) cut = { begun: rest, untyped: "" };
      if (isDropping) isDropping = false;
      else if (rest === "\x1b") pressCharacter(inputs, "\x1b", false);
      else if (rest === "\x1b\x1b") inputs.push(...twice());
      else if (rest.length === 2) pressCharacter(inputs, rest[1] ?? "", true);
      // A longer unfinished one is not a key.
      return inputs;
    },
  };
}

function twice(): readonly Input[] {
  const key = keyOf("escape");
  return [
    { kind: "key", key },
    { kind: "key", key },
  ];
}

/** Where a string sequence at the start ends; -1 if its end has not arrived. */
function stringEnd(text: string): number {
  const bel = text.indexOf("\x07");
  const st = text.indexOf("\x1b\\", 1);
  const ends = [bel < 0 ? -1 : bel + 1, st < 0 ? -1 : st + 2].filter((end) => end > 0);
  return ends.length === 0 ? -1 : Math.min(...ends);
}

/** How many characters at the end may be the beginning of the paste's end mark. */
function cutMark(text: string): number {
  for (let length = Math.min(PASTE_ENDS.length - 1, text.length); length > 0; length--)
    if (PASTE_ENDS.startsWith(text.slice(text.length - length))) return length;
  return 0;
}
