import { mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readJson, readJsonIfGood, readJsonTolerantly } from "./json.ts";
import { TextError } from "./text-error.ts";
import { parseToml, parseTomlNow } from "./toml.ts";

const folder = mkdtempSync(join(tmpdir(), "indus-json-"));

function file(text: string): string {
  const path = join(folder, "a.json");
  writeFileSync(path, text);
  return path;
}

describe("a JSON file", () => {
  it.each(['{"a":[1,true,null]}', "3", '\uFEFF{"a":1}'])("%j is read", (text) => {
    const value: unknown = JSON.parse(text.replace("\uFEFF", ""));
    expect([readJson(file(text), 100), readJsonIfGood(file(text), 100)]).toEqual([value, value]);
  });

  it.each([
    ["", "line 1, column 1: expected a value"],
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: expected ","'],
    ['{"a":1,}', "line 1, column 8: expected a name in double quotes"],
    ["{a:1}", "line 1, column 2: an unquoted word or a character that JSON does not allow"],
    ['{"a":1} // mine', "line 1, column 9: comments are not allowed in this file"],
    ['{"a":"\n"}', "line 1, column 6: unterminated string"],
    ["[1] [2]", "line 1, column 5: unexpected text after the end"],
    ["[".repeat(100), 'line 1, column 101: expected "]"'],
  ])("%.20j is refused with the place and the words", (text, message) => {
    expect(() => readJson(file(text), 1_000)).toThrow(
      new TextError(message.replace(/^.*?: /, ""), at(message)),
    );
    expect(readJsonIfGood(file(text), 1_000)).toBeUndefined();
  });

  it("nested deeper than any parser goes is refused, and ends nothing", () => {
    const path = file("[".repeat(900_000));
    expect(() => readJson(path, 1_000_000)).toThrow(TextError);
  });

  it("that is too large, a link or not there is the system's error; twin: a link is followed where it is asked for", () => {
    const path = file("[1,2,3]");
    expect(() => readJson(path, 6)).toThrow("it has 7 bytes; the limit is 6");
    expect(() => readJson(join(folder, "none"), 6)).toThrow("ENOENT");
    symlinkSync(path, join(folder, "link"));
    expect(() => readJson(join(folder, "link"), 100)).toThrow("ELOOP");
    expect(readJson(join(folder, "link"), 100, { followsLinks: true })).toEqual([1, 2, 3]);
    expect(readJsonIfGood(join(folder, "link"), 100)).toBeUndefined();
  });
});

describe("a person's file", () => {
  const read = async (content: string | Buffer): Promise<readonly unknown[]> => {
    writeFileSync(join(folder, "own.json"), content);
    const { value, problem } = await readJsonTolerantly(join(folder, "own.json"), 1_000);
    return [value, problem?.message];
  };

  it("may hold comments and trailing commas, and a mistake costs only what it must", async () => {
    expect(await read('{ // mine\n "a": 1, }')).toEqual([{ a: 1 }, undefined]);
    expect(await read('{"a": 1, "b": 5 5}')).toEqual([{ a: 1, b: 5 }, 'line 1, column 17: expected ","']);
  });

  it.each([
    ['{"a": 1,\n "b": 2, "\\u0061": 3}', "a", "2, column 10"],
    ['[{"a": {"b": 1}, // "b": {\n "b": {"b": [":"], "b" /* : */ : 2}}]', "b", "2, column 20"],
  ])("has no name twice: %s", async (text, name, place) => {
    const [, problem] = await read(text);
    expect(problem).toBe(
      `line ${place}: the name "${name}" appears twice, and only its last value would count: write the name once`,
    );
    // The counterpart: the same name in different objects, in strings and in comments.
    expect(await read('{"a": {"a": "\\"a\\": {"}, "b": [{"a": 1}, {"a": 2}] /* "a": */ }')).toEqual([
      expect.anything(),
      undefined,
    ]);
  });

  it("is UTF-8", async () => {
    expect((await read(Buffer.from('{\n"a": "\xe9"}', "latin1")))[1]).toBe(
      "line 2, column 7: expected text in UTF-8, found other bytes",
    );
    expect((await read(Buffer.from('\uFEFF{"a": 1}', "utf16le")))[1]).toContain("expected text in UTF-8");
  });
});

describe("TOML", () => {
  const read: readonly (readonly [string, (text: string) => Promise<unknown>])[] = [
    ["at once", async (text) => parseTomlNow(text, 4)],
    ["when it can wait", (text) => parseToml(text, 4)],
  ];

  it.each(read)("read %s has one meaning and one error", async (_, parse) => {
    expect(await parse("a = [1]")).toEqual({ a: [1] });
    const error = await parse("a = 1\na = 2").catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TextError);
    expect(error).toMatchObject({
      line: 2,
      column: 1,
      message: "line 2, column 1: trying to redefine an already defined table or value",
    });
    await expect(parse("a = [[[[[[[[1]]]]]]]]")).rejects.toThrow(TextError);
  });
});

function at(message: string): { readonly line: number; readonly column: number } {
  const [, line, column] = /^line (\d+), column (\d+)/.exec(message) ?? [];
  return { line: Number(line), column: Number(column) };
}
