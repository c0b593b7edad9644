// Keeps known secrets out of texts: each is replaced by `[secret NAME]`, in every form of `secret-forms.ts`. All forms are
// searched for at once (Wu and Manber, "A fast algorithm for multi-pattern searching", 1994): most characters are never
// examined, so masking costs about a millisecond per megabyte, however many secrets there are.

import { printable } from "./printable.ts";
import { formsOf, type SecretForm, SHORTEST_FORM, whyUnmaskable } from "./secret-forms.ts";

/** Masks a text that arrives in chunks; a secret can be split anywhere. */
export interface MaskedStream {
  /** The part of `chunk`, and of what was held back, that cannot be the beginning of a secret. */
  readonly write: (chunk: string) => string;
  /** Whether any text is held back. */
  readonly isHolding: () => boolean;
  /** The text that was held back. Ready for a new text afterwards. */
  readonly end: () => string;
}

/** The known secrets and how to mask them. Without any secret every text is returned unchanged, at no cost. */
export interface SecretMask {
  /**
   * Masks `value` from now on, and a half of it as what a cut left of it, unless `isWhole`: something public may share that half. Returns
   * why it cannot be masked, or undefined.
   */
  readonly add: (name: string, value: string, how?: { readonly isWhole: boolean }) => string | undefined;
  /** Stops masking the values of this name, including ones added later: the person wants to see them. */
  readonly show: (name: string) => void;
  /** `text` with every secret masked; the same text if there is none. If escape sequences interrupt a secret, it loses them. */
  readonly text: (text: string) => string;
  /** Whether it is, or contains, a secret. */
  readonly holds: (text: string) => boolean;
  /** Masks every text in a JSON value; returns the same value if there is no secret. */
  readonly value: <Value>(value: Value) => Value;
  /**
   * {@link text} across chunk boundaries: however a text is split, the pieces add up to the same result. Two exceptions: a secret
   * that escape sequences interrupt is left to whoever removes them; a split right before a base64 secret leaves the character
   * it shares with the text before it: four bits of its first byte at most.
   */
  readonly stream: () => MaskedStream;
  /** Takes a text that was masked before: its placeholders are known from now on, even if the secrets no longer are. */
  readonly recall: (text: string) => void;
  /** The first `[secret NAME]` in `text` that stands for a known secret, or undefined. */
  readonly placeholderIn: (text: string) => string | undefined;
}

/** The text that replaces a secret. */
export function placeholderOf(name: string): string {
  return `[secret ${name}]`;
}

/** Everything in `text` that looks like a placeholder. */
export function placeholdersIn(text: string): readonly string[] {
  return text.match(/\[secret [^[\]\n]{1,200}\]/g) ?? [];
}

interface Needle extends SecretForm {
  readonly placeholder: string;
}

interface FoundSecret {
  readonly kind: "secret";
  readonly from: number;
  readonly to: number;
  readonly placeholder: string;
}

/** The text ends here, and what follows may complete a secret. */
interface OpenEnd {
  readonly kind: "open";
  readonly from: number;
}

type Found = FoundSecret | OpenEnd;

