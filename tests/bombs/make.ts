// Small generators of what hurts parsers. Sizes are in characters: large enough that work in the square of them does not end
// within a test's bound, small enough that work in proportion to them takes milliseconds.

import { isLong } from "../support/long-form.ts";

/** One text or some bytes for a parser, made when its turn comes. */
export type Bombs<Input = string> = Readonly<Record<string, () => Input>>;

/** The long form has eight times as much, and is seven times as deep. */
export const SIZE: number = isLong ? 250_000 : 30_000;
/** In both forms deeper than what calls itself for each of these can go. */
export const DEEP: number = isLong ? 100_000 : 15_000;
export const MANY: number = SIZE / 10;

export const around = (open: string, middle: string, close: string, times: number = DEEP): string =>
  open.repeat(times) + middle + close.repeat(times);

/** `part` again and again, in about {@link SIZE} characters. */
export const run = (part: string, size: number = SIZE): string =>
  part.repeat(Math.max(1, Math.floor(size / part.length)));

export const rows = (count: number, row: (at: number) => string, between = "\n"): string =>
  Array.from({ length: count }, (_, at) => row(at)).join(between);

/** Characters that look drawn by lot and are the same on every machine. */
export function noise(seed: number, alphabet: string, length: number): string {
  let state = seed;
  let text = "";
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += alphabet[(state >>> 8) % alphabet.length];
  }
  return text;
}

export function noises(alphabet: string, count: number, length = isLong ? 20_000 : 10_000): Bombs {
  return Object.fromEntries(
    Array.from({ length: count }, (_, seed) => [`noise ${seed}`, () => noise(seed + 1, alphabet, length)]),
  );
}

/** Bombs made of others; their names get `prefix`. */
export function each<From, To>(bombs: Bombs<From>, change: (bomb: From) => To, prefix = ""): Bombs<To> {
  return Object.fromEntries(
    Object.entries(bombs).map(([name, make]) => [prefix + name, () => change(make())]),
  );
}

/** Runs of what readers skip, trim and count, each followed by what makes them begin anew. */
export const RUNS: Bombs = {
  ...Object.fromEntries(
    Object.entries({
      blanks: " ",
      tabs: "\t",
      "line feeds": "\n",
      "carriage returns": "\r",
      "line ends": "\r\n",
      "paragraph separators": "\u2029",
      NULs: "\0",
      "byte order marks": "\ufeff",
      dots: ".",
      slashes: "/",
      backslashes: "\\",
      hashes: "#",
      quotes: '"',
      apostrophes: "'",
      backticks: "`",
      stars: "*",
      "question marks": "?",
      "opening brackets": "[",
      "closing brackets": "]",
      "opening braces": "{",
      "closing braces": "}",
      "opening parentheses": "(",
      "closing parentheses": ")",
      "less-than signs": "<",
      "greater-than signs": ">",
      ampersands: "&",
      colons: ":",
      commas: ",",
      "at signs": "@",
      "equals signs": "=",
      dashes: "-",
      dollars: "$",
      digits: "9",
      letters: "a",
      "soft hyphens": "\u00ad",
      "combining marks": "\u0301",
      "half characters": "\ud83d",
      joiners: "\u200d",
      escapes: "\u001b",
    }).map(([name, part]) => [`a run of ${name}`, () => `a${run(part)}b`]),
  ),
};

/** JSON, and what looks like it. */
export const JSONS: Bombs = {
  "nested lists": () => around("[", "", "]"),
  "nested lists without end": () => "[".repeat(SIZE),
  "nested objects": () => around('{"a":', "1", "}"),
  "nested objects without end": () => run('{"a":'),
  "objects and lists in turn": () => around('[{"a":', "1", "}]"),
  "nested under a known name": () => `{"content":${around("[", "", "]")}}`,
  "an object of deep values": () => `{"a":${around("[", "1", "]")},"b":${around('{"a":', "1", "}")}}`,
  "a wide list": () => `[${rows(MANY, () => "1", ",")}]`,
  "a wide list of lists": () => `[${rows(MANY, () => "[[]]", ",")}]`,
  "a wide object": () => `{${rows(MANY, (at) => `"a${at}":${at}`, ",")}}`,
  "one name again and again": () => `{${rows(MANY, () => '"a":1', ",")}}`,
  "names that are numbers": () => `{${rows(MANY, (at) => `"${4_294_967_295 - at}":1`, ",")}}`,
  "a long name": () => `{"${run("a")}":1}`,
  "a long text": () => `{"a":"${run("a")}"}`,
  "a long text without end": () => `{"a":"${run("a")}`,
  "a text of escapes": () => `{"a":"${run("\\u0000")}"}`,
  "a text of backslashes": () => `{"a":"${run("\\\\")}"}`,
  "a text of backslashes without end": () => `{"a":"${run("\\")}`,
  "a text of half characters": () => `{"a":"${run("\\ud800")}"}`,
  "a text of line breaks": () => `{"a":"${run("\\n")}"}`,
  "a long number": () => `{"a":${run("9")}}`,
  "a long fraction": () => `{"a":0.${run("9")}}`,
  "a large exponent": () => `{"a":1e${run("9")}}`,
  "a negative zero": () => '{"a":-0}',
  "a number beyond all": () => '{"a":1e999}',
  "no number": () => '{"a":NaN}',
  nothing: () => "",
  blanks: () => run(" "),
  "blanks around": () => `${run(" ")}{}${run(" ")}`,
  "line feeds": () => run("\n"),
  "a byte order mark": () => '\ufeff{"a":1}',
  "many byte order marks": () => run("\ufeff"),
  NULs: () => run("\0"),
  "a NUL in a text": () => '{"a":"\0"}',
  "a comment": () => `/*${run("*")}*/{}`,
  "a comment without end": () => `{}/*${run("/*")}`,
  "line comments": () => `${run("//\n")}{}`,
  "commas at the end": () => `[1${run(",")}]`,
  "closing brackets": () => run("]"),
  "closing braces": () => `{}${run("}")}`,
  "colons in a row": () => `{"a"${run(":")}1}`,
  quotes: () => run('"'),
  "more behind it": () => `{} ${run("{}")}`,
  null: () => "null",
  true: () => "true",
  "a lone text": () => `"${run("a")}"`,
  "a lone number": () => "12",
  "__proto__ as a name": () =>
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  "__proto__ escaped": () => '{"\\u005f_proto__":{"polluted":true}}',
  "names of methods": () => '{"toString":1,"valueOf":1,"hasOwnProperty":1,"then":1,"toJSON":1,"length":-1}',
  "a length that lies": () => '{"length":4294967295,"0":"a"}',
  "a half": () => '{"a":[1,{"b":',
  "a half escape": () => '{"a":"\\u12',
  "a half word": () => '{"a":tru',
  "single quotes": () => "{'a':'b'}",
  "names without quotes": () => "{a:1,b:[c]}",
  "text that is none in UTF-8": () => '{"a":"\ud800"}',
  ...noises('{}[]",:\\/*0129aeftu \n', 8),
};
