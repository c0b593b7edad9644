// The forms a secret can be written in: as it is, and as programs print values. Also which values are too common to search for,
// because they would be found everywhere.

/** The shortest text that is searched for: every form of a secret is at least this long. */
export const SHORTEST_FORM = 6;

/** A value this long is also recognised by half of it. */
const MIN_PARTIAL_LENGTH = 24;

/** One way to write a secret. */
export interface SecretForm {
  readonly text: string;
  /** How many characters of its beginning or end are enough; all of them where a part is not significant. */
  readonly enough: number;
  /** For base64: the characters before and after that hold bits of both the value and its neighbours in the encoded data. */
  readonly edges?: Base64Edges;
}

/** The possible characters at each edge; none where the value starts or ends on a character boundary. */
interface Base64Edges {
  readonly before: string;
  readonly after: string;
}

// Placeholder values that people set where no secret is needed, and names that occur in every project.
const COMMON = new Set(
  (
    "changeme changeit default disabled enabled example localhost password passwords secrets undefined " +
    "development production staging testing username administrator anonymous postgres postgresql mariadb " +
    "mongodb rabbitmq elasticsearch kubernetes password1 password123 admin123 test123 secret123 qwerty123"
  ).split(" "),
);
const WORD = /^(?:[A-Z]?[a-z]+|[A-Z]+)$/;
const LONGEST_WORD = 8;
const NUMBER = /^[\d.,:_-]+$/;
const LONGEST_NUMBER = 8;

/**
 * Why a value cannot be masked, or undefined. Masking a short or ordinary value would hide half of every text, and thereby
 * reveal where it was.
 */
export function whyUnmaskable(value: string): string | undefined {
  const text = value.trim();
  if (text.length < SHORTEST_FORM) return `it has fewer than ${SHORTEST_FORM} characters`;
  if (COMMON.has(text.toLowerCase())) return "it is an ordinary word";
  if (text.length <= LONGEST_WORD && WORD.test(text)) return "it is an ordinary word";
  if (text.length <= LONGEST_NUMBER && NUMBER.test(text)) return "it is a short number";
  if (new Set(text).size < 3) return "it repeats one or two characters";
  return undefined;
}

/** Every form of a value that {@link whyUnmaskable} accepts; `isWhole`: a half of it is none. */
export function formsOf(value: string, isWhole = false): readonly SecretForm[] {
  const whole = value.trim().toWellFormed();
  // A multi-line key is printed line by line, with other words between the lines.
  const lines = whole.includes("\n") ? whole.split(/\r?\n/).filter((line) => /^\S{20,}$/.test(line)) : [];
  const forms = new Map<string, SecretForm>();
  for (const text of [whole, ...lines]) {
    // Half of an address or of a structure is not its secret part.
    const isPartial =
      !isWhole && text.length >= MIN_PARTIAL_LENGTH && /^(?!\{)\S+$/.test(text) && !text.includes("://");
    const plain = [text, ...jsonForms(text), ...urlForms(text), ...hexForms(text)].map((form) => ({
      text: form,
    }));
    for (const form of [...plain, ...base64Forms(text)]) {
      const { length } = form.text;
      if (length < SHORTEST_FORM || forms.has(form.text)) continue;
      forms.set(form.text, { ...form, enough: isPartial ? Math.ceil(length / 2) : length });
    }
  }
  return [...forms.values()];
}

function jsonForms(text: string): readonly string[] {
  const escaped = JSON.stringify(text).slice(1, -1);
  const ascii = escaped.replace(/[^\x20-\x7e]/g, unicodeEscape);
  return [escaped, ascii].flatMap((form) => [
    form,
    form.replaceAll("/", "\\/"),
    JSON.stringify(form).slice(1, -1), // JSON within JSON
  ]);
}

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

// Encoders differ in which characters they leave unescaped; the forms differ only if the value has such characters.
function urlForms(text: string): readonly string[] {
  const usual = encodeURIComponent(text);
  const strict = usual.replace(/[!'()*]/g, percent);
  const bases = [usual, strict, usual.replaceAll("%2F", "/"), strict.replaceAll("%2F", "/"), encodeURI(text)];
  return bases
    .flatMap((form) => [form, form.replaceAll("%20", "+")])
    .flatMap((form) => [form, form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())]);
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function hexForms(text: string): readonly string[] {
  const form = Buffer.from(text).toString("hex");
  return [form, form.toUpperCase()];
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** One form for each of the three alignments a value can have in the encoded bytes. */
function base64Forms(text: string): readonly Omit<SecretForm, "enough">[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes, Buffer.alloc(2)]).toString("base64");
    // Only the characters made up entirely of bits of the value.
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor(((before + bytes.length) * 8) / 6);
    const form = encoded.slice(from, to);
    const known = { first: (from * 6 - before * 8) % 6, last: ((before + bytes.length) * 8) % 6 };
    const edges: Base64Edges = {
      before: known.first === 0 ? "" : withLowBits(encoded.charAt(from - 1), known.first),
      after: known.last === 0 ? "" : withHighBits(encoded.charAt(to), known.last),
    };
    const url = form.replaceAll("+", "-").replaceAll("/", "_");
    return [form, url, encodeURIComponent(form)].map((each) => ({ text: each, edges }));
  });
}

/** The characters of both alphabets whose low bits equal those of `character`. */
function withLowBits(character: string, bits: number): string {
  const mask = (1 << bits) - 1;
  return charactersOf((value) => (value & mask) === (BASE64.indexOf(character) & mask));
}

function withHighBits(character: string, bits: number): string {
  return charactersOf((value) => value >> (6 - bits) === BASE64.indexOf(character) >> (6 - bits));
}

function charactersOf(isOne: (value: number) => boolean): string {
  const found = [...BASE64].filter((_, value) => isOne(value)).join("");
  return found.replace("+", "+-").replace("/", "/_");
}
