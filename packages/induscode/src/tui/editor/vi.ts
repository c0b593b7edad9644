// vi's normal and insert mode over the same text: counts, the operators d c y with motions and words, and single commands.
// A command is one step of undo, including what is typed after it.

import type { Key } from "../contract.ts";
import type { Action } from "../keys/actions.ts";
import { type Layout, placeOf } from "./layout.ts";
import { moveRows } from "./motions.ts";
import {
  borderBefore,
  cleanText,
  type EditState,
  erase,
  insert,
  kill,
  lineEnd,
  lineStart,
  moveTo,
  nextBorder,
  redo,
  replaceRange,
  undo,
} from "./state.ts";
import {
  type Find,
  findCharacter,
  firstInLine,
  type Motion,
  wordAround,
  wordBack,
  wordEnd,
  wordForward,
} from "./vi-motions.ts";

interface Vi {
  readonly isNormal: () => boolean;
  /** In normal mode, puts the cursor on a character, however it got there. */
  readonly settled: (state: EditState) => EditState;
  /** Returns to insert mode, for a new text. */
  readonly insert: () => void;
  /** The result of the key; undefined if it is not vi's. The editor runs `action`, and then handles `rest`, the keys after it. */
  readonly press: (
    key: Key,
    state: EditState,
    layout: () => Layout,
  ) => { readonly state: EditState; readonly action?: Action; readonly rest?: string } | undefined;
}

// Count, operator, count, command: `3d2w`. The command may be incomplete.
const COMMAND = /^([1-9]\d{0,3})?(?:([dcy])([1-9]\d{0,3})?)?([\s\S]{0,8})$/;
const WITH_CHARACTER = /^[fFtTr]$/;
const CHANGES = /[dcxXsSDCpPrioaIAO~J]/;

