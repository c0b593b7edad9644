// What a terminal shows at the end of a text: overwritten progress is gone, redrawn lines are as they were last, colours and titles are
// removed. A small part of a terminal: lines of any width, of which the last ones can be changed.

import { Screen } from "./screen.ts";

/** An unfinished sequence is waited for up to here. */
const MAX_HELD = 256;

/** A text that arrives in chunks. */
export interface ScreenText {
  /** `isPlain`: it is known to have no controls but tabs and line feeds. */
  readonly write: (chunk: string, isPlain?: boolean) => void;
  /** Emits the rest. */
  readonly end: () => void;
}

/** Everything that `text` leaves on a terminal. A text without controls is returned unchanged. */
export function screenText(text: string): string {
  if (!CONTROL.test(text)) return text;
  let shown = "";
  const screen = createScreenText((part) => {
    shown += part;
  });
  screen.write(text);
  screen.end();
  return shown;
}

/** `text` without the sequences that terminals obey; what they would do to it is left out. */
export function withoutSequences(text: string): string {
  return CONTROL.test(text) ? text.replace(SEQUENCE, "") : text;
}

/** {@link screenText} of a stream; `emit` gets what cannot change any more. */
export function createScreenText(emit: (text: string) => void): ScreenText {
  const screen = new Screen(emit);
  let held = "";
  /** Inside a title or another string, which ends at the line's end at the latest. */
  let isInString = false;

  function write(chunk: string, isPlain = false): void {
    if (isPlain && held === "" && !isInString && screen.isAtEnd) {
      screen.append(chunk);
      return;
    }
    let text = held + chunk;
    held = "";
    if (isInString) {
      const after = afterString(text, 0);
      if (after === undefined) {
        if (text.endsWith("\x1b")) held = "\x1b";
        return;
      }
      isInString = false;
      text = text.slice(after);
    }
    const unfinished = UNFINISHED.exec(text)?.[0] ?? "";
    if (unfinished !== "" && unfinished.length <= MAX_HELD) {
      held = unfinished;
      text = text.slice(0, -unfinished.length);
    }
    text = text.replaceAll("\r\n", "\n").replace(COLOURS, "");
    if (!CONTROL.test(text) && screen.isAtEnd) screen.append(text);
    else follow(text);
  }

  function follow(text: string): void {
    let at = 0;
    for (const token of text.matchAll(TOKEN)) {
      if (token.index < at) continue; // inside a string
      screen.put(text.slice(at, token.index));
      at = token.index + token[0].length;
      const [whole, parameters, final] = token;
      if (final !== undefined) screen.control(final, parameters ?? "");
      else if (!STRING.test(whole)) screen.simple(whole);
      else {
        const after = afterString(text, at);
        if (after === undefined) {
          isInString = true;
          return;
        }
        at = after;
      }
    }
    screen.put(text.slice(at));
  }

  return {
    write,
    end() {
      const rest = held;
      held = "";
      if (!isInString && rest.startsWith("\r")) screen.simple("\r");
      screen.end();
    },
  };
}

/** The most frequent ones, which move nothing. */
const COLOURS = /\x1b\[[\d;:]*m/g;
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;
const TOKEN =
  /(?:\x1b\[|\x9b)([0-?]*)[ -/]*([@-~])|\x1b[\]PX^_]|\x1b[ -/]*[0-~]|[\x00-\x08\x0a-\x1f\x7f-\x9f]/g;
const STRING = /^(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])$/;
const STRING_END = /[\x07\x9c\x18\x1a\n]|\x1b\\?/g;
const UNFINISHED = /(?:\x1b\[|\x9b)[0-?]*[ -/]*$|\x1b[ -/]*$|\r$/;
const SEQUENCE =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x9c\x18\x1a\n\x1b]*(?:[\x07\x9c\x18\x1a]|\x1b\\)?|\x1b[ -/]*[0-~]/g;

/** Where the text goes on after a string; undefined if it does not end here. */
function afterString(text: string, from: number): number | undefined {
  STRING_END.lastIndex = from;
  const end = STRING_END.exec(text);
  if (end === null || (end[0] === "\x1b" && end.index === text.length - 1)) return undefined;
  return end[0] === "\n" || end[0] === "\x1b" ? end.index : end.index + end[0].length;
}
