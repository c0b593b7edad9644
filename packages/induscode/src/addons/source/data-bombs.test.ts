// What the host reads of an addon as data, in its own process: manifests and the sections of WebAssembly modules. Files
// made to break each reader end in a result or an error that names them, with bounded work and no memory growth.

import { describe, expect, test } from "vitest";
import { LoaderError } from "../contract.ts";
import { checkWasm } from "../runners/check-wasm.ts";
import { parseManifest } from "./manifest.ts";

const DEEP = 50_000;
const MB = 1024 * 1024;

/** Numbers that look random but are the same on every machine. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
}

const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join("\n");
const noise = (seed: number, alphabet: string, length: number): string => {
  const next = sequence(seed);
  return Array.from({ length }, () => alphabet[next() % alphabet.length]).join("");
};

const MANIFESTS: Readonly<Record<string, string>> = {
  "nested arrays": `a = ${"[".repeat(DEEP)}${"]".repeat(DEEP)}`,
  "nested arrays that end nowhere": `a = ${"[".repeat(DEEP)}`,
  "nested tables": `a = ${"{a=".repeat(DEEP)}1${"}".repeat(DEEP)}`,
  "mixed nesting": `a = ${"[{a=".repeat(DEEP)}1${"}]".repeat(DEEP)}`,
  "a dotted key": `${Array(DEEP).fill("a").join(".")} = 1`,
  "a dotted header": `[${Array(DEEP).fill("a").join(".")}]`,
  "a dotted header of tables": `[[${Array(DEEP).fill("a").join(".")}]]`,
  "many headers": lines(DEEP, (at) => `[a${at}]`),
  "many tables": lines(DEEP, () => "[[gate]]"),
  "many keys": lines(DEEP, (at) => `a${at} = ${at}`),
  "one key again": lines(DEEP, () => "a = 1"),
  "one header again": lines(DEEP, () => "[a]"),
  "a table that was a value": "a = 1\n[a.b]",
  "a long key": `${"a".repeat(MB)} = 1`,
  "a long quoted key": `"${"a".repeat(MB)}" = 1`,
  "a long string": `a = "${"a".repeat(MB)}"`,
  "a string without end": `a = "${"a".repeat(MB)}`,
  "a string of lines without end": `a = """${"a\n".repeat(DEEP)}`,
  quotes: `a = ${'"'.repeat(MB)}`,
  escapes: `a = "${"\\u0000".repeat(DEEP)}"`,
  "escaped surrogates": `a = "\\ud800"`,
  "an escape beyond Unicode": `a = "\\Uffffffff"`,
  "half an escape": `a = "\\u12`,
  "a long number": `a = ${"9".repeat(MB)}`,
  "a long hexadecimal number": `a = 0x${"f".repeat(MB)}`,
  "a long fraction": `a = 0.${"9".repeat(MB)}`,
  "a large exponent": `a = 1e${"9".repeat(DEEP)}`,
  underscores: `a = 1${"_1".repeat(DEEP)}`,
  "an impossible date": "a = 2026-99-99T99:99:99Z",
  "a date of many digits": `a = 2026-01-01T00:00:00.${"9".repeat(DEEP)}Z`,
  infinity: "a = inf\nb = -inf\nc = nan",
  "a comment": `#${"#".repeat(MB)}`,
  "many comments": lines(DEEP, () => "# a"),
  blanks: " ".repeat(MB),
  "line ends": "\n".repeat(MB),
  "carriage returns": "\r".repeat(MB),
  NULs: "\0".repeat(1_000),
  "a NUL in a string": 'a = "\0"',
  "a byte order mark": "\ufeffa = 1",
  "many byte order marks": "\ufeff".repeat(1_000),
  "lone surrogates": 'a = "\ud800\udc00\ud800"',
  nothing: "",
  "an equals sign": "=",
  "no value": "a =",
  "no key": "= 1",
  "an empty key": '"" = 1',
  __proto__: '["__proto__"]\npolluted = true\n[constructor.prototype]\npolluted = true',
  "a key called toString": "toString = 1\nvalueOf = 1\nhasOwnProperty = 1",
  commas: `a = [${",".repeat(DEEP)}]`,
  "a wide array": `a = [${"1,".repeat(DEEP)}1]`,
  "a wide table": `a = {${Array.from({ length: 10_000 }, (_, at) => `a${at}=1`).join(",")}}`,
  brackets: "[".repeat(MB),
  "closing brackets": "]".repeat(MB),
  "a header without end": `[${"a".repeat(MB)}`,
  "gates of many patterns": `id = "a"\n[[gate]]\nevent = "tool:before"\ncontains = [${'"a",'.repeat(DEEP)}]\nreason = "x"`,
  ...Object.fromEntries(
    [1, 2, 3, 4, 5, 6].map((seed) => [`noise ${seed}`, noise(seed, `[]{}="'.,#\n abt019_-\\`, 20_000)]),
  ),
};

const HEAD = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
/** An unsigned LEB128 number. */
function leb(value: number): readonly number[] {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return [...bytes, left];
    bytes.push((left % 128) | 0x80);
  }
}
const section = (id: number, ...content: readonly (number | readonly number[])[]): readonly number[] => {
  const bytes = content.flat();
  return [[id], leb(bytes.length), bytes].flat();
};
const module = (...parts: readonly (readonly number[])[]): Uint8Array =>
  Uint8Array.from([HEAD, ...parts].flat());
