// The one terminal sanitiser: untrusted text (a model's, a tool's, a repository's) passes it at the last step
// before the screen. What is left can be read, copied and scrolled, and can command nothing.

/** Sanitises a text that arrives in chunks; sequences and characters may be cut anywhere. */
export interface Printable {
  /** What of `chunk` (and of what was held back) may be shown now. */
  readonly write: (chunk: string) => string;
  /** What was held back; an unfinished escape sequence is dropped. Ready for a new text afterwards. */
  readonly end: () => string;
}

/**
 * `text` without terminal control: no control character but LF and TAB is left (C0, DEL, C1), escape sequences
 * are removed whole, CRLF becomes LF, and the characters that reorder or hide text (bidi embeddings, overrides
 * and isolates; tags) are shown as `\u{202e}`. ZWJ, ZWNJ and U+200B stay: emoji and scripts need them, and a
 * terminal does nothing with them. A clean text is returned as it is.
 */
export function printable(text: string): string {
  if (!UNSAFE.test(text)) return text;
  const stream = createPrintable();
  return stream.write(text) + stream.end();
}

/** {@link printable} across chunk borders: however a text is cut, the pieces add up to the same result. */
export function createPrintable(): Printable {
  let state: State = "text";
  let swallowed = 0;
  let held = "";

  // Follows one escape sequence from `at`; returns where it goes on, or where the text after it begins.
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

// A sequence that nobody ends must not swallow the session: it is given up at a LF, or after this many
// characters. No key, colour or title needs as much; the rest of a longer one is shown as the text it is.
const MAX_SEQUENCE = 4096;

const ESC = 0x1b;
const LAST_CONTROL = 0x9f;
// Half a character is replaced, as a stream would: else a sequence removed between two halves makes a whole one.
const LONE_HALF = /\p{Cs}/u;
const UNSAFE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}\p{Cs}]/u;
const UNSAFE_FROM = new RegExp(UNSAFE, "gu");

// ECMA-48: `string` is DCS, SOS, PM or APC, ended by ST alone; OSC may be ended by BEL as well.
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

// The state behind `code`: "text" when it ended the sequence, "again" when it is the first unit behind it.
function step(state: State, code: number): State | "again" {
  if (code === 0x0a) return "again";
  if (code === ESC) return "escape"; // ESC \ ends a string; any other ESC begins a new sequence
  if (code === 0x18 || code === 0x1a) return "text"; // CAN and SUB give up a sequence
  if (code >= 0x80 && code <= LAST_CONTROL) return "again"; // an 8-bit introducer or ST
  if (state === "osc" && code === 0x07) return "text";
  if (state === "osc" || state === "string" || code < 0x20 || code === 0x7f) return state;
  if (code > LAST_CONTROL) return "again";
  if (state === "csi") return code >= 0x40 ? "text" : "csi";
  if (code < 0x30) return "intermediate";
  return (state === "escape" && AFTER_ESC.get(String.fromCharCode(code))) || "text";
}
