// The only terminal sanitiser: untrusted text (from a model, a tool, a repository) passes through it as the last step before
// the screen. What remains can be read, copied and scrolled, but cannot control the terminal.

/** Sanitises a text that arrives in chunks; sequences and characters can be split anywhere. */
export interface Printable {
  /** The part of `chunk` (and of what was held back) that can be shown now. */
  readonly write: (chunk: string) => string;
  /** The text that was held back; an unfinished escape sequence is dropped. Ready for a new text afterwards. */
  readonly end: () => string;
}

/**
 * `text` without terminal control: the only control characters left are LF and TAB (C0, DEL and C1 are removed), escape
 * sequences are removed whole, CRLF becomes LF, and characters that reorder or hide text (bidi embeddings, overrides and
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
  let swallowed = 0;
  let held = "";

  // Follows one escape sequence from `at`; returns where it continues, or where the text after it begins.
  function skip(text: string, at: number): number {
    for (let i = at; i < text.length; ) {
      const code = text.codePointAt(i) ?? 0;
      const next = ++swallowed > MAX_SEQUENCE ? "again" : step(state, code);
      if (next === "again" || next === "text") {
        state = "text";
        return next === "again" ? i : i + 1;
      }
      if (code === ESC) swallowed = 0;
      state = next;
      i += code > 0xffff ? 2 : 1;
    }
    return text.length;
  }

  function clean(text: string): string {
    let shown = "";
    let at = 0;
    while (at < text.length) {
      if (state !== "text") {
        at = skip(text, at);
        continue;
      }
      UNSAFE_FROM.lastIndex = at;
      const found = UNSAFE_FROM.exec(text);
      if (!found) return shown + text.slice(at);
      const [unsafe] = found;
      shown += text.slice(at, found.index);
      at = found.index + unsafe.length;
      const code = unsafe.codePointAt(0) ?? 0;
      if (code > LAST_CONTROL) shown += LONE_HALF.test(unsafe) ? "\ufffd" : `\\u{${code.toString(16)}}`;
      state = INTRODUCERS.get(code) ?? "text";
      swallowed = 0;
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
      const rest = state === "text" && held !== "" ? "\ufffd" : "";
      state = "text";
      held = "";
      return rest;
    },
  };
}

// An unterminated sequence must not swallow the session: it is abandoned at an LF, or after this many characters. No key,
// colour or title needs as many; the rest of a longer one is shown as text.
const MAX_SEQUENCE = 4096;

const ESC = 0x1b;
const LAST_CONTROL = 0x9f;
// A lone surrogate is replaced, as a stream would do: otherwise two halves would join when a sequence between them is removed.
// As a range, because V8 looks up each character to know those of a class such as \p{Cs}, at each start.
const LONE_HALF = /[\ud800-\udfff]/u;
const UNSAFE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}\ud800-\udfff]/u;
const UNSAFE_FROM = new RegExp(UNSAFE, "gu");

// ECMA-48: `string` is DCS, SOS, PM or APC, terminated only by ST; OSC can also be terminated by BEL.
type State = "text" | "escape" | "intermediate" | "csi" | "osc" | "string";

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

// The state after `code`: "text" if it ended the sequence, "again" if it is the first unit after the sequence.
function step(state: State, code: number): State | "again" {
  if (code === 0x0a) return "again";
  if (code === ESC) return "escape"; // ESC \ ends a string; any other ESC begins a new sequence
  if (code === 0x18 || code === 0x1a) return "text"; // CAN and SUB abort a sequence
  if (code >= 0x80 && code <= LAST_CONTROL) return "again"; // an 8-bit introducer or ST
  if (state === "osc" && code === 0x07) return "text";
  if (state === "osc" || state === "string" || code < 0x20 || code === 0x7f) return state;
  if (code > LAST_CONTROL) return "again";
  if (state === "csi") return code >= 0x40 ? "text" : "csi";
  if (code < 0x30) return "intermediate";
  return (state === "escape" && AFTER_ESC.get(String.fromCharCode(code))) || "text";
}