/** Starts in insert mode. */
export function createVi(): Vi {
  let isNormal = false;
  let pending = "";
  let find: Find | undefined;
  /** The text last cut or copied as whole lines. */
  let lines: string | undefined;
  /** The last change, for `.`, and the text typed after it. */
  let change: { readonly command: string; typed: string } | undefined;
  let isRecording = false;
  /** The state when insert mode began, to which undo returns. */
  let before: EditState | undefined;

  function squash(state: EditState): EditState {
    const from = before;
    before = undefined;
    if (!from || from.text === state.text) return state;
    const { last: _, ...rest } = state;
    return { ...rest, past: [...from.past, { text: from.text, cursor: from.cursor }] };
  }

  function leaveInsert(state: EditState): EditState {
    isNormal = true;
    isRecording = false;
    const { text, cursor } = state;
    const left = cursor > lineStart(text, cursor) ? borderBefore(text, cursor) : cursor;
    return squash(moveTo(state, left));
  }

  function record(key: Key): void {
    if (!change || !isRecording) return;
    const isPlain = !key.ctrl && !key.alt;
    if (key.name === "text") change.typed += key.text ?? "";
    else if (key.name === "backspace" && isPlain)
      change.typed = change.typed.slice(0, borderBefore(change.typed, change.typed.length));
    else if (key.name === "enter" && !isPlain) change.typed += "\n";
    else isRecording = false;
  }

  function enterInsert(state: EditState, from: EditState): EditState {
    isNormal = false;
    isRecording = true;
    before ??= from;
    return state;
  }

  function onCharacter(state: EditState): EditState {
    const { text, cursor } = state;
    const isBehind = cursor === lineEnd(text, cursor) && cursor > lineStart(text, cursor);
    return isNormal && isBehind ? { ...moveTo(state, borderBefore(text, cursor)), ...goalOf(state) } : state;
  }

  function press(key: Key, state: EditState, layout: () => Layout): ReturnType<Vi["press"]> {
    const isEscape = key.name === "escape" && !key.alt;
    if (!isNormal) {
      if (isEscape && state.text !== "") return { state: leaveInsert(state) };
      record(key);
      return undefined;
    }
    if (isEscape) {
      const isOpen = pending !== "";
      pending = "";
      return isOpen ? { state } : undefined;
    }
    if (key.ctrl && !key.alt && key.name === "r") return { state: onCharacter(redo(state)) };
    if (key.name === "backspace") return { state: moveTo(state, borderBefore(state.text, state.cursor)) };
    if (key.name !== "text") return undefined;
    let now = state;
    const typed = Array.from(key.text ?? "");
    for (const [at, character] of typed.entries()) {
      if (!isNormal) {
        const put = cleanText(character);
        now = insert(now, put, true);
        if (change) change.typed += put;
        continue;
      }
      pending += character;
      const done = run(pending, now, layout);
      if (done === "more") continue;
      pending = "";
      if (!done) continue;
      if (done.action) return { state: now, action: done.action, rest: typed.slice(at + 1).join("") };
      now = onCharacter(done.state);
    }
    return { state: now };
  }

  /** `more`: the command is incomplete. Undefined: it is not a command. */
  function run(
    keys: string,
    state: EditState,
    layout: () => Layout,
  ): { readonly state: EditState; readonly action?: Action } | "more" | undefined {
    const parts = COMMAND.exec(keys);
    if (!parts) return undefined;
    const [, count = "", operator, second = "", command = ""] = parts;
    const times = Math.min(9_999, Number(count || 1) * Number(second || 1));
    if (command === "") return "more";
    if (command.length === 1 && (WITH_CHARACTER.test(command) || command === "g")) return "more";
    if (operator && command.length === 1 && /[ia]/.test(command)) return "more";
    const next = operator
      ? operate(state, operator, { command, times })
      : single(state, { command, times, isCounted: count !== "" }, layout);
    if (next === undefined) return undefined;
    if ("action" in next) return { state, action: next.action };
    if (command !== "." && (operator ? operator !== "y" : CHANGES.test(command[0] ?? "")))
      change = { command: keys, typed: "" };
    return { state: next };
  }

  function single(
    state: EditState,
    {
      command,
      times,
      isCounted,
    }: { readonly command: string; readonly times: number; readonly isCounted: boolean },
    layout: () => Layout,
  ): EditState | { readonly action: Action } | undefined {
    const { text, cursor } = state;
    const end = lineEnd(text, cursor);
    switch (command) {
      case "i":
        return enterInsert(moveTo(state, cursor), state);
      case "a":
        return enterInsert(moveTo(state, cursor < end ? nextBorder(text, cursor) : cursor), state);
      case "I":
        return enterInsert(moveTo(state, firstInLine(text, cursor)), state);
      case "A":
        return enterInsert(moveTo(state, end), state);
      case "o":
        return enterInsert(insert(moveTo(state, end), "\n"), state);
      case "O": {
        const start = lineStart(text, cursor);
        return enterInsert(moveTo(insert(moveTo(state, start), "\n"), start), state);
      }
      case "x":
        return kill(still(state), [cursor, forward(text, cursor, times)]);
      case "X":
        return kill(still(state), [back(text, cursor, times), cursor], "killLeft");
      case "s":
        return enterInsert(kill(still(state), [cursor, forward(text, cursor, times)]), state);
      case "S":
        return operate(state, "c", { command: "c", times });
      case "D":
        return kill(still(state), [cursor, end]);
      case "C":
        return enterInsert(kill(still(state), [cursor, end]), state);
      case "Y":
        return operate(state, "y", { command: "y", times });
      case "p":
      case "P":
        return put(state, command === "p", times);
      case "~": {
        const to = forward(text, cursor, times);
        const turned = Array.from(text.slice(cursor, to), turnCase).join("");
        return replaceRange(state, [cursor, to], turned);
      }
      case "J": {
        if (end === text.length) return undefined;
        const joined = replaceRange(state, [end, firstInLine(text, end + 1)], " ");
        return moveTo(joined, end);
      }
      case "u":
        return Array.from({ length: Math.min(times, state.past.length) }).reduce<EditState>(undo, state);
      case ".":
        return repeat(state);
      case "/": // as in a shell's vi mode
        return { action: "history.search" };
      case "v":
        return { action: "externalEditor" };
      case "j":
      case "k":
        return rows(state, command === "j" ? times : -times, layout());
    }
    if (command[0] === "r" && command.length > 1) return replaceCharacters(state, command.slice(1), times);
    if (command === "G" && isCounted) return moveTo(state, lineNumbered(text, times));
    const motion = move(state, command, times);
    return motion && moveTo(state, motion.to);
  }

  function rows(state: EditState, by: number, layout: Layout): EditState | { readonly action: Action } {
    const { row } = placeOf(layout, state.cursor);
    const target = Math.max(0, Math.min(layout.length - 1, row + by));
    const moved = moveRows(state, target - row, layout);
    if (target !== row && moved) return moved;
    return { action: by < 0 ? "history.previous" : "history.next" };
  }

  function move({ text, cursor }: EditState, command: string, times: number): Motion | undefined {
    const again = (step: (at: number) => number): number => {
      let at = cursor;
      for (let n = 0; n < times; n++) {
        const next = step(at);
        if (next === at) break;
        at = next;
      }
      return at;
    };
    const isBig = command === command.toUpperCase();
    switch (command) {
      case "h":
        return { to: back(text, cursor, times) };
      case "l":
      case " ":
        return { to: forward(text, cursor, times) };
      case "0":
        return { to: lineStart(text, cursor) };
      case "^":
        return { to: firstInLine(text, cursor) };
      case "$":
        return { to: lineEnd(text, cursor) };
      case "w":
      case "W":
        return { to: again((at) => wordForward(text, at, isBig)) };
      case "b":
      case "B":
        return { to: again((at) => wordBack(text, at, isBig)) };
      case "e":
      case "E":
        return { to: again((at) => wordEnd(text, at, isBig)), isInclusive: true };
      case "gg":
        return { to: firstInLine(text, 0) };
      case "G":
        return { to: firstInLine(text, text.length) };
      case ";":
      case ",": {
        if (!find) return undefined;
        const kind = command === ";" ? find.kind : turnCase(find.kind);
        return found(text, cursor, { find: { ...find, kind, isAgain: true }, times });
      }
    }
    const [kind = "", ...rest] = command;
    if (!WITH_CHARACTER.test(kind) || kind === "r" || rest.length === 0) return undefined;
    find = { kind, character: rest.join("") };
    return found(text, cursor, { find, times });
  }

  function operate(
    state: EditState,
    operator: string,
    { command, times }: { readonly command: string; readonly times: number },
  ): EditState | undefined {
    const { text, cursor } = state;
    const isLines = command === operator || /^(?:[jkG]|gg)$/.test(command);
    if (isLines) return operateOnLines(state, operator, { command, times });
    const range =
      command === "iw" || command === "aw"
        ? wordAround(text, cursor, command === "aw")
        : rangeOf(state, operator, { command, times });
    if (!range) return undefined;
    lines = undefined;
    if (operator === "y") return copy(state, range);
    const cut = kill(still(state), range);
    return operator === "c" ? enterInsert(cut, state) : cut;
  }

  function rangeOf(
    state: EditState,
    operator: string,
    { command, times }: { readonly command: string; readonly times: number },
  ): readonly [number, number] | undefined {
    const { text, cursor } = state;
    // As in vi: `cw` does not include the following blanks.
    const isWord = operator === "c" && /^[wW]$/.test(command) && /\S/.test(text[cursor] ?? " ");
    const motion = isWord
      ? ({ to: wordEndHere(text, cursor, { isBig: command === "W", times }), isInclusive: true } as const)
      : move(state, command, times);
    if (!motion) return undefined;
    const to = motion.isInclusive ? nextBorder(text, motion.to) : motion.to;
    // `dw` on the last word of a line keeps the line break.
    const end =
      /^[wW]$/.test(command) && to > lineEnd(text, cursor) && times === 1 ? lineEnd(text, cursor) : to;
    return end < cursor ? [end, cursor] : [cursor, end];
  }

  function operateOnLines(
    state: EditState,
    operator: string,
    { command, times }: { readonly command: string; readonly times: number },
  ): EditState {
    const { text, cursor } = state;
    const isOwn = command === operator;
    const more = isOwn ? times - 1 : times;
    let start = lineStart(text, cursor);
    let end = lineEnd(text, cursor);
    if (command === "G") end = text.length;
    if (command === "gg") start = 0;
    for (let n = 0; n < more && /^[dcyjk]$/.test(command); n++) {
      if (command === "k") start = start === 0 ? 0 : lineStart(text, start - 1);
      else end = end === text.length ? end : lineEnd(text, end + 1);
    }
    lines = `${text.slice(start, end)}\n`;
    const kept = { ...still(state), kills: [lines, ...state.kills].slice(0, 60) };
    if (operator === "y") return moveTo(kept, command === "k" || command === "gg" ? start : cursor);
    if (operator === "c") return enterInsert(erase(kept, start, end), state);
    const [from, to] = end < text.length ? [start, end + 1] : [Math.max(0, start - 1), end];
    const cut = erase(kept, from, to);
    return moveTo(cut, firstInLine(cut.text, Math.min(start, cut.text.length)));
  }

  function copy(state: EditState, [from, to]: readonly [number, number]): EditState {
    return { ...moveTo(state, from), kills: [state.text.slice(from, to), ...state.kills].slice(0, 60) };
  }

  function put(state: EditState, isAfter: boolean, times: number): EditState | undefined {
    const [cut] = state.kills;
    if (cut === undefined || cut === "") return undefined;
    const { text, cursor } = state;
    const all = cut.repeat(Math.min(times, 100));
    if (cut !== lines) {
      const at = isAfter && cursor < lineEnd(text, cursor) ? nextBorder(text, cursor) : cursor;
      const done = insert(moveTo(state, at), all);
      return moveTo(done, borderBefore(done.text, at + all.length));
    }
    const end = lineEnd(text, cursor);
    const at = isAfter ? end : lineStart(text, cursor);
    const done = insert(moveTo(state, at), isAfter ? `\n${all.slice(0, -1)}` : all);
    return moveTo(done, isAfter ? at + 1 : at);
  }

  function replaceCharacters(state: EditState, character: string, times: number): EditState | undefined {
    const { text, cursor } = state;
    const to = forward(text, cursor, times);
    if (to === cursor) return undefined;
    const done = replaceRange(state, [cursor, to], character.repeat(times));
    return moveTo(done, borderBefore(done.text, cursor + character.length * times));
  }

  function repeat(state: EditState): EditState | undefined {
    const last = change;
    if (!last) return undefined;
    const done = run(last.command, state, () => []);
    if (done === "more" || !done) return undefined;
    change = last;
    if (isNormal) return done.state;
    const typed = last.typed === "" ? done.state : insert(done.state, last.typed);
    return leaveInsert(typed);
  }

  return {
    isNormal: () => isNormal,
    settled: onCharacter,
    insert: () => {
      isNormal = false;
      isRecording = false;
      pending = "";
      before = undefined;
    },
    press,
  };
}