export function createSecretMask(): SecretMask {
  const values = new Map<string, Set<string>>();
  const wholes = new Set<string>();
  const shown = new Set<string>();
  const recalled = new Set<string>();
  let index: NeedleIndex | undefined;
  const search = (): NeedleIndex | undefined => {
    if (values.size === 0) return undefined;
    index ??= new NeedleIndex(values, wholes);
    return index;
  };
  const mask: SecretMask = {
    add(name, value, { isWhole = false } = { isWhole: false }) {
      if (shown.has(name) || values.get(name)?.has(value)) return undefined;
      const why = whyUnmaskable(value) ?? whyInPlaceholder(name, value);
      if (why !== undefined) return why;
      if (isWhole) wholes.add(value);
      const known = values.get(name);
      if (known) known.add(value);
      else values.set(name, new Set([value]));
      index = undefined;
      return undefined;
    },
    show(name) {
      shown.add(name);
      if (values.delete(name)) index = undefined;
    },
    text: (text) => search()?.mask(text) ?? text,
    holds: (text) => search()?.holds(text) ?? false,
    value: (value) => {
      const found = search();
      return found && holdsSecret(value, found) ? maskValue(value, found) : value;
    },
    stream: () => {
      let held = "";
      const write = (chunk: string, isLast: boolean): string => {
        const found = search();
        const text = held + chunk;
        const masked = found?.maskPart(text, isLast) ?? { text, held: "" };
        held = masked.held;
        return masked.text;
      };
      return {
        // Most chunks are a word of an answer; those allocate nothing.
        write: (chunk) => (held === "" && (search()?.isClear(chunk) ?? true) ? chunk : write(chunk, false)),
        isHolding: () => held !== "",
        end: () => (held === "" ? "" : write("", true)),
      };
    },
    recall(text) {
      for (const placeholder of placeholdersIn(text)) recalled.add(placeholder);
    },
    placeholderIn(text) {
      if (!text.includes("[secret ")) return undefined;
      const known = [...[...values.keys()].map(placeholderOf), ...recalled];
      return known.find((placeholder) => text.includes(placeholder));
    },
  };
  return mask;
}

// Masking a masked text again must not change it.
function whyInPlaceholder(name: string, value: string): string | undefined {
  return placeholderOf(name).includes(value.trim()) ? "its name contains it" : undefined;
}

/** Most values hold no secret; checking that allocates nothing. */
function holdsSecret(value: unknown, index: NeedleIndex): boolean {
  if (typeof value === "string") return index.holds(value);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => holdsSecret(item, index));
  for (const key of Object.keys(value)) {
    const item: unknown = (value as Readonly<Record<string, unknown>>)[key];
    if (index.holds(key) || holdsSecret(item, index)) return true;
  }
  return false;
}

function maskValue<Value>(value: Value, index: NeedleIndex): Value {
  if (typeof value === "string") return index.mask(value) as Value & string;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const masked = value.map((item: unknown) => maskValue(item, index));
    return masked.some((item, at) => item !== value[at]) ? (masked as Value & unknown[]) : value;
  }
  let changed = false;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    const masked = maskValue(item, index);
    const maskedKey = index.mask(key);
    if (masked !== item || maskedKey !== key) changed = true;
    return [maskedKey, masked];
  });
  return changed ? (Object.fromEntries(entries) as Value & object) : value;
}

const ESCAPE = "\u001b";
const BLOCK = 2;
const FARTHEST = SHORTEST_FORM - BLOCK + 1;
const TABLE_SIZE = 1 << 16;
/** In characters: searching a shorter text costs next to nothing. */
const LONG = 1024;

/** Two UTF-16 units as a table index; a collision costs an extra check, never a miss. */
function placeOf(first: number, second: number): number {
  return ((first << 8) ^ second ^ (first >> 8)) & (TABLE_SIZE - 1);
}

/** Finds needles by their first and last six characters. */
class NeedleIndex {
  readonly #starts = new Map<string, Needle[]>();
  readonly #ends = new Map<string, Needle[]>();
  /** Beginnings of needles, too short for the search table. */
  readonly #heads = new Set<string>();
  /** Indexed by the low byte of a character: whether a beginning can start with it. Most texts end without one. */
  readonly #firsts = new Uint8Array(256);
  /** Characters that can precede a base64 needle and share bits with it. */
  readonly #leads = new Set<string>();
  /** How far the window can advance, indexed by its last two characters; 0: check here. */
  readonly #shifts = new Uint8Array(TABLE_SIZE).fill(FARTHEST);
  /** The last long text without a secret: output of a model or a tool is checked again when it is logged. */
  #clear: string | undefined;

  constructor(values: ReadonlyMap<string, ReadonlySet<string>>, wholes: ReadonlySet<string>) {
    for (const [name, known] of values) {
      const placeholder = placeholderOf(name);
      for (const value of known)
        for (const form of formsOf(value, wholes.has(value))) this.#add({ ...form, placeholder });
    }
  }

