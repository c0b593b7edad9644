// What begins with Esc: a control sequence, a terminal's answer, or Alt with a character.

import type { Input } from "../contract.ts";
import { keyOf, readCharacter, readCsi, readSs3 } from "./sequence.ts";

/** What was taken off the front of the input. */
interface Taken {
  readonly length: number;
  readonly inputs: readonly Input[];
  /** A paste follows, or the rest of a string that is too long to be an answer. */
  readonly opens?: "paste" | "string";
}

/** No key or answer is longer; anything longer is dropped as it arrives. */
const MAX_SEQUENCE = 4096;

// CSI: parameters and intermediates, then one character. The Linux console has one more `[`; rxvt ends with `$` for Shift.
const CSI = /\x1b\[(\[[A-E]|(\d{1,3})(\$)|([0-?]{0,256})[ -/]{0,8}([@-Z\\-~]))/y;
const CSI_BEGUN = /\x1b\[\[?[0-?]{0,256}[ -/]{0,8}/y;
const STRING_BEGINS = /^\x1b[P\]X^_]/;
const LINUX_KEYS: Readonly<Record<string, string>> = {
  "[A": "f1",
  "[B": "f2",
  "[C": "f3",
  "[D": "f4",
  "[E": "f5",
};

/** Reads from the Esc at the start of `held`. Undefined if more must arrive first. */
export function readEscape(held: string): Taken | undefined {
  // Esc before a sequence means Alt with its key.
  const isAlt = held.startsWith("\x1b\x1b[") || held.startsWith("\x1b\x1bO");
  const at = isAlt ? 1 : 0;
  if (held.length === 1 || (held === "\x1b\x1b" && !isAlt)) return undefined;
  const second = held[at + 1];
  if (second === "[") return readControl(held, at);
  if (second === "O") {
    const letter = held[at + 2];
    if (letter === undefined) return undefined;
    if (/[A-Za-z]/.test(letter)) return taken(held.slice(0, at + 3), readSs3(letter), isAlt);
  }
  if (!isAlt && STRING_BEGINS.test(held)) return readString(held);
  const character = String.fromCodePoint(held.codePointAt(1) ?? 0);
  return { length: 1 + character.length, inputs: pressed(character, true) };
}

/** A character as a key; none if it means nothing. */
export function pressed(character: string, isAlt: boolean): readonly Input[] {
  const key = readCharacter(character, isAlt);
  return key ? [{ kind: "key", key }] : [];
}

function readControl(held: string, at: number): Taken | undefined {
  CSI.lastIndex = at;
  const found = CSI.exec(held);
  if (found) {
    const [whole, all = "", number, dollar, body = number ?? "", final = dollar ?? ""] = found;
    const linux = LINUX_KEYS[all];
    const meaning =
      linux === undefined ? readCsi(body, final) : ({ kind: "key", key: keyOf(linux) } as const);
    return taken(held.slice(0, at + whole.length), meaning, at > 0);
  }
  CSI_BEGUN.lastIndex = at;
  const begun = at + (CSI_BEGUN.exec(held)?.[0].length ?? 2);
  // Not a sequence that terminals send: its beginning is dropped, the rest is read normally.
  return begun === held.length ? undefined : { length: begun, inputs: [] };
}

function taken(sequence: string, meaning: ReturnType<typeof readCsi>, isAlt: boolean): Taken {
  const { length } = sequence;
  switch (meaning.kind) {
    case "reply":
      return { length, inputs: [{ kind: "reply", sequence }] };
    case "focus":
      return { length, inputs: [meaning] };
    case "key":
      return { length, inputs: [{ kind: "key", key: isAlt ? { ...meaning.key, alt: true } : meaning.key }] };
    case "pasteBegins":
      return { length, inputs: [], opens: "paste" };
    default:
      return { length, inputs: [] };
  }
}

// OSC and the like, up to BEL or ST: a terminal's answer. Alt with `]` or `P` begins the same way: the pause tells them apart.
function readString(held: string): Taken | undefined {
  const end = stringEnd(held);
  if (end > 0) return { length: end, inputs: [{ kind: "reply", sequence: held.slice(0, end) }] };
  return held.length <= MAX_SEQUENCE ? undefined : { length: 0, inputs: [], opens: "string" };
}

/** Where a string sequence at the start ends; -1 if its end has not arrived. */
export function stringEnd(text: string): number {
  const bel = text.indexOf("\x07");
  const st = text.indexOf("\x1b\\", 1);
  const ends = [bel < 0 ? -1 : bel + 1, st < 0 ? -1 : st + 2].filter((end) => end > 0);
  return ends.length === 0 ? -1 : Math.min(...ends);
}