const HUGE = 0xffff_ffff;

const MODULES: Readonly<Record<string, Uint8Array>> = {
  nothing: new Uint8Array(0),
  "a head": module(),
  "half a head": Uint8Array.from(HEAD.slice(0, 5)),
  "another version": Uint8Array.from([...HEAD.slice(0, 4), 2, 0, 0, 0]),
  "16 MB of NULs": new Uint8Array(16 * MB),
  "a head and 16 MB of NULs": (() => {
    const bytes = new Uint8Array(16 * MB);
    bytes.set(HEAD);
    return bytes;
  })(),
  "a head and 4 MB of 0xff": (() => {
    const bytes = new Uint8Array(4 * MB).fill(0xff);
    bytes.set(HEAD);
    return bytes;
  })(),
  "a million empty sections": (() => {
    const bytes = new Uint8Array(HEAD.length + 2 * MB);
    bytes.set(HEAD);
    return bytes;
  })(),
  ...Object.fromEntries(
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13].flatMap((id) => [
      [`section ${id} that is longer than the file`, module([id, ...leb(HUGE), 0])],
      [`section ${id} of the most items`, module(section(id, ...leb(HUGE)))],
      [`section ${id} with a number without end`, module(section(id, ...Array<number>(1_000).fill(0x80)))],
      [`section ${id} again and again`, module(...Array.from({ length: 10_000 }, () => section(id, 0)))],
    ]),
  ),
  "an overlong zero": module([1, 0x80, 0x80, 0x80, 0x80, 0x00]),
  "an overlong number beyond 32 bits": module([1, 0xff, 0xff, 0xff, 0xff, 0x7f]),
  "a huge memory": module(section(5, 1, 1, ...leb(65_536), ...leb(65_536))),
  "a memory beyond all pages": module(section(5, 1, 1, ...leb(HUGE), ...leb(HUGE))),
  "many memories": module(
    section(5, ...leb(10_000), Array<readonly number[]>(10_000).fill([1, 1, 1]).flat()),
  ),
  "a shared memory": module(section(5, 1, 3, 1, 1)),
  "a huge table": module(section(4, 1, 0x70, 1, ...leb(HUGE), ...leb(HUGE))),
  "a growable table": module(section(4, 1, 0x70, 0, 1)),
  "many tables": module(
    section(4, ...leb(90_000), Array<readonly number[]>(90_000).fill([0x70, 1, 1, 9]).flat()),
  ),
  "exports of one name": module(
    section(7, ...leb(90_000), Array<readonly number[]>(90_000).fill([0, 0, 0]).flat()),
  ),
  "a name beyond the section": module(section(7, 1, ...leb(HUGE))),
  "a name of wrong UTF-8": module(section(7, 1, 3, 0xff, 0xfe, 0xed, 0, 0)),
  "an import of a long name": module(section(2, 1, ...leb(MB), Array<number>(MB).fill(97), 0, 0, 0)),
};

describe("manifests", () => {
  const all = Object.entries(MANIFESTS);
  test(`${all.length} bombs end with a manifest or an error that names the file`, {
    timeout: 300_000,
  }, async () => {
    expect(all.length).toBeGreaterThanOrEqual(60);
    const wrong: string[] = [];
    const { heapUsed } = process.memoryUsage();
    for (const [name, text] of all) {
      const before = process.threadCpuUsage();
      const error = await parseManifest(text, "/addons/bomb/manifest.toml").catch(
        (thrown: unknown) => thrown,
      );
      const { user } = process.threadCpuUsage(before);
      if (user > 5_000_000) wrong.push(`${name}: ${user / 1_000} ms of processor time`);
      if (!(error instanceof Error)) continue;
      if (!(error instanceof LoaderError) || !error.message.startsWith("/addons/bomb/manifest.toml"))
        wrong.push(`${name}: ${String(error).slice(0, 200)}`);
      if (error.message.length > 2_000) wrong.push(`${name}: ${error.message.length} characters of message`);
    }
    expect(wrong).toEqual([]);
    expect(process.memoryUsage().heapUsed - heapUsed).toBeLessThan(256 * MB);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe("WebAssembly modules", () => {
  const all = Object.entries(MODULES);
  test(`${all.length} bombs are refused in words, and nothing of them is compiled`, {
    timeout: 300_000,
  }, () => {
    expect(all.length).toBeGreaterThanOrEqual(60);
    const { heapUsed } = process.memoryUsage();
    const wrong = all.flatMap(([name, bytes]) => {
      const before = process.threadCpuUsage();
      const problem = checkWasm(bytes, 16);
      const { user } = process.threadCpuUsage(before);
      const isTold = problem !== undefined && problem.length < 2_000;
      return isTold && user < 5_000_000 ? [] : [`${name}: ${problem?.slice(0, 200)} (${user / 1_000} ms)`];
    });
    expect(wrong).toEqual([]);
    expect(process.memoryUsage().heapUsed - heapUsed).toBeLessThan(256 * MB);
  });
});