  holds(text: string): boolean {
    if (text === this.#clear) return false;
    if (this.#find(text, 0, true) !== undefined || this.#foundBare(text)) return true;
    if (text.length >= LONG) this.#clear = text;
    return false;
  }

  mask(text: string): string {
    const first = this.#find(text, 0, true);
    const masked = first ? this.#replaced(text, first, true).text : text;
    const hidden = this.#foundBare(masked);
    return hidden ? this.#replaced(hidden.bare, hidden.first, true).text : masked;
  }

  /** The text without escape sequences, if that shows a secret that they interrupt, as colours do. */
  #foundBare(text: string): { readonly bare: string; readonly first: Found } | undefined {
    if (!text.includes(ESCAPE)) return undefined;
    const bare = printable(text);
    const first = this.#find(bare, 0, true);
    return first && { bare, first };
  }

  /** Whether the text holds no secret and does not end with the beginning of one. */
  isClear(text: string): boolean {
    return this.#find(text, 0, false) === undefined && this.#headFrom(text, 0) === text.length;
  }

  maskPart(text: string, isLast: boolean): { readonly text: string; readonly held: string } {
    return this.#replaced(text, this.#find(text, 0, isLast), isLast);
  }

  #replaced(text: string, first: Found | undefined, isLast: boolean): { text: string; held: string } {
    let masked = "";
    let at = 0;
    let found = first;
    for (; found?.kind === "secret"; found = this.#find(text, at, isLast)) {
      masked += text.slice(at, found.from) + found.placeholder;
      at = found.to;
    }
    const holdFrom = isLast ? text.length : (found?.from ?? this.#headFrom(text, at));
    if (at === 0 && holdFrom === text.length) return { text, held: "" };
    return { text: masked + text.slice(at, holdFrom), held: text.slice(holdFrom) };
  }

  #add(needle: Needle): void {
    const start = needle.text.slice(0, SHORTEST_FORM);
    this.#anchor(this.#starts, start, needle);
    for (let length = 1; length < SHORTEST_FORM; length++) this.#heads.add(start.slice(0, length));
    this.#firsts[start.charCodeAt(0) & 255] = 1;
    for (const character of needle.edges?.before ?? "") this.#leads.add(character);
    // A line that is too long for some encoders can be broken within the first characters.
    if (needle.enough < needle.text.length || needle.edges)
      this.#anchor(this.#ends, needle.text.slice(-SHORTEST_FORM), needle);
  }

