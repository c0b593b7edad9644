// The only terminal sanitiser: untrusted text (from a model, a tool, a repository) passes through it as the last step before
// the screen. What remains can be read, copied and scrolled, but cannot control the terminal.

/** Sanitises a text that arrives in chunks; sequences and characters can be split anywhere. */
export interface Printable {
  /** The part of `chunk` (and of what was held back) that can be shown now. */
  readonly write: (chunk: string) => string;
  /** The text that was held back. Ready for a new text afterwards. */
  readonly end: () => string;
}

/**
 * `text` without terminal control: the only control characters left are LF and TAB (C0, DEL and C1 are removed), whole escape
 * sequences are removed, what only begins like one is shown as text behind `\\u{1b}`, CRLF becomes LF, and characters that reorder or hide text (bidi embeddings, overrides and
 * isolates; tags) are shown as `\u{202e}`. ZWJ, ZWNJ and U+200B stay: emoji and scripts need them, and a terminal ignores them.
 * A clean text is returned unchanged.
 */
export function printable(text: string): string {
  if (!UNSAFE.test(text)) return text;
  const stream = createPrintable();
  return stream.write(text) + stream.end();
}

/** {@link printable} across chunk boundaries: however a text is split, the pieces add up to the same result. */
export function createPrintable(): Printable {
  let state: State = "text";
  let sequence = ""; // as far as it has come
  let held = "";

  /** Follows the sequence from `at`; says where the text goes on, and what is shown of a sequence that broke off there. */
  function follow(text: string, at: number): { readonly at: number; readonly shown: string } {
    for (let i = at; i < text.length; ) {
      const code = text.codePointAt(i) ?? 0;
      const next = sequence.length + i - at > MAX_SEQUENCE ? "broken" : step(state, code);
      if (next === "broken") return { at: i, shown: breakOff(sequence + text.slice(at, i)) };
      i += code > 0xffff ? 2 : 1;
      state = next;
      if (next !== "text") continue;
      sequence = "";
      return { at: i, shown: "" };
    }
    sequence += text.slice(at);
    return { at: text.length, shown: "" };
  }

  function breakOff(broken: string): string {
    const isAtEscape = state === "terminator"; // which begins the next sequence
    state = isAtEscape ? "escape" : "text";
    sequence = isAtEscape ? "\x1b" : "";
    return spelled(isAtEscape ? broken.slice(0, -1) : broken);
  }

  function clean(text: string): string {
    let shown = "";
    let at = 0;
    while (at < text.length) {
      if (state !== "text") {
        const followed = follow(text, at);
        shown += followed.shown;
        at = followed.at;
        continue;
      }
      UNSAFE_FROM.lastIndex = at;
      const found = UNSAFE_FROM.exec(text);
      if (!found) return shown + text.slice(at);
      const [unsafe] = found;
      shown += text.slice(at, found.index) + shownFor(unsafe);
      at = found.index + unsafe.length;
      state = INTRODUCERS.get(unsafe.charCodeAt(0)) ?? "text";
      sequence = state === "text" ? "" : unsafe;
    }
    return shown;
  }

  return {
    write: (chunk) => {
      let text = held === "" ? chunk : held + chunk;
      held = "";
      // The first half of a surrogate pair waits for the second.
      const last = text.charCodeAt(text.length - 1);
      if (last >= 0xd800 && last <= 0xdbff) {
        held = text.slice(-1);
        text = text.slice(0, -1);
      }
      return state === "text" && !UNSAFE.test(text) ? text : clean(text);
    },
    end: () => {
      const rest = spelled(sequence) + (held === "" ? "" : "\ufffd");
      state = "text";
      sequence = "";
      held = "";
      return rest;
    },
  };
}

/** What is shown for a single unsafe character. */
function shownFor(unsafe: string): string {
  const code = unsafe.codePointAt(0) ?? 0;
  if (code <= LAST_CONTROL) return "";
  return LONE_HALF.test(unsafe) ? "\ufffd" : inHex(code);
}

/** A sequence that is none: its introducer is named, and the rest is text. */
function spelled(sequence: string): string {
  if (sequence === "") return "";
  return inHex(sequence.charCodeAt(0)) + sequence.slice(1).replace(UNSAFE_FROM, shownFor);
}

function inHex(code: number): string {
  return `\\u{${code.toString(16)}}`;
}

// An unterminated sequence must not swallow the session: it breaks off at an LF, or after this many characters. No key,
// colour or title needs as many.
const MAX_SEQUENCE = 4096;

const BEL = 0x07;
const LF = 0x0a;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const BACKSLASH = 0x5c;
const DEL = 0x7f;
const ST = 0x9c;
const LAST_CONTROL = 0x9f;
// A lone surrogate is replaced, as a stream would do: otherwise two halves would join when a sequence between them is removed.
// As a range, because V8 looks up each character to know those of a class such as \p{Cs}, at each start.
const LONE_HALF = /[\ud800-\udfff]/u;
const UNSAFE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}\ud800-\udfff]/u;
const UNSAFE_FROM = new RegExp(UNSAFE, "gu");

// ECMA-48: `string` is DCS, SOS, PM or APC, terminated only by ST; OSC can also be terminated by BEL. `terminator`: an ESC in one of
// them, which is the first half of ST.
type State = "text" | "escape" | "intermediate" | "csi" | "osc" | "string" | "terminator";

const INTRODUCERS: ReadonlyMap<number, State> = new Map([
  [ESC, "escape"],
  [0x90, "string"],
  [0x98, "string"],
  [0x9b, "csi"],
  [0x9d, "osc"],
  [0x9e, "string"],
  [0x9f, "string"],
]);

const AFTER_ESC: ReadonlyMap<string, State> = new Map([
  ["[", "csi"],
  ["]", "osc"],
  ["P", "string"],
  ["X", "string"],
  ["^", "string"],
  ["_", "string"],
]);

// The state after `code`: "text" if it completed the sequence, "broken" if it cannot be part of it.
function step(state: State, code: number): State | "broken" {
  if (state === "terminator") return code === BACKSLASH ? "text" : "broken";
  const isString = state === "osc" || state === "string";
  if (code === ESC && isString) return "terminator";
  if (code === ST && isString) return "text";
  if (code === LF || code === ESC || code === CAN || code === SUB) return "broken";
  if (code >= 0x80 && code <= LAST_CONTROL) return "broken";
  if (code === BEL && state === "osc") return "text";
  if (isString || code < 0x20 || code === DEL) return state; // a terminal obeys a control character within a sequence
  if (code > LAST_CONTROL) return "broken";
  if (state === "csi") return code >= 0x40 ? "text" : "csi";
  if (code < 0x30) return "intermediate";
  return (state === "escape" && AFTER_ESC.get(String.fromCharCode(code))) || "text";
}