function goalOf({ goal }: EditState): { readonly goal?: number } {
  return goal === undefined ? {} : { goal };
}

/** Cuts by two commands stay two texts. */
function still(state: EditState): EditState {
  return moveTo(state, state.cursor);
}

function forward(text: string, from: number, times: number): number {
  const end = lineEnd(text, from);
  let at = from;
  for (let n = 0; n < times && at < end; n++) at = nextBorder(text, at);
  return at;
}

function back(text: string, from: number, times: number): number {
  const start = lineStart(text, from);
  let at = from;
  for (let n = 0; n < times && at > start; n++) at = borderBefore(text, at);
  return at;
}

function wordEndHere(
  text: string,
  from: number,
  how: { readonly isBig: boolean; readonly times: number },
): number {
  // On the last character of a word, `cw` changes only that one.
  let at = from;
  for (let n = 0; n < how.times; n++) {
    const before = n === 0 && at > 0 ? borderBefore(text, at) : at;
    const isJoined = n === 0 && wordEnd(text, before, how.isBig) === at && before !== at;
    at = isJoined ? at : wordEnd(text, at, how.isBig);
  }
  return at;
}

function found(
  text: string,
  cursor: number,
  { find, times }: { readonly find: Find; readonly times: number },
): Motion | undefined {
  let motion: Motion | undefined;
  let at = cursor;
  for (let n = 0; n < times; n++) {
    motion = findCharacter(text, at, find);
    if (!motion) return undefined;
    at = motion.to;
  }
  return motion;
}

function lineNumbered(text: string, number: number): number {
  let at = 0;
  for (let n = 1; n < number; n++) {
    const end = lineEnd(text, at);
    if (end === text.length) break;
    at = end + 1;
  }
  return at;
}

function turnCase(character: string): string {
  const lower = character.toLowerCase();
  return lower === character ? character.toUpperCase() : lower;
}