  #anchor(anchors: Map<string, Needle[]>, anchor: string, needle: Needle): void {
    const known = anchors.get(anchor);
    if (known) known.push(needle);
    else anchors.set(anchor, [needle]);
    for (let end = BLOCK; end <= SHORTEST_FORM; end++) {
      const place = placeOf(anchor.charCodeAt(end - 2), anchor.charCodeAt(end - 1));
      this.#shifts[place] = Math.min(this.#shifts[place] ?? 0, SHORTEST_FORM - end);
    }
  }

  /** The first secret at or after `from`; if more text can follow, also a possible beginning of one. */
  #find(text: string, from: number, isLast: boolean): Found | undefined {
    const shifts = this.#shifts;
    for (let end = from + SHORTEST_FORM; end <= text.length; ) {
      const shift = shifts[placeOf(text.charCodeAt(end - 2), text.charCodeAt(end - 1))] ?? 0;
      if (shift > 0) {
        end += shift;
        continue;
      }
      const found = this.#lookAt(text, end - SHORTEST_FORM, { from, isLast });
      if (found) return found;
      end++;
    }
    return undefined;
  }

  #lookAt(
    text: string,
    at: number,
    { from, isLast }: { readonly from: number; readonly isLast: boolean },
  ): Found | undefined {
    const anchor = text.slice(at, at + SHORTEST_FORM);
    let longest: FoundSecret | undefined;
    for (const needle of this.#starts.get(anchor) ?? []) {
      const start = at > from && isOneOf(needle.edges?.before, text[at - 1]) ? at - 1 : at;
      const { length, edge, isOpen } = commonStart(text, at, needle);
      if (!isLast && isOpen) return { kind: "open", from: start };
      const isWhole = length === needle.text.length;
      const to = isWhole ? edgeEnd(text, edge, needle) : edge;
      if (!isLast && isWhole && isEdgeCut(text, to, needle)) return { kind: "open", from: start };
      if (length >= needle.enough && to > (longest?.to ?? at))
        longest = { kind: "secret", from: start, to, placeholder: needle.placeholder };
    }
    if (longest) return longest;
    const end = at + SHORTEST_FORM;
    for (const needle of this.#ends.get(anchor) ?? []) {
      const { length, edge } = commonEnd(text, end, needle, from);
      if (length < needle.enough) continue;
      const to = edgeEnd(text, end, needle);
      if (!isLast && isEdgeCut(text, to, needle)) return { kind: "open", from: edge };
      return { kind: "secret", from: edge, to, placeholder: needle.placeholder };
    }
    return undefined;
  }

  /** Where the last few characters of the text match the beginning of a secret; the text's length if they do not. */
  #headFrom(text: string, at: number): number {
    for (let from = Math.max(at, text.length - SHORTEST_FORM + 1); from < text.length; from++)
      if (this.#firsts[text.charCodeAt(from) & 255] && this.#heads.has(text.slice(from)))
        return from > at && this.#leads.has(text.charAt(from - 1)) ? from - 1 : from;
    return text.length;
  }
}

function isOneOf(characters: string | undefined, character: string | undefined): boolean {
  return characters !== undefined && character !== undefined && characters.includes(character);
}

const PADDING = /(?:=|%3D){1,2}/iy;
const PADDING_BEGUN = /^[=%3D]*$/i;
const MAX_PADDING = "%3D%3D".length;

/** The end of a base64 secret, including the character that shares its bits and the padding. */
function edgeEnd(text: string, to: number, { edges }: Needle): number {
  if (edges === undefined || edges.after === "" || !isOneOf(edges.after, text[to])) return to;
  PADDING.lastIndex = to + 1;
  return PADDING.test(text) ? PADDING.lastIndex : to + 1;
}

/** Whether the characters that follow can still belong to it. */
function isEdgeCut(text: string, to: number, { edges }: Needle): boolean {
  if (edges === undefined || edges.after === "" || to + MAX_PADDING < text.length) return false;
  return PADDING_BEGUN.test(text.slice(to));
}

/** How much of a needle matches, ignoring line breaks inside base64. */
interface Common {
  readonly length: number;
  /** Where the match ends: after its last character when matching forwards, at its first when matching backwards. */
  readonly edge: number;
  /** The text ended before a mismatch. */
  readonly isOpen: boolean;
}

function commonStart(text: string, at: number, { text: needle, edges }: Needle): Common {
  if (text.startsWith(needle, at)) return { length: needle.length, edge: at + needle.length, isOpen: false };
  let length = SHORTEST_FORM;
  let edge = at + length;
  let next = edge;
  while (length < needle.length && next < text.length) {
    if (text.charCodeAt(next) === needle.charCodeAt(length)) {
      length++;
      edge = ++next;
    } else if (edges && isBreak(text.charCodeAt(next))) next++;
    else break;
  }
  return { length, edge, isOpen: next === text.length && length < needle.length };
}

function commonEnd(text: string, end: number, { text: needle, edges }: Needle, from: number): Common {
  let length = SHORTEST_FORM;
  let edge = end - length;
  let next = edge;
  while (length < needle.length && next > from) {
    if (text.charCodeAt(next - 1) === needle.charCodeAt(needle.length - 1 - length)) {
      length++;
      edge = --next;
    } else if (edges && isBreak(text.charCodeAt(next - 1))) next--;
    else break;
  }
  return { length, edge, isOpen: false };
}

function isBreak(unit: number): boolean {
  return unit === 10 || unit === 13;
}
